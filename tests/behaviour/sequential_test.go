package behaviour

import (
	"flag"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIntegers(t *testing.T) {
	forEachType(t, func(t *testing.T, r runner) { r.sequential(t) })
}

func sequential[V any, T integer](t *testing.T, o ops[V, T]) {
	vals := values[T]()
	for i, load := range o.load {
		t.Run("Load"+loadSuffix[i], func(t *testing.T) {
			for _, v := range vals {
				c := newCell[V, T](t, v)
				require.Equal(t, v, load(c.ptr()))
				require.Equal(t, v, c.get())
				c.intact(t)
			}
		})
	}
	for i, store := range o.store {
		t.Run("Store"+storeSuffix[i], func(t *testing.T) {
			c := newCell[V, T](t, 0)
			for _, old := range vals {
				for _, v := range vals {
					c.set(old)
					store(c.ptr(), v)
					same(t, v, c.get(), "old %#x", old)
					c.intact(t)
				}
			}
		})
	}
	for _, op := range []struct {
		name string
		f    [4]func(*V, T) T
		want func(old, v T) (mem, ret T)
	}{
		{"Add", o.add, func(old, v T) (T, T) { return old + v, old + v }},
		{"And", o.and, func(old, v T) (T, T) { return old & v, old }},
		{"Or", o.or, func(old, v T) (T, T) { return old | v, old }},
		{"Xor", o.xor, func(old, v T) (T, T) { return old ^ v, old }},
		{"Swap", o.swap, func(old, v T) (T, T) { return v, old }},
	} {
		for i, f := range op.f {
			t.Run(op.name+rmwSuffix[i], func(t *testing.T) {
				c := newCell[V, T](t, 0)
				for _, old := range vals {
					for _, v := range vals {
						c.set(old)
						got := f(c.ptr(), v)
						mem, ret := op.want(old, v)
						same(t, ret, got, "result for old %#x, operand %#x", old, v)
						same(t, mem, c.get(), "memory for old %#x, operand %#x", old, v)
						c.intact(t)
					}
				}
			})
		}
	}
	for i, cas := range o.cas {
		t.Run("CompareAndSwap"+rmwSuffix[i], func(t *testing.T) {
			c := newCell[V, T](t, 0)
			for _, mem := range vals {
				for _, old := range vals {
					for _, v := range vals[:6] {
						c.set(mem)
						same(t, mem == old, cas(c.ptr(), old, v), "memory %#x, old %#x", mem, old)
						want := mem
						if mem == old {
							want = v
						}
						same(t, want, c.get(), "memory %#x, old %#x, new %#x", mem, old, v)
						c.intact(t)
					}
				}
			}
		})
	}
	for i, cond := range o.cond {
		t.Run("CondLoad"+loadSuffix[i], func(t *testing.T) {
			for _, v := range vals {
				c := newCell[V, T](t, v)
				calls := 0
				got := cond(c.ptr(), func(seen T) bool { calls++; return seen == v })
				require.Equal(t, v, got)
				require.Equal(t, 1, calls, "a condition that holds at once is asked once")

				// The result is the value that was accepted, however late.
				calls = 0
				got = cond(c.ptr(), func(seen T) bool { calls++; *c.raw(1)++; return calls == 500 })
				require.Equal(t, v+499, got)
				c.intact(t)

				require.PanicsWithValue(t, "from cond", func() {
					cond(c.ptr(), func(T) bool { panic("from cond") })
				})
			}
		})
	}
}

func TestNilPointerPanics(t *testing.T) {
	forEachType(t, func(t *testing.T, r runner) { r.nilPanics(t) })
}

// nilPanics wants a nil operand to be an ordinary run-time panic on every
// path, assembly included, never a fatal fault.
func nilPanics[V any, T integer](t *testing.T, o ops[V, T]) {
	for i, f := range o.load {
		requireNilPanic(t, "Load"+loadSuffix[i], func() { f(nil) })
	}
	for i, f := range o.store {
		requireNilPanic(t, "Store"+storeSuffix[i], func() { f(nil, 1) })
	}
	for i := range rmwSuffix {
		requireNilPanic(t, "Add"+rmwSuffix[i], func() { o.add[i](nil, 1) })
		requireNilPanic(t, "And"+rmwSuffix[i], func() { o.and[i](nil, 1) })
		requireNilPanic(t, "Or"+rmwSuffix[i], func() { o.or[i](nil, 1) })
		requireNilPanic(t, "Xor"+rmwSuffix[i], func() { o.xor[i](nil, 1) })
		requireNilPanic(t, "Swap"+rmwSuffix[i], func() { o.swap[i](nil, 1) })
		requireNilPanic(t, "CompareAndSwap"+rmwSuffix[i], func() { o.cas[i](nil, 0, 1) })
	}
	for i, f := range o.cond {
		requireNilPanic(t, "CondLoad"+loadSuffix[i], func() { f(nil, func(T) bool { return true }) })
	}
}

var nilFaults = flag.Bool("nil-faults", true, "expect nil operands to panic; some emulators report faults at a wrong address, which is then fatal")

func requireNilPanic(t *testing.T, name string, f func()) {
	t.Helper()
	if !*nilFaults {
		return
	}
	defer func() {
		t.Helper()
		err, ok := recover().(runtime.Error)
		require.True(t, ok, "%s(nil) must end in a run-time error", name)
		require.ErrorContains(t, err, "nil pointer", name)
	}()
	f()
}
