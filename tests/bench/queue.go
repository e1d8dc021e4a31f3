package main

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/ring"
)

// The queues of package ring and what one would take instead, one element of 8 bytes at a time. Each loop is spelled out.

//go:noinline
func pushSPSC(r *ring.SPSC[uint64], n int) {
	spins := 0
	for i := range n {
		for !r.Push(uint64(i)) {
			wait(&spins)
		}
	}
}

//go:noinline
func popSPSC(r *ring.SPSC[uint64], n int) (wrong int) {
	spins := 0
	for i := range n {
		v, ok := r.Pop()
		for ; !ok; v, ok = r.Pop() {
			wait(&spins)
		}
		if v != uint64(i) {
			wrong++
		}
	}
	return wrong
}

//go:noinline
func pushMPSC(r *ring.MPSC[uint64], n int) {
	spins := 0
	for i := range n {
		for !r.Push(uint64(i)) {
			wait(&spins)
		}
	}
}

//go:noinline
func popMPSC(r *ring.MPSC[uint64], n int) (wrong int) {
	spins := 0
	for i := range n {
		v, ok := r.Pop()
		for ; !ok; v, ok = r.Pop() {
			wait(&spins)
		}
		if v != uint64(i) {
			wrong++
		}
	}
	return wrong
}

// syncSPSC is ring.SPSC on sync/atomic: the same algorithm with its loads and stores.
type syncSPSC struct {
	slots    []uint64
	_        [128]byte
	head     atomic.Uintptr
	seenTail uintptr
	_        [128]byte
	tail     atomic.Uintptr
	seenHead uintptr
	_        [128]byte
}

func newSyncSPSC() *syncSPSC { return &syncSPSC{slots: make([]uint64, ringSize)} }

func (r *syncSPSC) push(v uint64) bool {
	tail := r.tail.Load()
	if tail-r.seenHead == uintptr(len(r.slots)) {
		r.seenHead = r.head.Load()
		if tail-r.seenHead == uintptr(len(r.slots)) {
			return false
		}
	}
	r.slots[tail&uintptr(len(r.slots)-1)] = v
	r.tail.Store(tail + 1)
	return true
}

func (r *syncSPSC) pop() (v uint64, ok bool) {
	head := r.head.Load()
	if head == r.seenTail {
		r.seenTail = r.tail.Load()
		if head == r.seenTail {
			return 0, false
		}
	}
	slot := &r.slots[head&uintptr(len(r.slots)-1)]
	v, *slot = *slot, 0
	r.head.Store(head + 1)
	return v, true
}

//go:noinline
func pushSync(r *syncSPSC, n int) {
	spins := 0
	for i := range n {
		for !r.push(uint64(i)) {
			wait(&spins)
		}
	}
}

//go:noinline
func popSync(r *syncSPSC, n int) (wrong int) {
	spins := 0
	for i := range n {
		v, ok := r.pop()
		for ; !ok; v, ok = r.pop() {
			wait(&spins)
		}
		if v != uint64(i) {
			wrong++
		}
	}
	return wrong
}

// syncMPSC is ring.MPSC on sync/atomic.
type syncMPSC struct {
	slots []struct {
		turn atomic.Uintptr
		v    uint64
	}
	_    [128]byte
	tail atomic.Uintptr
	_    [128]byte
	head uintptr
	_    [128]byte
}

func newSyncMPSC() *syncMPSC {
	r := new(syncMPSC)
	r.slots = make([]struct {
		turn atomic.Uintptr
		v    uint64
	}, ringSize)
	for i := range r.slots {
		r.slots[i].turn.Store(uintptr(i))
	}
	return r
}

func (r *syncMPSC) push(v uint64) bool {
	for {
		place := r.tail.Load()
		s := &r.slots[place&uintptr(len(r.slots)-1)]
		turn := s.turn.Load()
		switch {
		case turn == place:
			if r.tail.CompareAndSwap(place, place+1) {
				s.v = v
				s.turn.Store(place + 1)
				return true
			}
		case int(turn-place) < 0 && r.tail.Load() == place:
			return false
		}
	}
}

func (r *syncMPSC) pop() (v uint64, ok bool) {
	s := &r.slots[r.head&uintptr(len(r.slots)-1)]
	if s.turn.Load() != r.head+1 {
		return 0, false
	}
	v, s.v = s.v, 0
	s.turn.Store(r.head + uintptr(len(r.slots)))
	r.head++
	return v, true
}

//go:noinline
func pushSyncMPSC(r *syncMPSC, n int) {
	spins := 0
	for i := range n {
		for !r.push(uint64(i)) {
			wait(&spins)
		}
	}
}

//go:noinline
func popSyncMPSC(r *syncMPSC, n int) (wrong int) {
	spins := 0
	for i := range n {
		v, ok := r.pop()
		for ; !ok; v, ok = r.pop() {
			wait(&spins)
		}
		if v != uint64(i) {
			wrong++
		}
	}
	return wrong
}

func newChannel() chan uint64 { return make(chan uint64, ringSize) }

//go:noinline
func send(c chan uint64, n int) {
	for i := range n {
		c <- uint64(i)
	}
}

//go:noinline
func receive(c chan uint64, n int) (wrong int) {
	for i := range n {
		if <-c != uint64(i) {
			wrong++
		}
	}
	return wrong
}
