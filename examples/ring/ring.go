// Package ring is a bounded queue between one producer and one consumer, in which the release store pays: each side
// publishes its index with one plain store where sync/atomic would exchange.
package ring

import "github.com/barriergen/barriergen/primitives/atomics"

// Ring holds up to len(slots) values, a power of two. Push is for one goroutine, Pop for one other.
type Ring[T any] struct {
	head  atomics.Uint64 // next to pop; the consumer writes it
	_     [56]byte
	tail  atomics.Uint64 // next to push; the producer writes it
	_     [56]byte
	slots []T
}

// New returns a ring for at least n values.
func New[T any](n int) *Ring[T] {
	size := 1
	for size < n {
		size *= 2
	}
	return &Ring[T]{slots: make([]T, size)}
}

// Push adds v and reports whether there was room.
func (r *Ring[T]) Push(v T) bool {
	tail := r.tail.LoadRelaxed()                           // our own
	if tail-r.head.LoadAcquire() == uint64(len(r.slots)) { // the slot is read before it is free
		return false
	}
	r.slots[tail&uint64(len(r.slots)-1)] = v
	r.tail.StoreRelease(tail + 1) // the slot is written before it is published
	return true
}

// Pop removes the oldest value and reports whether there was one.
func (r *Ring[T]) Pop() (v T, ok bool) {
	head := r.head.LoadRelaxed()
	if r.tail.LoadAcquire() == head {
		return v, false
	}
	v = r.slots[head&uint64(len(r.slots)-1)]
	r.head.StoreRelease(head + 1)
	return v, true
}
