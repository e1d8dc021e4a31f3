package main

import (
	"context"
	"sync"
	"time"

	"github.com/barriergen/barriergen/primitives/spinlock"
	"github.com/barriergen/barriergen/tests/bench/measure"
)

// lockCount is how many locks are taken in a loop before they are given back: few enough for the first-level cache.
const lockCount = 256

// halves times Lock and Unlock apart, each in a loop over many locks.
func halves(name string, lock, unlock func()) measure.Side {
	return measure.Counted(name, func(n int) ([]time.Duration, bool) {
		took := make([]time.Duration, 2)
		disturbed := measure.Pinned(0, func() {
			for range max(1, n/lockCount) {
				t := time.Now()
				lock()
				u := time.Now()
				unlock()
				took[0] += u.Sub(t)
				took[1] += time.Since(u)
			}
		})
		return took, disturbed
	})
}

//go:noinline
func lockTickets(l *[lockCount]spinlock.Ticket) {
	for i := range l {
		l[i].Lock()
	}
}

//go:noinline
func unlockTickets(l *[lockCount]spinlock.Ticket) {
	for i := range l {
		l[i].Unlock()
	}
}

//go:noinline
func lockParking(l *[lockCount]spinlock.Parking) {
	for i := range l {
		l[i].Lock()
	}
}

//go:noinline
func unlockParking(l *[lockCount]spinlock.Parking) {
	for i := range l {
		l[i].Unlock()
	}
}

//go:noinline
func lockQueued(l *[lockCount]spinlock.Queued) {
	for i := range l {
		l[i].Lock()
	}
}

//go:noinline
func unlockQueued(l *[lockCount]spinlock.Queued) {
	for i := range l {
		l[i].Unlock()
	}
}

// shared is what a lock protects, with its cache lines to itself.
type shared[L any] struct {
	_       [128]byte
	lock    L
	_       [128]byte
	counter int
	_       [128]byte
}

// The critical sections. Each loop is spelled out, so that Lock and Unlock are inlined.

//go:noinline
func underTicket(s *shared[spinlock.Ticket], stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		s.lock.Lock()
		s.counter++
		s.lock.Unlock()
	}
	return n
}

//go:noinline
func underParking(s *shared[spinlock.Parking], stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		s.lock.Lock()
		s.counter++
		s.lock.Unlock()
	}
	return n
}

//go:noinline
func underQueued(s *shared[spinlock.Queued], stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		s.lock.Lock()
		s.counter++
		s.lock.Unlock()
	}
	return n
}

//go:noinline
func underMCS(s *shared[spinlock.MCS], stop *measure.Stop) (n int) {
	node := new(spinlock.MCSNode)
	for ; !stop.Now(); n++ {
		s.lock.Lock(node)
		s.counter++
		s.lock.Unlock(node)
	}
	return n
}

//go:noinline
func underMutex(s *shared[sync.Mutex], stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		s.lock.Lock()
		s.counter++
		s.lock.Unlock()
	}
	return n
}

// contended has so many threads increment a counter under one lock. Its figure is nanoseconds per increment, whoever made it.
func contended[L any](name string, threads int, under func(*shared[L], *measure.Stop) int) measure.Side {
	return measure.Side{Name: name, Run: func(_ context.Context, length time.Duration) (measure.Sample, error) {
		s := new(shared[L])
		workers := make([]measure.Worker, threads)
		for i := range workers {
			workers[i] = func(stop *measure.Stop) int { return under(s, stop) }
		}
		counts, took, disturbed := measure.Together(length, workers...)
		sum := 0
		for _, n := range counts {
			sum += n
		}
		if sum != s.counter {
			panic(name + ": increments were lost")
		}
		return measure.Sample{Values: []float64{float64(took) / float64(max(sum, 1))}, Disturbed: disturbed}, nil
	}}
}
