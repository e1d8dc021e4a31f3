package behaviour

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/stretchr/testify/require"
)

var pairs = []atomics.Pair{
	{}, {Lo: 1}, {Hi: 1}, {Lo: 1, Hi: 1},
	{Lo: ^uint64(0)}, {Hi: ^uint64(0)}, {Lo: ^uint64(0), Hi: ^uint64(0)},
	{Lo: 0x0123_4567_89AB_CDEF, Hi: 0xFEDC_BA98_7654_3210},
}

// quad is a 16-byte operand in a buffer of its own, between canaries. Nothing
// in Go is aligned to 16 bytes by itself: at is where in the buffer it is.
type quad struct {
	buf [80]byte
	at  uintptr
}

func newQuad(init atomics.Pair) *quad {
	q := new(quad)
	q.at = 16 + -uintptr(unsafe.Pointer(&q.buf))&15
	q.fill(init)
	return q
}

func (q *quad) fill(v atomics.Pair) {
	for i := range q.buf {
		q.buf[i] = canary[byte](i)
	}
	*q.raw() = v
}

func (q *quad) raw() *atomics.Pair      { return (*atomics.Pair)(unsafe.Pointer(&q.buf[q.at])) }
func (q *quad) handle() atomics.Uint128 { return atomics.Uint128At(unsafe.Pointer(q.raw())) }

func (q *quad) intact(t *testing.T) {
	t.Helper()
	for i, v := range q.buf {
		if uintptr(i) < q.at || uintptr(i) >= q.at+16 {
			same(t, canary[byte](i), v, "byte %d beside the operand", i-int(q.at))
		}
	}
}

func TestUint128(t *testing.T) {
	for _, mem := range pairs {
		q := newQuad(mem)
		x := q.handle()
		require.Equal(t, mem, x.Load())
		require.Equal(t, mem, *q.raw())
		require.Equal(t, mem, atomics.NewUint128(mem).Load())
		for _, v := range pairs {
			q.fill(mem)
			x.Store(v)
			require.Equal(t, v, *q.raw())
			q.intact(t)

			q.fill(mem)
			require.Equal(t, mem, x.Swap(v))
			require.Equal(t, v, *q.raw())
			q.intact(t)

			for _, old := range pairs {
				q.fill(mem)
				seen, swapped := x.CompareAndSwap(old, v)
				require.Equal(t, mem, seen, "a compare-and-swap returns what it found")
				require.Equal(t, mem == old, swapped, "memory %v, old %v", mem, old)
				want := mem
				if mem == old {
					want = v
				}
				require.Equal(t, want, *q.raw(), "memory %v, old %v", mem, old)
				q.intact(t)
			}
		}
	}
}

// mustExplain wants f to panic with a sentence of the package's own rather
// than with whatever the hardware or the run time says.
func mustExplain(t *testing.T, f func(), words string) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		require.NotNil(t, r, "no panic")
		require.NotImplements(t, (*runtime.Error)(nil), r, "%v", r)
		require.Contains(t, fmt.Sprint(r), words)
	}()
	f()
}

func TestUint128Misuse(t *testing.T) {
	t.Run("unaligned", func(t *testing.T) {
		q := newQuad(pairs[7])
		for off := 1; off < 16; off++ {
			p := unsafe.Add(unsafe.Pointer(q.raw()), off)
			mustExplain(t, func() { atomics.Uint128At(p).Load() }, "align")
			mustExplain(t, func() { atomics.Uint128At(p).Store(atomics.Pair{}) }, "align")
			mustExplain(t, func() { atomics.Uint128At(p).Swap(atomics.Pair{}) }, "align")
			mustExplain(t, func() { atomics.Uint128At(p).CompareAndSwap(atomics.Pair{}, atomics.Pair{}) }, "align")
		}
		require.Equal(t, pairs[7], *q.raw())
		q.intact(t)
	})
	t.Run("zero value", func(t *testing.T) {
		var x atomics.Uint128
		mustExplain(t, func() { x.Load() }, "Uint128")
		mustExplain(t, func() { x.Store(atomics.Pair{}) }, "Uint128")
		mustExplain(t, func() { x.Swap(atomics.Pair{}) }, "Uint128")
		mustExplain(t, func() { x.CompareAndSwap(atomics.Pair{}, atomics.Pair{}) }, "Uint128")
	})
	t.Run("nil address", func(t *testing.T) {
		require.Panics(t, func() { atomics.Uint128At(nil).Load() })
	})
}

// TestUint128Survives has the collector run over many values: each keeps its
// memory, and none shares it with another.
func TestUint128Survives(t *testing.T) {
	const n = 2000
	var all [n]atomics.Uint128
	for i := range all {
		all[i] = atomics.NewUint128(atomics.Pair{Lo: uint64(i), Hi: ^uint64(i)})
		if i%500 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	garbage := make([][]byte, n)
	for i := range garbage {
		garbage[i] = make([]byte, 16)
		garbage[i][0] = 0xFF
	}
	for i, x := range all {
		require.Equal(t, atomics.Pair{Lo: uint64(i), Hi: ^uint64(i)}, x.Load())
	}
	runtime.KeepAlive(garbage)
}

// TestUint128Counts increments through two handles of one address: a lock
// that belonged to the handle would lose updates here.
func TestUint128Counts(t *testing.T) {
	// The low half overflows on the way, so that a carry is among the updates.
	start := atomics.Pair{Lo: ^uint64(0) - 100, Hi: 7}
	q := newQuad(start)
	together(workers, func(int, *atomic.Int64) {
		x := q.handle()
		for range rounds {
			old := x.Load()
			for {
				next := old
				next.Lo++
				if next.Lo == 0 {
					next.Hi++
				}
				seen, swapped := x.CompareAndSwap(old, next)
				if swapped {
					break
				}
				old = seen
			}
		}
	})
	require.Equal(t, atomics.Pair{Lo: workers*rounds - 101, Hi: 8}, q.handle().Load())
	q.intact(t)
}

// TestUint128Whole has writers of {k, ^k} in every way there is to write, and
// readers in every way to read: a pair that does not match was torn. The pair
// that a failed compare-and-swap saw counts as a read.
func TestUint128Whole(t *testing.T) {
	pair := func(k uint64) atomics.Pair { return atomics.Pair{Lo: k, Hi: ^k} }
	writers := map[string]func(x atomics.Uint128, v atomics.Pair) atomics.Pair{
		"Store": func(x atomics.Uint128, v atomics.Pair) atomics.Pair { x.Store(v); return v },
		"Swap":  func(x atomics.Uint128, v atomics.Pair) atomics.Pair { return x.Swap(v) },
		"CompareAndSwap": func(x atomics.Uint128, v atomics.Pair) atomics.Pair {
			seen, _ := x.CompareAndSwap(x.Load(), v)
			return seen
		},
	}
	readers := map[string]func(x atomics.Uint128) atomics.Pair{
		"Load": atomics.Uint128.Load,
		"failed CompareAndSwap": func(x atomics.Uint128) atomics.Pair {
			seen, swapped := x.CompareAndSwap(atomics.Pair{Lo: 1, Hi: 1}, atomics.Pair{})
			if swapped {
				return atomics.Pair{} // never stored: reported as torn
			}
			return seen
		},
	}
	for wname, write := range writers {
		for rname, read := range readers {
			t.Run(wname+"/"+rname, func(t *testing.T) {
				q := newQuad(pair(0))
				failed := together(3, func(w int, failed *atomic.Int64) {
					x := q.handle()
					for k := range uint64(4 * rounds) {
						var v atomics.Pair
						if w < 2 {
							v = write(x, pair(k<<1|uint64(w)))
						} else {
							v = read(x)
						}
						if v.Hi != ^v.Lo {
							failed.Add(1)
						}
					}
				})
				require.Zero(t, failed, "torn pairs")
				q.intact(t)
			})
		}
	}
}

// TestUint128Swaps passes tokens around as for the narrower types.
func TestUint128Swaps(t *testing.T) {
	token := func(k int) atomics.Pair { return atomics.Pair{Lo: uint64(k), Hi: uint64(k) << 32} }
	q := newQuad(token(workers))
	var held [workers]atomics.Pair
	together(workers, func(w int, _ *atomic.Int64) {
		x, mine := q.handle(), token(w)
		for range rounds {
			mine = x.Swap(mine)
		}
		held[w] = mine
	})
	want := []atomics.Pair{token(workers)}
	for w := range workers {
		want = append(want, token(w))
	}
	require.ElementsMatch(t, want, append(held[:], *q.raw()))
	q.intact(t)
}

func TestUint128LockFree(t *testing.T) {
	x := atomics.NewUint128(atomics.Pair{})
	require.Equal(t, x.LockFree(), newQuad(atomics.Pair{}).handle().LockFree(), "one answer for all values of a build")
	t.Logf("%s: lock-free is %v", runtime.GOARCH, x.LockFree())
}
