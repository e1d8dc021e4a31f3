package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/tests/bench/measure"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test ./tests/bench/report -update writes it")
	assert.Equal(t, string(want), string(got), "go test ./tests/bench/report -update writes it anew")
}

func example() Report {
	p := func(v bool) *bool { return &v }
	f := func(v float64) *float64 { return &v }
	sum := func(median float64) *measure.Summary {
		return &measure.Summary{Median: median, Min: median / 2, Max: median * 2, Deviation: 0.25, N: 25}
	}
	return Report{
		Machine: Machine{
			Date: "2020-02-29", Processor: "Example 9000", Processors: 4, System: "linux/amd64, Linux 6.0", Go: "go1.99", Compiler: "gcc 1.0",
			CyclesPer: 2.5, Reps: 25, Missing: []string{"ring does not build (ck_ring.h: No such file or directory): apt-get install x"},
		},
		Results: []measure.Result{
			{
				Name: "Locks", About: "What is done.", Metrics: []measure.Metric{{Name: "time per operation", Unit: "ns"}, {Name: "increments", Unit: "1/s"}},
				Sides: []measure.Measured{
					{Name: "ours", Figures: []measure.Summary{*sum(4), *sum(250e6)}},
					{Name: "general | path", Figures: []measure.Summary{*sum(20), *sum(5e9)}, Disturbed: 3},
					{Name: "ck", Missing: "no compiler"},
				},
				Compared: []measure.Compared{
					{
						Name: "general / ours", Over: "general | path", Under: "ours", Unit: "ns", Published: &measure.Published{Over: 24, Under: 22, Unit: "cycles", Source: "a list, 2015"},
						Ours: sum(5), Difference: f(16), PeerOver: "ck", PeerUnder: "ours", Goal: measure.AtLeast(5.85), Met: p(false), Note: "It depends.",
					},
					{Name: "ours alone, ns", Over: "ours", Unit: "ns", Ours: sum(4), Goal: measure.AtMost(1000), Met: p(true), Published: &measure.Published{Over: 9952759104, Unit: "ns", Source: "b"}},
					{Name: "peer only", Peer: sum(0.5), PeerOver: "ck", Unit: "ns"},
					{Name: "not measured", Over: "ck", Under: "ours", Unit: "ns", Goal: measure.AtMost(1)},
				},
			},
			{
				Name: "Allocations", About: "None.", Metrics: []measure.Metric{{Name: "allocations"}},
				Sides: []measure.Measured{{Name: "x", Figures: []measure.Summary{{N: 25}}}},
			},
		},
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, example().Markdown(&b, "chart.svg"))
	golden(t, "report.md", b.Bytes())
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "|") {
			assert.True(t, strings.HasSuffix(line, "|\n"), line)
		}
	}
}

func TestHead(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Head(&b, Machine{Processor: "x", Membarrier: "membarrier QUERY: not supported here"}))
	assert.Contains(t, b.String(), "No membarrier(2): membarrier QUERY: not supported here\n")
	assert.NotContains(t, b.String(), "Cycles")
	assert.NotContains(t, b.String(), "Peers")
}

func TestWithoutCycles(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Section(&b, example().Results[0], 0))
	assert.NotContains(t, strings.ReplaceAll(b.String(), "22 cycles", ""), "cycles")
}

func TestChart(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, example().Chart(&b))
	golden(t, "chart.svg", b.Bytes())
	assert.Contains(t, b.String(), "general / ours")
	assert.NotContains(t, b.String(), "ours alone", "is no ratio")
}

func TestChartOfNothing(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Report{}.Chart(&b))
	assert.Empty(t, b.String())
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.00014: "0.00014", 0.0949: "0.095", 0.1: "0.10", 1: "1.00", 9.94: "9.94", 9.996: "10.0", 9.994: "9.99", 99.4: "99.4", 99.96: "100", 5849: "5849",
		999999: "1.00 M", 1234567: "1.23 M", 9952759104: "9.95 G", -16.04: "-16.0",
	} {
		assert.Equal(t, want, number(v))
	}
	assert.Equal(t, "9,952,759,104", exact(9952759104))
	assert.Equal(t, "1,407", exact(1407))
	assert.Equal(t, "24", exact(24))
	assert.Equal(t, "861.6", exact(861.6))
}
