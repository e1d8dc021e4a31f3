package membarrier

import (
	"slices"
	"strings"
	"testing"

	"github.com/barriergen/barriergen/primitives/internal/torture"
)

// In a loop around a generic Light there is no choice: one instance of the function has a fence, and the other nothing but
// the loop, which has two branches.
func TestLightIsInlined(t *testing.T) {
	instances := 0
	for name, code := range torture.Compile(t, "./testdata/light", "amd64") {
		if !strings.Contains(name, "go.shape") || !strings.HasSuffix(name, "Loop") {
			continue
		}
		instances++
		fences, calls := torture.Fences(code), torture.Calls(code)
		if strings.Contains(name, "uint8") { // Symmetric
			if len(fences) != 1 && !slices.Equal(calls, []string{"barrier.Full(SB)"}) {
				t.Errorf("Symmetric: fences %q, calls %q", fences, calls)
			}
			continue
		}
		branches := 0
		for _, i := range code {
			if i.Op[0] == 'J' {
				branches++
			}
		}
		if len(fences) != 0 || len(calls) != 0 || branches != 2 {
			t.Errorf("Asymmetric: fences %q, calls %q, %d branches", fences, calls, branches)
		}
	}
	if instances != 2 {
		t.Errorf("%d instances, want 2", instances)
	}
}
