package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"barriergen": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// The go command needs its caches.
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH"} {
				if v, ok := os.LookupEnv(name); ok {
					env.Setenv(name, v)
				}
			}
			return nil
		},
	})
}

// Whatever is typed, the answer is an exit status of the three, and a usage error says something in lower case.
func FuzzCommandLine(f *testing.F) {
	for _, s := range []string{"list", "list Full", "list -json", "explain AfterAtomic", "explain", "generate -check -pkg x", "help list", "-x", "list -x", "", "explain smp_mb -h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		if len(args) > 0 && args[0] == "doctor" { // compiles
			return
		}
		for _, a := range args {
			if strings.HasPrefix(strings.TrimLeft(a, "-"), "o") { // writes where it is told
				return
			}
		}
		t.Chdir(t.TempDir())
		var out, errs bytes.Buffer
		code := run(environ{context.Background(), &out, &errs}, args)
		require.Contains(t, []int{exitOK, exitFindings, exitUsage}, code)
		if code == exitUsage {
			require.NotEmpty(t, errs.String())
		}
	})
}
