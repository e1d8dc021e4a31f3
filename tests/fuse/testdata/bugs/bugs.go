//go:build barriergen

// Package bugs holds barrier bugs from the field, broken and mended, as fused functions. The comments say what the memory
// operations must become.
package bugs

import (
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// RefillBroken clears a bit and then looks for waiters.
//
// amd64: LOCK AND; MOV
// arm64: LDCLR; MOV
// arm64 without LSE: LDXR; STXR; MOV
func RefillBroken(p *uint64, q *uint64) uint64 {
	bitops.ClearBit(p, 3)
	return atomics.LoadRelaxedUint64(q)
}

// Refill is in order.
//
// amd64: LOCK AND; MOV
// arm64: LDCLRAL; MOV
// arm64 without LSE: LDXR; STXR; DMB ISH; MOV
func Refill(p *uint64, q *uint64) uint64 {
	bitops.ClearBit(p, 3)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint64(q)
}

// InXmitBroken releases a bit lock without release.
//
// amd64: MOV; LOCK AND
// arm64: MOV; LDCLR
// arm64 without LSE: MOV; LDXR; STXR
func InXmitBroken(p *uint64, q *uint64) {
	atomics.StoreRelaxedUint64(q, 1)
	bitops.ClearBit(p, 3)
}

// InXmit releases it.
//
// amd64: MOV; LOCK AND
// arm64: MOV; LDCLRL
// arm64 without LSE: MOV; LDXR; STLXR
func InXmit(p *uint64, q *uint64) {
	atomics.StoreRelaxedUint64(q, 1)
	bitops.ClearBitUnlock(p, 3)
}

// ClaimBroken relies on a compare-and-swap that fails.
//
// amd64: MOV; LOCK CMPXCHG; MOV
// arm64: MOV; CASAL; MOV
// arm64 without LSE: MOV; LDXR; STLXR; DMB ISH; MOV
func ClaimBroken(p *uint64, q, y *uint64) uint64 {
	atomics.StoreRelaxedUint64(q, 1)
	if !atomics.CompareAndSwapFullUint64(p, 0, 1) {
		return atomics.LoadRelaxedUint64(y)
	}
	return 0
}

// Claim has a fence before it.
//
// amd64: MOV; LOCK CMPXCHG; MOV
// arm64: MOV; DMB ISH; CASAL; MOV
// arm64 without LSE: MOV; DMB ISH; LDXR; STLXR; DMB ISH; MOV
func Claim(p *uint64, q, y *uint64) uint64 {
	atomics.StoreRelaxedUint64(q, 1)
	barrier.Full()
	if !atomics.CompareAndSwapFullUint64(p, 0, 1) {
		return atomics.LoadRelaxedUint64(y)
	}
	return 0
}

// ClaimAlways writes in any case.
//
// amd64: MOV; LOCK BTS; MOV
// arm64: MOV; LDORAL; MOV
// arm64 without LSE: MOV; LDXR; STLXR; DMB ISH; MOV
func ClaimAlways(p *uint64, q, y *uint64) uint64 {
	atomics.StoreRelaxedUint64(q, 1)
	if bitops.TestAndSetBit(p, 0) {
		return atomics.LoadRelaxedUint64(y)
	}
	return 0
}

// PendingBroken clears a flag with a plain store and reads.
//
// amd64: MOV; MOV
// arm64: MOV; MOV
// arm64 without LSE: MOV; MOV
func PendingBroken(p *uint64, q *uint64) uint64 {
	atomics.StoreRelaxedUint64(p, 0)
	return atomics.LoadRelaxedUint64(q)
}

// Pending has a fence.
//
// amd64: XCHG; MOV
// arm64: MOV; DMB ISH; MOV
// arm64 without LSE: MOV; DMB ISH; MOV
func Pending(p *uint64, q *uint64) uint64 {
	atomics.StoreRelaxedUint64(p, 0)
	barrier.Full()
	return atomics.LoadRelaxedUint64(q)
}

// WakeBroken adds to a list, and fails to get a tag.
//
// amd64: MOV; MOV; MOV
// arm64: MOV; MOV; MOV
// arm64 without LSE: MOV; MOV; MOV
func WakeBroken(list, tags, y *uint64) uint64 {
	atomics.StoreRelaxedUint64(list, 1)
	if bitops.TestBit(tags, 5) {
		return atomics.LoadRelaxedUint64(y)
	}
	return 0
}

// Wake has a fence.
//
// amd64: XCHG; MOV; MOV
// arm64: MOV; DMB ISH; MOV; MOV
// arm64 without LSE: MOV; DMB ISH; MOV; MOV
func Wake(list, tags, y *uint64) uint64 {
	atomics.StoreRelaxedUint64(list, 1)
	barrier.Full()
	if bitops.TestBit(tags, 5) {
		return atomics.LoadRelaxedUint64(y)
	}
	return 0
}

// StoppedInsert is one side of the stopped queues, with a list write and a flag read.
//
// amd64: XCHG; MOV
// arm64: MOV; DMB ISH; MOV
// arm64 without LSE: MOV; DMB ISH; MOV
func StoppedInsert(list, state *uint64) bool {
	atomics.StoreRelaxedUint64(list, 1)
	barrier.Full()
	return bitops.TestBit(state, 1)
}

// StoppedStart is the other side.
//
// amd64: LOCK AND; MOV
// arm64: LDCLRAL; MOV
// arm64 without LSE: LDXR; STXR; DMB ISH; MOV
func StoppedStart(list, state *uint64) uint64 {
	bitops.ClearBit(state, 1)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint64(list)
}

// Sleep is the poller going to sleep, after the store became an atomic. The old full fence is redundant.
//
// amd64: LOCK OR; MOV
// arm64: LDORAL; MOV
// arm64 without LSE: LDXR; STXR; DMB ISH; MOV
func Sleep(flags, tail *uint32) uint32 {
	atomics.OrRelaxedUint32(flags, 1)
	barrier.AfterAtomic()
	barrier.Full()
	return atomics.LoadRelaxedUint32(tail)
}

// PollBroken has a read fence where a store must come before a load.
//
// amd64: MOV; MOV
// arm64: MOV; DMB ISHLD; MOV
// arm64 without LSE: MOV; DMB ISHLD; MOV
func PollBroken(p *uint64, q *uint64) uint64 {
	atomics.StoreRelaxedUint64(p, 1)
	barrier.Read()
	return atomics.LoadRelaxedUint64(q)
}

// UptodateBroken publishes through a bit.
//
// amd64: MOV; LOCK OR
// arm64: MOV; LDOR
// arm64 without LSE: MOV; LDXR; STXR
func UptodateBroken(d, b *uint64) {
	atomics.StoreRelaxedUint64(d, 1)
	bitops.SetBit(b, 0)
}

// Uptodate does it with release.
//
// amd64: MOV; LOCK OR
// arm64: MOV; LDORL
// arm64 without LSE: MOV; LDXR; STLXR
//
//barriergen:exit none
func Uptodate(d, b *uint64) {
	atomics.StoreRelaxedUint64(d, 1)
	barrier.Release()
	bitops.SetBit(b, 0)
}

// UptodateRead is the reader.
//
// amd64: MOV; MOV
// arm64: LDAR; MOV
// arm64 without LSE: LDAR; MOV
func UptodateRead(d, b *uint64) uint64 {
	if bitops.TestBitAcquire(b, 0) {
		return atomics.LoadRelaxedUint64(d)
	}
	return 0
}

// BioBroken has a fence that binds to a plain store, which it can't.
//
// amd64: MOV; MOV
// arm64: MOV; MOV
// arm64 without LSE: MOV; MOV
func BioBroken(p, q *uint32) uint32 {
	barrier.BeforeAtomic()
	atomics.StoreRelaxedUint32(p, 1)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint32(q)
}

// Atomics is a full read-modify-write between a store and a load.
//
// amd64: MOV; LOCK XADD; MOV
// arm64: MOV; LDADDAL; MOV
// arm64 without LSE: MOV; LDXR; STLXR; DMB ISH; MOV
func Atomics(x, y, z *uint64) uint64 {
	atomics.StoreRelaxedUint64(x, 1)
	atomics.AddFullUint64(z, 1)
	return atomics.LoadRelaxedUint64(y)
}

// SwapReader reads a flag with a swap whose result nobody wants.
//
// amd64: XCHG; MOV
// arm64: SWPAL; MOV
// arm64 without LSE: LDXR; STXR; DMB ISHLD; MOV
func SwapReader(flag, d *uint64) uint64 {
	atomics.SwapRelaxedUint64(flag, 0)
	barrier.Acquire()
	return atomics.LoadRelaxedUint64(d)
}

// RWBaseBroken unlocks with a relaxed add.
//
// amd64: MOV; LOCK XADD
// arm64: MOV; LDADD
// arm64 without LSE: MOV; LDXR; STXR
func RWBaseBroken(d *uint64, readers *int32) {
	atomics.StoreRelaxedUint64(d, 1)
	atomics.AddRelaxedInt32(readers, 1)
}

// RWBase releases.
//
// amd64: MOV; LOCK XADD
// arm64: MOV; LDADDL
// arm64 without LSE: MOV; LDXR; STLXR
func RWBase(d *uint64, readers *int32) {
	atomics.StoreRelaxedUint64(d, 1)
	atomics.AddReleaseInt32(readers, 1)
}

// PutBroken counts down with release only, and reads.
//
// amd64: LOCK XADD; MOV
// arm64: LDADDL; MOV
// arm64 without LSE: LDXR; STLXR; MOV
func PutBroken(refs *int32, task *uint64) uint64 {
	atomics.AddReleaseInt32(refs, -1)
	return atomics.LoadRelaxedUint64(task)
}

// Put has more.
//
// amd64: LOCK XADD; MOV
// arm64: LDADDAL; MOV
// arm64 without LSE: LDXR; STLXR; DMB ISH; MOV
func Put(refs *int32, task *uint64) uint64 {
	atomics.AddReleaseInt32(refs, -1)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint64(task)
}

// VhostBroken reads a ring without a fence.
//
// amd64: MOV; MOV
// arm64: MOV; MOV
// arm64 without LSE: MOV; MOV
func VhostBroken(index, ring *uint64) uint64 {
	if atomics.LoadRelaxedUint64(index) == 0 {
		return 0
	}
	return atomics.LoadRelaxedUint64(ring)
}

// Vhost has one.
//
// amd64: MOV; MOV
// arm64: MOV; DMB ISHLD; MOV
// arm64 without LSE: MOV; DMB ISHLD; MOV
func Vhost(index, ring *uint64) uint64 {
	if atomics.LoadRelaxedUint64(index) == 0 {
		return 0
	}
	barrier.Read()
	return atomics.LoadRelaxedUint64(ring)
}

// SeqReadBroken ends a read section with an acquire load.
//
// amd64: MOV; MOV; MOV
// arm64: MOV; MOV; LDAR
// arm64 without LSE: MOV; MOV; LDAR
func SeqReadBroken(seq, a, b *uint64) (uint64, uint64, bool) {
	x, y := atomics.LoadRelaxedUint64(a), atomics.LoadRelaxedUint64(b)
	return x, y, atomics.LoadAcquireUint64(seq)&1 == 0
}

// SeqRead ends it with a fence.
//
// amd64: MOV; MOV; MOV
// arm64: MOV; MOV; DMB ISHLD; MOV
// arm64 without LSE: MOV; MOV; DMB ISHLD; MOV
func SeqRead(seq, a, b *uint64) (uint64, uint64, bool) {
	x, y := atomics.LoadRelaxedUint64(a), atomics.LoadRelaxedUint64(b)
	barrier.Read()
	return x, y, atomics.LoadRelaxedUint64(seq)&1 == 0
}

// SeqBegin begins a write section.
//
// amd64: MOV; MOV; MOV
// arm64: MOV; MOV; DMB ISHST; MOV
// arm64 without LSE: MOV; MOV; DMB ISHST; MOV
func SeqBegin(seq, d *uint64) {
	*seq++
	barrier.Write()
	atomics.StoreRelaxedUint64(d, 1)
}

// RedundantAfterFull has a fence behind a full operation.
//
// amd64: LOCK XADD; MOV
// arm64: LDADDAL; MOV
// arm64 without LSE: LDXR; STLXR; DMB ISH; MOV
func RedundantAfterFull(n *int64, q *uint64) (int64, uint64) {
	m := atomics.AddFullInt64(n, -1)
	barrier.Full()
	return m, atomics.LoadRelaxedUint64(q)
}

// RedundantTwice has two fences.
//
// amd64: XCHG; MOV
// arm64: MOV; DMB ISH; MOV
// arm64 without LSE: MOV; DMB ISH; MOV
func RedundantTwice(p, q *uint64) uint64 {
	atomics.StoreRelaxedUint64(p, 1)
	barrier.Full()
	barrier.Full()
	return atomics.LoadRelaxedUint64(q)
}

// TryOnce has a fence that promises nothing where the compare-and-swap fails.
//
// amd64: LOCK CMPXCHG; MOV
// arm64: CASAL; MOV
// arm64 without LSE: LDXR; STXR; DMB ISH; MOV
func TryOnce(p, q *uint64) (bool, uint64) {
	ok := atomics.CompareAndSwapRelaxedUint64(p, 0, 1)
	barrier.AfterAtomic()
	return ok, atomics.LoadRelaxedUint64(q)
}

// Bell rings a device's bell after its descriptor was written.
//
// amd64: MOV; SFENCE; MOV
// arm64: MOV; DSB ST; MOV
// arm64 without LSE: MOV; DSB ST; MOV
func Bell(descriptor *uint64, bell *uint32) {
	atomics.StoreRelaxedUint64(descriptor, 1)
	barrier.MandatoryWrite()
	atomics.StoreRelaxedUint32(bell, 1)
}

// Owner hands a descriptor to a coherent device.
//
// amd64: MOV; MOV
// arm64: MOV; DMB OSHST; MOV
// arm64 without LSE: MOV; DMB OSHST; MOV
func Owner(descriptor *uint64, owner *uint32) {
	atomics.StoreRelaxedUint64(descriptor, 1)
	barrier.DMAWrite()
	atomics.StoreRelaxedUint32(owner, 1)
}

// CountBell has a fence for devices, which no operation on memory replaces, and one that it makes redundant.
//
// amd64: LOCK XADD; MFENCE; MOV
// arm64: LDADDL; DSB SY; MOV
// arm64 without LSE: LDXR; STLXR; DSB SY; MOV
func CountBell(n *int64, bell *uint32) uint32 {
	atomics.AddFullInt64(n, 1)
	barrier.MandatoryFull()
	barrier.Full()
	return atomics.LoadRelaxedUint32(bell)
}

// BeforeFailed has a fence before a compare-and-swap that may fail, and another operation that it binds to then.
//
// amd64: MOV; LOCK CMPXCHG; LOCK CMPXCHG; MOV
// arm64: MOV; DMB ISH; CAS; CASA; MOV
// arm64 without LSE: MOV; DMB ISH; LDXR; STXR; LDAXR; STXR; MOV
func BeforeFailed(x, y, z, d *uint64) uint64 {
	atomics.StoreRelaxedUint64(d, 1)
	barrier.BeforeAtomic()
	atomics.CompareAndSwapRelaxedUint64(x, 0, 1)
	atomics.CompareAndSwapAcquireUint64(y, 0, 1)
	return atomics.LoadRelaxedUint64(z)
}

// AfterSync follows the caller's operation of sync/atomic.
//
// amd64: MOV
// arm64: DMB ISH; MOV
// arm64 without LSE: DMB ISH; MOV
func AfterSync(p *uint64) uint64 {
	barrier.AfterSyncAtomic()
	return atomics.LoadRelaxedUint64(p)
}

// AfterSRCU follows the caller's read unlock, which is full.
//
// amd64: MOV
// arm64: MOV
// arm64 without LSE: MOV
func AfterSRCU(p *uint64) uint64 {
	barrier.AfterSRCUReadUnlock()
	return atomics.LoadRelaxedUint64(p)
}

// WideBroken writes, and relies on an exchange of 16 bytes that fails.
//
// amd64: MOV; LOCK CMPXCHG16B; MOV
// arm64: MOV; CASPAL; MOV
// arm64 without LSE: MOV; LDAXP; STLXP; DMB ISH; MOV
func WideBroken(cell atomics.Uint128, d, y *uint64, old atomics.Pair) uint64 {
	atomics.StoreRelaxedUint64(d, 1)
	if _, ok := cell.CompareAndSwap(old, atomics.Pair{Lo: old.Lo, Hi: old.Hi + 1}); !ok {
		return atomics.LoadRelaxedUint64(y)
	}
	return 0
}

// Wide has a fence where the exchange fails.
//
// amd64: MOV; LOCK CMPXCHG16B; MOV
// arm64: MOV; CASPAL; DMB ISH; MOV
// arm64 without LSE: MOV; LDAXP; STLXP; DMB ISH; DMB ISH; MOV
func Wide(cell atomics.Uint128, d, y *uint64, old atomics.Pair) uint64 {
	atomics.StoreRelaxedUint64(d, 1)
	if _, ok := cell.CompareAndSwap(old, atomics.Pair{Lo: old.Lo, Hi: old.Hi + 1}); !ok {
		barrier.Full()
		return atomics.LoadRelaxedUint64(y)
	}
	return 0
}

// WideDone has one where it does not, and needs none.
//
// amd64: MOV; LOCK CMPXCHG16B; MOV
// arm64: MOV; CASPAL; MOV
// arm64 without LSE: MOV; LDAXP; STLXP; DMB ISH; MOV
func WideDone(cell atomics.Uint128, d, y *uint64, old atomics.Pair) uint64 {
	atomics.StoreRelaxedUint64(d, 1)
	if _, ok := cell.CompareAndSwap(old, atomics.Pair{Lo: old.Lo, Hi: old.Hi + 1}); ok {
		barrier.Full()
		return atomics.LoadRelaxedUint64(y)
	}
	return 0
}

// WideRead reads a cell, which is an acquire load, and what it publishes.
//
// amd64: LOCK CMPXCHG16B; MOV
// arm64: CASPAL; MOV
// arm64 without LSE: LDAXP; STLXP; DMB ISH; MOV
//
//barriergen:entry none
func WideRead(cell unsafe.Pointer, d *uint64) (atomics.Pair, uint64) {
	at := atomics.Uint128At(unsafe.Add(cell, 32)).Load()
	barrier.Acquire()
	return at, atomics.LoadRelaxedUint64(d)
}
