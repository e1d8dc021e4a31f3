package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var all = flag.Bool("own.all", false, "look at all packages of this module, for amd64 and arm64, not at the primitives and the examples only")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"barriervet": main})
}

// The scripts run in modules of their own that use the real primitives.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"} {
				if v, ok := os.LookupEnv(name); ok {
					env.Setenv(name, v)
				}
			}
			tool, err := exec.LookPath("barriervet")
			if err != nil {
				return err
			}
			env.Setenv("TOOL", tool)
			env.Setenv("GOTOOLCHAIN", "local")
			return os.WriteFile(filepath.Join(env.WorkDir, "go.mod"), []byte("module example.com/m\n\ngo 1.25.0\n\n"+
				"require github.com/barriergen/barriergen v0.0.0\n\nreplace github.com/barriergen/barriergen => "+root+"\n"), 0o666)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// sarif FILE: it is valid SARIF 2.1.0.
			"sarif": func(ts *testscript.TestScript, _ bool, args []string) {
				r, err := sarif.Open(ts.MkAbs(args[0]))
				ts.Check(err)
				ts.Check(r.Validate())
			},
		},
	})
}

// The schema check finds what it is there for.
func TestSchemaCheckCanFail(t *testing.T) {
	r := sarif.NewReport()
	run := sarif.NewRunWithInformationURI("barriervet", "https://example.com")
	r.AddRun(run)
	require.NoError(t, r.Validate())
	level := "loud"
	run.AddResult(sarif.NewRuleResult("x").WithMessage(sarif.NewTextMessage("y")).WithLevel(level))
	assert.Error(t, r.Validate())
}

// This module has no finding: what is deliberate says so where it stands.
func TestOwnPackages(t *testing.T) {
	args := []string{"./primitives/...", "./examples/..."}
	if *all {
		args = []string{"-arch=amd64,arm64", "./..."}
	}
	t.Chdir("../..")
	var out, errs bytes.Buffer
	assert.Equal(t, exitOK, run(context.Background(), args, &out, &errs))
	assert.Empty(t, out.String())
	assert.Empty(t, errs.String())
}

// Whatever is typed, the answer is an exit status of the three, and a usage error says something.
func FuzzCommandLine(f *testing.F) {
	for _, s := range []string{"-h", "help", "-arch vax", "-diff", "-json -x", "-redundantfence -h", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		for _, a := range args {
			if strings.HasPrefix(strings.TrimLeft(a, "-"), "s") { // writes where it is told
				return
			}
		}
		t.Chdir(t.TempDir())
		var out, errs bytes.Buffer
		code := run(context.Background(), args, &out, &errs)
		require.Contains(t, []int{exitOK, exitFindings, exitUsage}, code)
		if code != exitOK {
			require.NotEmpty(t, errs.String())
		}
	})
}
