package torture

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An Inst is one instruction of the compiler's listing.
type Inst struct{ Op, Args string }

// Compile returns the machine code of the package's functions, by name.
func Compile(t *testing.T, dir, goarch string) map[string][]Inst {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles packages")
	}
	cmd := exec.Command("go", "build", "-gcflags=-S", dir)
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH="+goarch, "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	functions := map[string][]Inst{}
	name := ""
	for line := range strings.Lines(string(out)) {
		if head, _, ok := strings.Cut(line, " STEXT "); ok {
			_, name, _ = strings.Cut(head, "/"+filepath.Base(dir)+".")
			continue
		}
		// Offset, position, mnemonic, operands; calls of the runtime grow the stack or panic.
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) >= 2 && strings.HasPrefix(line, "\t0x") && strings.Contains(f[0], "(") {
			i := Inst{Op: f[1], Args: strings.Join(f[2:], " ")}
			if !strings.HasPrefix(i.Args, "runtime.") {
				functions[name] = append(functions[name], i)
			}
		}
	}
	return functions
}

// Fences are the instructions that order a store before a later load.
func Fences(code []Inst) (fences []string) {
	for _, i := range code {
		// An exchange of a register with itself is the compiler's NOP.
		if i.Op == "LOCK" || i.Op == "DMB" || strings.HasPrefix(i.Op, "XCHG") && strings.Contains(i.Args, "(") {
			fences = append(fences, i.Op)
		}
	}
	return fences
}

// Calls are the functions that the code calls.
func Calls(code []Inst) (calls []string) {
	for _, i := range code {
		if i.Op == "CALL" {
			calls = append(calls, i.Args[strings.LastIndex(i.Args, "/")+1:])
		}
	}
	return calls
}
