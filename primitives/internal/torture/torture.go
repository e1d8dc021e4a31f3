// Package torture holds what the tests of grace periods share. Run tries to catch one that ends too early: readers hold
// objects and look at them again and again, while updaters take them away, wait for a grace period, and poison and reuse
// them. Race asks the race detector, RunWithout takes membarrier(2) away, Compile shows machine code.
package torture

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// Reader is one reader.
type Reader interface {
	Lock()
	Unlock()
	// Pause is called outside of sections, now and then.
	Pause()
	// Close ends the use of the reader.
	Close()
}

// line is a cache line that everybody writes.
type line struct {
	v atomics.Uint64
	_ [120]byte
}

// Config is what to torture, and how.
type Config struct {
	Name      string
	NewReader func() Reader
	// Wait are the ways to wait for a grace period. Each calls f after one, now or later.
	Wait []func(f func())
	// Barrier returns when every f has returned.
	Barrier func()

	Readers, Updaters int
	// Block has readers sleep, yield and nest inside of sections; without it sections are as short as can be, for what only
	// short ones show.
	Block    bool
	Procs    int
	GC       bool
	Duration time.Duration
}

func (c Config) String() string {
	s := []string{c.Name, fmt.Sprintf("readers=%d updaters=%d procs=%d", c.Readers, c.Updaters, c.Procs)}
	if c.Block {
		s = append(s, "block")
	}
	if c.GC {
		s = append(s, "gc")
	}
	return strings.Join(s, " ")
}

// Stats is what happened.
type Stats struct {
	Reads, Updates uint64
	// Errors are the sections that saw an object change. Example tells one of them.
	Errors  uint64
	Example string
}

const poison = 0xdead << 48

// object is plain memory on purpose: the race detector looks as well.
type object struct{ words [8]uint64 }

func (o *object) fill(v uint64) {
	for i := range o.words {
		o.words[i] = v
	}
}

// slots are what readers find objects in.
const slots = 4

type run struct {
	Config
	slots [slots]struct {
		p atomics.Pointer[object]
		_ [120]byte
	}
	busy  [16]line
	began sync.WaitGroup // everybody has done something
	stop  atomic.Bool
	stats struct {
		sync.Mutex
		Stats
	}
}

// Run runs the configuration to its end.
func Run(c Config) Stats {
	r := &run{Config: c}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.Procs))
	for i := range r.slots {
		o := new(object)
		o.fill(1)
		r.slots[i].p.StoreRelease(o)
	}
	r.began.Add(c.Readers + c.Updaters)
	var readers, updaters sync.WaitGroup
	for i := range c.Readers {
		readers.Go(func() { r.read(rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	for i := range c.Updaters {
		updaters.Go(func() { r.update(uint64(i)) })
	}
	if c.GC {
		updaters.Go(func() {
			for !r.stop.Load() {
				runtime.GC()
			}
		})
	}
	r.began.Wait()
	time.Sleep(c.Duration)
	r.stop.Store(true)
	updaters.Wait()
	c.Barrier()
	readers.Wait()
	return r.stats.Stats
}

func (r *run) read(rng *rand.Rand) {
	h := r.NewReader()
	defer h.Close()
	var reads uint64
	for n := 0; !r.stop.Load(); n++ {
		if n%64 == 63 {
			h.Pause()
			if r.Procs < r.Readers+r.Updaters {
				runtime.Gosched()
			}
		}
		if !r.Block {
			r.stall(uint64(n))
		}
		h.Lock()
		o := r.slots[rng.Uint32()%slots].p.LoadAcquire()
		first := o.words[0]
		bad := first == poison
		if r.Block {
			bad = r.dawdle(h, o, first, rng) || bad
		} else {
			for range rng.Uint32() % 128 {
				bad = o.changed(first) || bad
			}
		}
		bad = o.changed(first) || bad
		h.Unlock()
		if reads++; reads == 1 {
			r.began.Done()
		}
		if bad {
			r.report(first)
		}
	}
	r.stats.Lock()
	defer r.stats.Unlock()
	r.stats.Reads += reads
}

// stall fills the store buffer with stores that take long, so that the next one, which tells of a section, is late if
// nothing holds the reader back.
func (r *run) stall(v uint64) {
	for i := range r.busy {
		r.busy[i].v.StoreRelaxed(v)
	}
}

// changed looks at the object again, and reports whether it is another one by now.
func (o *object) changed(first uint64) bool {
	for i := range o.words {
		if o.words[i] != first {
			return true
		}
	}
	return false
}

// dawdle stays in the section for a random time, in a random way.
func (r *run) dawdle(h Reader, o *object, first uint64, rng *rand.Rand) bool {
	switch k := rng.Uint32() % 64; {
	case k == 0:
		time.Sleep(time.Duration(rng.Uint32()%200) * time.Microsecond)
	case k < 8:
		runtime.Gosched()
	case k < 24:
		h.Lock()
		bad := o.changed(first)
		if k < 10 {
			h.Lock()
			runtime.Gosched()
			h.Unlock()
		}
		h.Unlock()
		return o.changed(first) || bad
	default:
		for range rng.Uint32() % 256 {
			if o.changed(first) {
				return true
			}
		}
	}
	return false
}

func (r *run) update(id uint64) {
	rng := rand.New(rand.NewPCG(2, id))
	free := make(chan *object, 64)
	for range 32 {
		free <- new(object)
	}
	value := id<<40 + 2
	var updates uint64
	for !r.stop.Load() {
		var o *object
		select {
		case o = <-free:
		default: // callbacks are on their way
			runtime.Gosched()
			continue
		}
		value++
		o.fill(value)
		old := r.slots[rng.Uint32()%slots].p.SwapFull(o)
		r.Wait[int(updates)%len(r.Wait)](func() {
			old.fill(poison)
			select {
			case free <- old:
			default:
			}
		})
		if updates++; updates == 1 {
			r.began.Done()
		}
		if !r.Block {
			r.stall(updates)
		}
		if r.Block && updates%16 == 0 {
			time.Sleep(time.Duration(rng.Uint32()%100) * time.Microsecond)
		}
	}
	r.stats.Lock()
	defer r.stats.Unlock()
	r.stats.Updates += updates
}

func (r *run) report(first uint64) {
	r.stats.Lock()
	defer r.stats.Unlock()
	r.stats.Errors++
	if r.stats.Example == "" {
		r.stats.Example = fmt.Sprintf("an object of value %#x was reused inside of a section", first)
	}
}
