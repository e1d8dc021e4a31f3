package suite

import (
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

func TestAnalyzersAreValid(t *testing.T) {
	require.NoError(t, analysis.Validate(Analyzers))
	for _, a := range Analyzers {
		assert.Contains(t, a.URL, "/analysis/"+a.Name, "%s: its page", a.Name)
		first, _, _ := strings.Cut(a.Doc, "\n")
		assert.NotContains(t, first, ".", "%s: the title is one line", a.Name)
	}
}

// Bazel's nogo knows nothing of assembly files, ignored files, the module, and does not read files: analyzers say less then,
// and do not fail.
func TestBareDriver(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./../redundantfence/testdata/reported")
	require.NoError(t, err)
	require.Empty(t, pkgs[0].Errors)
	d := bare{pkg: pkgs[0], results: map[*analysis.Analyzer]any{}}
	for _, a := range Analyzers {
		d.run(t, a)
	}
	assert.Greater(t, d.found["redundantfence"], 5)
}

// bare is such a driver, for one package, without facts of others.
type bare struct {
	pkg     *packages.Package
	results map[*analysis.Analyzer]any
	found   map[string]int
}

func (d *bare) run(t *testing.T, a *analysis.Analyzer) any {
	if r, done := d.results[a]; done {
		return r
	}
	results := map[*analysis.Analyzer]any{}
	for _, need := range a.Requires {
		results[need] = d.run(t, need)
	}
	pass := &analysis.Pass{
		Analyzer: a, Fset: d.pkg.Fset, Files: d.pkg.Syntax, Pkg: d.pkg.Types, TypesInfo: d.pkg.TypesInfo, TypesSizes: d.pkg.TypesSizes,
		ResultOf: results,
		Report: func(analysis.Diagnostic) {
			if d.found == nil {
				d.found = map[string]int{}
			}
			d.found[a.Name]++
		},
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportPackageFact: func(analysis.Fact) {},
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
	r, err := a.Run(pass)
	require.NoError(t, err, a.Name)
	d.results[a] = r
	return r
}
