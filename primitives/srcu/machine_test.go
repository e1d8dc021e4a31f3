package srcu

import (
	"slices"
	"testing"

	"github.com/barriergen/barriergen/primitives/internal/torture"
)

func TestRaceDetector(t *testing.T) {
	runs := map[string]bool{}
	for _, reader := range []string{"domain", "fast"} {
		for how, race := range map[string]bool{"synchronize": false, "expedited": false, "call": false, "poll": false, "skip": true, "unlocked": true} {
			runs[reader+" "+how] = race
		}
	}
	torture.Race(t, "./testdata/reuse", runs)
}

// What the documentation says of the machine code.
func TestReadersAreInlined(t *testing.T) {
	for _, c := range []struct {
		arch, function string
		fences, calls  []string
	}{
		{"amd64", "domain", []string{"LOCK", "LOCK", "LOCK"}, nil}, // the last one before a panic
		{"amd64", "fast", nil, []string{"srcu.(*FastReader).lockSlow(SB)"}},
		{"arm64", "fast", nil, []string{"srcu.(*FastReader).lockSlow(SB)"}},
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
