package golangci

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var version = flag.String("golangci", "", "build golangci-lint at this `version`, such as v2.15.0, with the plugin and run it; it takes minutes at first")

// files are two modules: golangci-lint with the plugin, as "golangci-lint custom" would make it, and one to run it on.
var files = map[string]string{
	"lint/go.mod": "module example.com/lint\n\ngo 1.25.0\n\nrequire (\n\tgithub.com/barriergen/barriergen v0.0.0\n\tgithub.com/barriergen/barriergen/golangci v0.0.0\n)\n\n" +
		"replace github.com/barriergen/barriergen => ROOT\n\nreplace github.com/barriergen/barriergen/golangci => ROOT/golangci\n",
	"lint/main.go": `package main

import (
	"os"

	_ "github.com/barriergen/barriergen/golangci"
	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"
)

func main() {
	if err := commands.Execute(commands.BuildInfo{}); err != nil {
		os.Exit(exitcodes.Failure)
	}
}
`,
	"m/go.mod": "module example.com/m\n\ngo 1.25.0\n\nrequire github.com/barriergen/barriergen v0.0.0\n\nreplace github.com/barriergen/barriergen => ROOT\n",
	"m/a.go": `package m

import "github.com/barriergen/barriergen/primitives/barrier"

var x int

func F() {
	x = 1
	barrier.Full()
	barrier.Full()
	x = 2
}

func G() // in assembly

func H() {
	barrier.Full()
	barrier.Full() //nolint:barriervet
	x = 2
}
`,
	"m/a_amd64.s":     "TEXT ·G(SB), 4, $0-0\n\tMFENCE\n\tMFENCE\n\tRET\n",
	"m/.golangci.yml": "version: \"2\"\nlinters:\n  default: none\n  enable: [barriervet]\n  settings:\n    custom:\n      barriervet:\n        type: module\n        settings:\n          enable: [redundantfence, asmfence]\n",
}

func TestGolangciLint(t *testing.T) {
	if *version == "" {
		t.Skip("golangci-lint is built and run with -golangci VERSION only")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		text := strings.ReplaceAll(text, "ROOT", root)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	run := func(where string, args ...string) (string, error) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = filepath.Join(dir, where)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, args := range [][]string{
		{"go", "get", "github.com/golangci/golangci-lint/v2@" + *version},
		{"go", "mod", "tidy"},
		{"go", "build", "-o", "lint", "."},
	} {
		out, err := run("lint", args...)
		require.NoError(t, err, "%v\n%s", args, out)
	}
	out, err := run("m", "go", "mod", "tidy")
	require.NoError(t, err, out)
	out, err = run("m", filepath.Join(dir, "lint", "lint"), "run", "./...")
	require.Error(t, err, out)
	assert.Contains(t, out, "a.go:10:2: redundantfence: barrier.Full is redundant on amd64 and arm64: barrier.Full on line 9 orders already (barriervet)")
	assert.Contains(t, out, "a.go:14:6: asmfence: a_amd64.s:3:2: MFENCE is redundant on amd64: MFENCE on line 2 orders already (barriervet)")
	assert.Contains(t, out, "2 issues:")
}
