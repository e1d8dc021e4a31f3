package srcu

import (
	"sync"

	"github.com/barriergen/barriergen/primitives/internal/grace"
)

// Cookie names a grace period of one domain.
type Cookie struct{ period grace.Cookie }

// driver runs the grace periods that somebody has asked for and nobody waits for.
type driver struct {
	mu      sync.Mutex
	wanted  grace.Cookie
	running bool
}

// StartPoll starts a grace period that begins after the call, and does not wait for it. It may be called in a section.
func (d *Domain) StartPoll() Cookie {
	c := d.periods.Snapshot()
	d.driver.mu.Lock()
	defer d.driver.mu.Unlock()
	d.driver.wanted = max(d.driver.wanted, c)
	if !d.driver.running {
		d.driver.running = true
		go d.drive()
	}
	return Cookie{c}
}

// Poll reports whether the grace period is over. If so, it is as if Synchronize had been called instead of StartPoll and had
// returned by now.
func (d *Domain) Poll(c Cookie) bool { return d.periods.Done(c.period) }

func (d *Domain) drive() {
	for {
		d.driver.mu.Lock()
		c := d.driver.wanted
		d.driver.running = !d.periods.Done(c)
		running := d.driver.running
		d.driver.mu.Unlock()
		if !running {
			return
		}
		d.periods.Run(c, d.period)
	}
}
