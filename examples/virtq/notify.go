//go:build barriergen

package virtq

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// publish moves a ring's index from old to to, behind the elements, and reports whether the other side wants to be notified of an
// element in between.
func publish(index, event *uint32, old, to uint16) bool {
	barrier.Release() // buffers that are handed over were read and written before
	atomics.StoreRelaxedUint32(index, uint32(to)<<16)
	barrier.VirtFull() // against the one in arm
	return to-uint16(atomics.LoadRelaxedUint32(event))-1 < to-old
}

// arm asks for a notification of the element that is to come next, and returns the ring's index. What is behind it may be
// read and written then.
func arm(event, index *uint32, next uint16) uint16 {
	atomics.StoreRelaxedUint32(event, uint32(next))
	barrier.VirtFull() // against the one in publish
	to := uint16(atomics.LoadRelaxedUint32(index) >> 16)
	barrier.Acquire()
	return to
}

// publishDevice is publish for a device, and writes queue to its bell if it wants to be notified.
func publishDevice(index, event *uint32, old, to uint16, bell *uint32, queue uint32) {
	barrier.Release() // they were read
	barrier.MandatoryWrite()
	atomics.StoreRelaxedUint32(index, uint32(to)<<16)
	barrier.MandatoryFull()
	if to-uint16(atomics.LoadRelaxedUint32(event))-1 < to-old {
		barrier.MandatoryWrite() // the index is written before the bell
		atomics.StoreRelaxedUint32(bell, queue)
	}
}
