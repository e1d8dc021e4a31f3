//go:build barriergen

package uring

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// publish moves the tail of the submissions, behind the entries, and returns the ring's flags.
func publish(tail, flags *uint32, to uint32) uint32 {
	atomics.StoreReleaseUint32(tail, to)
	barrier.Full() // against the one in doze
	return atomics.LoadRelaxedUint32(flags)
}

// doze sets the flag that the poller sleeps, and returns the tail of the submissions.
func doze(flags, tail *uint32) uint32 {
	atomics.OrRelaxedUint32(flags, needWakeup)
	barrier.AfterAtomic() // against the one in publish
	return atomics.LoadRelaxedUint32(tail)
}
