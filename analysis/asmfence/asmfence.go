package asmfence

import (
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/analysis/internal/asm/load"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
)

// Analyzer reports fences in assembly that nothing needs.
var Analyzer = &analysis.Analyzer{
	Name: "asmfence",
	Doc: "find fences in assembly that order nothing that is not ordered already\n\n" +
		"It compares the orders on every path with and without the fence, on amd64 and arm64, and names what orders already.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/asmfence",
	Requires: []*analysis.Analyzer{load.Analyzer, suppress.Analyzer},
	Run:      run,
}

var atDeclaration, unread bool

func init() {
	Analyzer.Flags.BoolVar(&atDeclaration, "godecl", false, "report at the function's Go declaration, for tools that show nothing outside of Go files; without fixes")
	Analyzer.Flags.BoolVar(&unread, "unread", false, "also report what of a file is not understood")
}

// Information is the category of what is not a finding.
const Information = "information"

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[load.Analyzer].(*load.Package)
	silenced := suppress.New(pass)
	defer silenced.Unused()
	told := map[string]bool{} // the same line serves several architectures
	beyond := map[string]bool{}
	for _, goarch := range asm.Architectures {
		beyond[goarch] = beyondMemory(p, goarch)
	}
	for _, f := range p.Files {
		for _, d := range load.Common(f, func(fn *asm.Func) []load.Finding { return find(fn, f, beyond[f.Arch]) }) {
			if key := fmt.Sprint(f.Name, d.Offset, d.Message); !told[key] {
				told[key] = true
				load.Report(pass, silenced, f, d, atDeclaration)
			}
		}
		if !unread {
			continue
		}
		for _, c := range f.Configurations {
			for _, problem := range c.Problems {
				if key := fmt.Sprint(f.Name, problem); !told[key] {
					told[key] = true
					load.Report(pass, silenced, f, load.Finding{Offset: problem.Offset, End: problem.Offset, Message: problem.Message, Category: Information}, atDeclaration)
				}
			}
		}
	}
	return nil, nil
}

// beyondMemory reports whether a package's assembly for one architecture does what memory models do not describe, and fences
// of its may order: non-temporal stores, cache line write-backs, or instructions given by their bits, which may be either.
func beyondMemory(p *load.Package, goarch string) bool {
	for _, f := range p.Files {
		if f.Arch != goarch {
			continue
		}
		if slices.ContainsFunc(f.Configurations[0].Comments, func(c asm.Comment) bool { return speaksOfMore.MatchString(c.Text) }) ||
			speaksOfMore.MatchString(filepath.Base(f.Name)) {
			return true
		}
		for _, c := range f.Configurations {
			for _, fn := range c.Funcs {
				if fn.Traits&(asm.NonTemporal|asm.Encoded) != 0 || speaksOfMore.MatchString(fn.Name) {
					return true
				}
			}
		}
	}
	return false
}
