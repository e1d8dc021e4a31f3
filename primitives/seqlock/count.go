package seqlock

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Count is a sequence count: the bare protocol, for data that is not one value or for a writer that has a lock already.
// It is even while nobody writes. The zero value is ready. It must not be copied after first use.
//
// Both sides must access the data with relaxed atomics, such as atomics.LoadRelaxedUint64 and StoreRelaxedUint64: they
// race by design. On amd64 these are plain moves. A reader that has to repeat must not have acted on what it read.
//
// The count has the width of a pointer: on a 32-bit machine a reader is fooled if exactly a multiple of 2^31
// writes happen between its two looks at the count.
type Count struct {
	_   [0]atomic.Uintptr // go vet finds copies
	seq uintptr
}

// ReadBegin waits until nobody writes and returns the count. Its load is ordered before the accesses that follow. It
// spins, and gives the processor away within a bounded count.
func (c *Count) ReadBegin() uintptr {
	seq := atomic.LoadUintptr(&c.seq) // an acquire load, for which the inliner's budget has room
	if seq&1 != 0 {
		seq = c.readWait()
	}
	return seq
}

//go:noinline
func (c *Count) readWait() uintptr {
	return atomics.CondLoadAcquireUintptr(&c.seq, func(seq uintptr) bool { return seq&1 == 0 })
}

// ReadRetry reports whether a write may have changed what was read since ReadBegin returned begin. The loads before
// it are ordered before its own, by a read fence: an acquire load would not do that.
func (c *Count) ReadRetry(begin uintptr) bool {
	barrier.Read()
	return atomics.LoadRelaxedUintptr(&c.seq) != begin
}

// WriteBegin makes readers wait or repeat. Its store is ordered before the stores that follow, by a write fence: a release
// store would not do that. The caller keeps other writers out, by a lock taken before. It panics if a write is going on.
func (c *Count) WriteBegin() {
	seq := atomics.LoadRelaxedUintptr(&c.seq)
	if seq&1 != 0 {
		panic("seqlock: WriteBegin while another write is going on; writers have to exclude each other")
	}
	atomics.StoreRelaxedUintptr(&c.seq, seq+1)
	barrier.Write()
}

// WriteEnd lets readers pass, after all earlier accesses. It panics if no write is going on.
func (c *Count) WriteEnd() {
	seq := atomics.LoadRelaxedUintptr(&c.seq)
	if seq&1 == 0 {
		panic("seqlock: WriteEnd without WriteBegin")
	}
	atomics.StoreReleaseUintptr(&c.seq, seq+1)
}
