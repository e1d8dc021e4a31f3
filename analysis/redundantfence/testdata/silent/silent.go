package silent

import (
	"sync"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

var (
	x, y, data int
	flag, seq  uint32
	mu         sync.Mutex
	cell       atomics.Uint64
)

// The writer of a sequence lock: a release fence before plain stores.
func write() {
	atomic.StoreUint32(&seq, seq+1)
	barrier.Write()
	x, y = 1, 2
	barrier.Write()
	atomics.StoreRelaxedUint32(&seq, seq+1)
}

// The reader: a read fence before a load.
func read() int {
	s := atomic.LoadUint32(&seq)
	v := x + y
	barrier.Read()
	if atomics.LoadRelaxedUint32(&seq) != s {
		return 0
	}
	return v
}

// An acquire load orders nothing that came before it.
func flagFirst() int {
	f := atomics.LoadRelaxedUint32(&flag)
	s := atomic.LoadUint32(&seq)
	barrier.Acquire()
	return data + int(f+s)
}

func plainPublication() {
	data = 1
	barrier.Release()
	flag = 1
}

// A lock does not cover the release.
func publicationUnderLock() {
	mu.Lock()
	defer mu.Unlock()
	data = 1
	barrier.Release()
	flag = 1
}

// A later plain store relies on the fence.
func twoStores() {
	data = 1
	barrier.Release()
	atomic.StoreUint32(&flag, 1)
	y = 2
}

func oneBranch(c bool) {
	if c {
		barrier.Full()
		x = 1
	}
	barrier.Full()
	y = x
}

func accessBetween() {
	barrier.Full()
	x = 1
	barrier.Full()
}

func around() {
	for x = 0; x < 10; x++ {
		barrier.Full()
	}
}

func unknown(f func()) {
	barrier.Full()
	f()
	barrier.Full()
}

// Nothing but the compiler needs it on amd64, where it is no instruction.
func empty() {
	x = 1
	barrier.Write()
	y = 1
}

func compiler() {
	x = 1
	barrier.Compiler()
	barrier.Compiler()
	y = 1
}

// Devices see more than other CPUs.
func device() {
	barrier.Full()
	x = 1
	barrier.MandatoryFull()
	y = 1
}

func deferred() {
	defer barrier.Full()
	barrier.Full()
}

func storeBuffering() int {
	cell.StoreRelaxed(1)
	barrier.Full()
	return x
}

// On amd64 the compiler alone needs the second one: it keeps the read of x before what the caller does.
func readBetween() {
	barrier.Full()
	if x == 0 {
		barrier.Full()
		return
	}
}

// What it is there for, dummyfence asks.
func onOwnVariable() {
	var local uint32
	atomic.AddUint32(&flag, 1)
	atomic.SwapUint32(&local, 1)
	y = x
}

// It is a fence all the same.
func behindOwnVariable() {
	var local uint32
	x = 1
	atomic.SwapUint32(&local, 1)
	y = x
}

var word uint64

// What code happens to order beyond its contract is no reason: some machine's ClearBit is a full barrier.
func beyondContract() {
	bitops.ClearBit(&word, 1)
	barrier.AfterAtomic()
	y = x
}

func fence() { barrier.Full() }

// A call that is deferred on one path is no fence on the other.
func maybeDeferred(c bool) {
	if c {
		defer fence()
	}
	x = 1
	barrier.Full()
}

// What comes before a fence in a callee is not ordered by it.
func WritesThenFences(c bool) {
	if c {
		x = 1
	}
	barrier.Full()
}

func beforeIt(c bool) {
	y = 1
	barrier.Full()
	WritesThenFences(c)
}

// What the machine orders between CPUs it need not order for devices.
func doorbell() {
	cell.StoreRelaxed(1)
	barrier.MandatoryWrite()
	cell.StoreRelaxed(2)
}

// Nor is it that the code of some relaxed operation acquires.
func relaxedIsNoAcquire() int {
	cell.AddRelaxed(1)
	barrier.Acquire()
	return x
}

// It is an acquire fence on every path, and on one it is more.
func MoreSometimes(c bool) {
	if c {
		barrier.Full()
	}
	barrier.Acquire()
}

func behindLoad(c bool) int {
	if atomics.LoadAcquireUint32(&flag) == 0 {
		return 0
	}
	MoreSometimes(c)
	return x
}

// What the call of itself reads, the fence orders behind what was read before.
func Again(n int) int {
	ready := atomic.LoadUint32(&flag) != 0
	barrier.Acquire()
	v := x
	if ready && n > 0 {
		v += Again(n - 1)
	}
	return v
}

// The same in what such a function calls.
func Walk(n int) int {
	v := loadsThenReads()
	if n > 0 {
		v += Walk(n - 1)
	}
	return v
}

func loadsThenReads() int {
	if atomic.LoadUint32(&flag) == 0 {
		return 0
	}
	barrier.Acquire()
	return x
}
