package asmfence

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/analysis/internal/asm/asmtest"
	"github.com/barriergen/barriergen/analysis/internal/asm/load"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func build(t *testing.T, goarch string) {
	t.Setenv("GOARCH", goarch)
	t.Setenv("GOOS", "linux")
}

func TestAMD64(t *testing.T) {
	build(t, "amd64")
	fixes(t, analysistest.Run(t, analysistest.TestData(), Analyzer, "amd64")[0])
}

func TestARM64(t *testing.T) {
	build(t, "arm64")
	fixes(t, analysistest.Run(t, analysistest.TestData(), Analyzer, "arm64")[0])
}

// What is there for more than the order of normal memory stays.
func TestSilent(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64"} {
		build(t, goarch)
		analysistest.Run(t, analysistest.TestData(), Analyzer, "silent", "nontemporal", "bytecoded", "named")
	}
}

// In a package that uses cgo, gcc assembles .s files.
func TestCgo(t *testing.T) {
	build(t, "amd64")
	t.Setenv("CGO_ENABLED", "0")
	require.NoError(t, Analyzer.Flags.Set("unread", "true"))
	defer Analyzer.Flags.Set("unread", "false")
	analysistest.Run(t, analysistest.TestData(), Analyzer, "cgo")
	if _, err := exec.LookPath("gcc"); err == nil {
		t.Setenv("CGO_ENABLED", "1")
		analysistest.Run(t, analysistest.TestData(), Analyzer, "cgo")
	}
}

// A generated file gets findings and no fixes.
func TestGenerated(t *testing.T) {
	build(t, "amd64")
	for _, d := range analysistest.Run(t, analysistest.TestData(), Analyzer, "generated")[0].Diagnostics {
		assert.Empty(t, d.SuggestedFixes)
	}
}

// One run sees both architectures, and other systems.
func TestBothArchitectures(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64", "riscv64"} {
		build(t, goarch)
		assert.ElementsMatch(t, []string{"twice_amd64.s:3:2", "twice_arm64.s:7:2", "other_windows_amd64.s:2:10"}, positions(t, "mixed"), goarch)
	}
}

// Findings can be at the Go declaration, or at the package clause where there is none in this build.
func TestAtDeclaration(t *testing.T) {
	build(t, "arm64")
	require.NoError(t, Analyzer.Flags.Set("godecl", "true"))
	defer Analyzer.Flags.Set("godecl", "false")
	assert.ElementsMatch(t, []string{"decl_arm64.go:3:6", "decl_arm64.go:4:6", "decl_arm64.go:1:9"}, positions(t, "mixed"))
	for _, d := range quiet(t, "mixed").Diagnostics {
		assert.Regexp(t, `^\w+\.s:\d+:\d+: MFENCE|^\w+\.s:\d+:\d+: DMB`, d.Message)
		assert.Empty(t, d.SuggestedFixes)
	}
}

// What is not understood is an information with its position, once; the rest is analysed.
func TestUnread(t *testing.T) {
	build(t, "amd64")
	analysistest.Run(t, analysistest.TestData(), Analyzer, "broken")
	require.NoError(t, Analyzer.Flags.Set("unread", "true"))
	defer Analyzer.Flags.Set("unread", "false")
	var got []string
	r := quiet(t, "broken")
	for _, d := range r.Diagnostics {
		if d.Category == Information {
			p := r.Pass.Fset.Position(d.Pos)
			got = append(got, strings.Join([]string{filepath.Base(p.String()), d.Message}, ": "))
		}
	}
	assert.Equal(t, []string{
		`broken_amd64.s:1:1: #include "missing.h": not found beside the file, nor in an include directory of the module`,
		`broken_amd64.s:6:2: unknown macro UNHEARDOF`,
		`broken_amd64.s:8:2: unknown instruction or macro lower`,
		`broken_amd64.s:10:2: MOVQ: operand "(AX,BX" is not understood`,
		`broken_amd64.s:12:2: want an instruction, found "!"`,
	}, got)
}

// Some drivers say nothing of other files.
func TestNothingKnown(t *testing.T) {
	build(t, "amd64")
	r := quiet(t, "amd64")
	require.NotEmpty(t, r.Diagnostics)
	results := map[*analysis.Analyzer]any{}
	for _, a := range append(slices.Clone(Analyzer.Requires), Analyzer) {
		pass := *r.Pass
		pass.Analyzer, pass.OtherFiles, pass.IgnoredFiles, pass.ReadFile, pass.Module = a, nil, nil, nil, nil
		pass.Report = func(d analysis.Diagnostic) { t.Errorf("unexpected: %s", d.Message) }
		pass.ResultOf = results
		result, err := a.Run(&pass)
		require.NoError(t, err)
		results[a] = result
	}
}

// Comments silence, and one that silences nothing is told.
func TestSuppressed(t *testing.T) {
	build(t, "amd64")
	analysistest.Run(t, analysistest.TestData(), Analyzer, "suppressed")
}

func TestFixturesAssemble(t *testing.T) { asmtest.Assembles(t, "broken", "cgo") }

// The standard library is understood, and each of its fences is there for a reason.
func TestStandardLibrary(t *testing.T) {
	files, fences := 0, 0
	asmtest.StandardLibrary(t, func(dir string, p *load.Package) {
		for _, f := range p.Files {
			files++
			beyond := beyondMemory(p, f.Arch)
			for _, c := range f.Configurations {
				for _, problem := range c.Problems {
					line, column := c.Position(problem.Offset)
					t.Errorf("%s:%d:%d: %s", f.Name, line, column, problem.Message)
				}
				for _, fn := range c.Funcs {
					for i := range fn.Instrs {
						if fn.Instrs[i].Effect.Fence {
							fences++
						}
					}
				}
			}
			for _, d := range load.Common(f, func(fn *asm.Func) []load.Finding { return find(fn, f, beyond) }) {
				t.Errorf("%s: %s", f.Name, d.Message)
			}
		}
	})
	assert.Greater(t, files, 180)
	assert.Greater(t, fences, 10)
}

// quiet runs without looking at want comments.
func quiet(t *testing.T, pkg string) *analysistest.Result {
	t.Helper()
	return analysistest.Run(ignoring{}, analysistest.TestData(), Analyzer, pkg)[0]
}

type ignoring struct{}

func (ignoring) Errorf(string, ...any) {}

func positions(t *testing.T, pkg string) []string {
	var out []string
	r := quiet(t, pkg)
	for _, d := range r.Diagnostics {
		out = append(out, filepath.Base(r.Pass.Fset.Position(d.Pos).String()))
	}
	return out
}

// fixes applies all fixes together and compares with the golden files.
func fixes(t *testing.T, r *analysistest.Result) {
	t.Helper()
	edits := map[string][]analysis.TextEdit{}
	for _, d := range r.Diagnostics {
		for _, f := range d.SuggestedFixes {
			for _, e := range f.TextEdits {
				name := r.Pass.Fset.Position(e.Pos).Filename
				edits[name] = append(edits[name], e)
			}
		}
	}
	require.NotEmpty(t, edits)
	for name, list := range edits {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		slices.SortFunc(list, func(a, b analysis.TextEdit) int { return int(b.Pos - a.Pos) })
		for _, e := range list {
			at, end := r.Pass.Fset.Position(e.Pos).Offset, r.Pass.Fset.Position(e.End).Offset
			text = slices.Concat(text[:at], e.NewText, text[end:])
		}
		golden := name + ".golden"
		if *update {
			require.NoError(t, os.WriteFile(golden, text, 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		if !bytes.Equal(text, want) {
			assert.Equal(t, string(want), string(text))
		}
	}
}
