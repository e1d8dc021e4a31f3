// Package consumer tests what a user does: a module of one's own, go generate, build, vet, test and race, on every GOARCH.
package consumer

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

var (
	all         = flag.Bool("all", false, "every GOARCH and every emulator, not only amd64 and arm64: compiling the standard library for each takes minutes at first")
	requireQemu = flag.Bool("require-qemu", false, "a missing qemu is a failure, not a skip")
)

// emulators are the programs of Debian's qemu-user.
var emulators = map[string]string{"arm64": "qemu-aarch64", "riscv64": "qemu-riscv64", "ppc64le": "qemu-ppc64le", "s390x": "qemu-s390x"}

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
			env.Setenv("ROOT", root)
			env.Setenv("GOTOOLCHAIN", "local")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			what, arch, _ := strings.Cut(cond, ":")
			switch {
			case cond == "all":
				return *all, nil
			case what != "emulated" || emulators[arch] == "":
				return false, fmt.Errorf("unknown condition %q", cond)
			case arch != "arm64" && !*all:
				return false, nil
			}
			if _, err := exec.LookPath(emulators[arch]); err != nil {
				if *requireQemu {
					return false, fmt.Errorf("%w: install qemu-user", err)
				}
				return false, nil
			}
			return true, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// everywhere ARGS: the go command with these arguments for every GOARCH and build tag.
			"everywhere": func(ts *testscript.TestScript, neg bool, args []string) {
				targets := []string{"amd64", "arm64"}
				if *all {
					targets = append(targets, "riscv64", "ppc64le", "s390x", "loong64", "386", "arm", "mips64le", "wasm")
				}
				for _, target := range targets {
					ts.Setenv("GOARCH", target)
					ts.Setenv("GOOS", "linux")
					if target == "wasm" {
						ts.Setenv("GOOS", "js")
					}
					for _, tags := range []string{"", "purego", "barrier_conservative"} {
						if err := ts.Exec("go", append([]string{args[0], "-tags=" + tags}, args[1:]...)...); err != nil {
							ts.Fatalf("GOARCH=%s -tags=%s: %v", target, tags, err)
						}
					}
				}
				levels := []string{"v8.1"} // each compiles the standard library anew
				if *all {
					levels = append(levels, "v8.0,lse", "v9.0")
				}
				ts.Setenv("GOARCH", "arm64")
				ts.Setenv("GOOS", "linux")
				for _, level := range levels {
					ts.Setenv("GOARM64", level)
					ts.Check(ts.Exec("go", args...))
				}
				ts.Setenv("GOARCH", "")
				ts.Setenv("GOOS", "")
				ts.Setenv("GOARM64", "")
			},
			// emulated ARCH[=CPU] ARGS: go test with these arguments under qemu-user.
			"emulated": func(ts *testscript.TestScript, neg bool, args []string) {
				arch, cpu, _ := strings.Cut(args[0], "=")
				run := emulators[arch]
				if cpu != "" {
					run += " -cpu " + cpu
				}
				ts.Setenv("GOARCH", arch)
				ts.Check(ts.Exec("go", append([]string{"test", "-exec", run}, args[1:]...)...))
				ts.Setenv("GOARCH", "")
			},
		},
	})
}
