package archparity

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/analysis/internal/asm/load"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
)

// Analyzer reports functions whose assembly orders less on one architecture than on another.
var Analyzer = &analysis.Analyzer{
	Name: "archparity",
	Doc: "find functions whose assembly orders less on one architecture than on another\n\n" +
		"It compares what the bodies for amd64 and arm64 order, not counting what a machine gives for free.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/archparity",
	Requires: []*analysis.Analyzer{load.Analyzer, suppress.Analyzer},
	Run:      run,
}

var atDeclaration bool

func init() {
	Analyzer.Flags.BoolVar(&atDeclaration, "godecl", false, "report at the function's Go declaration, for tools that show nothing outside of Go files")
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[load.Analyzer].(*load.Package)
	silenced := suppress.New(pass)
	defer silenced.Unused()
	docs := sync.OnceValue(func() map[string]string { return declared(pass) })
	compare(p, pass.Pkg, docs, func(f *load.File, d load.Finding) { load.Report(pass, silenced, f, d, atDeclaration) })
	return nil, nil
}

// compare compares every function with its bodies on the other architectures.
func compare(p *load.Package, pkg *types.Package, docs func() map[string]string, report func(*load.File, load.Finding)) {
	functions := map[string]map[string][]*asm.Func{}
	for _, goarch := range asm.Architectures {
		functions[goarch] = p.Functions(pkg, goarch)
	}
	for _, f := range p.Files {
		for _, d := range load.Common(f, func(fn *asm.Func) []load.Finding {
			var out []load.Finding
			for _, goarch := range asm.Architectures {
				there := functions[goarch][fn.Name]
				if goarch == f.Arch || len(there) == 0 || !slices.Contains(functions[f.Arch][fn.Name], fn) {
					continue
				}
				c := comparison{fn: fn, other: there, arch: f.Arch, against: goarch, words: words(fn.Name),
					doc: docs()[fn.Name] + fn.Doc() + there[0].Doc()}
				if d, ok := c.compare(); ok {
					d.Related = related(p, there[0])
					out = append(out, d)
				}
			}
			return out
		}) {
			report(f, d)
		}
	}
}

// related is the place of the other body.
func related(p *load.Package, fn *asm.Func) []analysis.RelatedInformation {
	for _, f := range p.Files {
		if f.Name == fn.File.Name {
			return []analysis.RelatedInformation{{Pos: f.Token.Pos(fn.Offset), Message: fmt.Sprintf("%s on %s", fn.Name, fn.File.Arch)}}
		}
	}
	return nil
}

// declared are the comments of the package's functions without a body, those of other builds included.
func declared(pass *analysis.Pass) map[string]string {
	out := map[string]string{}
	add := func(f *ast.File) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil && fn.Recv == nil && fn.Doc != nil {
				out[fn.Name.Name] += fn.Doc.Text()
			}
		}
	}
	for _, f := range pass.Files {
		add(f)
	}
	for _, name := range pass.IgnoredFiles {
		if filepath.Ext(name) != ".go" {
			continue
		}
		if text, err := load.Reader(pass)(name); err == nil {
			if f, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution); f != nil {
				add(f)
			}
		}
	}
	return out
}
