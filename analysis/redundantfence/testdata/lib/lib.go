// Package lib has functions whose order is known to importers.
package lib

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Fence is a full fence.
func Fence() { barrier.Full() }

// Count is a full read-modify-write.
func Count(p *uint64) { atomics.AddFullUint64(p, 1) }

// Sometimes is a fence on one path.
func Sometimes(c bool) {
	if c {
		barrier.Full()
	}
}

// Publish stores.
func Publish(p *uint32) { atomic.StoreUint32(p, 1) }
