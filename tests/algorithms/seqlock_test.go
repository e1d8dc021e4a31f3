package algorithms

import (
	"runtime"
	"testing"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/seqlock"
	"github.com/stretchr/testify/require"
)

func TestSeqlockProofs(t *testing.T) {
	check(t, []proof{
		{
			// A reader that takes the old count, or the new one, for good has copied a mixture, or values of another time.
			name: "seqlock",
			threads: []string{"StoreRelaxed seq 1; Write; StoreRelaxed x 1; StoreRelaxed y 1; StoreRelease seq 2",
				"s = LoadAcquire seq; a = LoadRelaxed x; b = LoadRelaxed y; Read; e = LoadRelaxed seq"},
			never: `1:s=0 /\ 1:e=0 /\ (1:a=1 \/ 1:b=1) \/ 1:s=2 /\ 1:e=2 /\ (1:a=0 \/ 1:b=0)`,
			weaker: []weakening{
				{from: "Write", to: "", same: "amd64"},
				{from: "StoreRelease seq 2", to: "StoreRelaxed seq 2", same: "amd64"},
				{from: "s = LoadAcquire seq", to: "s = LoadRelaxed seq", same: "amd64"},
				{from: "Read", to: "", same: "amd64"},
				// The usual mistakes.
				{from: "Read; e = LoadRelaxed seq", to: "e = LoadAcquire seq", same: "amd64"},
				{from: "StoreRelaxed seq 1; Write", to: "StoreRelease seq 1", same: "amd64"},
			},
		},
	})
}

// roundTrip stores and loads values of one type.
func roundTrip[T comparable](t *testing.T, values ...T) {
	t.Helper()
	var v seqlock.Value[T]
	var zero T
	require.Equal(t, zero, v.Load())
	for _, want := range values {
		v.Store(want)
		require.Equal(t, want, v.Load())
	}
}

func TestSeqlockSizes(t *testing.T) {
	roundTrip[struct{}](t, struct{}{})
	roundTrip[bool](t, true, false)
	roundTrip[uint8](t, 1, 255)
	roundTrip(t, [3]byte{1, 2, 3})
	roundTrip[uint32](t, 1<<31)
	roundTrip(t, [9]byte{8: 9}, [9]byte{1, 2})
	roundTrip(t, [3]uint32{1, 2, 3})
	roundTrip(t, [2]float64{1.5, -2})
	roundTrip(t, struct {
		a uint8
		b uint64
		c uint16
	}{1, 2, 3})
	roundTrip(t, [100]uint16{99: 7})
	roundTrip(t, [0]string{})
}

func TestSeqlockRefusesPointers(t *testing.T) {
	require.PanicsWithValue(t, "seqlock: a string can't be a Value: the string in it contains pointers; publish it with atomics.Pointer",
		func() { new(seqlock.Value[string]).Store("") })
	require.Panics(t, func() { new(seqlock.Value[*int]).Store(nil) })
	require.Panics(t, func() { new(seqlock.Value[[]byte]).Store(nil) })
	require.Panics(t, func() { new(seqlock.Value[any]).Store(1) })
	require.Panics(t, func() { new(seqlock.Value[[2]struct{ f func() }]).Store([2]struct{ f func() }{}) })
	var v seqlock.Value[map[int]int]
	require.Panics(t, func() { v.Store(nil) })
	require.Panics(t, func() { v.Store(nil) }, "the lock of the writers was given back, and the type is refused again")
}

func TestSeqlockIsNeverTorn(t *testing.T) {
	onProcs(t, func(t *testing.T, procs int) {
		type wide struct{ a, b, c, d, e uint64 }
		var v seqlock.Value[wide]
		const writers = 2
		each := *ops / 4 / (1 + procs)
		together(writers+procs, func(i int) {
			if i < writers {
				for n := range uint64(each) {
					v.Store(wide{n, n, n, n, n})
				}
				return
			}
			for range each {
				if w := v.Load(); w.a != w.b || w.b != w.c || w.c != w.d || w.d != w.e {
					panic("a mixture of two values")
				}
			}
		})
	})
}

// The bare protocol, with the data in relaxed atomics and a lock of the writer's own.
func TestSeqlockCount(t *testing.T) {
	onProcs(t, func(t *testing.T, procs int) {
		var c seqlock.Count
		var x, y atomics.Uint64
		each := *ops / 4 / (1 + procs)
		together(1+procs, func(i int) {
			if i == 0 {
				for n := range uint64(each) {
					c.WriteBegin()
					x.StoreRelaxed(n)
					if n%64 == 0 {
						runtime.Gosched() // readers wait
					}
					y.StoreRelaxed(n)
					c.WriteEnd()
				}
				return
			}
			last := uint64(0)
			for range each {
				begin := c.ReadBegin()
				a, b := x.LoadRelaxed(), y.LoadRelaxed()
				if c.ReadRetry(begin) {
					continue
				}
				if a != b || a < last {
					panic("a mixture of two values, or an older one than before")
				}
				last = a
			}
		})
	})
}

func TestSeqlockMisuse(t *testing.T) {
	var c seqlock.Count
	require.PanicsWithValue(t, "seqlock: WriteEnd without WriteBegin", c.WriteEnd)
	c.WriteBegin()
	require.PanicsWithValue(t, "seqlock: WriteBegin while another write is going on; writers have to exclude each other", c.WriteBegin)
	c.WriteEnd()
	begin := c.ReadBegin()
	require.False(t, c.ReadRetry(begin))
	c.WriteBegin()
	require.True(t, c.ReadRetry(begin))
	c.WriteEnd()
	require.True(t, c.ReadRetry(begin))
}

func TestSeqlockAllocatesNothing(t *testing.T) {
	var v seqlock.Value[[5]uint64]
	v.Store([5]uint64{1})
	require.Zero(t, testing.AllocsPerRun(100, func() { v.Load() }))
	require.Zero(t, testing.AllocsPerRun(100, func() { v.Store([5]uint64{2}) }))
}
