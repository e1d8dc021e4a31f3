package grace

import (
	"runtime"
	"time"

	"github.com/barriergen/barriergen/primitives/barrier"
)

// How Backoff waits: looks, then lets others run, then sleeps, longer each time. An eager one yields for some milliseconds
// before it sleeps, so that a short wait never costs a timer.
const (
	looks        = 200
	yields       = 100
	eagerYields  = 20000
	firstSleep   = 20 * time.Microsecond
	longestSleep = time.Millisecond
)

// Backoff passes the time between two looks at what another goroutine will change. Its zero value is ready, and it works
// with one processor.
type Backoff struct {
	// Hurry, if set, makes the wait eager while it returns true.
	Hurry func() bool
	// Kick, if set, ends a sleep.
	Kick <-chan struct{}

	round int
	alone bool // one processor: looking again is of no use
	sleep time.Duration
}

// Pause passes some time, more with each call.
func (b *Backoff) Pause() {
	if b.round == 0 {
		b.alone = runtime.GOMAXPROCS(0) == 1
	}
	b.round++
	limit := looks + yields
	if b.Hurry != nil && b.Hurry() {
		limit = looks + eagerYields
	}
	switch {
	case b.round < looks && !b.alone:
		for range b.round { // keep off the cache line that the other side has to write
			barrier.Compiler()
		}
	case b.round < limit:
		runtime.Gosched()
	default:
		b.sleep = min(max(firstSleep, 2*b.sleep), longestSleep)
		if b.Kick == nil {
			time.Sleep(b.sleep)
			return
		}
		t := time.NewTimer(b.sleep)
		select {
		case <-t.C:
		case <-b.Kick:
			b.round = 0
		}
		t.Stop()
	}
}
