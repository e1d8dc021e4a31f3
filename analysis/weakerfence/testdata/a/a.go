package a

import (
	"sync"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

var (
	x, y, z int
	flag    uint32
	word    uint64
)

func clearThenRead() int {
	bitops.ClearBit(&word, 3)
	barrier.Full() // want `barrier.AfterAtomic would do instead of barrier.Full, and costs less on amd64: bitops.ClearBit on line \d+ wrote, and no access lies between`
	return x
}

func syncAtomic() int {
	atomic.AddUint32(&flag, 1)
	barrier.Full() // want `barrier.AfterSyncAtomic would do instead of barrier.Full, and costs less on amd64 and arm64 with GOARM64=v8.1: atomic.AddUint32 on line \d+ wrote, and no access lies between`
	return x
}

func succeeded() {
	if atomic.CompareAndSwapUint32(&flag, 0, 1) {
		barrier.Full() // want `barrier.AfterSyncAtomic would do instead of barrier.Full`
		x = 1
	}
}

func spin() {
	for !atomic.CompareAndSwapUint32(&flag, 0, 1) {
	}
	barrier.Full() // want `barrier.AfterSyncAtomic would do instead of barrier.Full`
	x = 1
}

func reads() int {
	a := x
	barrier.Full() // want `barrier.Acquire would do instead of barrier.Full, and costs less on amd64 and arm64 for the accesses seen here \(more is needed if accesses that are not seen here rely on it\)`
	return a + y
}

func writes() {
	x = 1
	barrier.Full() // want `barrier.Write would do instead of barrier.Full, and costs less on amd64 and arm64 for the accesses seen here`
	y = 1
}

func readWrite() {
	z = x
	barrier.Full() // want `barrier.Release would do instead of barrier.Full, and costs less on amd64`
	y = 1
}

// Of a function whose callers are known.

func clears() {
	bitops.ClearBit(&word, 3)
	looks()
}

func looks() {
	barrier.Full() // want `barrier.AfterAtomic would do instead of barrier.Full, and costs less on amd64: bitops.ClearBit on line \d+ wrote, and no access lies between \(the only caller of a.looks is in this package\)`
	y = x
}

// What a caller does is seen.

func setsTwo() {
	x = 1
	setsSecond()
}

func setsSecond() {
	barrier.Full() // want `barrier.Write would do instead of barrier.Full, and costs less on amd64 and arm64 for the accesses seen here`
	y = 1
}

// Silent: what lies between, what may have failed, what is needed.

func accessBetween() int {
	bitops.ClearBit(&word, 3)
	y = 1
	barrier.Full()
	return x
}

func failed() {
	if !atomic.CompareAndSwapUint32(&flag, 0, 1) {
		y = 1
		barrier.Full()
		_ = atomics.LoadRelaxedUint32(&flag)
	}
}

func storeBuffering() int {
	x = 1
	barrier.Full()
	return y
}

func plainStoreOfAtomic() int {
	atomics.StoreRelaxedUint32(&flag, 1)
	barrier.Full()
	return y
}

func unknown(f func()) int {
	a := x
	f()
	barrier.Full()
	return a + y
}

func onlyFence() { barrier.Full() }

// What is written before may be what the fence is there for.

var mu sync.Mutex

func Notify() bool {
	mu.Lock()
	defer mu.Unlock()
	if !ready() {
		return false
	}
	barrier.Full()
	x++
	return y > x
}

func ready() bool { return z > 0 }

// One of two callers does not clear.

func clearsFirst(c bool) {
	if c {
		bitops.ClearBit(&word, 3)
		looksToo()
	} else {
		x = 1
		looksToo()
	}
}

func looksToo() {
	barrier.Full()
	y = x
}
