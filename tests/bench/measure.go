package main

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// side is one half of a comparison: something that does n operations and says
// how long they took, and whether a thread lost its processor meanwhile.
type side struct {
	name string
	run  func(n int) (took time.Duration, disturbed bool)
}

func loop(name string, f func(n int)) side {
	return side{name, func(n int) (time.Duration, bool) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		before := switches()
		began := time.Now()
		f(n)
		took := time.Since(began)
		return took, switches() != before
	}}
}

// comparison is a / b in time per operation. With several b, the cheapest by
// its median counts.
type comparison struct {
	name   string
	target string
	ok     func(ratio float64) bool // nil where nothing is promised
	a, b   side
	orElse []side
	short  bool // runs need both processors, which are rarely left alone for long
}

// quartiles are the spread of a sorted sample.
type quartiles struct {
	Min    float64 `json:"min"`
	Low    float64 `json:"q1"`
	Median float64 `json:"median"`
	High   float64 `json:"q3"`
	Max    float64 `json:"max"`
}

func spread(sample []float64) quartiles {
	s := slices.Sorted(slices.Values(sample))
	at := func(q int) float64 { return s[(len(s)-1)*q/4] }
	return quartiles{at(0), at(1), at(2), at(3), at(4)}
}

// result is a comparison that has been measured.
type result struct {
	Name   string    `json:"name"`
	A      string    `json:"a"`
	B      string    `json:"b"`
	Ratio  quartiles `json:"ratio"`
	Best   float64   `json:"best"` // ratio of the two quickest runs: what a busy machine hides least
	ANanos float64   `json:"a_ns"`
	BNanos float64   `json:"b_ns"`
	Target string    `json:"target,omitempty"`
	Met    *bool     `json:"met,omitempty"`
	Reps   int       `json:"reps"`
	// Disturbed is how many of all the runs had to count although a thread
	// lost its processor, since no quiet one came in time.
	Disturbed int `json:"disturbed"`
}

// patience is how often a disturbed run is repeated. One that lost its
// processor measures the scheduler: two threads that pass values to each other
// then wait a time slice, whatever the operations cost.
const patience = 50

// measure runs the sides of c in turn, reps times, for about length each.
// It gives up between two runs when ctx ends.
func measure(ctx context.Context, c comparison, reps int, length time.Duration) (result, error) {
	sides := append([]side{c.a, c.b}, c.orElse...)
	if c.short {
		length /= 4
	}
	counts := make([]int, len(sides))
	for i, s := range sides {
		counts[i] = calibrate(s, length)
	}
	times := make([][]float64, len(sides))
	noisy := 0
	for range reps {
		for i, s := range sides {
			if err := ctx.Err(); err != nil {
				return result{}, err
			}
			took, disturbed := s.run(counts[i])
			for tries := 1; disturbed && tries < patience && ctx.Err() == nil; tries++ {
				took, disturbed = s.run(counts[i])
			}
			if disturbed {
				noisy++
			}
			times[i] = append(times[i], float64(took)/float64(counts[i]))
		}
	}
	best := 1
	for i := 2; i < len(sides); i++ {
		if spread(times[i]).Median < spread(times[best]).Median {
			best = i
		}
	}
	ratios := make([]float64, reps)
	for i := range ratios {
		ratios[i] = times[0][i] / times[best][i]
	}
	r := result{
		Name: c.name, A: c.a.name, B: sides[best].name,
		Ratio: spread(ratios), Best: spread(times[0]).Min / spread(times[best]).Min,
		ANanos: spread(times[0]).Median, BNanos: spread(times[best]).Median,
		Target: c.target, Reps: reps, Disturbed: noisy,
	}
	if c.ok != nil {
		met := c.ok(r.Ratio.Median)
		r.Met = &met
	}
	return r, nil
}

// calibrate finds how many operations take about as long as asked. A run that
// the machine interrupted looks slow, so the quickest of a few counts.
func calibrate(s side, length time.Duration) int {
	for n := 1000; ; n *= 2 {
		took, _ := s.run(n)
		for range 4 {
			again, _ := s.run(n)
			took = min(took, again)
		}
		if took >= length/4 || n > 1<<30 {
			return max(1, int(float64(n)*float64(length)/float64(max(took, 1))))
		}
	}
}
