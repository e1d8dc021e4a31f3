// Package beside has fences that bind to a neighbour.
package beside

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

var (
	x, y, n uint32
	bits    uint64
)

func set() {
	x = 1
	barrier.BeforeAtomic() // want `barrier.BeforeAtomic binds to the read-modify-write directly after it, but what comes after it is atomics.StoreRelaxedUint32 on line \d+: use barrier.Full, or barrier.Release to publish`
	atomics.StoreRelaxedUint32(&n, 1)
}

func plain() uint32 {
	barrier.BeforeAtomic() // want `directly after it, but what comes after it is the plain store on line \d+`
	x = 1
	barrier.AfterAtomic() // want `barrier.AfterAtomic binds to the read-modify-write directly before it, but what comes before it is the plain store on line \d+: use barrier.Full`
	return y
}

func tested() uint32 {
	if bitops.TestBit(&bits, 1) {
		barrier.AfterAtomic() // want `what comes before it is bitops.TestBit on line \d+`
	}
	return y
}

func between() uint32 {
	atomics.AddRelaxedUint32(&n, 1)
	x = 1
	barrier.AfterAtomic() // want `what comes before it is the plain store`
	return y
}

func standard() uint32 {
	atomics.AddRelaxedUint32(&n, 1)
	barrier.AfterSyncAtomic() // want `barrier.AfterSyncAtomic is for the read-modify-writes of sync/atomic, but what comes before it is atomics.AddRelaxedUint32 on line \d+: use barrier.AfterAtomic`
	atomic.StoreUint32(&n, 1)
	barrier.AfterSyncAtomic() // want `what comes before it is atomic.StoreUint32`
	return y
}

func failed() uint32 {
	if atomics.CompareAndSwapRelaxedUint32(&n, 0, 1) {
		return 0
	}
	barrier.AfterAtomic() // want `atomics.CompareAndSwapRelaxedUint32 on line \d+ may have failed, and then barrier.AfterAtomic orders nothing: use barrier.Full, or put it where the operation has succeeded`
	return y
}

func unknown() uint32 {
	atomic.CompareAndSwapUint32(&n, 0, 1)
	barrier.AfterSyncAtomic() // want `atomic.CompareAndSwapUint32 on line \d+ may have failed`
	return y
}

func locked() uint32 {
	if bitops.TestAndSetBitLock(&bits, 1) {
		barrier.AfterAtomic() // want `bitops.TestAndSetBitLock on line \d+ may have failed`
	}
	return y
}

func right(p *uint32) uint32 {
	if atomics.CompareAndSwapRelaxedUint32(&n, 0, 1) {
		barrier.AfterAtomic()
		return y
	}
	for !atomic.CompareAndSwapUint32(&n, 0, 1) {
	}
	barrier.AfterSyncAtomic()
	if !bitops.TestAndSetBitLock(&bits, 1) {
		barrier.AfterAtomic()
	}
	ok := atomics.CompareAndSwapRelaxedUint32(&n, 0, 1)
	if !ok {
		return 1
	}
	barrier.AfterAtomic()
	if atomics.AddRelaxedUint32(&n, 1) == y {
		barrier.AfterAtomic()
	}
	x = 1
	barrier.BeforeAtomic()
	atomics.AddRelaxedUint32(p, 1)
	increment()
	barrier.AfterAtomic()
	after()
	return 0
}

func increment() { atomics.AddRelaxedUint32(&n, 1) }

func after() { barrier.AfterAtomic() }

func silenced() {
	x = 1
	barrier.AfterAtomic() //nolint:missingorder // of the caller's
}
