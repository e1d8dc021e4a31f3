package spinlock

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Queued is the queued spinlock of the Linux kernel, in one word of 4 bytes: whether it is taken, whether somebody is
// about to take it (the pending bit, which saves the first waiter a queue), and the tail of an MCS queue of the others,
// whose nodes come from a pool of the process. It is a sync.Locker; the zero value is unlocked. It must not be copied
// after first use.
//
// Lock is acquire and Unlock is release. Who waits is served in the order of arrival; a goroutine that finds the lock free
// and nobody waiting takes it at once. Lock without a waiter is one LOCK CMPXCHG, Unlock one LOCK XADD and a check that the lock
// was locked, both inlined. Go has no atomic access to a byte, which the kernel's Unlock is.
//
// A goroutine that waits as the third or later uses a node of the pool; the pool grows, and so allocates, when more
// goroutines than ever before wait at the same time.
type Queued struct {
	word uint32 // changed by read-modify-writes only
}

// The word of a Queued.
const (
	taken     uint32 = 1 // in a byte of its own: one Unlock too many shows in the bits above
	byteMask  uint32 = 1<<8 - 1
	pending   uint32 = 1 << 8
	tailShift        = 9 // above: the index of the last node in the queue, 0 if there is none
)

// Lock takes the lock and waits while it is taken, spinning.
func (l *Queued) Lock() {
	if !atomics.CompareAndSwapAcquireUint32(&l.word, 0, taken) {
		l.lockSlow()
	}
}

//go:noinline
func (l *Queued) lockSlow() {
	for {
		switch atomics.LoadRelaxedUint32(&l.word) {
		case 0:
			if atomics.CompareAndSwapAcquireUint32(&l.word, 0, taken) {
				return
			}
		case taken: // and nobody waits
			if atomics.CompareAndSwapAcquireUint32(&l.word, taken, taken|pending) {
				l.await(byteMask)
				atomics.AddRelaxedUint32(&l.word, taken+^(pending-1)) // nobody else changes these bits
				return
			}
		default:
			l.queue()
			return
		}
	}
}

// await waits until none of the bits is set and returns the word.
func (l *Queued) await(bits uint32) uint32 {
	return atomics.CondLoadAcquireUint32(&l.word, func(w uint32) bool { return w&bits == 0 })
}

// queue takes the lock by way of the queue.
func (l *Queued) queue() {
	me, n := takeNode()
	n.next.StoreRelaxed(0)
	n.granted.StoreRelaxed(0)
	w := atomics.LoadRelaxedUint32(&l.word)
	// Release, so that the node is ready before it is found, and acquire, so that the node before this one is.
	for !atomics.CompareAndSwapFullUint32(&l.word, w, w&(byteMask|pending)|me<<tailShift) {
		w = atomics.LoadRelaxedUint32(&l.word)
	}
	if prev := w >> tailShift; prev != 0 {
		node(prev).next.StoreRelease(me)
		n.granted.CondLoadAcquire(func(g uint32) bool { return g != 0 })
	}
	// First in the queue: only the holder and the pending one come before, and nobody else may take the word now.
	w = l.await(byteMask | pending)
	if w>>tailShift != me || !atomics.CompareAndSwapAcquireUint32(&l.word, w, taken) {
		atomics.AddRelaxedUint32(&l.word, taken)
		next := n.next.CondLoadAcquire(func(next uint32) bool { return next != 0 })
		node(next).granted.StoreRelease(1)
	}
	n.used.StoreRelease(0)
}

// TryLock takes the lock if nobody has it or waits for it, and reports whether it did; then it is an acquire as Lock is.
// If it returns false it orders nothing.
func (l *Queued) TryLock() bool {
	return atomics.LoadRelaxedUint32(&l.word) == 0 && atomics.CompareAndSwapAcquireUint32(&l.word, 0, taken)
}

// Unlock gives the lock to the goroutine that has waited longest, after all earlier accesses. A later load may still
// rise above it. It panics if the lock is not locked.
func (l *Queued) Unlock() {
	if atomics.AddReleaseUint32(&l.word, ^(taken-1))&byteMask != 0 {
		notLocked()
	}
}

func notLocked() {
	panic("spinlock: Unlock of a Queued that is not locked; each Unlock needs a Lock before it")
}

// AfterSpinlock, directly after Lock or a TryLock that returned true, makes it a full fence: what came before Lock is
// ordered before what follows AfterSpinlock. It is empty on amd64 and a fence elsewhere.
func (l *Queued) AfterSpinlock() { barrier.AfterSpinlock() }
