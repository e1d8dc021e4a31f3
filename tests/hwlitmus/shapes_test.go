//go:build !race

package hwlitmus

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Pairs of accesses that several shapes share. first and second tell the two
// variables of a thread apart by their order in its code, a before b.

func storeStore(first, second uint64, fence func()) thread {
	return func(v *view) (uint64, uint64) {
		atomics.StoreRelaxedUint64(v.a, first)
		fence()
		atomics.StoreRelaxedUint64(v.b, second)
		return 0, 0
	}
}

func storeRelease(first, second uint64) thread {
	return func(v *view) (uint64, uint64) {
		atomics.StoreRelaxedUint64(v.a, first)
		atomics.StoreReleaseUint64(v.b, second)
		return 0, 0
	}
}

func loadStore(store uint64, fence func()) thread {
	return func(v *view) (uint64, uint64) {
		r := atomics.LoadRelaxedUint64(v.a)
		fence()
		atomics.StoreRelaxedUint64(v.b, store)
		return r, 0
	}
}

func acquireStore(store uint64) thread {
	return func(v *view) (uint64, uint64) {
		r := atomics.LoadAcquireUint64(v.a)
		atomics.StoreRelaxedUint64(v.b, store)
		return r, 0
	}
}

func loadRelease(store uint64) thread {
	return func(v *view) (uint64, uint64) {
		r := atomics.LoadRelaxedUint64(v.a)
		atomics.StoreReleaseUint64(v.b, store)
		return r, 0
	}
}

func storeLoad(store uint64, fence func()) thread {
	return func(v *view) (uint64, uint64) {
		atomics.StoreRelaxedUint64(v.a, store)
		fence()
		return atomics.LoadRelaxedUint64(v.b), 0
	}
}

// otherShapes are LB, S, R and 2+2W. x is P0's a and P1's b.
func otherShapes() []row {
	none := func() {}
	storeFullLoad := func(v *view) (uint64, uint64) {
		atomics.StoreFullUint64(v.a, 2)
		return atomics.LoadRelaxedUint64(v.b), 0
	}
	// R a; W b on both sides: each reading the other's store needs a store
	// that passed an earlier load.
	lb := func(o outcome) bool { return o.p0[0] == 1 && o.p1[0] == 1 }
	// W x=2; W y=1 against R y=1; W x=1, with x=2 at the end.
	s := func(o outcome) bool { return o.p1[0] == 1 && o.x == 2 }
	// W x=1; W y=1 against W y=2; R x=0, with y=2 at the end.
	r := func(o outcome) bool { return o.p1[0] == 0 && o.y == 2 }
	// W a=1; W b=2 on both sides, both ending with the other's first store.
	w := func(o outcome) bool { return o.x == 1 && o.y == 1 }
	return []row{
		{"LB/relaxed", neverTSO, litmus{loadStore(1, none), loadStore(1, none), 0, lb}},
		{"LB/LoadAcquire", never, litmus{acquireStore(1), acquireStore(1), 0, lb}},
		{"LB/StoreRelease", never, litmus{loadRelease(1), loadRelease(1), 0, lb}},
		{"LB/LoadAcquire, StoreRelease", never, litmus{acquireStore(1), loadRelease(1), 0, lb}},
		{"LB/Acquire", never, litmus{loadStore(1, barrier.Acquire), loadStore(1, barrier.Acquire), 0, lb}},
		{"LB/Release", never, litmus{loadStore(1, barrier.Release), loadStore(1, barrier.Release), 0, lb}},
		{"LB/Full", never, litmus{loadStore(1, barrier.Full), loadStore(1, barrier.Full), 0, lb}},

		{"S/relaxed", neverTSO, litmus{storeStore(2, 1, none), loadStore(1, none), 0, s}},
		{"S/StoreRelease, LoadAcquire", never, litmus{storeRelease(2, 1), acquireStore(1), 0, s}},
		{"S/Write, Acquire", never, litmus{storeStore(2, 1, barrier.Write), loadStore(1, barrier.Acquire), 0, s}},
		{"S/Release, StoreRelease", never, litmus{storeStore(2, 1, barrier.Release), loadRelease(1), 0, s}},
		{"S/Full, Full", never, litmus{storeStore(2, 1, barrier.Full), loadStore(1, barrier.Full), 0, s}},

		{"R/relaxed", seen, litmus{storeStore(1, 1, none), storeLoad(2, none), 0, r}},
		{"R/StoreRelease", seenTSO, litmus{storeRelease(1, 1), storeLoad(2, none), 0, r}},
		{"R/Write, Acquire", seenTSO, litmus{storeStore(1, 1, barrier.Write), storeLoad(2, barrier.Acquire), 0, r}},
		{"R/Full, Full", never, litmus{storeStore(1, 1, barrier.Full), storeLoad(2, barrier.Full), 0, r}},
		{"R/StoreRelease, Full", neverTSO, litmus{storeRelease(1, 1), storeLoad(2, barrier.Full), 0, r}},
		{"R/Full, StoreFull", never, litmus{storeStore(1, 1, barrier.Full), storeFullLoad, 0, r}},

		{"2+2W/relaxed", neverTSO, litmus{storeStore(1, 2, none), storeStore(1, 2, none), 0, w}},
		{"2+2W/StoreRelease", never, litmus{storeRelease(1, 2), storeRelease(1, 2), 0, w}},
		{"2+2W/Write", never, litmus{storeStore(1, 2, barrier.Write), storeStore(1, 2, barrier.Write), 0, w}},
		{"2+2W/Full", never, litmus{storeStore(1, 2, barrier.Full), storeStore(1, 2, barrier.Full), 0, w}},
	}
}
