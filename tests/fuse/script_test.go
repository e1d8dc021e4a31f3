package fuse

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestScripts is what a user does in a module of one's own: go generate, build, vet, test, race, on every GOARCH.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	if _, err := exec.LookPath("qemu-aarch64"); err != nil {
		require.False(t, *requireQemu, "install qemu-user")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"} {
				if v, ok := os.LookupEnv(name); ok {
					env.Setenv(name, v)
				}
			}
			env.Setenv("ROOT", root)
			env.Setenv("GOTOOLCHAIN", "local")
			return nil
		},
		Condition: func(cond string) (bool, error) { return cond == "all" && *count > perPackage, nil },
	})
}
