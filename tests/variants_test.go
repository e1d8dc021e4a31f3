package tests

import (
	"flag"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	allVariants = flag.Bool("variants.all", false, "also run the variants that need an emulator")
	requireQEMU = flag.Bool("require-qemu", false, "a missing emulator is a failure, not a skipped test; implies -variants.all")
)

// variant is one way to build the primitives and, if need be, to run them.
type variant struct {
	name string
	env  []string
	args []string // of go test
	qemu []string // the emulator and its arguments; none where this machine's CPU runs the result
	test []string // flags of the behaviour tests
}

func variants() []variant {
	native := []variant{
		{name: "default"},
		{name: "race", args: []string{"-race"}},
		{name: "purego", args: []string{"-tags=purego"}},
		{name: "barrier_conservative", args: []string{"-tags=barrier_conservative"}},
		{name: "race,purego", args: []string{"-race", "-tags=purego"}},
		{name: "race,barrier_conservative", args: []string{"-race", "-tags=barrier_conservative"}},
		{name: "purego,barrier_conservative", args: []string{"-tags=purego,barrier_conservative"}},
	}
	if runtime.GOOS != "linux" {
		return native
	}
	// An arm64 CPU with all extensions takes the LSE paths, one without takes
	// the exclusive pairs; a build for v8.1 has no choice left at run time.
	const lse, noLSE = "qemu-aarch64 -cpu max", "qemu-aarch64 -cpu cortex-a53"
	// Now and then this emulator reports a nil operand as a fault elsewhere.
	wrongFaults := []string{"-nil-faults=false"}
	emulated := []variant{
		{name: "arm64 with LSE", env: []string{"GOARCH=arm64"}, qemu: strings.Fields(lse)},
		{name: "arm64 without LSE", env: []string{"GOARCH=arm64"}, qemu: strings.Fields(noLSE)},
		{name: "arm64 v8.1", env: []string{"GOARCH=arm64", "GOARM64=v8.1"}, qemu: strings.Fields(lse)},
		{name: "arm64 v8.0,lse", env: []string{"GOARCH=arm64", "GOARM64=v8.0,lse"}, qemu: strings.Fields(lse)},
		{name: "arm64 v9.0", env: []string{"GOARCH=arm64", "GOARM64=v9.0"}, qemu: strings.Fields(lse)},
		{name: "arm64 purego", env: []string{"GOARCH=arm64"}, args: []string{"-tags=purego"}, qemu: strings.Fields(lse)},
		{name: "arm64 barrier_conservative with LSE", env: []string{"GOARCH=arm64"}, args: []string{"-tags=barrier_conservative"}, qemu: strings.Fields(lse)},
		{name: "arm64 barrier_conservative without LSE", env: []string{"GOARCH=arm64"}, args: []string{"-tags=barrier_conservative"}, qemu: strings.Fields(noLSE)},
		{name: "arm64 barrier_conservative v8.1", env: []string{"GOARCH=arm64", "GOARM64=v8.1"}, args: []string{"-tags=barrier_conservative"}, qemu: strings.Fields(lse)},
		// Not every amd64 kernel runs 386 programs. The emulator for them has
		// no stack of its own for signals, so nothing here may depend on one.
		{
			name: "386", env: []string{"GOARCH=386", "GODEBUG=asyncpreemptoff=1"},
			qemu: []string{"qemu-i386"}, test: wrongFaults,
		},
		{name: "arm", env: []string{"GOARCH=arm", "GOARM=7"}, qemu: []string{"qemu-arm"}},
		{name: "riscv64", env: []string{"GOARCH=riscv64"}, qemu: []string{"qemu-riscv64"}},
		{name: "riscv64 barrier_conservative", env: []string{"GOARCH=riscv64"}, args: []string{"-tags=barrier_conservative"}, qemu: []string{"qemu-riscv64"}},
		{name: "ppc64le", env: []string{"GOARCH=ppc64le"}, qemu: []string{"qemu-ppc64le"}, test: wrongFaults},
		{name: "ppc64le barrier_conservative", env: []string{"GOARCH=ppc64le"}, args: []string{"-tags=barrier_conservative"}, qemu: []string{"qemu-ppc64le"}, test: wrongFaults},
		{name: "s390x", env: []string{"GOARCH=s390x"}, qemu: []string{"qemu-s390x"}},
		{name: "s390x purego", env: []string{"GOARCH=s390x"}, args: []string{"-tags=purego"}, qemu: []string{"qemu-s390x"}},
		{name: "mips64le", env: []string{"GOARCH=mips64le"}, qemu: []string{"qemu-mips64el"}},
		{name: "loong64", env: []string{"GOARCH=loong64"}, qemu: []string{"qemu-loongarch64"}},
	}
	// What the machine is itself needs no emulator.
	for i, v := range emulated {
		if slices.Contains(v.env, "GOARCH="+runtime.GOARCH) && !slices.Contains(v.qemu, "cortex-a53") {
			emulated[i].qemu = nil
		}
	}
	return append(native, emulated...)
}

// TestBehaviourInEveryVariant runs the behaviour suite once per variant, each
// as a go test of its own.
func TestBehaviourInEveryVariant(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			runVariant(t, v, "./behaviour")
		})
	}
}

// TestLitmusInEveryVariant does the same with the litmus tests where they say
// anything: on this machine's own CPU, without the race detector.
func TestLitmusInEveryVariant(t *testing.T) {
	for _, v := range variants() {
		if v.qemu != nil || slices.Contains(v.args, "-race") || v.name == "default" {
			continue
		}
		// Not in parallel: the two threads of a litmus test need both cores.
		t.Run(v.name, func(t *testing.T) { runVariant(t, v, "./hwlitmus") })
	}
}

func runVariant(t *testing.T, v variant, pkg string) {
	t.Helper()
	args := append([]string{"test"}, v.args...)
	if v.qemu != nil {
		if !*allVariants && !*requireQEMU {
			t.Skip("emulated; run with -variants.all")
		}
		path, err := exec.LookPath(v.qemu[0])
		if err != nil {
			if *requireQEMU {
				require.NoError(t, err, "-require-qemu is set")
			}
			t.Skipf("no emulator: %v", err)
		}
		args = append(args, "-exec="+strings.Join(append([]string{path}, v.qemu[1:]...), " "))
	}
	env := slices.Clone(v.env)
	if !slices.Contains(v.args, "-race") {
		env = append(env, "CGO_ENABLED=0")
	}
	out := goCommand(t, env, append(append(args, "-timeout=5m", pkg), v.test...)...)
	t.Log(strings.TrimSpace(out))
}

// goCommand runs the go tool and returns what it printed.
func goCommand(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s go %s\n%s", strings.Join(env, " "), strings.Join(args, " "), out)
	return string(out)
}
