package measure

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSummarize(t *testing.T) {
	assert.Equal(t, Summary{Median: 3, Min: 1, Max: 10, Deviation: math.Sqrt(12.5), N: 5}, Summarize([]float64{10, 3, 1, 4, 2}))
	assert.Equal(t, Summary{Median: 2.5, Min: 1, Max: 4, Deviation: math.Sqrt(5.0 / 3), N: 4}, Summarize([]float64{4, 1, 3, 2}))
	assert.Equal(t, Summary{Median: 7, Min: 7, Max: 7, N: 1}, Summarize([]float64{7}))
	sample := []float64{2, 1}
	Summarize(sample)
	assert.Equal(t, []float64{2, 1}, sample, "the order of the runs is needed for ratios of neighbours")
}

func TestQuantile(t *testing.T) {
	s := []float64{10, 20, 30, 40, 50}
	for q, want := range map[float64]float64{0: 10, 0.25: 20, 0.5: 30, 0.6: 34, 0.99: 49.6, 1: 50} {
		assert.InDelta(t, want, Quantile(s, q), 1e-9, "%g", q)
	}
}

func TestLatencies(t *testing.T) {
	calls := make([]time.Duration, 101)
	for i := range calls {
		calls[i] = time.Duration(100 - i)
	}
	assert.Equal(t, []float64{50, 99, 100, 101e9 / 5050}, Latencies(calls))
	assert.Equal(t, make([]float64, 4), Latencies(nil))
}

func TestGoal(t *testing.T) {
	assert.True(t, AtLeast(2).Met(2))
	assert.False(t, AtLeast(2).Met(1.99))
	assert.True(t, AtMost(2).Met(2))
	assert.False(t, AtMost(2).Met(2.01))
	assert.Equal(t, "at least 5.85", AtLeast(5.8492).String())
	assert.Equal(t, "at most 1.02", AtMost(1.02).String())
}

// scripted is a side that yields values, the first in the round that does not count, and notes in which order.
func scripted(name string, order *[]string, values ...float64) Side {
	n := 0
	return Side{Name: name, Run: func(context.Context, time.Duration) (Sample, error) {
		*order = append(*order, name)
		n++
		return Sample{Values: []float64{values[n-1]}}, nil
	}}
}

func TestRatiosAreOfNeighbours(t *testing.T) {
	var order []string
	e := Experiment{
		Name: "e", Metrics: NsPerOp,
		Sides: []Side{scripted("a", &order, 99, 2, 20, 100), scripted("b", &order, 99, 1, 5, 100)},
		Comparisons: []Comparison{
			{Name: "a/b", Over: "a", Under: "b", Goal: AtLeast(2)},
			{Name: "a", Over: "a", Goal: AtMost(19)},
			{Name: "cheapest", Over: "a", Under: "a", OrElse: []string{"b", "nobody"}},
			{Name: "peer only", PeerOver: "a", PeerUnder: "b"},
			{Name: "no such side", Over: "a", Under: "nobody", Goal: AtLeast(1)},
		},
	}
	r, err := Plan{Reps: 3, Scale: 1}.Run(t.Context(), e)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "b", "a", "a", "b", "b", "a"}, order)
	assert.Equal(t, 3, r.Sides[0].Figures[0].N, "the first round does not count")
	assert.InDelta(t, 20, r.Sides[0].Figures[0].Median, 0)

	// 2/1, 20/5, 100/100; the ratio of the medians would be 4.
	assert.InDelta(t, 2, r.Compared[0].Ours.Median, 0)
	assert.InDelta(t, 4, r.Compared[0].Ours.Max, 0)
	assert.True(t, *r.Compared[0].Met)
	assert.InDelta(t, 15, *r.Compared[0].Difference, 0)

	assert.InDelta(t, 20, r.Compared[1].Ours.Median, 0)
	assert.False(t, *r.Compared[1].Met)
	assert.Nil(t, r.Compared[1].Difference)

	assert.Equal(t, "b", r.Compared[2].Under)

	assert.Nil(t, r.Compared[3].Ours)
	assert.InDelta(t, 2, r.Compared[3].Peer.Median, 0)

	assert.Nil(t, r.Compared[4].Ours)
	assert.Nil(t, r.Compared[4].Met)
}

func TestRunThatDidNothingHasNoRatio(t *testing.T) {
	var order []string
	e := Experiment{
		Metrics:     NsPerOp,
		Sides:       []Side{scripted("a", &order, 0, 6, 6), scripted("b", &order, 0, 0, 2), scripted("idle", &order, 0, 0, 0)},
		Comparisons: []Comparison{{Over: "a", Under: "b"}, {Over: "a", Under: "idle"}},
	}
	r, err := Plan{Reps: 2}.Run(t.Context(), e)
	require.NoError(t, err)
	assert.Equal(t, &Summary{Median: 3, Min: 3, Max: 3, N: 1}, r.Compared[0].Ours)
	assert.Nil(t, r.Compared[1].Ours)
}

func TestSidesThatFail(t *testing.T) {
	runs := 0
	e := Experiment{
		Metrics: NsPerOp,
		Sides: []Side{
			{Name: "absent", Missing: "no compiler"},
			{Name: "failing", Run: func(context.Context, time.Duration) (Sample, error) {
				if runs++; runs == 3 {
					return Sample{}, errors.New("broke down")
				}
				return Sample{Values: []float64{1}}, nil
			}},
			{Name: "talkative", Run: func(context.Context, time.Duration) (Sample, error) {
				return Sample{Values: []float64{1, 2}}, nil
			}},
		},
		Comparisons: []Comparison{{Over: "absent", Under: "failing"}},
	}
	r, err := Plan{Reps: 5}.Run(t.Context(), e)
	require.NoError(t, err)
	assert.Equal(t, "no compiler", r.Sides[0].Missing)
	assert.Equal(t, "broke down", r.Sides[1].Missing)
	assert.Equal(t, 3, runs, "not run again")
	assert.Equal(t, "2 figures where 1 are expected", r.Sides[2].Missing)
	assert.Empty(t, r.Sides[1].Figures)
	assert.Nil(t, r.Compared[0].Ours)
}

func TestDisturbedRunsAreRepeated(t *testing.T) {
	runs := 0
	e := Experiment{
		Metrics: NsPerOp, Patience: 2,
		Sides: []Side{{Name: "a", Run: func(context.Context, time.Duration) (Sample, error) {
			runs++
			// Warm-up; two disturbed and a quiet one; then nothing but disturbed ones.
			return Sample{Values: []float64{float64(runs)}, Disturbed: runs != 4}, nil
		}}},
	}
	r, err := Plan{Reps: 2, Patience: 50}.Run(t.Context(), e)
	require.NoError(t, err)
	assert.Equal(t, 7, runs)
	assert.Equal(t, 1, r.Sides[0].Disturbed)
	assert.Equal(t, Summary{Median: 5.5, Min: 4, Max: 7, Deviation: math.Sqrt(4.5), N: 2}, r.Sides[0].Figures[0])
}

func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	e := Experiment{Metrics: NsPerOp, Sides: []Side{{Name: "a", Run: func(context.Context, time.Duration) (Sample, error) {
		if runs++; runs == 2 {
			cancel()
		}
		return Sample{Values: []float64{1}}, nil
	}}}}
	_, err := Plan{Reps: 10}.Run(ctx, e)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, runs)
}

func TestProgress(t *testing.T) {
	var steps []int
	var order []string
	e := Experiment{Metrics: NsPerOp, Sides: []Side{scripted("a", &order, 1, 1), scripted("b", &order, 1, 1)}}
	_, err := Plan{Reps: 1, Progress: func(done, of int, _ string) {
		assert.Equal(t, 4, of)
		steps = append(steps, done)
	}}.Run(t.Context(), e)
	require.NoError(t, err)
	assert.ElementsMatch(t, []int{0, 1, 2, 3}, steps)
}

func TestLoopCountsOperations(t *testing.T) {
	const each = 20 * time.Microsecond
	s := Loop("wait", func(n int) { time.Sleep(time.Duration(n) * each) })
	sample, err := s.Run(t.Context(), 40*time.Millisecond)
	require.NoError(t, err)
	require.Len(t, sample.Values, 1)
	assert.GreaterOrEqual(t, sample.Values[0], float64(each))
}

func TestTogetherStopsAllAndCounts(t *testing.T) {
	until := func(stop *Stop) (n int) {
		for n == 0 || !stop.Now() { // a busy machine may let it start late
			n++
			time.Sleep(time.Microsecond)
		}
		return n
	}
	counts, took, _ := Together(5*time.Millisecond, until, until, until)
	require.Len(t, counts, 3)
	for _, n := range counts {
		assert.Positive(t, n)
	}
	assert.GreaterOrEqual(t, took, 5*time.Millisecond)
}
