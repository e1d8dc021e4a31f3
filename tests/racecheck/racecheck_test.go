package racecheck

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// raceExit is the status that the detector ends a process with.
const raceExit = 66

// canonical are the partners that every way of publishing or consuming meets:
// a release or acquire operation, and a fence beside a relaxed access. So each
// way is also seen mixed with the other style.
var canonical = map[string]struct{ publish, consume []string }{
	"number":  {[]string{"StoreRelease", "Release+StoreRelaxed"}, []string{"LoadAcquire", "LoadRelaxed+Acquire"}},
	"pointer": {[]string{"StoreReleasePointer", "Release+StoreRelaxedPointer"}, []string{"LoadAcquirePointer", "LoadRelaxedPointer+Acquire"}},
	"typed":   {[]string{"typed StoreRelease"}, []string{"typed LoadAcquire"}},
	"bitLock": {[]string{"ClearBitUnlock"}, []string{"TestAndSetBitLock", "TestBitAcquire clear"}},
}

// Fences have no address, so the detector lets every release fence meet every
// acquire fence, and operations with a suffix meet fences in the same way.
// Order on an address that nobody else uses is therefore only told from the
// right one where the partner has an address too.
var onlyWith = map[string]string{
	"broken StoreRelease elsewhere": "LoadAcquire",
	"broken LoadAcquire elsewhere":  "StoreRelease",
}

func TestPublication(t *testing.T) {
	bin := build(t)
	publish, consume, _ := list(t, bin)
	seen := make(map[[2]string]bool)
	pair := func(p, c string) {
		if seen[[2]string{p, c}] || onlyWith[p] != "" && onlyWith[p] != c || onlyWith[c] != "" && onlyWith[c] != p {
			return
		}
		seen[[2]string{p, c}] = true
		t.Run(p+" | "+c, func(t *testing.T) {
			t.Parallel()
			check(t, bin, broken(p) || broken(c), p, c)
		})
	}
	for kind, partners := range canonical {
		require.NotEmpty(t, publish[kind], kind)
		require.NotEmpty(t, consume[kind], kind)
		for _, p := range publish[kind] {
			for _, c := range partners.consume {
				pair(p, c)
			}
		}
		for _, c := range consume[kind] {
			for _, p := range partners.publish {
				pair(p, c)
			}
		}
	}
	pair("broken StoreRelaxed", "broken LoadRelaxed")
}

func TestSpecial(t *testing.T) {
	bin := build(t)
	_, _, special := list(t, bin)
	require.NotEmpty(t, special)
	for _, name := range special {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, bin, broken(name), "special", name)
		})
	}
}

func broken(name string) bool { return strings.HasPrefix(name, "broken ") }

// build compiles the scenarios with the detector. Its being missing is a
// reason to skip, except where it is known to exist.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "scenario")
	out, err := exec.Command("go", "build", "-race", "-o", bin, "./testdata/scenario").CombinedOutput()
	if err != nil && runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skipf("no race detector: %v\n%s", err, out)
	}
	require.NoError(t, err, "%s", out)
	return bin
}

// list asks the program for its names, by kind, so that none is forgotten.
func list(t *testing.T, bin string) (publish, consume map[string][]string, special []string) {
	t.Helper()
	out, err := exec.Command(bin, "list").Output()
	require.NoError(t, err)
	publish, consume = make(map[string][]string), make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		switch f[0] {
		case "publish":
			publish[f[1]] = append(publish[f[1]], f[2])
		case "consume":
			consume[f[1]] = append(consume[f[1]], f[2])
		case "special":
			special = append(special, f[1])
		default:
			require.Fail(t, "unexpected line", line)
		}
	}
	return publish, consume, special
}

var raceInProgram = regexp.MustCompile(`(?s)WARNING: DATA RACE.*main\.`)

func check(t *testing.T, bin string, wantRace bool, args ...string) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), "GORACE=halt_on_error=1 exitcode=66 atexit_sleep_ms=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if !wantRace {
		require.NoError(t, err, "%s", out.String())
		require.Empty(t, out.String())
		return
	}
	require.Error(t, err, "no race reported")
	require.Equal(t, raceExit, cmd.ProcessState.ExitCode(), "%v\n%s", err, out.String())
	require.Regexp(t, raceInProgram, out.String())
}
