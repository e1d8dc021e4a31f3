package spinlock

import (
	"sync"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Parking is a ticket lock whose waiters spin for a bounded time and then park, as paravirtual ticket locks do: they
// cost no processor time while they wait. It is a sync.Locker; the zero value is unlocked. It must not be copied after
// first use.
//
// Lock is acquire and Unlock is release, and the lock is taken in the order of arrival, parked or not. While nobody is
// parked Unlock is one read-modify-write (LOCK XADD on amd64, LDADDAL on arm64), inlined, and a branch on its
// result: the word that it adds to has a flag in it that says whether anybody is parked. See the package's documentation
// for why no wake-up is lost.
//
// A waiter that parks for the first time allocates a record; the lock keeps it and uses it again.
type Parking struct {
	head uint32 // the number that is called, times step, and the flag parked; changed by read-modify-writes only
	next uint32 // the number to draw, times step; by sync/atomic, for AfterSpinlock

	mu    sync.Mutex // of what follows, and of the flag
	first *parkedWaiter
	free  *parkedWaiter
}

const (
	parked uint32 = 1 // somebody is parked: Unlock has to look for whom to wake
	step   uint32 = 2 // between two numbers

	// spinRounds bounds the spinning, to about what parking and waking up cost.
	spinRounds = 32
)

type parkedWaiter struct {
	ticket uint32
	next   *parkedWaiter // the next higher ticket, or the next free record
	wake   chan struct{} // one token: the lock is yours
}

// Lock takes the lock and waits while it is taken, first spinning, then parked.
func (l *Parking) Lock() {
	// As in Ticket.Lock; with the flag, mine is one less than the next number.
	if next := atomic.AddUint32(&l.next, step); atomic.LoadUint32(&l.head)|parked != next-1 {
		l.lockSlow(next)
	}
}

//go:noinline
func (l *Parking) lockSlow(next uint32) {
	mine := next - step
	rounds := 0
	head := atomics.CondLoadAcquireUint32(&l.head, func(head uint32) bool {
		rounds++
		return head&^parked == mine || rounds == spinRounds
	})
	if head&^parked == mine {
		return
	}
	mustNotBePast(head&^parked, mine)
	if w := l.park(mine); w != nil {
		<-w.wake
		l.mu.Lock()
		w.next, l.free = l.free, w
		l.mu.Unlock()
	}
}

// park lists a waiter, or returns nil if its turn has come. The read-modify-write both sets the flag and reads the
// number that is called. The Unlock that calls mine changes the same word: either it comes later and sees the flag, and
// then finds the waiter, since l.mu is held until the waiter is listed; or it came before, and its number is read here.
func (l *Parking) park(mine uint32) *parkedWaiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if atomics.OrAcquireUint32(&l.head, parked)&^parked == mine {
		l.clearSlowpath()
		return nil
	}
	w := l.free
	if w == nil {
		w = &parkedWaiter{wake: make(chan struct{}, 1)}
	} else {
		l.free = w.next
	}
	w.ticket = mine
	at := &l.first
	for *at != nil && int32((*at).ticket-mine) < 0 {
		at = &(*at).next
	}
	w.next, *at = *at, w
	return w
}

// clearSlowpath makes Unlock one instruction again if nobody is parked any more. The caller holds l.mu, under which
// the flag is set and the waiter listed, so that no waiter is listed without the flag.
func (l *Parking) clearSlowpath() {
	if l.first == nil {
		atomics.AndRelaxedUint32(&l.head, ^parked)
	}
}

// TryLock takes the lock if nobody has it or waits for it, and reports whether it did; then it is an acquire as Lock is.
// If it returns false it orders nothing.
func (l *Parking) TryLock() bool {
	owner := atomics.LoadAcquireUint32(&l.head) &^ parked
	return atomic.CompareAndSwapUint32(&l.next, owner, owner+step) // see Ticket.TryLock
}

// Unlock gives the lock to the goroutine that has waited longest and wakes it if it is parked, after all earlier
// accesses. A later load may still rise above it.
func (l *Parking) Unlock() {
	if atomics.AddReleaseUint32(&l.head, step)&parked != 0 {
		l.unlockSlow()
	}
}

// unlockSlow wakes the waiter whose number is called, if it is parked. If it is not, it spins, or has yet to draw its
// number, or will find out before it parks. The number may be a later one than this Unlock called: then its waiter has
// had the lock already.
//
//go:noinline
func (l *Parking) unlockSlow() {
	l.mu.Lock()
	w := l.first
	if w != nil && w.ticket == atomics.LoadRelaxedUint32(&l.head)&^parked {
		l.first = w.next
	} else {
		w = nil
	}
	l.clearSlowpath()
	l.mu.Unlock()
	if w != nil {
		w.wake <- struct{}{}
	}
}

// AfterSpinlock, directly after Lock or a TryLock that returned true, makes it a full fence. See Ticket.AfterSpinlock.
func (l *Parking) AfterSpinlock() { barrier.AfterSyncAtomic() }
