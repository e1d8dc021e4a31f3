package behaviour

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/stretchr/testify/require"
)

type node struct {
	id   int
	next *node
}

type pointerOps[V any] struct {
	name  string
	load  [2]func(*V) *node
	store [3]func(*V, *node)
	swap  [4]func(*V, *node) *node
	cas   [4]func(*V, *node, *node) bool
	cond  [2]func(*V, func(*node) bool) *node
}

var plainPointer = pointerOps[*node]{
	name: "*node",
	load: [2]func(**node) *node{atomics.LoadRelaxedPointer[node], atomics.LoadAcquirePointer[node]},
	store: [3]func(**node, *node){
		atomics.StoreRelaxedPointer[node], atomics.StoreReleasePointer[node], atomics.StoreFullPointer[node],
	},
	swap: [4]func(**node, *node) *node{
		atomics.SwapRelaxedPointer[node], atomics.SwapAcquirePointer[node],
		atomics.SwapReleasePointer[node], atomics.SwapFullPointer[node],
	},
	cas: [4]func(**node, *node, *node) bool{
		atomics.CompareAndSwapRelaxedPointer[node], atomics.CompareAndSwapAcquirePointer[node],
		atomics.CompareAndSwapReleasePointer[node], atomics.CompareAndSwapFullPointer[node],
	},
	cond: [2]func(**node, func(*node) bool) *node{
		atomics.CondLoadRelaxedPointer[node], atomics.CondLoadAcquirePointer[node],
	},
}

var typedPointer = pointerOps[atomics.Pointer[node]]{
	name: "atomics.Pointer",
	load: [2]func(*atomics.Pointer[node]) *node{
		(*atomics.Pointer[node]).LoadRelaxed, (*atomics.Pointer[node]).LoadAcquire,
	},
	store: [3]func(*atomics.Pointer[node], *node){
		(*atomics.Pointer[node]).StoreRelaxed, (*atomics.Pointer[node]).StoreRelease, (*atomics.Pointer[node]).StoreFull,
	},
	swap: [4]func(*atomics.Pointer[node], *node) *node{
		(*atomics.Pointer[node]).SwapRelaxed, (*atomics.Pointer[node]).SwapAcquire,
		(*atomics.Pointer[node]).SwapRelease, (*atomics.Pointer[node]).SwapFull,
	},
	cas: [4]func(*atomics.Pointer[node], *node, *node) bool{
		(*atomics.Pointer[node]).CompareAndSwapRelaxed, (*atomics.Pointer[node]).CompareAndSwapAcquire,
		(*atomics.Pointer[node]).CompareAndSwapRelease, (*atomics.Pointer[node]).CompareAndSwapFull,
	},
	cond: [2]func(*atomics.Pointer[node], func(*node) bool) *node{
		(*atomics.Pointer[node]).CondLoadRelaxed, (*atomics.Pointer[node]).CondLoadAcquire,
	},
}

func TestPointers(t *testing.T) {
	t.Run(plainPointer.name, func(t *testing.T) { pointers(t, plainPointer) })
	t.Run(typedPointer.name, func(t *testing.T) { pointers(t, typedPointer) })
}

// pointerCell is a pointer operand between two canaries.
type pointerCell[V any] struct {
	v             [3]V
	before, after *node
}

func newPointerCell[V any](t *testing.T, init *node) *pointerCell[V] {
	t.Helper()
	var v V
	require.Equal(t, unsafe.Sizeof(init), unsafe.Sizeof(v), "the typed value must be as large as a pointer")
	c := &pointerCell[V]{before: new(node), after: new(node)}
	*c.raw(0), *c.raw(1), *c.raw(2) = c.before, init, c.after
	return c
}

func (c *pointerCell[V]) raw(i int) **node { return (**node)(unsafe.Pointer(&c.v[i])) }
func (c *pointerCell[V]) ptr() *V          { return &c.v[1] }
func (c *pointerCell[V]) get() *node       { return *c.raw(1) }

func (c *pointerCell[V]) intact(t *testing.T) {
	t.Helper()
	require.Same(t, c.before, *c.raw(0), "word before the operand")
	require.Same(t, c.after, *c.raw(2), "word after the operand")
}

func pointers[V any](t *testing.T, o pointerOps[V]) {
	vals := []*node{nil, {id: 1}, {id: 2}}
	for i, load := range o.load {
		t.Run("Load"+loadSuffix[i], func(t *testing.T) {
			for _, v := range vals {
				c := newPointerCell[V](t, v)
				same(t, v, load(c.ptr()), "result")
				same(t, v, c.get(), "memory")
				c.intact(t)
			}
		})
	}
	for i, store := range o.store {
		t.Run("Store"+storeSuffix[i], func(t *testing.T) {
			for _, old := range vals {
				for _, v := range vals {
					c := newPointerCell[V](t, old)
					store(c.ptr(), v)
					same(t, v, c.get(), "memory")
					c.intact(t)
				}
			}
		})
	}
	for i, swap := range o.swap {
		t.Run("Swap"+rmwSuffix[i], func(t *testing.T) {
			for _, old := range vals {
				for _, v := range vals {
					c := newPointerCell[V](t, old)
					same(t, old, swap(c.ptr(), v), "result")
					same(t, v, c.get(), "memory")
					c.intact(t)
				}
			}
		})
	}
	for i, cas := range o.cas {
		t.Run("CompareAndSwap"+rmwSuffix[i], func(t *testing.T) {
			for _, mem := range vals {
				for _, old := range vals {
					for _, v := range vals {
						c := newPointerCell[V](t, mem)
						require.Equal(t, mem == old, cas(c.ptr(), old, v))
						want := mem
						if mem == old {
							want = v
						}
						same(t, want, c.get(), "memory")
						c.intact(t)
					}
				}
			}
		})
	}
	t.Run("nil operand", func(t *testing.T) {
		for i, f := range o.load {
			requireNilPanic(t, "Load"+loadSuffix[i], func() { f(nil) })
		}
		for i, f := range o.store {
			requireNilPanic(t, "Store"+storeSuffix[i], func() { f(nil, vals[1]) })
		}
		for i := range rmwSuffix {
			requireNilPanic(t, "Swap"+rmwSuffix[i], func() { o.swap[i](nil, vals[1]) })
			requireNilPanic(t, "CompareAndSwap"+rmwSuffix[i], func() { o.cas[i](nil, nil, vals[1]) })
		}
		for i, f := range o.cond {
			requireNilPanic(t, "CondLoad"+loadSuffix[i], func() { f(nil, func(*node) bool { return true }) })
		}
	})
	for i := range rmwSuffix {
		t.Run("stack with CompareAndSwap"+rmwSuffix[i], func(t *testing.T) { stack(t, o, i) })
		t.Run("tokens with Swap"+rmwSuffix[i], func(t *testing.T) { pointerTokens(t, o, i) })
	}
	for i, cond := range o.cond {
		t.Run("CondLoad"+loadSuffix[i], func(t *testing.T) { takeTurns(t, o, cond) })
	}
}

// pointerTokens swaps nodes around: none may be lost or doubled.
func pointerTokens[V any](t *testing.T, o pointerOps[V], suffix int) {
	c := newPointerCell[V](t, &node{id: workers})
	var held [workers]*node
	together(workers, func(w int, _ *atomic.Int64) {
		mine := &node{id: w}
		for range rounds {
			mine = o.swap[suffix](c.ptr(), mine)
		}
		held[w] = mine
	})
	var ids []int
	for _, n := range append(held[:], c.get()) {
		ids = append(ids, n.id)
	}
	require.ElementsMatch(t, []int{0, 1, 2, 3, workers}, ids)
	c.intact(t)
}

// takeTurns has two goroutines hand over a turn: each waits for the node that
// is its own. The condition only compares, since it runs before the load is
// ordered.
func takeTurns[V any](t *testing.T, o pointerOps[V], cond func(*V, func(*node) bool) *node) {
	const turns = 400
	turn := [2]*node{nil, {id: 1}}
	c := newPointerCell[V](t, nil)
	failed := together(2, func(w int, failed *atomic.Int64) {
		for range turns {
			if cond(c.ptr(), func(n *node) bool { return n == turn[w] }) != turn[w] {
				failed.Add(1)
			}
			o.store[1](c.ptr(), turn[1-w])
		}
	})
	require.Zero(t, failed)
	same(t, turn[0], c.get(), "whose turn it is at the end")
	c.intact(t)
}

// stack pushes freshly allocated nodes from several goroutines while the
// collector runs: every node must be found afterwards, with its contents.
func stack[V any](t *testing.T, o pointerOps[V], suffix int) {
	c := newPointerCell[V](t, nil)
	together(workers, func(w int, _ *atomic.Int64) {
		for k := range rounds / 2 {
			n := &node{id: w*rounds + k}
			for {
				n.next = o.load[1](c.ptr())
				if o.cas[suffix](c.ptr(), n.next, n) {
					break
				}
			}
			if k%500 == 0 {
				runtime.GC()
			}
		}
	})
	seen := make(map[int]bool)
	for n := c.get(); n != nil; n = n.next {
		same(t, false, seen[n.id], "node %d twice", n.id)
		seen[n.id] = true
	}
	require.Len(t, seen, workers*rounds/2)
	c.intact(t)
}
