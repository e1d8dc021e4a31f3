package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// Scripts work in a module of their own that replaces this one by the tree here. ROOT is that tree.
func TestFuseScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/fuse",
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"} {
				if v, ok := os.LookupEnv(name); ok {
					env.Setenv(name, v)
				}
			}
			env.Setenv("ROOT", root)
			env.Setenv("GOTOOLCHAIN", "local")
			mod := "module example.com/m\n\ngo 1.25.0\n\nrequire (\n\tgithub.com/barriergen/barriergen v0.0.0\n\tgolang.org/x/sys v0.41.0\n)\n\n" +
				"replace github.com/barriergen/barriergen => " + root + "\n"
			sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(env.WorkDir, "go.sum"), sum, 0o666); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "go.mod"), []byte(mod), 0o666)
		},
	})
}
