//go:build race

package rcu

// debug finds mistakes in the race detector's builds.
type debug struct {
	uses     int
	sections int
}

// use lets the race detector see two goroutines that use one reader.
func (d *debug) use() { d.uses++ }

// lock and unlock count the sections of a QuiescentReader, which are nothing otherwise.
func (d *debug) lock() {
	d.use()
	d.sections++
}

func (d *debug) unlock() {
	d.use()
	if d.sections == 0 {
		panic("rcu: ReadUnlock without ReadLock")
	}
	d.sections--
}

func (d *debug) outside(what string) {
	d.use()
	if d.sections != 0 {
		panic("rcu: " + what + " inside the reader's own read-side section")
	}
}
