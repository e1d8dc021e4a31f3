package dummyfence

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/atomics"
	"github.com/barriergen/barriergen/analysis/internal/order"
	"github.com/barriergen/barriergen/contract"
)

const barrierPath = atomics.Primitives + "/barrier"

// fences reports groups of operations that are used as fences.
func (c *checker) fences(f *ast.File, all []group) {
	all = slices.DeleteFunc(all, func(g group) bool {
		p := c.Fset.PositionFor(g.operations[0].Pos(), false)
		return c.silenced.At(p.Filename, p.Line)
	})
	leaves := len(all) == 1 && c.leaves(f, all[0]) // several fixes may be made one by one
	for _, g := range all {
		first := g.operations[0]
		ops := make([]contract.Op, len(g.operations))
		texts := make([]string, len(g.operations))
		for i, d := range g.operations {
			ops[i], texts[i] = d.Sync, d.text()
		}
		what := "does nothing but order"
		if first.Sync == contract.Load {
			what = "is used as a fence"
		}
		d := analysis.Diagnostic{Pos: first.Pos(), End: first.End(), Category: "dummy",
			Message: fmt.Sprintf("%s %s: it is %s; barrier.Full is one on all", strings.Join(texts, "; "), what, describe(order.Gives(ops)))}
		if edits := c.replace(f, g, leaves); edits != nil {
			d.SuggestedFixes = []analysis.SuggestedFix{{Message: "Use barrier.Full", TextEdits: edits}}
		}
		c.silenced.Report(d)
	}
}

// fixable reports whether all that the group is can be replaced.
func (c *checker) fixable(f *ast.File, g group) bool {
	return !ast.IsGenerated(f) && (g.declared != nil || !c.own(g.operations[0]))
}

// own reports whether an operation is on a variable of the function, whose declaration would stay behind unused.
func (c *checker) own(d dummy) bool {
	id, ok := d.Target.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := c.TypesInfo.Uses[id].(*types.Var)
	return ok && v.Parent() != c.Pkg.Scope()
}

// leaves reports whether a file no longer needs sync/atomic once a group is replaced.
func (c *checker) leaves(f *ast.File, g group) bool {
	var gone []ast.Node
	for _, d := range g.operations {
		gone = append(gone, d.stmt)
	}
	if g.declared != nil {
		gone = append(gone, g.declared)
	}
	needs := false
	ast.Inspect(f, func(n ast.Node) bool {
		if slices.Contains(gone, n) {
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			if p, ok := c.TypesInfo.Uses[id].(*types.PkgName); ok && p.Imported().Path() == "sync/atomic" {
				needs = true
			}
		}
		return !needs
	})
	return !needs
}

// replace are the edits that put barrier.Full in a group's place; nil if that is not possible.
func (c *checker) replace(f *ast.File, g group, leaves bool) []analysis.TextEdit {
	if !c.fixable(f, g) || !reaches(c.Pkg, map[*types.Package]bool{}) {
		return nil
	}
	first := g.operations[0].stmt
	name := atomics.Import(c.TypesInfo, f, barrierPath)
	var edits []analysis.TextEdit
	if name == "" {
		name = "barrier"
		if taken(c.Pkg, f, c.TypesInfo, name, first.Pos()) {
			return nil
		}
		edits = append(edits, importing(f, leaves))
	} else if _, ok := lookup(c.Pkg, first.Pos(), name).(*types.PkgName); !ok {
		return nil
	}
	full := analysis.TextEdit{Pos: first.Pos(), End: g.operations[len(g.operations)-1].stmt.End(), NewText: []byte(name + ".Full()")}
	switch {
	case g.adjacent:
		full.Pos = g.declared.Pos()
	case g.declared != nil:
		edits = append(edits, analysis.TextEdit{Pos: g.declared.Pos(), End: g.declared.End()})
	}
	return append(edits, full)
}

// importing adds the import of the primitives, in the place of that of sync/atomic if the file leaves it.
func importing(f *ast.File, leaves bool) analysis.TextEdit {
	text := `"` + barrierPath + `"`
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			continue
		}
		for _, spec := range d.Specs {
			s := spec.(*ast.ImportSpec)
			if s.Path.Value != `"sync/atomic"` {
				continue
			}
			last := d.Specs[len(d.Specs)-1].(*ast.ImportSpec)
			end := last.End()
			if last.Comment != nil {
				end = last.Comment.End()
			}
			switch {
			case leaves:
				return analysis.TextEdit{Pos: s.Pos(), End: s.End(), NewText: []byte(text)}
			case !d.Lparen.IsValid():
				return analysis.TextEdit{Pos: end, End: end, NewText: []byte("\nimport " + text)}
			case strings.Contains(last.Path.Value, "."):
				return analysis.TextEdit{Pos: end, End: end, NewText: []byte("\n\t" + text)}
			}
			return analysis.TextEdit{Pos: end, End: end, NewText: []byte("\n\n\t" + text)}
		}
	}
	panic("dummyfence: a file without an import of sync/atomic")
}

// reaches reports whether a package or one that it imports uses this project's primitives: only then the module is
// known to be at hand.
func reaches(p *types.Package, seen map[*types.Package]bool) bool {
	for _, i := range p.Imports() {
		if seen[i] {
			continue
		}
		seen[i] = true
		if atomics.Primitive(i) || reaches(i, seen) {
			return true
		}
	}
	return false
}

// taken reports whether a name means something at a place, or anywhere in the file's block.
func taken(p *types.Package, f *ast.File, info *types.Info, name string, pos token.Pos) bool {
	return lookup(p, pos, name) != nil || info.Scopes[f].Lookup(name) != nil || p.Scope().Lookup(name) != nil
}

func lookup(p *types.Package, pos token.Pos, name string) types.Object {
	_, obj := p.Scope().Innermost(pos).LookupParent(name, pos)
	return obj
}
