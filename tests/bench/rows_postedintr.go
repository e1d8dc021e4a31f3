package main

import (
	"math"

	"github.com/barriergen/barriergen/tests/bench/measure"
)

var (
	sparse = [4]uint64{1: 1 << 13}
	dense  = [4]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64}
)

// postedRows are what the entry to a guest does about posted interrupts.
func postedRows() measure.Experiment {
	d := newDescriptor()
	loop := measure.Loop
	return measure.Experiment{
		Name: "Posted interrupts: Sync",
		About: "What a receiver does at every entry. ON clear: nothing is outstanding. Sparse: one request; dense: all 256; both are put in by plain stores in the loop, " +
			"which are part of both sides. \"unconditional\" clears ON and exchanges every word without looking first; \"unconditional clear\" only clears ON. The " +
			"published figures are cycles of a whole exit, of which this is a part: the differences compare, not the ratios.",
		Metrics: measure.NsPerOp, Length: loopLength, Patience: patience,
		Sides: []measure.Side{
			loop("Sync, ON clear", func(n int) { syncIdle(d, n) }),
			loop("unconditional clear, ON clear", func(n int) { clearIdle(d, n) }),
			loop("unconditional, ON clear", func(n int) { unconditionalIdle(d, n) }),
			loop("Sync, sparse", func(n int) { syncPosted(d, &sparse, n) }),
			loop("unconditional, sparse", func(n int) { unconditionalPosted(d, &sparse, n) }),
			loop("Sync, dense", func(n int) { syncPosted(d, &dense, n) }),
			loop("unconditional, dense", func(n int) { unconditionalPosted(d, &dense, n) }),
		},
		Comparisons: []measure.Comparison{
			{
				Name: "ON clear: unconditional clear / Sync", Over: "unconditional clear, ON clear", Under: "Sync, ON clear",
				Published: &measure.Published{Over: 5826, Under: 5809, Unit: "cycles", Source: "KVM mailing list, 2016, pi_clear_on: 20 runs, 5826 ± 33 and 5809 ± 43 cycles an exit"},
			},
			{Name: "ON clear: unconditional / Sync", Over: "unconditional, ON clear", Under: "Sync, ON clear"},
			{Name: "sparse: unconditional / Sync", Over: "unconditional, sparse", Under: "Sync, sparse"},
			{Name: "dense: unconditional / Sync", Over: "unconditional, dense", Under: "Sync, dense"},
		},
	}
}
