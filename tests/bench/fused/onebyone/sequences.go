// Package onebyone has the sequences of package fused as Go, one primitive after the other. The test of fused holds their bodies alike.
package onebyone

import (
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
		barrier.MandatoryWrite() //nolint:redundantfence // what fusing leaves out
		atomics.StoreRelaxedUint32(bell, queue)
	}
}
