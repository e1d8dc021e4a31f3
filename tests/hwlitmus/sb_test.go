//go:build !race

package hwlitmus

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// storeBuffering is W a; F; R b on both sides: reading the old value on both
// needs an F that lets a load pass an earlier store.
func storeBuffering() []row {
	type entry struct {
		name   string
		expect expectation
		init   uint64
		p      thread
	}
	old := func(init uint64) func(outcome) bool {
		return func(o outcome) bool { return o.p0[0] == init && o.p1[0] == init }
	}
	var rows []row
	for _, e := range []entry{
		{"relaxed", seen, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"StoreRelease+LoadAcquire", seenTSO, 0, func(v *view) (uint64, uint64) {
			atomics.StoreReleaseUint64(v.a, 1)
			return atomics.LoadAcquireUint64(v.b), 0
		}},
		{"Acquire", seenTSO, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.Acquire()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"Release", seenTSO, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.Release()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"Read+Write", seenTSO, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.Read()
			barrier.Write()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"Compiler", seen, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.Compiler()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		// Empty beside a store that is no atomic operation: the pitfall.
		{"store+AfterAtomic", seenTSO, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.AfterAtomic() //nolint:missingorder // the pitfall itself
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"Full", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.Full()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"Full/plain", never, 0, func(v *view) (uint64, uint64) {
			*v.a = 1
			barrier.Full()
			return *v.b, 0
		}},
		{"MandatoryFull", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.MandatoryFull()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"DMAFull", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.DMAFull()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"VirtFull", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.VirtFull()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"StoreFullUint64", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreFullUint64(v.a, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"StoreFullInt64", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreFullInt64(as[int64](v.a), 1)
			return uint64(atomics.LoadRelaxedInt64(as[int64](v.b))), 0
		}},
		{"StoreFullUint32", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreFullUint32(as[uint32](v.a), 1)
			return uint64(atomics.LoadRelaxedUint32(as[uint32](v.b))), 0
		}},
		{"StoreFullInt32", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreFullInt32(as[int32](v.a), 1)
			return uint64(atomics.LoadRelaxedInt32(as[int32](v.b))), 0
		}},
		{"StoreFullUintptr", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreFullUintptr(as[uintptr](v.a), 1)
			return uint64(atomics.LoadRelaxedUintptr(as[uintptr](v.b))), 0
		}},
		{"StoreFullPointer", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreFullPointer(v.pa, v.z)
			if atomics.LoadRelaxedPointer(v.pb) != nil {
				return 1, 0
			}
			return 0, 0
		}},
		{"typed StoreFull", never, 0, func(v *view) (uint64, uint64) {
			as[atomics.Uint64](v.a).StoreFull(1)
			return as[atomics.Uint64](v.b).LoadRelaxed(), 0
		}},
		{"AddFull", never, 0, func(v *view) (uint64, uint64) {
			atomics.AddFullUint64(v.a, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"OrFull", never, 0, func(v *view) (uint64, uint64) {
			atomics.OrFullUint64(v.a, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"XorFull", never, 0, func(v *view) (uint64, uint64) {
			atomics.XorFullUint64(v.a, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"AndFull", never, 1, func(v *view) (uint64, uint64) {
			atomics.AndFullUint64(v.a, 0)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"SwapFull", never, 0, func(v *view) (uint64, uint64) {
			atomics.SwapFullUint64(v.a, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"CompareAndSwapFull", never, 0, func(v *view) (uint64, uint64) {
			atomics.CompareAndSwapFullUint64(v.a, 0, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"SwapFullPointer", never, 0, func(v *view) (uint64, uint64) {
			atomics.SwapFullPointer(v.pa, v.z)
			if atomics.LoadRelaxedPointer(v.pb) != nil {
				return 1, 0
			}
			return 0, 0
		}},
		{"store, AddFull elsewhere", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			atomics.AddFullUint64(v.z, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"store, BeforeAtomic+AddRelaxed elsewhere", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			barrier.BeforeAtomic()
			atomics.AddRelaxedUint64(v.z, 1)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"store, AddRelaxed+AfterAtomic elsewhere", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			atomics.AddRelaxedUint64(v.z, 1)
			barrier.AfterAtomic()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"AddRelaxed+AfterAtomic", never, 0, func(v *view) (uint64, uint64) {
			atomics.AddRelaxedUint64(v.a, 1)
			barrier.AfterAtomic()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"SetBit+AfterAtomic", never, 0, func(v *view) (uint64, uint64) {
			bitops.SetBit(v.a, 0)
			barrier.AfterAtomic()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"ClearBit+AfterAtomic", never, 1, func(v *view) (uint64, uint64) {
			bitops.ClearBit(v.a, 0)
			barrier.AfterAtomic()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"ClearBitUnlock+AfterAtomic", never, 1, func(v *view) (uint64, uint64) {
			bitops.ClearBitUnlock(v.a, 0)
			barrier.AfterAtomic()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"TestAndSetBit", never, 0, func(v *view) (uint64, uint64) {
			bitops.TestAndSetBit(v.a, 0)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"TestAndChangeBit", never, 0, func(v *view) (uint64, uint64) {
			bitops.TestAndChangeBit(v.a, 0)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		// Full also where the bit does not change.
		{"store, TestAndClearBit of a clear bit", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			bitops.TestAndClearBit(v.z, 5)
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"sync/atomic Add+AfterSyncAtomic", never, 0, func(v *view) (uint64, uint64) {
			atomic.AddUint64(v.a, 1)
			barrier.AfterSyncAtomic()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"store, lock+AfterSpinlock", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			bitops.TestAndSetBitLock(v.z, 0)
			barrier.AfterSpinlock()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"store, unlock, lock+AfterUnlockLock", never, 0, func(v *view) (uint64, uint64) {
			bitops.TestAndSetBitLock(v.z, 0)
			atomics.StoreRelaxedUint64(v.a, 1)
			bitops.ClearBitUnlock(v.z, 0)
			bitops.TestAndSetBitLock(v.z, 0)
			barrier.AfterUnlockLock()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
		{"store, unlock+AfterSRCUReadUnlock", never, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			atomics.AddReleaseUint64(v.z, 1)
			barrier.AfterSRCUReadUnlock()
			return atomics.LoadRelaxedUint64(v.b), 0
		}},
	} {
		rows = append(rows, row{"SB/" + e.name, e.expect, litmus{p0: e.p, p1: e.p, init: e.init, weak: old(e.init)}})
	}
	return rows
}
