package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/tests/bench/measure"
	"github.com/barriergen/barriergen/tests/bench/peer"
)

// noPeers is what there is without a compiler.
func noPeers(t *testing.T) *peer.Set {
	t.Helper()
	s, err := peer.Build(t.Context(), filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	return s
}

func TestRowsFitTogether(t *testing.T) {
	names := make(map[string]bool)
	for _, e := range experiments(noPeers(t)) {
		assert.False(t, names[e.Name], "two experiments %q", e.Name)
		names[e.Name] = true
		assert.NotEmpty(t, e.About, e.Name)
		sides := make(map[string]bool)
		for _, s := range e.Sides {
			assert.False(t, sides[s.Name], "%s: two sides %q", e.Name, s.Name)
			sides[s.Name] = true
			assert.True(t, (s.Run == nil) == (s.Missing != ""), "%s: %s", e.Name, s.Name)
		}
		compared := make(map[string]bool)
		for _, c := range e.Comparisons {
			assert.False(t, compared[c.Name], "%s: two comparisons %q", e.Name, c.Name)
			compared[c.Name] = true
			assert.Less(t, c.Metric, len(e.Metrics), c.Name)
			assert.True(t, c.Over != "" || c.PeerOver != "", c.Name)
			for _, side := range append([]string{c.Over, c.Under, c.PeerOver, c.PeerUnder}, c.OrElse...) {
				assert.True(t, side == "" || sides[side], "%s: %s: no side %q", e.Name, c.Name, side)
			}
			if c.Published != nil {
				assert.NotEmpty(t, c.Published.Source, c.Name)
				assert.NotEmpty(t, c.Published.Unit, c.Name)
			}
		}
	}
}

// Every side of ours runs and yields as many figures as it should. The fixed delays alone would take seconds.
func TestEverySideRuns(t *testing.T) {
	for _, e := range experiments(noPeers(t)) {
		e.Sides = append([]measure.Side(nil), e.Sides...)
		for i, s := range e.Sides {
			if strings.HasSuffix(s.Name, "a fixed delay") {
				e.Sides[i].Missing = "too long for a test"
			}
		}
		r, err := measure.Plan{Reps: 1, Scale: 0.01}.Run(t.Context(), e)
		require.NoError(t, err)
		for i, s := range r.Sides {
			assert.Equal(t, e.Sides[i].Missing, s.Missing, "%s: %s", e.Name, s.Name)
		}
	}
}

func TestShares(t *testing.T) {
	for cpus, want := range map[int][2]int{1: {1, 1}, 2: {1, 1}, 4: {3, 1}, 8: {6, 2}, 64: {48, 16}} {
		readers, writers := shares(cpus)
		assert.Equal(t, want, [2]int{readers, writers}, "%d", cpus)
	}
}

// command runs the program without a compiler in its path.
func command(t *testing.T, ctx context.Context, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	var o, e bytes.Buffer
	code = run(ctx, args, &o, &e, false)
	return code, o.String(), e.String()
}

func TestMissingCompilerIsSaid(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, markdownFile), []byte("of the last run"), 0o644))
	code, out, errOut := command(t, t.Context(), "-quick", "-reps", "1", "-run", "Lock and Unlock of free locks", "-out", dir)
	assert.Equal(t, 0, code)
	assert.Equal(t, "bench: going on without a peer: gcc can't be run: "+peer.Install+"\n", errOut)
	assert.Contains(t, out, "| ck_spinlock_ticket | not measured: gcc can't be run")
	assert.Contains(t, out, "24 / 22 cycles = 1.09")

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	markdown, err := os.ReadFile(filepath.Join(dir, markdownFile))
	require.NoError(t, err)
	assert.Contains(t, string(markdown), "(BENCHMARKS.svg)")
	assert.Contains(t, string(markdown), "- Missing: gcc can't be run")
	chart, err := os.ReadFile(filepath.Join(dir, chartFile))
	require.NoError(t, err)
	assert.Contains(t, string(chart), "</svg>")
}

func TestJSON(t *testing.T) {
	code, out, _ := command(t, t.Context(), "-quick", "-reps", "1", "-json", "-run", "seqlock.Value")
	assert.Equal(t, 0, code)
	var r measure.Result
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.Equal(t, "Allocations on read-side, lock and ring paths", r.Name)
	for _, c := range r.Compared {
		assert.True(t, *c.Met, c.Name)
	}
}

func TestQuickWritesNothingUnlessAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	code, _, _ := command(t, t.Context(), "-quick", "-reps", "1", "-run", "seqlock.Value")
	assert.Equal(t, 0, code)
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestInterruptedRunWritesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, errOut := command(t, ctx, "-out", dir)
	assert.Equal(t, 130, code)
	assert.Equal(t, "bench: interrupted; nothing was written\n", errOut)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-h"}, 0, "-quick"},
		{[]string{"-nonsense"}, 2, "flag provided but not defined"},
		{[]string{"more"}, 2, `unexpected argument "more"`},
		{[]string{"-reps", "0"}, 2, "-reps 0: at least 1 is needed"},
		{[]string{"-run", "("}, 2, "missing closing )"},
		{[]string{"-run", "no such thing"}, 2, `-run "no such thing" matches no experiment`},
		{[]string{"-out", "/nonexistent/x"}, 2, "no such file or directory"},
	} {
		code, _, errOut := command(t, t.Context(), c.args...)
		assert.Equal(t, c.code, code, c.args)
		assert.Contains(t, errOut, c.says, c.args)
	}
}
