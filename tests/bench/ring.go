package main

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/tests/bench/measure"
)

// handRing is a queue from one producer to one consumer, as simple as it gets.
// Either each side looks at the other's index for every value, or the slots
// themselves say whether they are full, and nobody needs the indices.
type handRing struct {
	tail padded // next to write
	head padded // next to read
	slot [ringSize]uint64
}

const ringSize = 1024

type padded struct {
	v uint64
	_ [120]byte
}

// wait is what a side does when the ring is full or empty. Yielding to other
// goroutines matters only where the other side isn't running at all.
func wait(spins *int) {
	if *spins++; *spins&0xFFFF == 0 {
		runtime.Gosched()
	}
}

// The copies below differ in nothing but the four calls. One generic copy
// would reach them through a dictionary, that is by indirect calls.

//go:noinline
func (r *handRing) produceRelease(n int) {
	spins := 0
	for i := range n {
		tail := uint64(i)
		for tail-atomics.LoadAcquireUint64(&r.head.v) == ringSize {
			wait(&spins)
		}
		r.slot[tail%ringSize] = tail
		atomics.StoreReleaseUint64(&r.tail.v, tail+1)
	}
}

//go:noinline
func (r *handRing) consumeRelease(n int) (wrong int) {
	spins := 0
	for i := range n {
		head := uint64(i)
		for atomics.LoadAcquireUint64(&r.tail.v) == head {
			wait(&spins)
		}
		if r.slot[head%ringSize] != head {
			wrong++
		}
		atomics.StoreReleaseUint64(&r.head.v, head+1)
	}
	return wrong
}

//go:noinline
func (r *handRing) produceSync(n int) {
	spins := 0
	for i := range n {
		tail := uint64(i)
		for tail-atomic.LoadUint64(&r.head.v) == ringSize {
			wait(&spins)
		}
		r.slot[tail%ringSize] = tail
		atomic.StoreUint64(&r.tail.v, tail+1)
	}
}

//go:noinline
func (r *handRing) consumeSync(n int) (wrong int) {
	spins := 0
	for i := range n {
		head := uint64(i)
		for atomic.LoadUint64(&r.tail.v) == head {
			wait(&spins)
		}
		if r.slot[head%ringSize] != head {
			wrong++
		}
		atomic.StoreUint64(&r.head.v, head+1)
	}
	return wrong
}

// The same without shared indices: a slot that is not zero is full. The two
// sides share a line only where they are close to each other.

//go:noinline
func (r *handRing) produceSlotsRelease(n int) {
	spins := 0
	for i := range n {
		slot := &r.slot[uint64(i)%ringSize]
		for atomics.LoadAcquireUint64(slot) != 0 {
			wait(&spins)
		}
		atomics.StoreReleaseUint64(slot, uint64(i)+1)
	}
}

//go:noinline
func (r *handRing) consumeSlotsRelease(n int) (wrong int) {
	spins := 0
	for i := range n {
		slot := &r.slot[uint64(i)%ringSize]
		v := atomics.LoadAcquireUint64(slot)
		for ; v == 0; v = atomics.LoadAcquireUint64(slot) {
			wait(&spins)
		}
		if v != uint64(i)+1 {
			wrong++
		}
		atomics.StoreReleaseUint64(slot, 0)
	}
	return wrong
}

//go:noinline
func (r *handRing) produceSlotsSync(n int) {
	spins := 0
	for i := range n {
		slot := &r.slot[uint64(i)%ringSize]
		for atomic.LoadUint64(slot) != 0 {
			wait(&spins)
		}
		atomic.StoreUint64(slot, uint64(i)+1)
	}
}

//go:noinline
func (r *handRing) consumeSlotsSync(n int) (wrong int) {
	spins := 0
	for i := range n {
		slot := &r.slot[uint64(i)%ringSize]
		v := atomic.LoadUint64(slot)
		for ; v == 0; v = atomic.LoadUint64(slot) {
			wait(&spins)
		}
		if v != uint64(i)+1 {
			wrong++
		}
		atomic.StoreUint64(slot, 0)
	}
	return wrong
}

// transfer times n values from produce to consume, each on a processor of its own. Consume returns how many were wrong.
func transfer(produce func(n int), consume func(n int) int, n int) (time.Duration, bool) {
	var ready, start atomic.Bool // waking through a channel would take part of a short run
	lost := make(chan bool, 1)
	go func() {
		lost <- measure.Pinned(1, func() {
			ready.Store(true)
			for spins := 0; !start.Load(); {
				wait(&spins)
			}
			produce(n)
		})
	}()
	var took time.Duration
	disturbed := measure.Pinned(0, func() {
		for !ready.Load() {
			runtime.Gosched()
		}
		began := time.Now()
		start.Store(true)
		if wrong := consume(n); wrong != 0 {
			panic("the ring delivered wrong values")
		}
		took = time.Since(began)
	})
	return took, <-lost || disturbed
}

// over makes a side of the two halves of a ring; every run has a new one.
func over[R any](name string, newRing func() R, produce func(R, int), consume func(R, int) int) measure.Side {
	return measure.Counted(name, func(n int) ([]time.Duration, bool) {
		r := newRing()
		took, disturbed := transfer(func(n int) { produce(r, n) }, func(n int) int { return consume(r, n) }, n)
		return []time.Duration{took}, disturbed
	})
}
