package algorithms

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whoever waits gives the processor away: with one processor, without preemption of running goroutines, and on wasm,
// which has neither.
func TestProgress(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	wasm := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm")
	for _, test := range []struct {
		name  string
		build []string
		run   []string
		by    string // the program that runs it, and
		needs string // what that needs
	}{
		{name: "one processor", run: []string{"GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1"}},
		{name: "more goroutines than processors", run: []string{"GOMAXPROCS=2", "GODEBUG=asyncpreemptoff=1"}},
		{name: "js wasm", build: []string{"GOOS=js", "GOARCH=wasm"}, by: filepath.Join(wasm, "go_js_wasm_exec"), needs: "node"},
		{name: "wasip1 wasm", build: []string{"GOOS=wasip1", "GOARCH=wasm"}, by: filepath.Join(wasm, "go_wasip1_wasm_exec"), needs: "wasmtime"},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "progress")
			build := exec.Command("go", "build", "-o", program, "./testdata/progress")
			build.Env = append(append(os.Environ(), "CGO_ENABLED=0"), test.build...)
			text, err := build.CombinedOutput()
			require.NoError(t, err, "%s", text)
			args := []string{program}
			if test.by != "" {
				if _, err := exec.LookPath(test.needs); err != nil {
					t.Skipf("built and not run: %v", err)
				}
				args = []string{test.by, program}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			run := exec.CommandContext(ctx, args[0], args[1:]...)
			run.Env = append(os.Environ(), test.run...)
			text, err = run.CombinedOutput()
			require.NoError(t, err, "%s", text)
			require.Contains(t, string(text), "done on ")
		})
	}
}
