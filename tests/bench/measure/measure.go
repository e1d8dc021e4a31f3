// Package measure runs the sides of an experiment in turn, many times, and compares them.
//
// An Experiment is data: sides that can be run, what one run yields, and which sides are to be compared. Run gives a
// Result, which is data too. What counts in a comparison is the median of the ratios of neighbours: a machine that slows
// down in the middle slows both.
package measure

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// Experiment is a number of sides that run in turn, and what is to be said about them.
type Experiment struct {
	Name        string
	About       string // what is done, for a reader who does not know it
	Metrics     []Metric
	Sides       []Side
	Comparisons []Comparison
	Length      time.Duration // about how long a side runs each time
	// Patience is how often a disturbed run is repeated. One that lost its processor measures the scheduler: two threads
	// that pass values to each other then wait a time slice, whatever the operations cost.
	Patience int
}

// Metric is one of the figures that every run of a side yields.
type Metric struct {
	Name string `json:"name"`
	Unit string `json:"unit"` // "ns" is given in cycles too
}

// NsPerOp is the metric of a loop.
var NsPerOp = []Metric{{"time per operation", "ns"}}

// Side is one of the things that are compared.
type Side struct {
	Name string
	// Run runs for about length. It is nil if Missing says why there is nothing to run.
	Run     func(ctx context.Context, length time.Duration) (Sample, error)
	Missing string
}

// Sample is what one run yielded.
type Sample struct {
	Values    []float64 // one for each metric
	Disturbed bool      // a thread lost its processor meanwhile
}

// Comparison is Over / Under, or the value of Over alone.
type Comparison struct {
	Name   string
	Metric int
	// Over and Under are sides. Of Under and OrElse the one with the lowest median counts. Without Under, the figure is
	// the value of Over itself.
	Over, Under string
	OrElse      []string
	// PeerOver and PeerUnder are the same in another implementation, if it is there.
	PeerOver, PeerUnder string
	Published           *Published
	Goal                *Goal
	Note                string // what the figure depends on
}

// Published is a measurement of others.
type Published struct {
	Over   float64 `json:"over"`
	Under  float64 `json:"under"` // 0 if the figure is Over itself
	Unit   string  `json:"unit"`
	Source string  `json:"source"`
}

// Figure is the ratio, or Over itself.
func (p *Published) Figure() float64 {
	if p.Under == 0 {
		return p.Over
	}
	return p.Over / p.Under
}

// Goal bounds the median of a comparison's figure. A bound of nil is none.
type Goal struct {
	AtLeast *float64 `json:"at_least,omitempty"`
	AtMost  *float64 `json:"at_most,omitempty"`
}

// AtLeast is a goal.
func AtLeast(bound float64) *Goal { return &Goal{AtLeast: &bound} }

// AtMost is a goal.
func AtMost(bound float64) *Goal { return &Goal{AtMost: &bound} }

// Met reports whether figure is within the bounds.
func (g *Goal) Met(figure float64) bool {
	return (g.AtLeast == nil || figure >= *g.AtLeast) && (g.AtMost == nil || figure <= *g.AtMost)
}

func (g *Goal) String() string {
	if g.AtLeast != nil {
		return fmt.Sprintf("at least %.3g", *g.AtLeast)
	}
	return fmt.Sprintf("at most %.4g", *g.AtMost)
}

// Plan is how thoroughly experiments are run.
type Plan struct {
	Reps     int
	Scale    float64 // of every Length
	Patience int     // at most
	// Progress is called before each run, if it is set.
	Progress func(done, of int, side string)
}

// Run runs the experiment. It gives up between two runs when ctx ends, and then returns its error. A side that fails is
// reported as missing.
func (p Plan) Run(ctx context.Context, e Experiment) (Result, error) {
	length := time.Duration(float64(e.Length) * p.Scale)
	sides := make([]*track, len(e.Sides))
	for i, s := range e.Sides {
		sides[i] = &track{Side: s, values: make([][]float64, len(e.Metrics))}
	}
	total := (p.Reps + 1) * len(sides)
	for rep := range p.Reps + 1 {
		runtime.GC() // now, not in the middle of a run
		for i := range sides {
			if rep%2 == 1 { // so that nobody always runs behind the same neighbour
				i = len(sides) - 1 - i
			}
			s := sides[i]
			if s.Missing != "" {
				continue
			}
			if p.Progress != nil {
				p.Progress(rep*len(sides)+i, total, s.Name)
			}
			// The first round finds out how much to do, and warms up.
			s.once(ctx, length, min(e.Patience, p.Patience), rep > 0)
			if err := ctx.Err(); err != nil {
				return Result{}, err
			}
		}
	}
	return e.result(sides), nil
}

// track is a side with what it has yielded.
type track struct {
	Side
	values    [][]float64 // by metric
	disturbed int
}

func (t *track) once(ctx context.Context, length time.Duration, patience int, counts bool) {
	s, err := t.Run(ctx, length)
	for try := 0; err == nil && counts && s.Disturbed && try < patience && ctx.Err() == nil; try++ {
		s, err = t.Run(ctx, length)
	}
	if err == nil && len(s.Values) != len(t.values) {
		err = fmt.Errorf("%d figures where %d are expected", len(s.Values), len(t.values))
	}
	if err != nil {
		t.Missing = err.Error()
		return
	}
	if !counts {
		return
	}
	if s.Disturbed {
		t.disturbed++
	}
	for m, v := range s.Values {
		t.values[m] = append(t.values[m], v)
	}
}
