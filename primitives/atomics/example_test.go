package atomics_test

import (
	"fmt"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// A value is published with a release store and read after an acquire load. On amd64 both are plain moves; sync/atomic's
// store is an exchange, many times dearer.
func Example() {
	var message string
	var ready atomics.Uint32
	go func() {
		message = "hello"
		ready.StoreRelease(1)
	}()
	ready.CondLoadAcquire(func(v uint32) bool { return v == 1 })
	fmt.Println(message)
	// Output: hello
}

// The functions work on plain variables, such as fields of memory shared with somebody else.
func ExampleStoreReleaseUint32() {
	type queue struct {
		tail  uint32
		slots [4]uint64
	}
	var q queue
	q.slots[0] = 42
	atomics.StoreReleaseUint32(&q.tail, 1)
	fmt.Println(atomics.LoadAcquireUint32(&q.tail))
	// Output: 1
}

// A counter next to the value makes a compare-and-swap notice that the value went away and came back.
func ExampleUint128() {
	top := atomics.NewUint128(atomics.Pair{Lo: 7})
	old := top.Load()
	top.CompareAndSwap(old, atomics.Pair{Lo: 9, Hi: old.Hi + 1})
	seen := top.Load()
	top.CompareAndSwap(seen, atomics.Pair{Lo: 7, Hi: seen.Hi + 1})
	_, swapped := top.CompareAndSwap(old, atomics.Pair{Lo: 8, Hi: old.Hi + 1})
	fmt.Println(top.Load(), swapped)
	// Output: {7 2} false
}

func ExamplePointer() {
	type config struct{ limit int }
	var current atomics.Pointer[config]
	current.StoreRelease(&config{limit: 10})
	fmt.Println(current.LoadAcquire().limit)
	// Output: 10
}
