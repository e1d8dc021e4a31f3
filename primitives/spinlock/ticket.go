package spinlock

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Ticket is a ticket lock: each Lock draws a number, Unlock calls the next one, so that the lock is taken in the order
// of arrival. It is a sync.Locker of 8 bytes; the zero value is unlocked. It must not be copied after first use.
//
// Lock is acquire and Unlock is release: what happened before Unlock is visible behind the Lock that follows. On amd64
// Lock is one LOCK XADD, a load and a branch, inlined; Unlock is a load, an increment and one plain store, inlined (on arm64 the
// store is STLR).
//
// With more goroutines than processors a preempted waiter holds up all behind it; see the package's documentation.
//
// Unlock does not check that the lock is locked, which would cost a load of what others write. The next Lock that has to
// wait notices and panics.
type Ticket struct {
	next  uint32 // the number to draw, by sync/atomic for AfterSpinlock
	owner uint32 // the number that is called; only the holder writes it
}

// Lock takes the lock and waits while it is taken, spinning.
func (l *Ticket) Lock() {
	// sync/atomic's load is an acquire load, and the inliner's budget has room for it.
	if mine := atomic.AddUint32(&l.next, 1) - 1; atomic.LoadUint32(&l.owner) != mine {
		l.wait(mine)
	}
}

//go:noinline
func (l *Ticket) wait(mine uint32) {
	atomics.CondLoadAcquireUint32(&l.owner, func(owner uint32) bool {
		mustNotBePast(owner, mine)
		return owner == mine
	})
}

// TryLock takes the lock if nobody has it or waits for it, and reports whether it did; then it is an acquire as Lock is.
// If it returns false it orders nothing.
func (l *Ticket) TryLock() bool {
	// The next number is the one that is called: the lock was free when this was loaded, and still is if the
	// number can be drawn, since the one called never overtakes it.
	owner := atomics.LoadAcquireUint32(&l.owner)
	return atomic.CompareAndSwapUint32(&l.next, owner, owner+1)
}

// Unlock gives the lock to the goroutine that has waited longest, after all earlier accesses. A later load may still
// rise above it.
func (l *Ticket) Unlock() {
	atomics.StoreReleaseUint32(&l.owner, atomics.LoadRelaxedUint32(&l.owner)+1)
}

// AfterSpinlock, directly after Lock or a TryLock that returned true, makes it a full fence: what came before Lock is
// ordered before what follows AfterSpinlock. It is empty on amd64, and on arm64 where GOARM64 guarantees LSE; elsewhere
// it is a fence. barrier.AfterSpinlock, which can't know the lock, is a fence on every arm64.
func (l *Ticket) AfterSpinlock() { barrier.AfterSyncAtomic() }

// mustNotBePast panics if a ticket lock serves a later number than one that is still waiting.
func mustNotBePast(owner, mine uint32) {
	if int32(owner-mine) > 0 {
		panic("spinlock: this lock was unlocked once more than it was locked; each Unlock needs a Lock before it")
	}
}
