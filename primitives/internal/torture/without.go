package torture

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// forbidden tells a test binary that it is to run without membarrier.
const forbidden = "BARRIERGEN_TEST_WITHOUT_MEMBARRIER"

// Main runs a package's tests. In a process that RunWithout has started, it takes membarrier away first.
func Main(m *testing.M) {
	if os.Getenv(forbidden) != "" {
		if err := ForbidMembarrier(); err != nil {
			fmt.Println("can't forbid:", err)
			os.Exit(cannotForbid)
		}
	}
	os.Exit(m.Run())
}

const cannotForbid = 77

// RunWithout runs the tests that match in a process of their own, which has no membarrier.
func RunWithout(t *testing.T, tests string, args ...string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(exe, append([]string{"-test.run", tests, "-test.v"}, args...)...)
	cmd.Env = append(cmd.Environ(), forbidden+"=1")
	out, err := cmd.CombinedOutput()
	switch {
	case cmd.Process == nil: // under an emulator the binary can't start itself
		t.Skip(err)
	case cmd.ProcessState.ExitCode() == cannotForbid:
		t.Skipf("%s", out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Without reports whether this process is one that RunWithout has started.
func Without() bool { return os.Getenv(forbidden) != "" }
