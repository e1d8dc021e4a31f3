package spinlock

import (
	"sync/atomic"

	"golang.org/x/sys/cpu"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// MCS is the queue lock of Mellor-Crummey and Scott: each waiter spins on a node of its own, so that handing the lock
// over touches no line that the other waiters read, and the lock is taken in the order of arrival. The zero value is
// unlocked. It must not be copied after first use.
//
// Lock is acquire and Unlock is release. The caller brings the node, which is why MCS is no sync.Locker; Queued is one.
//
// Lock is one exchange if nobody waits, Unlock one compare-and-swap; with a waiter Unlock is a release store. Both are
// calls: Go's pointer read-modify-writes are.
type MCS struct {
	tail atomic.Pointer[MCSNode] // who came last; sync/atomic, for AfterSpinlock
}

// MCSNode is a place in the queue of an MCS, from Lock to Unlock. It may be used again then, for any MCS. It fills
// a cache line, and it escapes to the heap: keep one per goroutine, or per lock that a goroutine holds at a time, not in the
// function that locks. The zero value is ready.
type MCSNode struct {
	next  atomics.Pointer[MCSNode] // who waits behind this one; it writes it
	state atomics.Uint32
	_     cpu.CacheLinePad
}

// The states of a node.
const (
	idle    = iota
	queued  // waiting, or holding a lock for which nobody had to wait
	granted // holding a lock that the previous holder handed over
)

// Lock takes the lock and waits while it is taken, spinning. It panics if n is in use.
func (l *MCS) Lock(n *MCSNode) {
	n.enter()
	if prev := l.tail.Swap(n); prev != nil {
		prev.next.StoreRelease(n) // n is ready before it is found
		n.state.CondLoadAcquire(func(s uint32) bool { return s == granted })
	}
}

// TryLock takes the lock if nobody has it, and reports whether it did; then it is an acquire as Lock is. If it returns
// false it orders nothing, and n may be used again. It panics if n is in use.
func (l *MCS) TryLock(n *MCSNode) bool {
	n.enter()
	if l.tail.CompareAndSwap(nil, n) {
		return true
	}
	n.state.StoreRelaxed(idle)
	return false
}

// enter makes a node ready to be queued.
func (n *MCSNode) enter() {
	if n.state.LoadRelaxed() != idle {
		panic("spinlock: this MCSNode is in use; each lock that is held needs a node of its own")
	}
	n.next.StoreRelaxed(nil)
	n.state.StoreRelaxed(queued)
}

// Unlock gives the lock to the goroutine that has waited longest, after all earlier accesses. A later load may still
// rise above it. It panics if n is not the node of a Lock, and if l is not locked.
func (l *MCS) Unlock(n *MCSNode) {
	if n.state.LoadRelaxed() == idle {
		panic("spinlock: Unlock of an MCS with a node that holds none; give it the node of its Lock")
	}
	next := n.next.LoadRelaxed() // the release store into it, at the end, comes after this
	if next == nil {
		if l.tail.CompareAndSwap(n, nil) {
			n.state.StoreRelaxed(idle)
			return
		}
		next = l.successor(n)
	}
	n.state.StoreRelaxed(idle)
	next.state.StoreRelease(granted)
}

// successor waits for the one that is queued behind n to say so.
func (l *MCS) successor(n *MCSNode) *MCSNode {
	return n.next.CondLoadRelaxed(func(next *MCSNode) bool {
		if next == nil && l.tail.Load() == nil {
			panic("spinlock: Unlock of an MCS that is not locked; the node holds another one")
		}
		return next != nil
	})
}

// AfterSpinlock, directly after Lock or a TryLock that returned true, makes it a full fence. See Ticket.AfterSpinlock.
func (l *MCS) AfterSpinlock() { barrier.AfterSyncAtomic() }
