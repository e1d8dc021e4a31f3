package torture

import (
	"testing"
	"time"
)

// mixes are the settings of one flavour: with sections that block and that are short, few processors and many.
func (c Config) mixes() []Config {
	set := func(readers, updaters, procs int, block, gc bool) Config {
		c := c
		c.Readers, c.Updaters, c.Procs, c.Block, c.GC = readers, updaters, procs, block, gc
		return c
	}
	short := set(1, 1, 2, false, false)
	short.Wait = short.Wait[:1]
	return []Config{
		short,
		set(2, 2, 1, true, false),
		set(3, 2, 2, true, true),
		set(6, 3, 8, true, false),
	}
}

// Test tortures every flavour in all settings, for so long altogether.
func Test(t *testing.T, flavours []Config, campaign time.Duration) {
	for _, f := range flavours {
		t.Run(f.Name, func(t *testing.T) {
			cs := f.mixes()
			for _, c := range cs {
				c.Duration = campaign / time.Duration(len(flavours)*(len(cs)+1))
				if !c.Block {
					c.Duration *= 2 // what lack of a fence needs to show
				}
				s := Run(c)
				if s.Errors != 0 {
					t.Fatalf("%v: %d of %d sections: %s", c, s.Errors, s.Reads, s.Example)
				}
				if s.Reads == 0 || s.Updates == 0 {
					t.Errorf("%v: %d reads, %d updates: nothing was tried", c, s.Reads, s.Updates)
				}
				t.Logf("%v: %d reads, %d updates", c, s.Reads, s.Updates)
			}
		})
	}
}
