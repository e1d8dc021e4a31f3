package srcu_test

import (
	"fmt"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/srcu"
)

func Example() {
	type table struct{ name string }
	var current atomics.Pointer[table]
	current.StoreRelease(&table{"old"})
	domain := srcu.New()

	i := domain.ReadLock()
	fmt.Println(current.LoadAcquire().name) // may block here
	domain.ReadUnlock(i)

	old := current.SwapRelease(&table{"new"})
	domain.Call(func() { old.name = "recycled" })
	domain.Barrier()
	fmt.Println(old.name)
	// Output:
	// old
	// recycled
}

// After a section, a flag is read that must not be older than what was written before the unlock.
func ExampleFastReader() {
	var running, request atomics.Uint32
	domain := srcu.New()
	reader := domain.RegisterFast()
	defer reader.Unregister()

	i := reader.ReadLock()
	running.StoreRelaxed(1)
	reader.ReadUnlock(i)
	reader.AfterReadUnlock() // a full fence
	fmt.Println(request.LoadRelaxed())

	i = domain.ReadLock()
	running.StoreRelaxed(1)
	domain.ReadUnlock(i)
	barrier.AfterSRCUReadUnlock() // nothing: this ReadUnlock is a full fence
	fmt.Println(request.LoadRelaxed())
	// Output:
	// 0
	// 0
}
