package seqlock_test

import (
	"fmt"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/seqlock"
)

// A position that is read often and never half new.
func ExampleValue() {
	type position struct{ x, y, z float64 }
	var where seqlock.Value[position]
	where.Store(position{1, 2, 3})
	fmt.Println(where.Load())
	// Output: {1 2 3}
}

// The protocol alone: the data is read with relaxed loads, and not used before ReadRetry returned false.
func ExampleCount() {
	var (
		count    seqlock.Count
		low, top atomics.Uint64
	)
	count.WriteBegin() // by the only writer
	low.StoreRelaxed(10)
	top.StoreRelaxed(20)
	count.WriteEnd()

	var l, t uint64
	for {
		begin := count.ReadBegin()
		l, t = low.LoadRelaxed(), top.LoadRelaxed()
		if !count.ReadRetry(begin) {
			break
		}
	}
	fmt.Println(l, t)
	// Output: 10 20
}
