package gen

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/internal/machine"
)

var update = flag.Bool("update", false, "rewrite the golden files from what the assembler says")

// TestEncodings assembles every header macro with the real assembler and compares the bytes with the golden file that
// explain prints from.
func TestEncodings(t *testing.T) {
	var b strings.Builder
	for _, tg := range targets.Native {
		for i := range tg.Levels {
			l := &tg.Levels[i]
			bin := assembleMacros(t, tg, l)
			for _, p := range contract.Table() {
				ms, err := Macros(tg, l, p)
				require.NoError(t, err)
				for _, m := range ms {
					f, err := bin.Func("main." + m.Name + ".abi0")
					require.NoError(t, err)
					fmt.Fprintln(&b, encodingKey(tg, l, m))
					lines := joinPrefixes(m.Instance())
					insts := f.Insts[:len(f.Insts)-1] // without RET
					require.Lenf(t, insts, len(lines), "%s: %v", m.Name, f)
					for j, in := range insts {
						fmt.Fprintf(&b, "\t%s\t%s\n", lines[j], bytesOf(tg, in.Code))
					}
				}
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("encodings.txt", []byte(b.String()), 0o644))
		return
	}
	require.Equal(t, encodings, b.String(), "encodings.txt is stale: go test ./gen -run TestEncodings -update")
}

// joinPrefixes puts a prefix and its instruction on one line: they are one encoding.
func joinPrefixes(lines []string) []string {
	var out []string
	for i := 0; i < len(lines); i++ {
		if lines[i] == "LOCK" {
			out = append(out, lines[i]+"; "+lines[i+1])
			i++
			continue
		}
		out = append(out, lines[i])
	}
	return out
}

// bytesOf prints bytes in memory order, or the word where that is how the architecture writes it.
func bytesOf(t *arch.Target, code []byte) string {
	if t.Name == "arm64" {
		return fmt.Sprintf("%02x%02x%02x%02x", code[3], code[2], code[1], code[0])
	}
	return fmt.Sprintf("% x", code)
}

// assembleMacros builds a program with one function per macro, made of the header that users include.
func assembleMacros(t *testing.T, tg *arch.Target, l *arch.Level) *machine.Binary {
	t.Helper()
	dir := t.TempDir()
	write := func(name, data string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	files, err := Generate(Config{Package: "main", Header: true})
	require.NoError(t, err)
	for _, f := range files {
		if f.Name == "barriers_"+tg.Name+".h" {
			write(f.Name, string(f.Data))
		}
	}
	asm := "#include \"textflag.h\"\n#include \"barriers_" + tg.Name + ".h\"\n"
	goSrc := "package main\n\nfunc main() {\n\tfor _, f := range keep {\n\t\tf()\n\t}\n}\n\n"
	keep := "var keep = []func(){"
	for _, p := range contract.Table() {
		ms, err := Macros(tg, l, p)
		require.NoError(t, err)
		for _, m := range ms {
			call := m.Name
			if len(m.Params) > 0 {
				regs := m
				regs.Lines = m.Params
				call += "(" + strings.Join(regs.Instance(), ", ") + ")"
			}
			asm += fmt.Sprintf("\nTEXT ·%s(SB), NOSPLIT, $0\n\t%s\n\tRET\n", m.Name, call)
			goSrc += "func " + m.Name + "()\n"
			keep += m.Name + ", "
		}
	}
	write("go.mod", "module main\n\ngo 1.25.0\n")
	write("main.go", goSrc+keep+"}\n")
	write("main_"+tg.Name+".s", asm)
	cmd := exec.Command("go", "build", "-o", "prog", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+tg.Name, "GOFLAGS=", "CGO_ENABLED=0")
	if tg.Name == "arm64" {
		cmd.Env = append(cmd.Env, "GOARM64="+l.Name)
	}
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	bin, err := machine.Open(filepath.Join(dir, "prog"))
	require.NoError(t, err)
	return bin
}
