package ring

import (
	"golang.org/x/sys/cpu"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// MPSC is a bounded queue between any number of producers and one consumer. Push is for everybody, Pop for one goroutine
// at a time.
//
// A producer claims a place with a compare-and-swap and publishes the element with a release store of the slot's turn,
// which on amd64 is a plain store. Elements come out in the order in which their places were claimed, so that those of
// one producer keep their order. A producer that loses its processor between the two steps holds up the consumer, not the
// other producers.
type MPSC[T any] struct {
	slots []slot[T]
	_     cpu.CacheLinePad
	tail  atomics.Uintptr // next place to claim
	_     cpu.CacheLinePad
	head  uintptr // next to pop; the consumer's
	_     cpu.CacheLinePad
}

// slot is a place in the ring. Its turn is p if a producer may claim it as place p, and p+1 if the element of place p is
// in it.
type slot[T any] struct {
	turn atomics.Uintptr
	v    T
}

// NewMPSC returns a ring for at least n elements; the capacity is a power of two, and at least two, for with one slot a
// full turn would not differ from a free one.
func NewMPSC[T any](n int) *MPSC[T] {
	r := &MPSC[T]{slots: make([]slot[T], capacity(n, 2))}
	for i := range r.slots {
		r.slots[i].turn.StoreRelaxed(uintptr(i))
	}
	return r
}

// Push adds v and reports whether there was room. What happened before Push is visible after the Pop of v.
func (r *MPSC[T]) Push(v T) bool {
	for {
		place := r.tail.LoadRelaxed()
		s := &r.slots[place&uintptr(len(r.slots)-1)]
		turn := s.turn.LoadAcquire() // the slot was read before it is written again
		switch {
		case turn == place:
			if r.tail.CompareAndSwapRelaxed(place, place+1) {
				s.v = v
				s.turn.StoreRelease(place + 1) // the slot is written before it is found
				return true
			}
		case int(turn-place) < 0 && r.tail.LoadRelaxed() == place: // the element of the round before is in it still
			return false
		}
	}
}

// Pop removes the oldest element and reports whether there was one that its producer has finished to push. The ring keeps
// no copy of it.
func (r *MPSC[T]) Pop() (v T, ok bool) {
	s := &r.slots[r.head&uintptr(len(r.slots)-1)]
	if s.turn.LoadAcquire() != r.head+1 { // the slot was written before it is read
		return v, false
	}
	var zero T
	v, s.v = s.v, zero                                  // for the garbage collector
	s.turn.StoreRelease(r.head + uintptr(len(r.slots))) // the slot is read before it is free
	r.head++
	return v, true
}
