package main

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// Each loop is a function of its own, not inlined, so that it can be found in
// a disassembly and that its neighbours don't change its code.

// word is an operand with its cache line to itself.
type word struct {
	_ [128]byte
	v uint64
	_ [128]byte
}

var operand word

//go:noinline
func plainStore(p *uint64, n int) {
	for i := range n {
		*p = uint64(i)
	}
}

//go:noinline
func storeRelease(p *uint64, n int) {
	for i := range n {
		atomics.StoreReleaseUint64(p, uint64(i))
	}
}

//go:noinline
func syncStore(p *uint64, n int) {
	for i := range n {
		atomic.StoreUint64(p, uint64(i))
	}
}

//go:noinline
func storeFull(p *uint64, n int) {
	for i := range n {
		atomics.StoreFullUint64(p, uint64(i))
	}
}

//go:noinline
func loadAcquire(p *uint64, n int) (sum uint64) {
	for range n {
		sum += atomics.LoadAcquireUint64(p)
	}
	return sum
}

//go:noinline
func syncLoad(p *uint64, n int) (sum uint64) {
	for range n {
		sum += atomic.LoadUint64(p)
	}
	return sum
}

//go:noinline
func full(n int) {
	for range n {
		barrier.Full()
	}
}

//go:noinline
func lockedSwap(n int) {
	for range n {
		var x uint32
		atomic.SwapUint32(&x, 0) //nolint:dummyfence // its cost is what is measured
	}
}

//go:noinline
func lockedAdd(n int) {
	for range n {
		var x uint32
		atomic.AddUint32(&x, 0) //nolint:dummyfence // its cost is what is measured
	}
}

//go:noinline
func lockedAnd(n int) {
	for range n {
		var x uint32
		atomic.AndUint32(&x, 0) //nolint:dummyfence // its cost is what is measured
	}
}

//go:noinline
func lockedOr(n int) {
	for range n {
		var x uint32
		atomic.OrUint32(&x, 0) //nolint:dummyfence // its cost is what is measured
	}
}

//go:noinline
func lockedCompareAndSwap(n int) {
	for range n {
		var x uint32
		atomic.CompareAndSwapUint32(&x, 0, 0) //nolint:dummyfence // its cost is what is measured
	}
}

//go:noinline
func testAndSetBit(p *uint64, n int) (set int) {
	for i := range n {
		if bitops.TestAndSetBit(p, uint(i)) {
			set++
		}
	}
	return set
}

//go:noinline
func syncTestAndSetBit(p *uint64, n int) (set int) {
	for i := range n {
		mask := uint64(1) << (uint(i) & 63)
		if atomic.OrUint64(p, mask)&mask != 0 {
			set++
		}
	}
	return set
}

//go:noinline
func setBit(p *uint64, n int) {
	for i := range n {
		bitops.SetBit(p, uint(i))
	}
}

//go:noinline
func syncSetBit(p *uint64, n int) {
	for i := range n {
		atomic.OrUint64(p, 1<<(uint(i)&63))
	}
}

//go:noinline
func emptyLoop(n int) {
	for range n {
	}
}
