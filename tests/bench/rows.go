package main

import (
	"fmt"
	"time"

	"github.com/barriergen/barriergen/tests/bench/measure"
	"github.com/barriergen/barriergen/tests/bench/peer"
)

// How long a loop runs each time, and how often it is repeated if it was disturbed.
const (
	loopLength = 4 * time.Millisecond
	patience   = 50
)

// experiments are all rows, in the order of the report.
func experiments(peers *peer.Set) []measure.Experiment {
	list := []measure.Experiment{
		rcuRows(peers), decisionRows(peers), callRows(),
		idleRows(), loadedRows(light, "light load", lightAbout), loadedRows(busy, "a busy reader", busyAbout), timerRows(), registrationRows(),
		readUnlockRows(),
		halvesRows(peers),
	}
	for threads := 1; threads <= min(2, len(measure.CPUs)); threads++ {
		list = append(list, lockRows(peers, threads))
	}
	return append(list, postedRows(), queueRows(peers), handRows(), atomicRows(), fusedRows(), allocationRows(), emptyRows())
}

const lockedNote = "Depends on what a locked instruction costs on this processor, and how fast a loop of one store can be: both differ between generations."

// atomicRows are single operations.
func atomicRows() measure.Experiment {
	p := &operand.v
	loop := measure.Loop
	e := measure.Experiment{
		Name:    "Single operations",
		About:   "Each operation in a loop, on a word in the first-level cache.",
		Metrics: measure.NsPerOp, Length: loopLength, Patience: patience,
		Sides: []measure.Side{
			loop("plain store", func(n int) { plainStore(p, n) }),
			loop("StoreRelease", func(n int) { storeRelease(p, n) }),
			loop("StoreFull", func(n int) { storeFull(p, n) }),
			loop("atomic.StoreUint64", func(n int) { syncStore(p, n) }),
			loop("LoadAcquire", func(n int) { loadAcquire(p, n) }),
			loop("atomic.LoadUint64", func(n int) { syncLoad(p, n) }),
			loop("Full", full),
			loop("atomic.SwapUint32", lockedSwap),
			loop("atomic.AddUint32", lockedAdd),
			loop("atomic.AndUint32", lockedAnd),
			loop("atomic.OrUint32", lockedOr),
			loop("atomic.CompareAndSwapUint32", lockedCompareAndSwap),
			loop("TestAndSetBit", func(n int) { testAndSetBit(p, n) }),
			loop("atomic.OrUint64, result used", func(n int) { syncTestAndSetBit(p, n) }),
			loop("SetBit", func(n int) { setBit(p, n) }),
			loop("atomic.OrUint64, result dropped", func(n int) { syncSetBit(p, n) }),
			loop("empty loop", emptyLoop),
		},
		Comparisons: []measure.Comparison{
			{Name: "StoreRelease / plain store", Over: "StoreRelease", Under: "plain store", Goal: measure.AtMost(1.1), Note: "The same instruction."},
			{Name: "atomic.StoreUint64 / StoreRelease", Over: "atomic.StoreUint64", Under: "StoreRelease", Goal: measure.AtLeast(15), Note: lockedNote},
			{
				Name: "Full / cheapest inlined locked operation", Over: "Full", Under: "atomic.SwapUint32",
				OrElse: []string{"atomic.AddUint32", "atomic.AndUint32", "atomic.OrUint32", "atomic.CompareAndSwapUint32"},
				Goal:   measure.AtMost(1.1), Note: "The fence is itself one such operation, on the stack.",
			},
			{Name: "StoreFull / atomic.StoreUint64", Over: "StoreFull", Under: "atomic.StoreUint64"},
			{Name: "LoadAcquire / atomic.LoadUint64", Over: "LoadAcquire", Under: "atomic.LoadUint64"},
			{Name: "TestAndSetBit / atomic.OrUint64", Over: "TestAndSetBit", Under: "atomic.OrUint64, result used"},
			{Name: "SetBit / atomic.OrUint64", Over: "SetBit", Under: "atomic.OrUint64, result dropped"},
		},
	}
	sides, comparisons := assembly()
	e.Sides = append(e.Sides, sides...)
	e.Comparisons = append(e.Comparisons, comparisons...)
	return e
}

// emptyRows are the fences that amd64 needs no instruction for.
func emptyRows() measure.Experiment {
	const nothing = "empty loop"
	e := measure.Experiment{
		Name:    "Fences that are empty on amd64",
		About:   "Each in a loop, against a loop without it: about 1 on amd64. The loops are a cycle or two, so that what counts is where they lie in memory; that the fences are empty is tested in the machine code.",
		Metrics: measure.NsPerOp, Length: loopLength, Patience: patience,
		Sides: []measure.Side{measure.Loop(nothing, emptyLoop)},
	}
	for _, f := range empties {
		e.Sides = append(e.Sides, measure.Loop(f.name, f.loop))
		e.Comparisons = append(e.Comparisons, measure.Comparison{Name: fmt.Sprintf("%s / %s", f.name, nothing), Over: f.name, Under: nothing})
	}
	return e
}
