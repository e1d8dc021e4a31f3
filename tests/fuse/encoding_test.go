package fuse

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/gen/fuse"
	binaries "github.com/barriergen/barriergen/internal/machine"
)

// pairs are the encodings of the instructions on pairs, by the manual (Arm ARM DDI 0487 C6.2 CASP, LDAXP, STLXP), with how the assembly spells them.
var pairs = []struct {
	format string
	word   func(a, b, c, d, e uint32) uint32
}{
	{"CASPAL (R%d, R%d), (R%d), (R%d, R%d)", func(s, _, n, t, _ uint32) uint32 { return 0x4860fc00 | s<<16 | n<<5 | t }},
	{"LDAXP (R%d), (R%d, R%d)", func(n, t, u, _, _ uint32) uint32 { return 0xc87f8000 | u<<10 | n<<5 | t }},
	{"STLXP (R%d, R%d), (R%d), R%d", func(t, u, n, s, _ uint32) uint32 { return 0xc8208000 | s<<16 | u<<10 | n<<5 | t }},
}

// The instructions on 16 bytes are in the machine code, in order, with the registers that the assembly names.
func TestEncodings(t *testing.T) {
	pkg := loadBugs(t)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		write(name, strings.Replace(string(text), "module github.com/barriergen/barriergen", "module example.com/m", 1))
	}
	mod, err := os.OpenFile(filepath.Join(dir, "go.mod"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	fmt.Fprintf(mod, "\nrequire github.com/barriergen/barriergen v0.0.0\n\nreplace github.com/barriergen/barriergen => %s\n", root)
	require.NoError(t, mod.Close())
	files, err := fuse.Files(pkg)
	require.NoError(t, err)
	for _, f := range files {
		write("bugs/"+f.Name, string(f.Data))
	}
	main := "package main\n\nimport \"example.com/m/bugs\"\n\nvar keep = []any{"
	for _, f := range pkg.Sources[0].Functions {
		main += "bugs." + f.Name + ", "
	}
	write("main.go", main+"}\n\nfunc main() { for _, f := range keep { println(f) } }\n")
	for i, arch := range []string{"amd64", "arm64"} {
		cmd := exec.Command("go", "build", "-mod=mod", "-o", arch+".exe", ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		bin, err := binaries.Open(filepath.Join(dir, arch+".exe"))
		require.NoError(t, err)
		found := 0
		for _, f := range pkg.Sources[0].Functions {
			var want, got []string
			for _, code := range f.Builds[i].Codes {
				for _, l := range code.Lines {
					want = append(want, expected(l.Op, l.Args, l.Note)...)
				}
			}
			if len(want) == 0 {
				continue
			}
			name := f.Name
			if len(f.Checks) > 0 {
				name = "fused" + name
			}
			fn, err := bin.Func("example.com/m/bugs." + name + ".abi0") // behind the linker's wrapper
			require.NoError(t, err)
			for _, in := range fn.Insts {
				got = append(got, found16(arch, in.Code)...)
			}
			found += len(got)
			assert.Equal(t, want, got, "%s on %s", f.Name, arch)
		}
		assert.Greater(t, found, 3, arch)
	}
}

// expected is the encoding of a line, if it is on 16 bytes: on amd64 without its address.
func expected(op, args, note string) []string {
	if op == "CMPXCHG16B" {
		return []string{"lock cmpxchg16b"}
	}
	line := op + " " + args
	if op == "WORD" {
		_, line, _ = strings.Cut(note, "CASPAL")
		line = "CASPAL" + line
	}
	for _, p := range pairs {
		var r [5]uint32
		into := []any{&r[0], &r[1], &r[2], &r[3], &r[4]}
		if n, _ := fmt.Sscanf(line, p.format, into[:strings.Count(p.format, "%d")]...); n == strings.Count(p.format, "%d") {
			return []string{fmt.Sprintf("%#x", p.word(r[0], r[1], r[2], r[3], r[4]))}
		}
	}
	return nil
}

// found16 is an instruction as expected tells it.
func found16(arch string, code []byte) []string {
	if arch == "amd64" { // LOCK, REX.W with or without B, 0F C7 /1
		if len(code) > 4 && code[0] == 0xf0 && code[1]&^1 == 0x48 && code[2] == 0x0f && code[3] == 0xc7 && code[4]>>3&7 == 1 {
			return []string{"lock cmpxchg16b"}
		}
		return nil
	}
	word := binary.LittleEndian.Uint32(code)
	if word&0xffe0fc00 == 0x4860fc00 || word&0xffff8000 == 0xc87f8000 || word&0xffe08000 == 0xc8208000 {
		return []string{fmt.Sprintf("%#x", word)}
	}
	return nil
}
