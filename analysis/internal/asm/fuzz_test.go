package asm

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/barriergen/barriergen/contract"
)

// Whatever the text, it is read without a panic, every position lies in the file, and every successor is an instruction.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"../../asmfence/testdata/src/*/*.s", "../../archparity/testdata/src/*/*.s"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatal("no seeds", err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, "MOVQ AX, BX\n")
		}
	}
	for _, text := range []string{
		"#define A(x) x; A(x)\nTEXT ·f(SB), 4, $0\nA(NOP)", "#include \"h\"\n#ifdef X\n#define Y X\n#else\n", "TEXT ·f<A(SB)\nL: JMP L; JMP -1(PC)\n", "TEXT (\n(((((",
		"TEXT f\na: LDXR (R0), R1; STXR R1, (R0), R2; CBNZ R2, a\nDMB $0xb\nDMB $(((1)))", "TEXT f\nLOCK\nLOCK\nXCHGQ (AX), (BX)", "TEXT f\nMOVQ $((((((((1<<99)))", "\\\n\\",
		"#define A(\n", "#define A B\\\n B\nA\n", "TEXT f\nCASPD ,,\nSTXR\nLDADDALD ZR\nCAS (R0)\nSTLXR (R0)\nCASALD (R0)",
	} {
		f.Add([]byte(text), "#include \"h\"\n")
	}
	f.Fuzz(func(t *testing.T, text []byte, header string) {
		if len(text) > 1<<12 {
			t.Skip("larger than what finds anything new")
		}
		for _, goarch := range append([]string{"s390x"}, Architectures...) {
			include := func(name string) (string, []byte, error) {
				if name == "h" {
					return name, []byte(header), nil
				}
				return "", nil, fs.ErrNotExist
			}
			for _, file := range Configurations("f.s", text, Config{Arch: goarch, System: "linux", Include: include}) {
				check(t, file, len(text))
			}
		}
	})
}

func check(t *testing.T, file *File, size int) {
	inside := func(what string, at, end int) {
		if at < 0 || end < at || end > size {
			t.Errorf("%s: %d to %d in a file of %d bytes", what, at, end, size)
		}
		if line, column := file.Position(at); line < 1 || column < 1 {
			t.Errorf("%s: line %d, column %d", what, line, column)
		}
	}
	for _, p := range file.Problems {
		inside(p.Message, p.Offset, p.Offset)
	}
	for _, c := range file.Comments {
		inside(c.Text, c.Offset, c.End)
	}
	for _, fn := range file.Funcs {
		fn.Doc()
		for i, in := range fn.Instrs {
			inside(in.Op, in.Offset, in.End)
			if len(in.Next) == 0 && in.Op != "UNDEF" {
				t.Errorf("nothing follows %s", in.Op)
			}
			for _, s := range in.Next {
				if s < Unknown || s >= len(fn.Instrs) {
					t.Errorf("%d follows instruction %d of %d", s, i, len(fn.Instrs))
				}
			}
			if in.Effect.Kind == Known {
				fn.Around(i)
			}
		}
		if len(fn.Instrs) > 40 {
			continue
		}
		Summarize(fn)
		for _, i := range fn.Removable(func(int) contract.Domain { return contract.Normal }) {
			fn.Covering(i, contract.Normal, nil)
			fn.OnlyForCallers(i, contract.Normal)
		}
	}
}
