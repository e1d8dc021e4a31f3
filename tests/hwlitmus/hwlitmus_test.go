//go:build !race

package hwlitmus

import (
	"bytes"
	"flag"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	iterations = flag.Int("litmus.iterations", 60_000, "instances per row that must never be weak")
	patience   = flag.Duration("litmus.patience", time.Minute, "how long to wait for an outcome that must be seen")
	emulated   = flag.Bool("litmus.emulated", false, "the CPU is emulated: expect no weak outcome")
)

// enoughControl is how often the control must have been weak beside a test
// that was not: three times as many cells run the test itself.
const enoughControl = 5

// expectation is what a row promises.
type expectation int

const (
	never    expectation = iota // by the primitives' contracts, on every target
	neverTSO                    // by the machine's own order: amd64 only
	seen                        // must show on real hardware
	seenTSO                     // must show on amd64; elsewhere the lowering may forbid it
)

type row struct {
	name   string
	expect expectation
	litmus
}

// showsWeak tells whether rows that must be seen can be.
func showsWeak() bool {
	if *emulated || !relaxedIsPlain {
		return false
	}
	switch runtime.GOARCH {
	case "amd64":
		return true
	case "arm64":
		// A user-mode emulator shows the host's description of its CPU.
		info, err := os.ReadFile("/proc/cpuinfo")
		return err != nil || bytes.Contains(info, []byte("CPU implementer"))
	}
	return false
}

func TestLitmus(t *testing.T) {
	if runtime.NumCPU() < 2 || runtime.GOMAXPROCS(0) < 2 {
		t.Skip("litmus tests need two processors")
	}
	hardware := showsWeak()
	if !hardware {
		t.Logf("%s, emulated or without plain stores: running only what must never happen, which shows function rather than order", runtime.GOARCH)
	}
	amd64 := runtime.GOARCH == "amd64"
	for _, table := range [][]row{storeBuffering(), messagePassing(), otherShapes()} {
		for _, r := range table {
			t.Run(r.name, func(t *testing.T) {
				deadline := time.Now().Add(*patience)
				patient := func() bool { return time.Now().Before(deadline) }
				switch {
				case r.expect == seen && hardware, r.expect == seenTSO && hardware && amd64:
					got := run(r.litmus, false, func(so tally) bool { return so.weak == 0 && patient() })
					require.Positive(t, got.weak, "the weak outcome did not show in %d instances: the harness can't see it, or there is a fence too many", got.ran)
					t.Logf("weak %d of %d", got.weak, got.ran)
				case r.expect == never, r.expect == neverTSO && amd64:
					got := run(r.litmus, hardware, func(so tally) bool {
						return so.ran < *iterations || hardware && so.control < enoughControl && patient()
					})
					require.Zero(t, got.weak, "forbidden outcomes in %d instances", got.ran)
					if hardware {
						require.GreaterOrEqual(t, got.control, enoughControl, "the control hardly showed in %d instances, so the test says nothing", got.ran)
					}
					t.Logf("none of %d, control %d", got.ran, got.control)
				default:
					t.Skip("makes no promise on this machine")
				}
			})
		}
	}
}
