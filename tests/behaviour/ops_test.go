package behaviour

import (
	"math/rand"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

type integer interface {
	int32 | uint32 | int64 | uint64 | uintptr
}

// ops is everything that one integer type T has, for one form of storage V:
// either T itself, or the typed value around it.
type ops[V any, T integer] struct {
	name                    string
	load                    [2]func(*V) T
	store                   [3]func(*V, T)
	add, and, or, xor, swap [4]func(*V, T) T
	cas                     [4]func(*V, T, T) bool
	cond                    [2]func(*V, func(T) bool) T
}

var (
	loadSuffix  = [2]string{"Relaxed", "Acquire"}
	storeSuffix = [3]string{"Relaxed", "Release", "Full"}
	rmwSuffix   = [4]string{"Relaxed", "Acquire", "Release", "Full"}
)

// forEachType runs f once per integer type and form of storage. A generic
// function can't be a parameter, so the two kinds of caller are spelled out.
func forEachType(t *testing.T, f func(t *testing.T, run runner)) {
	for _, r := range []runner{
		run(plainInt32), run(plainUint32), run(plainInt64), run(plainUint64), run(plainUintptr),
		run(typedInt32), run(typedUint32), run(typedInt64), run(typedUint64), run(typedUintptr),
	} {
		t.Run(r.name, func(t *testing.T) { f(t, r) })
	}
}

// runner is an ops with its type parameters bound.
type runner struct {
	name                                        string
	sequential, concurrent, condLoad, nilPanics func(t *testing.T)
}

func run[V any, T integer](o ops[V, T]) runner {
	return runner{
		name:       o.name,
		sequential: func(t *testing.T) { sequential(t, o) },
		concurrent: func(t *testing.T) { concurrent(t, o) },
		condLoad:   func(t *testing.T) { condLoad(t, o) },
		nilPanics:  func(t *testing.T) { nilPanics(t, o) },
	}
}

// cell is an operand with a canary on either side: an access that is wider
// than its type, or off by an index, shows there.
type cell[V any, T integer] struct{ v [3]V }

func newCell[V any, T integer](t *testing.T, init T) *cell[V, T] {
	t.Helper()
	var (
		v   V
		val T
	)
	require.Equal(t, unsafe.Sizeof(val), unsafe.Sizeof(v), "the typed value must be as large as its type")
	c := new(cell[V, T])
	c.set(init)
	return c
}

func (c *cell[V, T]) raw(i int) *T { return (*T)(unsafe.Pointer(&c.v[i])) }
func (c *cell[V, T]) ptr() *V      { return &c.v[1] }
func (c *cell[V, T]) get() T       { return *c.raw(1) }

func (c *cell[V, T]) set(v T) {
	*c.raw(0), *c.raw(1), *c.raw(2) = canary[T](0), v, canary[T](1)
}

func (c *cell[V, T]) intact(t *testing.T) {
	same(t, canary[T](0), *c.raw(0), "word before the operand")
	same(t, canary[T](1), *c.raw(2), "word after the operand")
}

// same is require.Equal for the inner loops, where reflection would be most of
// the time that an emulator spends here.
func same[T comparable](t *testing.T, want, got T, format string, args ...any) {
	if want != got {
		t.Helper()
		require.Equalf(t, want, got, format, args...)
	}
}

func canary[T integer | byte](i int) T {
	u := uint64(0xA5C3_96E1_5A3C_691E) >> (i % 32)
	return T(u)
}

// values covers the edges of T, where sign and carry go wrong, and a few
// arbitrary ones.
func values[T integer]() []T {
	bits := uint(unsafe.Sizeof(T(0)) * 8)
	top := uint64(1) << (bits - 1)
	list := []uint64{0, 1, 2, ^uint64(0), ^uint64(0) - 1, top, top - 1, top + 1, 0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA, 0x0000_0001_0000_0000, 0xFFFF_FFFF}
	rng := rand.New(rand.NewSource(int64(bits)))
	for range 3 {
		list = append(list, rng.Uint64())
	}
	out := make([]T, len(list))
	for i, u := range list {
		out[i] = T(u)
	}
	return out
}
