package algorithms

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/barriergen/barriergen/internal/machine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	rmw     = machine.Load | machine.Store | machine.Atomic
	release = machine.Store | machine.Release
	acquire = machine.Load | machine.Acquire
)

// fastPaths says what the fast paths compile to: how many instructions of each kind they have, and which slow paths,
// separated by |, they may call. Where there are none the code has neither a call nor a branch.
var fastPaths = []struct {
	function     string
	slow         string
	amd64, arm64 counts
}{
	{"ticketUnlock", "", counts{loads: 1, stores: 1}, counts{loads: 1, stores: 1, releases: 1}},
	{"ticketLock", "Ticket).wait", counts{loads: 1, rmws: 1}, counts{loads: 1, acquires: 1, rmws: 1}},
	{"parkingUnlock", "unlockSlow", counts{rmws: 1}, counts{rmws: 1}},
	{"parkingLock", "lockSlow", counts{loads: 1, rmws: 1}, counts{loads: 1, acquires: 1, rmws: 1}},
	{"queuedLock", "lockSlow", counts{rmws: 1}, counts{rmws: 1}},
	{"queuedUnlock", "panic", counts{rmws: 1}, counts{rmws: 1}},
	{"descriptorSync", "collect", counts{loads: 1}, counts{loads: 1, acquires: 1}},
	{"mailboxSync", "collect", counts{loads: 1}, counts{loads: 1, acquires: 1}},
	// On arm64 the fences are calls, and so ReadRetry and WriteBegin are.
	{"seqlockRead", "readWait|ReadRetry", counts{loads: 3}, counts{loads: 2, acquires: 1}},
	{"seqlockWrite", "panic|WriteBegin", counts{loads: 2, stores: 3}, counts{loads: 1, stores: 2, releases: 1}},
}

type counts struct{ loads, stores, rmws, acquires, releases int }

func TestFastPathsCompileTo(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		// LSE is taken for granted, so that arm64 has no second path for CPUs without it.
		bin := buildCode(t, "GOARCH="+arch, "GOARM64=v8.1")
		for _, want := range fastPaths {
			f, err := bin.Func("main." + want.function)
			require.NoError(t, err)
			expect := want.amd64
			if arch == "arm64" {
				expect = want.arm64
			}
			got := counts{
				rmws:     f.Count(rmw),
				acquires: f.Count(acquire) - f.Count(rmw|machine.Acquire),
				releases: f.Count(release) - f.Count(rmw|machine.Release),
			}
			got.loads = f.Count(machine.Load) - got.rmws
			got.stores = f.Count(machine.Store) - got.rmws
			assert.Equal(t, expect, got, "%s\n%s", arch, f)
			assert.Zero(t, f.Count(machine.Unknown)+f.Count(machine.Fence), "%s\n%s", arch, f)
			if want.slow == "" {
				assert.Zero(t, f.Count(machine.Jump), "%s\n%s", arch, f)
			}
			for _, call := range f.Find(machine.Call) {
				assert.True(t, allowedCall(call.Symbol, want.slow), "%s calls %q\n%s", arch, call.Symbol, f)
			}
		}
	}
}

// allowedCall says whether a call is that of the slow path, or what each function with calls begins with.
func allowedCall(symbol, slow string) bool {
	if slow == "" {
		return false
	}
	for _, part := range strings.Split(slow+"|runtime.morestack", "|") {
		if strings.Contains(symbol, part) {
			return true
		}
	}
	return false
}

// genericPaths are methods of generic types, which are compiled where they are used, and there must still have inlined all
// that they consist of (@ is where the primitives are): the only calls are those of slow paths and of what panics. atomics counts the locked operations.
var genericPaths = []struct {
	function, calls string
	atomics         int
}{
	{"@ring.(*SPSC[go.shape.uint64]).Push", "", 0},
	{"@ring.(*SPSC[go.shape.uint64]).Pop", "", 0},
	{"@ring.(*MPSC[go.shape.uint64]).Push", "", 1},
	{"main.manyPop", "", 0}, // inlined as a whole
	{"@seqlock.(*Value[go.shape.[4]uint64]).Load", "readWait", 0},
}

func TestGenericPathsCompileTo(t *testing.T) {
	bin := buildCode(t, "GOARCH=amd64")
	for _, want := range genericPaths {
		f, err := bin.Func(strings.Replace(want.function, "@", "github.com/barriergen/barriergen/primitives/", 1))
		require.NoError(t, err)
		assert.Equal(t, want.atomics, f.Count(machine.Atomic), "%s", f)
		assert.Zero(t, f.Count(machine.Fence), "%s", f)
		for _, call := range f.Find(machine.Call) {
			assert.True(t, allowedCall(call.Symbol, strings.Trim(want.calls+"|runtime.panic", "|")), "it calls %q\n%s", call.Symbol, f)
		}
	}
}

func buildCode(t *testing.T, env ...string) *machine.Binary {
	t.Helper()
	out := filepath.Join(t.TempDir(), "code")
	cmd := exec.Command("go", "build", "-o", out, "./testdata/algorithmcode")
	cmd.Env = append(append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1"), env...)
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	bin, err := machine.Open(out)
	require.NoError(t, err)
	return bin
}
