package behaviour

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

const (
	workers = 4
	rounds  = 5000 // enough for two cores to collide, little enough for an emulator
)

// together runs f in several goroutines and reports how many of their checks
// failed. Failing from a goroutine of its own would lose the test's name.
// Waking goroutines takes longer than many of these tests, so as many as there
// are processors wait for each other by spinning, and then really overlap.
func together(n int, f func(worker int, failed *atomic.Int64)) int64 {
	var (
		failed  atomic.Int64
		running atomic.Int64
		done    sync.WaitGroup
	)
	enough := int64(min(n, runtime.GOMAXPROCS(0)))
	for w := range n {
		done.Go(func() {
			running.Add(1)
			for spins := 1; running.Load() < enough; spins++ {
				if spins%1000 == 0 {
					runtime.Gosched()
				}
			}
			f(w, &failed)
		})
	}
	done.Wait()
	return failed.Load()
}

func TestConcurrent(t *testing.T) {
	forEachType(t, func(t *testing.T, r runner) { r.concurrent(t) })
}

func concurrent[V any, T integer](t *testing.T, o ops[V, T]) {
	for i, suffix := range rmwSuffix {
		t.Run("Add"+suffix, func(t *testing.T) {
			c := newCell[V, T](t, 0)
			together(workers, func(int, *atomic.Int64) {
				for range rounds {
					o.add[i](c.ptr(), 3)
				}
			})
			require.Equal(t, T(3*workers*rounds), c.get())
			c.intact(t)
		})
		t.Run("OrAnd"+suffix, func(t *testing.T) { ownBit(t, o.or[i], o.and[i], true) })
		t.Run("Xor"+suffix, func(t *testing.T) { ownBit(t, o.xor[i], o.xor[i], false) })
		t.Run("Swap"+suffix, func(t *testing.T) { tokens(t, o.swap[i]) })
		t.Run("CompareAndSwap"+suffix, func(t *testing.T) {
			c := newCell[V, T](t, 0)
			together(workers, func(int, *atomic.Int64) {
				for range rounds {
					for {
						old := o.load[0](c.ptr())
						if o.cas[i](c.ptr(), old, old+5) {
							break
						}
					}
				}
			})
			require.Equal(t, T(5*workers*rounds), c.get())
			c.intact(t)
		})
	}
	for i, store := range o.store {
		for j, load := range o.load {
			t.Run("Store"+storeSuffix[i]+"Load"+loadSuffix[j], func(t *testing.T) { whole(t, store, load) })
		}
	}
}

// ownBit lets each worker switch one bit on and off. Nobody else touches that
// bit, so both the old values and the final word are known.
func ownBit[V any, T integer](t *testing.T, on, off func(*V, T) T, inverted bool) {
	others := ^T(1<<workers - 1)
	c := newCell[V, T](t, others)
	failed := together(workers, func(w int, failed *atomic.Int64) {
		bit := T(1) << w
		clear := bit
		if inverted {
			clear = ^bit
		}
		for range rounds {
			if on(c.ptr(), bit)&bit != 0 {
				failed.Add(1)
			}
			if off(c.ptr(), clear)&bit == 0 {
				failed.Add(1)
			}
		}
	})
	require.Zero(t, failed, "old value without this worker's own last update")
	require.Equal(t, others, c.get())
	c.intact(t)
}

// tokens swaps distinct values around: none may be lost or doubled.
func tokens[V any, T integer](t *testing.T, swap func(*V, T) T) {
	c := newCell[V, T](t, workers)
	var held [workers]T
	together(workers, func(w int, _ *atomic.Int64) {
		mine := T(w)
		for range rounds {
			mine = swap(c.ptr(), mine)
		}
		held[w] = mine
	})
	want := []T{workers}
	for w := range workers {
		want = append(want, T(w))
	}
	require.ElementsMatch(t, want, append(held[:], c.get()))
	c.intact(t)
}

// whole has one writer of values whose halves agree. A torn access shows as
// halves that differ, an incoherent one as a value that goes back.
func whole[V any, T integer](t *testing.T, store func(*V, T), load func(*V) T) {
	half := uint(unsafe.Sizeof(T(0)) * 4)
	low := T(1)<<half - 1
	const last = 30_000 // its double width still fits into a signed word
	c := newCell[V, T](t, 0)
	failed := together(2, func(w int, failed *atomic.Int64) {
		if w == 0 {
			for k := T(1); k <= last; k++ {
				store(c.ptr(), k<<half|k)
			}
			return
		}
		for before := T(0); before != last; {
			v := load(c.ptr())
			if v&low != v>>half || v&low < before {
				failed.Add(1)
			}
			before = max(before, v&low)
		}
	})
	require.Zero(t, failed, "torn or backward values")
	c.intact(t)
}

func TestCondLoadWakes(t *testing.T) {
	t.Run("parallel", func(t *testing.T) {
		forEachType(t, func(t *testing.T, r runner) { r.condLoad(t) })
	})
	t.Run("GOMAXPROCS=1", func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		forEachType(t, func(t *testing.T, r runner) { r.condLoad(t) })
	})
}

// condLoad passes a turn back and forth. On one processor a spin that never
// yields still ends, by preemption, but takes some ten milliseconds per turn;
// the deadline is far below the sum of that.
func condLoad[V any, T integer](t *testing.T, o ops[V, T]) {
	const turns = 400
	for i, cond := range o.cond {
		c := newCell[V, T](t, 0)
		started := time.Now()
		failed := together(2, func(w int, failed *atomic.Int64) {
			for k := T(0); k < turns; k++ {
				want := 2*k + T(w)
				if cond(c.ptr(), func(v T) bool { return v == want }) != want {
					failed.Add(1)
				}
				o.store[1](c.ptr(), want+1)
			}
		})
		require.Zero(t, failed)
		require.Equal(t, T(2*turns), c.get())
		require.Less(t, time.Since(started), 4*time.Second, "CondLoad%s hogs the processor", loadSuffix[i])
	}
}
