package barrier_test

import (
	"fmt"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// Two fences publish several plain values at once through one relaxed flag. On amd64 neither leaves an instruction.
func Example() {
	var a, b int
	var ready atomics.Uint32
	go func() {
		a, b = 1, 2
		barrier.Release()
		ready.StoreRelaxed(1)
	}()
	ready.CondLoadRelaxed(func(v uint32) bool { return v == 1 })
	barrier.Acquire()
	fmt.Println(a + b)
	// Output: 3
}

// A flag is raised before the other side's flag is looked at. Only a full fence orders a store before a later load: with
// anything weaker both sides may see no flag and go to sleep.
func ExampleFull() {
	var sleeping, work atomics.Uint32
	waiter := func() bool {
		sleeping.StoreRelaxed(1)
		barrier.Full()
		return work.LoadRelaxed() == 0 // may sleep
	}
	waker := func() bool {
		work.StoreRelaxed(1)
		barrier.Full()
		return sleeping.LoadRelaxed() == 1 // must wake
	}
	fmt.Println(waker(), waiter())
	// Output: false false
}

// ClearBit orders nothing by contract; AfterAtomic orders it before the load that follows. On amd64 the locked
// instruction has done so already, and AfterAtomic is empty.
func ExampleAfterAtomic() {
	var pending, requests uint64 = 1, 5
	bitops.ClearBit(&pending, 0)
	barrier.AfterAtomic()
	fmt.Println(pending, atomics.LoadRelaxedUint64(&requests))
	// Output: 0 5
}

// After a read-modify-write of sync/atomic that wrote, AfterSyncAtomic is enough, and empty on arm64 as well where
// GOARM64 guarantees LSE.
func ExampleAfterSyncAtomic() {
	var state atomic.Uint32
	var waiters atomics.Uint32
	state.Add(1)
	barrier.AfterSyncAtomic()
	fmt.Println(waiters.LoadRelaxed())
	// Output: 0
}
