package suppress_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/fixture"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
)

// calls reports every call of a function bad, and in assembly every line with the instruction BAD.
var calls = &analysis.Analyzer{
	Name:     "calls",
	Doc:      "report calls of bad",
	Requires: []*analysis.Analyzer{suppress.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		silenced := suppress.New(pass)
		defer silenced.Unused()
		for _, f := range pass.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "bad" {
						silenced.Report(analysis.Diagnostic{Pos: c.Pos(), Message: "bad call"})
					}
				}
				return true
			})
		}
		for _, name := range pass.OtherFiles {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			file := pass.Fset.AddFile(name, -1, len(text))
			file.SetLinesForContent(text)
			for i, line := range strings.Split(string(text), "\n") {
				if at := strings.Index(line, "BAD"); at >= 0 {
					silenced.Report(analysis.Diagnostic{Pos: file.LineStart(i+1) + token.Pos(at), Message: "bad instruction"})
				}
			}
		}
		return nil, nil
	},
}

func TestGo(t *testing.T) { fixture.Run(t, calls, "gofile") }

func TestAssembly(t *testing.T) { fixture.Run(t, calls, "asmfile") }

// TestOtherArchitecture asks about a file that is not of this build, and without what some drivers leave out.
func TestOtherArchitecture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f_s390x.s")
	require.NoError(t, os.WriteFile(name, []byte("TEXT a(SB), $0\n\tBAD //nolint:calls\n\tBAD\n//lint:ignore calls,others both\n\n\tBAD\n\tBAD \"//nolint\"\n"), 0o666))
	pass := &analysis.Pass{Analyzer: suppress.Analyzer, Fset: token.NewFileSet()}
	found, err := suppress.Analyzer.Run(pass)
	require.NoError(t, err)
	pass = &analysis.Pass{Analyzer: calls, Fset: pass.Fset, ResultOf: map[*analysis.Analyzer]any{suppress.Analyzer: found}}
	s := suppress.New(pass)
	for line, want := range map[int]bool{1: false, 2: true, 3: false, 6: true, 7: false} {
		assert.Equal(t, want, s.At(name, line), "line %d", line)
	}
	assert.False(t, s.At(filepath.Join(t.TempDir(), "absent.s"), 1))
}
