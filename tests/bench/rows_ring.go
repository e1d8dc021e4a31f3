package main

import (
	"time"

	"github.com/barriergen/barriergen/primitives/ring"
	"github.com/barriergen/barriergen/tests/bench/measure"
	"github.com/barriergen/barriergen/tests/bench/peer"
)

// handRows are rings as simple as they get, which differ in nothing but their loads and stores.
func handRows() measure.Experiment {
	newRing := func() *handRing { return new(handRing) }
	return measure.Experiment{
		Name: "Hand-written rings: sync/atomic against release stores",
		About: "Values of 8 bytes from one thread to another, each on a processor of its own. In the ring of slots each slot says whether it is full; in " +
			"the other each side looks at the other's index for every value.",
		Metrics: measure.NsPerOp, Length: time.Millisecond, Patience: patience,
		Sides: []measure.Side{
			over("slots, sync/atomic", newRing, (*handRing).produceSlotsSync, (*handRing).consumeSlotsSync),
			over("slots, StoreRelease", newRing, (*handRing).produceSlotsRelease, (*handRing).consumeSlotsRelease),
			over("indices, sync/atomic", newRing, (*handRing).produceSync, (*handRing).consumeSync),
			over("indices, StoreRelease", newRing, (*handRing).produceRelease, (*handRing).consumeRelease),
		},
		Comparisons: []measure.Comparison{
			{Name: "ring of slots, sync/atomic / StoreRelease", Over: "slots, sync/atomic", Under: "slots, StoreRelease", Goal: measure.AtLeast(4), Note: ringNote},
			{Name: "ring with indices, sync/atomic / StoreRelease", Over: "indices, sync/atomic", Under: "indices, StoreRelease"},
		},
	}
}

const ringNote = "Depends on both threads keeping a processor for themselves, and on how far they run apart: close together, they wait for the same cache line."

// queueRows are the rings of package ring.
func queueRows(peers *peer.Set) measure.Experiment {
	return measure.Experiment{
		Name: "Rings against sync/atomic, channels and ck_ring",
		About: "Values of 8 bytes from one thread to another, each on a processor of its own, through 1024 places. \"on sync/atomic\" is the same algorithm with its " +
			"loads and stores. MPSC has one producer here.",
		Metrics: measure.NsPerOp, Length: 4 * time.Millisecond, Patience: patience,
		Sides: []measure.Side{
			over("SPSC", func() *ring.SPSC[uint64] { return ring.NewSPSC[uint64](ringSize) }, pushSPSC, popSPSC),
			over("SPSC on sync/atomic", newSyncSPSC, pushSync, popSync),
			over("MPSC", func() *ring.MPSC[uint64] { return ring.NewMPSC[uint64](ringSize) }, pushMPSC, popMPSC),
			over("MPSC on sync/atomic", newSyncMPSC, pushSyncMPSC, popSyncMPSC),
			over("channel", newChannel, send, receive),
			peers.Side("ck_ring, spsc", peer.Ring, "spsc"),
			peers.Side("ck_ring, mpsc", peer.Ring, "mpsc"),
		},
		Comparisons: []measure.Comparison{
			{Name: "SPSC on sync/atomic / SPSC", Over: "SPSC on sync/atomic", Under: "SPSC", Note: ringNote},
			{Name: "channel / SPSC", Over: "channel", Under: "SPSC"},
			{Name: "ck_ring / SPSC", Over: "ck_ring, spsc", Under: "SPSC"},
			{Name: "MPSC on sync/atomic / MPSC", Over: "MPSC on sync/atomic", Under: "MPSC"},
			{Name: "channel / MPSC", Over: "channel", Under: "MPSC"},
			{Name: "ck_ring / MPSC", Over: "ck_ring, mpsc", Under: "MPSC"},
		},
	}
}
