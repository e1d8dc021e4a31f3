package ring

import (
	"golang.org/x/sys/cpu"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// SPSC is a bounded queue between one producer and one consumer. Push is for one goroutine at a time, Pop for one at a
// time.
//
// Push and Pop are a copy of the element and one release store; on amd64 that is a plain store. Each side keeps a copy of the
// other's index and reads the real one only when the ring looks full, or empty, so that in between no cache line but
// the elements' own moves between the processors.
type SPSC[T any] struct {
	slots []T

	_        cpu.CacheLinePad
	head     atomics.Uintptr // next to pop; the consumer writes it
	seenTail uintptr         // the consumer's

	_        cpu.CacheLinePad
	tail     atomics.Uintptr // next to push; the producer writes it
	seenHead uintptr         // the producer's

	_ cpu.CacheLinePad
}

// NewSPSC returns a ring for at least n elements; the capacity is a power of two.
func NewSPSC[T any](n int) *SPSC[T] { return &SPSC[T]{slots: make([]T, capacity(n, 1))} }

// Push adds v and reports whether there was room. What happened before Push is visible after the Pop of v.
func (r *SPSC[T]) Push(v T) bool {
	tail := r.tail.LoadRelaxed() // our own
	if tail-r.seenHead == uintptr(len(r.slots)) {
		r.seenHead = r.head.LoadAcquire() // the slot was read before it is written again
		if tail-r.seenHead == uintptr(len(r.slots)) {
			return false
		}
	}
	r.slots[tail&uintptr(len(r.slots)-1)] = v
	r.tail.StoreRelease(tail + 1) // the slot is written before it is found
	return true
}

// Pop removes the oldest element and reports whether there was one. The ring keeps no copy of it.
func (r *SPSC[T]) Pop() (v T, ok bool) {
	head := r.head.LoadRelaxed() // our own
	if head == r.seenTail {
		r.seenTail = r.tail.LoadAcquire() // the slot was written before it is read
		if head == r.seenTail {
			return v, false
		}
	}
	slot := &r.slots[head&uintptr(len(r.slots)-1)]
	var zero T
	v, *slot = *slot, zero        // for the garbage collector
	r.head.StoreRelease(head + 1) // the slot is read before it is free
	return v, true
}
