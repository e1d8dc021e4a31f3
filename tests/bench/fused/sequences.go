//go:build barriergen

package fused

import (
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// ClearFlag is what posted interrupts do at every entry.
func ClearFlag(control *uint64, bit uint) {
	bitops.ClearBit(control, bit)
	barrier.AfterAtomic()
}

// Publish hands elements of a ring to another CPU, and says whether that wants to be notified.
func Publish(index, event *uint32, old, to uint16) bool {
	barrier.Release()
	atomics.StoreRelaxedUint32(index, uint32(to)<<16)
	barrier.VirtFull()
	return to-uint16(atomics.LoadRelaxedUint32(event))-1 < to-old
}

// Doze says in a bit that the poller sleeps, and reads what it would miss.
func Doze(flags, tail *uint32) uint32 {
	atomics.OrRelaxedUint32(flags, 1)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint32(tail)
}

// PublishDevice hands elements of a ring to a device, and rings its bell if it wants to be notified.
func PublishDevice(index, event *uint32, old, to uint16, bell *uint32, queue uint32) {
	barrier.Release()
	barrier.MandatoryWrite()
	atomics.StoreRelaxedUint32(index, uint32(to)<<16)
	barrier.MandatoryFull()
	if to-uint16(atomics.LoadRelaxedUint32(event))-1 < to-old {
		barrier.MandatoryWrite()
		atomics.StoreRelaxedUint32(bell, queue)
	}
}

// Pop takes the first buffer off the list, 0 if there is none.
func Pop(head atomics.Uint128, arena unsafe.Pointer) (off uint64, done bool) {
	old := head.Load()
	for range tries {
		if old.Lo == 0 {
			return 0, true
		}
		next := atomics.LoadRelaxedUint64((*uint64)(unsafe.Add(arena, old.Lo)))
		seen, swapped := head.CompareAndSwap(old, atomics.Pair{Lo: next, Hi: old.Hi + 1})
		if swapped {
			return old.Lo, true
		}
		old = seen
	}
	return 0, false
}

// Push puts the buffer at off, whose first word is next, in front of the list.
func Push(head atomics.Uint128, next *uint64, off uint64) (done bool) {
	old := head.Load()
	for range tries {
		atomics.StoreRelaxedUint64(next, old.Lo)
		seen, swapped := head.CompareAndSwap(old, atomics.Pair{Lo: off, Hi: old.Hi + 1})
		if swapped {
			return true
		}
		old = seen
	}
	return false
}
