package peer

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/tests/bench/measure"
)

func TestMissingCompilerIsSaidAndSurvived(t *testing.T) {
	s, err := Build(t.Context(), filepath.Join(t.TempDir(), "no-such-gcc"))
	require.NoError(t, err)
	defer s.Close()
	require.Len(t, s.Missing(), 1, "the reason is given once")
	assert.Contains(t, s.Missing()[0], "no-such-gcc can't be run")
	assert.Contains(t, s.Missing()[0], Install)
	assert.Empty(t, s.Compiler)
	side := s.Side("ck", Lock, "halves")
	assert.Equal(t, s.Missing()[0], side.Missing)
}

// A compiler of which one finds no headers, as without the -dev packages.
func TestMissingLibraryIsSaidAndSurvived(t *testing.T) {
	cc := script(t, `[ "$1" = --version ] && { echo "cc 1.0"; exit 0; }
case "$*" in *rcu.c*) echo "rcu.c:4:10: fatal error: urcu/urcu-mb.h: No such file or directory" >&2; exit 1;; esac
case "$*" in *ring.c*) echo "/usr/bin/ld: cannot find -lck: No such file or directory" >&2; exit 1;; esac
while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\necho 1.5 2.5 0\n' > "$2"; chmod +x "$2"`)
	s, err := Build(t.Context(), cc)
	require.NoError(t, err)
	defer s.Close()
	assert.Equal(t, "cc 1.0", s.Compiler)
	assert.Contains(t, s.Side("", RCUFenced).Missing, "urcu/urcu-mb.h: No such file or directory")
	assert.Contains(t, s.Side("", Ring).Missing, "cannot find -lck")
	assert.Contains(t, s.Side("", Ring).Missing, Install)
	sample, err := s.Side("", Lock, "halves").Run(t.Context(), time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, measure.Sample{Values: []float64{1.5, 2.5}}, sample)
}

func TestInterruptedBuild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Build(ctx, "true")
	require.ErrorIs(t, err, context.Canceled)
}

func TestCloseRemovesWhatWasBuilt(t *testing.T) {
	s, err := Build(t.Context(), script(t, "exit 0"))
	require.NoError(t, err)
	require.DirExists(t, s.dir)
	s.Close()
	assert.NoDirExists(t, s.dir)
}

func TestParse(t *testing.T) {
	s, err := parse("p", "1.5 2e3 1\n")
	require.NoError(t, err)
	assert.Equal(t, measure.Sample{Values: []float64{1.5, 2000}, Disturbed: true}, s)
	for _, line := range []string{"", "1\n", "1 x 0\n", "inf 0\n", "nan 0\n"} {
		_, err := parse("p", line)
		require.ErrorContains(t, err, "p printed", "%q", line)
	}
}

func TestFailingProgram(t *testing.T) {
	cc := script(t, `[ "$1" = --version ] && exit 0
while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\necho went wrong >&2\nexit 3\n' > "$2"; chmod +x "$2"`)
	s, err := Build(t.Context(), cc)
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Side("", Lock, "halves").Run(t.Context(), time.Millisecond)
	require.ErrorContains(t, err, "lock: exit status 3 went wrong")
}

// The real programs, as far as this machine can build them.
func TestRealPrograms(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: ", Install)
	}
	s, err := Build(t.Context(), "gcc")
	require.NoError(t, err)
	defer s.Close()
	for _, why := range s.Missing() {
		t.Log(why)
	}
	for _, run := range []struct {
		program string
		args    string
		figures int
	}{
		{RCUFenced, "1 1", 2},
		{RCUChecked, "1 1", 2},
		{RCUAssumed, "2 2", 2},
		{RCUQuiescent, "1 1", 2},
		{RCUSignal, "1 1", 2},
		{RCUFenced, "1 0", 1},
		{Lock, "halves", 2},
		{Lock, "ticket 1", 1},
		{Lock, "mcs 2", 1},
		{Ring, "spsc", 1},
		{Ring, "mpsc", 1},
	} {
		t.Run(run.program+" "+run.args, func(t *testing.T) {
			side := s.Side("", run.program, strings.Fields(run.args)...)
			if side.Missing != "" {
				t.Skip(side.Missing)
			}
			sample, err := side.Run(t.Context(), 5*time.Millisecond)
			require.NoError(t, err)
			require.Len(t, sample.Values, run.figures)
			for _, v := range sample.Values {
				assert.GreaterOrEqual(t, v, 0.0)
			}
		})
	}
}

func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cc")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	return path
}
