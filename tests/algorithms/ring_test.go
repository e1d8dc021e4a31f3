package algorithms

import (
	"runtime"
	"testing"
	"time"

	"github.com/barriergen/barriergen/primitives/ring"
	"github.com/stretchr/testify/require"
)

func TestRingProofs(t *testing.T) {
	check(t, []proof{
		{
			name:    "ring, the element before the index",
			threads: []string{"StoreRelaxed slot 1; StoreRelease tail 1", "w = LoadAcquire tail; r = LoadRelaxed slot"},
			never:   `1:w=1 /\ 1:r=0`,
			weaker:  weakMP("tail", "1"),
		},
		{
			name:    "ring, the slot is read before it is written again",
			threads: []string{"r = LoadRelaxed slot; StoreRelease head 1", "w = LoadAcquire head; StoreRelaxed slot 2"},
			never:   `1:w=1 /\ 0:r=2`,
			weaker:  weakMP("head", "1"),
		},
		{
			name:    "ring, the slot is cleared before it is written again",
			threads: []string{"StoreRelaxed slot 9; StoreRelease head 1", "w = LoadAcquire head; StoreRelaxed slot 2"},
			never:   `1:w=1 /\ [slot]=9`,
			weaker:  weakMP("head", "1"),
		},
		{
			// The compare-and-swap between the two need not order anything.
			name:    "ring of many producers, the element before the turn",
			threads: []string{"f = LoadAcquire turn; c = CompareAndSwapRelaxed tail 0 1; StoreRelaxed slot 1; StoreRelease turn 1", "w = LoadAcquire turn; r = LoadRelaxed slot"},
			never:   `0:c=0 /\ 1:w=1 /\ 1:r=0`,
			weaker:  weakMP("turn", "1"),
		},
		{
			name:    "ring of many producers, the slot is read before it is written again",
			init:    "turn=1; tail=2",
			threads: []string{"r = LoadRelaxed slot; StoreRelease turn 2", "w = LoadAcquire turn; c = CompareAndSwapRelaxed tail 2 3; StoreRelaxed slot 2"},
			never:   `1:w=2 /\ 1:c=2 /\ 0:r=2`,
			weaker:  weakMP("turn", "2"),
		},
	})
}

// A queue of either kind.
type queue[T any] interface {
	Push(T) bool
	Pop() (T, bool)
}

func queues[T any](n int) map[string]queue[T] {
	return map[string]queue[T]{"SPSC": ring.NewSPSC[T](n), "MPSC": ring.NewMPSC[T](n)}
}

func TestRingFullAndEmpty(t *testing.T) {
	for _, size := range []struct{ asked, spsc, mpsc int }{{1, 1, 2}, {2, 2, 2}, {3, 4, 4}, {8, 8, 8}, {9, 16, 16}} {
		for name, q := range queues[int](size.asked) {
			room := map[string]int{"SPSC": size.spsc, "MPSC": size.mpsc}[name]
			for round := range 5 {
				_, ok := q.Pop()
				require.False(t, ok, "%s: it is empty", name)
				for i := range room {
					require.True(t, q.Push(round*100+i), "%s for %d: %d are in it", name, size.asked, i)
				}
				require.False(t, q.Push(-1), "%s for %d: it is full", name, size.asked)
				for i := range room {
					v, ok := q.Pop()
					require.True(t, ok)
					require.Equal(t, round*100+i, v)
				}
			}
		}
	}
	require.Panics(t, func() { ring.NewSPSC[int](0) })
	require.Panics(t, func() { ring.NewMPSC[int](-1) })
}

// What was popped is nowhere in the ring any more: its memory is given back.
func TestRingKeepsNothing(t *testing.T) {
	for name, q := range queues[*[64]byte](4) {
		freed := make(chan bool)
		func() {
			p := new([64]byte)
			runtime.AddCleanup(p, func(int) { close(freed) }, 0)
			require.True(t, q.Push(p))
		}()
		_, ok := q.Pop()
		require.True(t, ok)
		until := time.After(20 * time.Second)
		for collected := false; !collected; {
			runtime.GC()
			select {
			case <-freed:
				collected = true
			case <-until:
				t.Fatalf("%s keeps what was popped", name)
			case <-time.After(time.Millisecond):
			}
		}
		runtime.KeepAlive(q)
	}
}

// item is an element with a pointer to what its producer wrote, which the race detector looks at.
type item struct {
	producer, n int
	data        *int
}

func exchange(q queue[item], producers, each int) {
	together(producers+1, func(i int) {
		if i < producers {
			for n := range each {
				data := n
				for !q.Push(item{i, n, &data}) {
					runtime.Gosched()
				}
			}
			return
		}
		next := make([]int, producers)
		for range producers * each {
			it, ok := q.Pop()
			for ; !ok; it, ok = q.Pop() {
				runtime.Gosched()
			}
			if it.n != next[it.producer] || *it.data != it.n {
				panic("an element is lost, twice there, out of order or not complete")
			}
			next[it.producer]++
		}
	})
}

func TestRingsKeepOrder(t *testing.T) {
	onProcs(t, func(t *testing.T, procs int) {
		for _, size := range []int{1, 64} {
			exchange(ring.NewSPSC[item](size), 1, *ops/16)
			exchange(ring.NewMPSC[item](size), procs, *ops/16/procs)
		}
	})
}

func TestRingsAllocateNothing(t *testing.T) {
	for name, q := range queues[[4]int](4) {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			q.Push([4]int{1})
			q.Pop()
		}), name)
	}
}
