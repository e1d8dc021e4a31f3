package torture

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// raceExit is the status that the race detector ends a process with.
const raceExit = 66

// Race builds the program in dir for the race detector and runs it with the arguments; want says whether it must be
// reported.
func Race(t *testing.T, dir string, runs map[string]bool) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	exe := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-race", "-o", exe, dir).CombinedOutput(); err != nil {
		if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
			t.Skipf("no race detector: %v\n%s", err, out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	for args, want := range runs {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(exe, strings.Fields(args)...)
			cmd.Env = append(cmd.Environ(), "GORACE=halt_on_error=1 exitcode=66 atexit_sleep_ms=0")
			out, err := cmd.CombinedOutput()
			switch {
			case !want && (err != nil || len(out) != 0):
				t.Errorf("%v\n%s", err, out)
			case want && (cmd.ProcessState.ExitCode() != raceExit || !strings.Contains(string(out), "WARNING: DATA RACE")):
				t.Errorf("no race reported: %v\n%s", err, out)
			}
		})
	}
}
