package asm

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, goarch, text string, headers ...string) *File {
	t.Helper()
	f := Parse("f.s", []byte(text), Config{Arch: goarch, System: "linux", Include: include(headers)})
	for _, p := range f.Problems {
		t.Errorf("%d: %s", p.Offset, p.Message)
	}
	return f
}

// include serves headers given as name, text, name, text.
func include(headers []string) func(string) (string, []byte, error) {
	return func(name string) (string, []byte, error) {
		for i := 0; i < len(headers); i += 2 {
			if headers[i] == name {
				return name, []byte(headers[i+1]), nil
			}
		}
		return "", nil, fs.ErrNotExist
	}
}

// body parses instructions as the body of a function.
func body(t *testing.T, goarch string, lines ...string) *Func {
	t.Helper()
	f := parse(t, goarch, "TEXT ·f(SB), 4, $0\n"+strings.Join(lines, "\n")+"\n")
	require.Len(t, f.Funcs, 1)
	return f.Funcs[0]
}

// one parses one instruction, which may have prefixes.
func one(t *testing.T, goarch, text string) *Instr {
	t.Helper()
	fn := body(t, goarch, text, "RET")
	return &fn.Instrs[len(fn.Instrs)-2]
}

func TestOperands(t *testing.T) {
	for _, tt := range []struct {
		arch, text string
		want       Operand
	}{
		{"amd64", "AX", Operand{Kind: Register, Reg: "AX"}},
		{"amd64", "DX:AX", Operand{Kind: Register, Reg: "DX"}},
		{"amd64", "$8", Operand{Kind: Immediate, Value: 8, Known: true}},
		{"amd64", "$-0x10", Operand{Kind: Immediate, Value: -16, Known: true}},
		{"amd64", "$(1<<3|1)", Operand{Kind: Immediate, Value: 9, Known: true}},
		{"amd64", "$~1", Operand{Kind: Immediate, Value: -2, Known: true}},
		{"amd64", "$1/0", Operand{Kind: Immediate}},
		{"amd64", "$0xffffffffffffffff", Operand{Kind: Immediate, Value: -1, Known: true}},
		{"amd64", "$const_x", Operand{Kind: Immediate}},
		{"amd64", "$1.5e-3", Operand{Kind: Immediate}},
		{"amd64", `$"ab,c"`, Operand{Kind: Immediate}},
		{"amd64", "$runtime·x(SB)", Operand{Kind: Immediate, Symbol: "runtime·x"}},
		{"amd64", "$x<>+8(SB)", Operand{Kind: Immediate, Symbol: "x"}},
		{"amd64", "(AX)", Operand{Kind: Memory, Reg: "AX", Known: true}},
		{"amd64", "-8(SP)", Operand{Kind: Memory, Reg: "SP", Value: -8, Known: true}},
		{"amd64", "x-8(SP)", Operand{Kind: Memory, Reg: "SP", Symbol: "x", Value: -8, Known: true}},
		{"amd64", "x+16(FP)", Operand{Kind: Memory, Reg: "FP", Symbol: "x", Value: 16, Known: true}},
		{"amd64", "8(AX)(BX*4)", Operand{Kind: Memory, Reg: "AX", Index: "BX", Value: 8, Known: true}},
		{"amd64", "(AX*8)", Operand{Kind: Memory, Index: "AX", Known: true}},
		{"amd64", "(4*8)(R8)", Operand{Kind: Memory, Reg: "R8", Value: 32, Known: true}},
		{"amd64", "((N-1)*8)(SP)", Operand{Kind: Memory, Reg: "SP"}},
		{"amd64", "(N*8)(SP)", Operand{Kind: Memory, Reg: "SP"}},
		{"amd64", "g_m(R14)", Operand{Kind: Memory, Reg: "R14", Symbol: "g_m"}},
		{"amd64", "2(PC)", Operand{Kind: Memory, Reg: "PC", Value: 2, Known: true}},
		{"amd64", "·x+8(SB)(AX*1)", Operand{Kind: Memory, Reg: "SB", Symbol: "·x", Index: "AX", Value: 8, Known: true}},
		{"arm64", "(R0, R1)", Operand{Kind: Pair, Regs: []string{"R0", "R1"}}},
		{"arm64", "[V1.B16, V2.B16]", Operand{Kind: List, Regs: []string{"V1", "V2"}}},
		{"arm64", "(R0)(R1<<3)", Operand{Kind: Memory, Reg: "R0", Index: "R1", Known: true}},
		{"arm64", "(R0)(R1.SXTX<<3)", Operand{Kind: Memory, Reg: "R0", Index: "R1", Known: true}},
		{"arm64", "16(RSP)", Operand{Kind: Memory, Reg: "RSP", Value: 16, Known: true}},
		{"arm64", "R1@>4", Operand{Kind: Register, Reg: "R1"}},
		{"arm64", "R1->4", Operand{Kind: Register, Reg: "R1"}},
		{"arm64", "V1.S[2]", Operand{Kind: Register, Reg: "V1"}},
		{"arm64", "R1.UXTW<<2", Operand{Kind: Register, Reg: "R1"}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			in := one(t, tt.arch, "OP "+tt.text)
			require.Len(t, in.Args, 1)
			got := in.Args[0]
			got.Text = ""
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestFunctions(t *testing.T) {
	f := parse(t, "amd64", `
TEXT ·one(SB), NOSPLIT|NOFRAME, $0-8
	RET
TEXT runtime∕internal∕sys·two<ABIInternal>(SB), 4, $0
	RET
TEXT three<>(SB), 4, $0
	RET
DATA ·x+0(SB)/8, $"abc"
GLOBL ·x(SB), 8, $8
TEXT example·com∕x·four(SB), 4, $0
	RET
`)
	var got []string
	for _, fn := range f.Funcs {
		got = append(got, fmt.Sprint(fn.Package, " ", fn.Name, " ", fn.Static, " ", fn.ABI, " ", len(fn.Instrs)))
	}
	assert.Equal(t, []string{" one false  1", "runtime/internal/sys two false ABIInternal 1", " three true  1", "example.com/x four false  1"}, got)
}

// listing is a file's instructions with their positions.
func listing(f *File) []string {
	var out []string
	for _, fn := range f.Funcs {
		for _, in := range fn.Instrs {
			line, column := f.Position(in.Offset)
			_, end := f.Position(in.End)
			s := fmt.Sprintf("%d:%d-%d %s", line, column, end, in.Op)
			for _, a := range in.Args {
				s += " " + a.Text
			}
			if in.Macro != "" {
				s += " in " + in.Macro
			}
			out = append(out, s)
		}
	}
	return out
}

func TestPreprocessor(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "MOVQ AX, BX // c\n\tNOP; RET", "2:1-12 MOVQ AX BX|3:2-5 NOP|3:7-10 RET"},
		{"constant", "#define N 8\nMOVQ N(AX), BX", "3:1-15 MOVQ 8(AX) BX"},
		{"mnemonic", "#define OP MOVQ\n  OP AX, BX", "3:3-12 MOVQ AX BX in OP"},
		{"parameters", "#define LD(a, b) MOVQ a, b; \\\n\tNOP\n\tLD(8(AX), BX)", "4:2-15 MOVQ 8(AX) BX in LD|4:2-15 NOP in LD"},
		{"continued by lines", "#define TWO NOP \\\n PAUSE\nTWO", "4:1-4 NOP in TWO|4:1-4 PAUSE in TWO"},
		{"nested", "#define A NOP\n#define B A; A\n\tB", "4:2-3 NOP in B|4:2-3 NOP in B"},
		{"name without arguments", "#define A(x) NOP\nMOVQ A, BX", "3:1-11 MOVQ A BX"},
		{"no parameters", "#define A() NOP\nA()", "3:1-4 NOP in A"},
		{"not a parameter list", "#define A (AX)\nMOVQ A, BX", "3:1-11 MOVQ (AX) BX"},
		{"undefined again", "#define N 8\n#undef N\nMOVQ $N, BX", "4:1-12 MOVQ $N BX"},
		{"ifdef", "#ifdef GOARCH_amd64\nNOP\n#else\nPAUSE\n#endif", "3:1-4 NOP"},
		{"ifndef", "#ifndef GOOS_linux\nNOP\n#else\nPAUSE\n#endif", "5:1-6 PAUSE"},
		{"nested conditions", "#ifdef NO\n#ifdef GOOS_linux\nNOP\n#else\nPAUSE\n#endif\n\"open\n#bad\n#else\nRET\n#endif", "11:1-4 RET"},
		{"comments", "/* one\ntwo */ NOP /* three */ ; RET // four", "3:8-11 NOP|3:26-29 RET"},
		{"labels", "a: b:\n c: NOP", "3:5-8 NOP"},
		{"header", "#include \"h.h\"\n\tLD", "3:2-4 MOVQ AX BX in LD"},
		{"code in a header", "#include \"code.h\"\nNOP", "2:1-18 PAUSE in code.h|3:1-4 NOP"},
		{"carriage returns", "NOP\r\nPAUSE\r\n", "2:1-4 NOP|3:1-6 PAUSE"},
		{"suffix", "VADDPD.BCST.Z X0, X1, X2", "2:1-25 VADDPD X0 X1 X2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := parse(t, "amd64", "TEXT ·f(SB), 4, $0\n"+tt.text, "h.h", "#define LD MOVQ AX, BX", "code.h", "PAUSE")
			assert.Equal(t, strings.Split(tt.want, "|"), listing(f))
		})
	}
}

// A problem is told once, where it is, and what follows is read.
func TestProblems(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"FOO(AX)", "2:1 unknown macro FOO"},
		{"foo AX", "2:1 unknown instruction or macro foo"},
		{"\tMOVQ (AX, BX", `2:2 MOVQ: operand "(AX,BX" is not understood`},
		{"MOVQ AX,, BX", `2:1 MOVQ: operand "" is not understood`},
		{"MOVQ [AX), BX", `2:1 MOVQ: operand "[AX)" is not understood`},
		{"$1", `2:1 want an instruction, found "$"`},
		{"#if X", "2:1 unknown directive #if: want define, undef, ifdef, ifndef, else, endif, include or line"},
		{"#else", "2:1 #else without #ifdef"},
		{"#endif", "2:1 #endif without #ifdef"},
		{"#ifdef", "2:1 #ifdef without a name|3:1 #ifdef without #endif"},
		{"#define", "2:1 #define without a name"},
		{"#define A(x NOP", "2:1 the parameters of macro A have no end"},
		{"#define A(x y) NOP", `2:1 macro A: want names between commas as parameters, found "y"`},
		{"#define A(x) NOP\n\tA(1, 2)", "3:2 macro A has 2 arguments, want 1"},
		{"#define A(x) NOP\n\tA(1", "3:2 the arguments of macro A do not end on its line"},
		{"#define A A\n\tA", "3:2 macro A expands into itself"},
		{"#include <a.h>", "2:1 #include without a file name in quotes"},
		{"#include \"a.h\"", `2:1 #include "a.h": not found beside the file, nor in an include directory of the module`},
		{"#include \"bad.h\"", `2:1 #include "bad.h": no luck`},
		{"#include \"self.h\"", `2:1 #include "self.h" includes itself`},
		{"#include \"go_asm.h\"", ""},
		{"MOVQ $\"abc, AX", "2:7 string without end"},
		{"NOP /* abc", "2:5 comment without end"},
		{"TEXT", "2:1 TEXT without a symbol: want TEXT ·name(SB), flags, $frame-arguments"},
	} {
		f := Parse("f.s", []byte("TEXT ·f(SB), 4, $0\n"+tt.text+"\nRET"), Config{Arch: "amd64", Include: func(name string) (string, []byte, error) {
			switch name {
			case "bad.h":
				return "", nil, errors.New("no luck")
			case "self.h":
				return name, []byte("#include \"self.h\"\n"), nil
			}
			return "", nil, fs.ErrNotExist
		}})
		var got []string
		for _, p := range f.Problems {
			line, column := f.Position(p.Offset)
			got = append(got, fmt.Sprintf("%d:%d %s", line, column, p.Message))
		}
		// What ends at the end of the file is placed there.
		assert.Equal(t, tt.want, strings.ReplaceAll(strings.Join(got, "|"), "3:4 ", "3:1 "), tt.text)
	}
	f := Parse("f.s", []byte("NOP\nTEXT ·f(SB), 4, $0\nFOO(1)\nFOO(2)\nRET"), Config{Arch: "amd64"})
	assert.Len(t, f.Problems, 2)
	assert.Equal(t, "NOP stands before any TEXT", f.Problems[0].Message)
}

// Another assembler's file gets one message.
func TestNotGoAssembly(t *testing.T) {
	f := Parse("f.s", []byte("\t.text\n\t.globl f\nf:\n\tmovq %rax, %rbx\n\tret\n"), Config{Arch: "amd64"})
	assert.Equal(t, []Problem{{1, `not Go assembly: want an instruction, found "."`}}, f.Problems)
}

// Macros that would not end, or not in time, are given up.
func TestExplosion(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "#define A%d A%d; A%d\n", i, i+1, i+1)
	}
	f := Parse("f.s", []byte(text.String()+"#define A60\nTEXT ·f(SB), 4, $0\n\tA0\n\tRET\n"), Config{Arch: "amd64"})
	require.Len(t, f.Problems, 1)
	assert.Equal(t, tooLong, f.Problems[0].Message)
}

func TestConfigurations(t *testing.T) {
	defined := func(text string) []string {
		var out []string
		for _, f := range Configurations("f.s", []byte("TEXT ·f(SB), 4, $0\n"+text), Config{Arch: "amd64", System: "linux"}) {
			out = append(out, strings.Join(listing(f), ","))
		}
		return out
	}
	ifdef := func(name string) string { return "#ifdef " + name + "\nNOP\n#else\nRET\n#endif\n" }
	assert.Equal(t, []string{"2:1-4 NOP"}, defined("NOP"))
	assert.Equal(t, []string{"3:1-4 NOP"}, defined(ifdef("GOARCH_amd64")))
	assert.Equal(t, []string{"3:1-4 NOP"}, defined(ifdef("GOOS_linux")))
	assert.Equal(t, []string{"5:1-4 RET", "3:1-4 NOP"}, defined(ifdef("GOOS_windows")))
	assert.Equal(t, []string{"5:1-4 RET", "3:1-4 NOP"}, defined(ifdef("GOARM64_LSE")))
	assert.Equal(t, []string{"4:1-4 NOP"}, defined("#define X\n"+ifdef("X")), "what the file defines is settled")
	assert.Len(t, defined(ifdef("A")+ifdef("B")), 4)
	assert.Len(t, defined(ifdef("GOAMD64_v2")+ifdef("GOAMD64_v3")), 3, "levels include the lower ones")
	assert.Equal(t, "3:1-4 NOP,8:1-4 NOP", defined(ifdef("GOAMD64_v2") + ifdef("GOAMD64_v3"))[2])
	var many string
	for i := range 10 {
		many += ifdef(fmt.Sprintf("N%d", i))
	}
	assert.Len(t, defined(many), 11, "one at a time")
	f := Parse("f.s", []byte("#ifdef GOOS_linux\n#endif\n"), Config{Arch: "amd64", System: "android"})
	assert.Empty(t, f.Problems)
	assert.Contains(t, defined("#ifdef GOOS_android\n#ifdef GOOS_linux\nNOP\n#endif\n#endif"), "4:1-4 NOP", "android is a linux")
}

func TestComments(t *testing.T) {
	f := parse(t, "amd64", "// Code generated by x. DO NOT EDIT.\n\n// One\n// two.\nTEXT ·f(SB), 4, $0 // three\n\tRET /* four\n*/\n\n// five\n\nTEXT ·g(SB), 4, $0\n\tRET\n")
	var got []string
	for _, c := range f.Comments {
		got = append(got, fmt.Sprint(c.Line, " ", c.Text))
	}
	assert.Equal(t, []string{"1 // Code generated by x. DO NOT EDIT.", "3 // One", "4 // two.", "5 // three", "6 /* four\n*/", "9 // five"}, got)
	assert.True(t, f.Generated)
	assert.Equal(t, "// One\n// two.", f.Funcs[0].Doc())
	assert.Empty(t, f.Funcs[1].Doc())
	assert.False(t, parse(t, "amd64", "// Code was generated.\n").Generated)
}
