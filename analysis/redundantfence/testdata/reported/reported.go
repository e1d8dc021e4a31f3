package reported

import (
	"sync"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

var (
	x, y int
	flag uint32
	word uint64
	mu   sync.Mutex
	cell atomics.Uint64
)

func twice() {
	x = 1
	barrier.Full()
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: barrier.Full on line \d+ orders already`
	y = 1
}

func stronger() {
	barrier.Full()
	barrier.Write()   // want `barrier.Write is redundant on arm64: barrier.Full on line \d+ orders already; no instruction on amd64`
	barrier.Acquire() // want `barrier.Acquire is redundant on arm64: barrier.Full on line \d+ orders already; no instruction on amd64`
}

func branches(c bool) {
	if c {
		x = 1
		barrier.Full()
	} else {
		barrier.Full()
	}
	barrier.Release() // want `barrier.Release is redundant on arm64: barrier.Full on line \d+ and barrier.Full on line \d+ order already; no instruction on amd64`
	y = 1
}

func publish() {
	x = 1
	barrier.Release() // want `barrier.Release is redundant on arm64 for the accesses seen here: atomic.StoreUint32 on line \d+ orders already \(it is needed if later writes that are not seen here must come after earlier writes\); no instruction on amd64`
	atomic.StoreUint32(&flag, 1)
}

func consume() int {
	for atomic.LoadUint32(&flag) == 0 {
	}
	barrier.Acquire() // want `barrier.Acquire is redundant on arm64 for the accesses seen here: atomic.LoadUint32 on line \d+ orders already \(it is needed if earlier reads that are not seen here must come before later reads\); no instruction on amd64`
	return x
}

// An STLR and a later LDAR are ordered, and so is what stands before the one against what stands behind the other.
func storeLoad() uint32 {
	atomic.StoreUint32(&flag, 1)
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: atomic.StoreUint32 on line \d+ orders already`
	return atomic.LoadUint32(&flag)
}

func store() { atomic.StoreUint32(&flag, 1) }

func load() uint32 { return atomic.LoadUint32(&flag) }

func acrossCalls() uint32 {
	store()
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: reported.store on line \d+ orders already`
	return load()
}

func fence() { barrier.Full() }

func wrapped() {
	x = 1
	fence()
	fence() // want `reported.fence is redundant on amd64 and arm64: reported.fence on line \d+ orders already`
	y = 2
}

func afterLock() {
	mu.Lock()
	barrier.Full() // want `barrier.Full is redundant on amd64: sync.Mutex.Lock on line \d+ orders already; needed on arm64`
	y = x
	mu.Unlock()
}

func loop() {
	for range 10 {
		cell.AddFull(1)
		barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: atomics.Uint64.AddFull on line \d+ orders already`
	}
}

func inBranch(c bool) {
	if c {
		barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: barrier.Full on line \d+ orders already`
	}
	barrier.Full()
	y = x
}

func device() {
	x = 1
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: barrier.MandatoryFull on line \d+ orders already`
	barrier.MandatoryFull()
	y = 1
}

// Release is a full barrier on arm64, but that is not its contract: the full fence stays.
func releaseIsNotFull() int {
	x = 1
	barrier.Release() // want `barrier.Release is redundant on arm64: barrier.Full on line \d+ orders already; no instruction on amd64`
	barrier.Full()
	return y
}

// On arm64 a compare-and-swap that fails is not ordered behind what comes before it.
func TryThenFence() {
	atomic.CompareAndSwapUint32(&flag, 0, 1)
	barrier.Full() // want `barrier.Full is redundant on amd64: atomic.CompareAndSwapUint32 on line \d+ orders already`
}

func beforeTry() {
	x = 1
	barrier.Full() // want `barrier.Full is redundant on amd64: reported.TryThenFence on line \d+ orders already; needed on arm64`
	TryThenFence()
}

// On arm64 the compare-and-swap orders what is seen. But what is seen has no write and later read of other places, which full fences are there for.
func SwapThenFence() bool {
	ok := atomic.CompareAndSwapUint32(&flag, 0, 1)
	barrier.Full() // want `barrier.Full is redundant on amd64: atomic.CompareAndSwapUint32 on line \d+ orders already; needed on arm64`
	return ok
}
