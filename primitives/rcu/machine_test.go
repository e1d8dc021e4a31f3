package rcu

import (
	"slices"
	"testing"

	"github.com/barriergen/barriergen/primitives/internal/torture"
)

func TestRaceDetector(t *testing.T) {
	runs := map[string]bool{}
	for _, flavour := range []string{"fenced", "membarrier", "quiescent"} {
		for how, race := range map[string]bool{"synchronize": false, "defer": false, "skip": true} {
			runs[flavour+" "+how] = race
		}
	}
	runs["fenced unlocked"], runs["membarrier unlocked"] = true, true
	torture.Race(t, "./testdata/reuse", runs)
}

// What the documentation says of the machine code.
func TestReadersAreInlined(t *testing.T) {
	long := []string{"rcu.(*reader).lockSlow(SB)", "rcu.(*reader).unlockSlow(SB)"}
	for _, c := range []struct {
		arch, function string
		fences, calls  []string
	}{
		{"amd64", "fenced", []string{"XCHGQ"}, long},
		{"amd64", "membarrier", nil, long},
		{"amd64", "quiescent", nil, nil},
		{"arm64", "membarrier", nil, long},
		{"arm64", "quiescent", nil, nil},
	} {
		code, ok := torture.Compile(t, "./testdata/inline", c.arch)[c.function]
		if !ok {
			t.Fatalf("%s has no function %s", c.arch, c.function)
		}
		if f := torture.Fences(code); !slices.Equal(f, c.fences) {
			t.Errorf("%s, %s: fences %q, want %q", c.arch, c.function, f, c.fences)
		}
		if calls := torture.Calls(code); !slices.Equal(calls, c.calls) {
			t.Errorf("%s, %s: calls %q, want %q", c.arch, c.function, calls, c.calls)
		}
	}
}
