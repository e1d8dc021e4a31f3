package rcu

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/internal/grace"
)

// Domain is the updaters' side, the same for all flavours.
type Domain struct {
	periods grace.Periods
	queue   grace.Queue
	readers registry
	fence   func() // full, and for readers without fences of their own theirs too

	_      [128]byte
	_      [0]atomic.Uint64 // alignment
	period uint64           // active | number: read by every ReadLock, written once in a grace period
	_      [128]byte
}

func (d *Domain) init(fence func()) {
	d.fence = fence
	d.queue.Synchronize = d.Synchronize
	d.period = active | numberOne
}

func (d *Domain) register(r *reader, word uint64) {
	r.domain, r.period, r.word = d, &d.period, word
	d.readers.add(r)
}

// Synchronize waits for a grace period: it returns when every read-side section that had begun before the call has ended.
// What such a section read is then no longer in use, and what it wrote is visible; a section that begins later sees what
// the caller did before the call. It is a full fence. Callers at the same time share grace periods. It waits by looking,
// then by letting other goroutines run, then by sleeping for up to a millisecond at a time.
//
// A reader must not call it inside a section: it would wait for itself. The readers' own Synchronize panics then.
func (d *Domain) Synchronize() { d.periods.Run(d.periods.Snapshot(), d.wait) }

// wait is one grace period.
//
// The fence stands between what updaters have done and the look at each word; each reader has one between its word and what
// it reads. So a word that shows no section belongs to a reader that will see what the updaters did. The new number is
// stored behind the fence: a reader that got it sees so too. A word with an older number may be of a section from before.
func (d *Domain) wait() {
	d.fence()
	number := d.period + numberOne
	atomics.StoreRelaxedUint64(&d.period, number)
	for _, r := range d.readers.readers() {
		var b grace.Backoff
		// What the section did comes before what our caller does next.
		for before(atomics.LoadAcquireUint64(&r.word), number) {
			b.Pause()
		}
	}
}

// Defer has f called after a grace period that begins after the call, in a goroutine of the domain. At most 4096 functions
// wait; when there are as many, the caller waits for a grace period and runs them. Therefore it must not be called in a
// read-side section, nor with a lock that a deferred function takes; TryDefer may be.
func (d *Domain) Defer(f func()) { d.queue.Add(f) }

// TryDefer is Defer where the caller can't wait: it reports whether there was room for f.
func (d *Domain) TryDefer(f func()) bool { return d.queue.TryAdd(f) }

// Barrier returns when every function that was deferred before the call has returned. It must not be called in a read-side
// section or in a deferred function.
func (d *Domain) Barrier() { d.queue.Barrier() }
