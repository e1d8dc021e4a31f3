package order

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/barriergen/barriergen/analysis/internal/asm/load"
)

// callers notes, of each function of which every call is known, where it is called. The graphs of all functions must be there.
//
// Every use of its name must be a call that is neither deferred nor the beginning of a goroutine, in code that is built for
// all architectures and not for tests only; and nothing that is not Go, or not part of this build, may mention it. Whoever
// draws the function into another package with a go:linkname that only that package has, is not seen.
func (p *pkg) callers(functions []*ssa.Function) {
	uses := p.uses()
	hidden, ok := p.mentioned()
	if !ok {
		return
	}
	calls := map[*function][]call{}
	for _, fn := range functions {
		in := p.function(fn)
		for _, n := range in.graph.nodes {
			if to := n.op.callee; to != nil && !slices.Contains(calls[to], call{n.at.pos, in}) {
				calls[to] = append(calls[to], call{n.at.pos, in})
			}
		}
	}
	for _, fn := range functions {
		f := p.function(fn)
		obj, _ := fn.Object().(*types.Func)
		if obj == nil || obj.Exported() || hidden[obj.Name()] || generic(obj) || fn.Recover != nil || f.holds != nil || p.fence(fn) {
			continue
		}
		slices.SortFunc(calls[f], func(a, b call) int { return cmp.Compare(a.pos, b.pos) })
		var seen []token.Pos
		for _, c := range calls[f] {
			seen = append(seen, c.pos)
		}
		here := func(c call) bool { return p.constraints.of(c.pos) == nil && !p.test(c.pos) }
		if slices.Equal(seen, uses[obj]) && !slices.ContainsFunc(calls[f], func(c call) bool { return !here(c) }) {
			f.callers = calls[f]
		}
	}
}

// fence reports whether a function is nothing but a fence. Calls of it are judged, not what is in it.
func (p *pkg) fence(fn *ssa.Function) bool {
	b := p.summary(fn)
	return b != nil && b.fence()
}

func generic(fn *types.Func) bool {
	s := fn.Signature()
	return s.TypeParams().Len() > 0 || s.RecvTypeParams().Len() > 0
}

func (p *pkg) test(pos token.Pos) bool { return strings.HasSuffix(p.filename(pos), "_test.go") }

// filename is that of the file itself, whatever its line directives say.
func (p *pkg) filename(pos token.Pos) string { return p.pass.Fset.PositionFor(pos, false).Filename }

// uses are the places at which each function of the package is called, by their parentheses. A use that is no call has no
// place. Calls that are deferred or begin a goroutine have one, which is in no graph.
func (p *pkg) uses() map[*types.Func][]token.Pos {
	calls := map[*ast.Ident]token.Pos{}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if id := called(c.Fun); id != nil {
					calls[id] = c.Lparen
				}
			}
			return true
		})
	}
	out := map[*types.Func][]token.Pos{}
	for id, obj := range p.pass.TypesInfo.Uses {
		if fn, ok := obj.(*types.Func); ok && fn.Pkg() == p.pass.Pkg {
			out[fn] = append(out[fn], calls[id])
		}
	}
	for _, places := range out {
		slices.Sort(places)
	}
	return out
}

// called is the name of what a call calls.
func called(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

// mentioned are the names by which a function may be reached other than by what its package's code says of it: main, the
// methods of interfaces, what directives name, and every word in a file that is not part of this build, in assembly, for
// another architecture or in a test. It fails where those files can't be read.
func (p *pkg) mentioned() (map[string]bool, bool) {
	out := map[string]bool{"main": true}
	others := map[string]bool{}
	for _, name := range slices.Concat(p.pass.OtherFiles, p.pass.IgnoredFiles) {
		others[name] = true
	}
	built := map[string]bool{}
	for _, file := range p.pass.Files {
		name := p.filename(file.FileStart)
		built[name] = true
		entries, err := os.ReadDir(filepath.Dir(name))
		if err != nil || isCgo(file, name) {
			return nil, false
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), "_test.go") {
				others[filepath.Join(filepath.Dir(name), e.Name())] = true
			}
		}
		reachable(file, out)
	}
	read := load.Reader(p.pass)
	for name := range others {
		if built[name] {
			continue
		}
		text, err := read(name)
		if err != nil {
			return nil, false
		}
		words(string(text), out)
	}
	return out, p.pass.ReadFile != nil // a driver that reads no files tells of none
}

// reachable notes the methods of a file's interfaces, and what its directives name or export.
func reachable(file *ast.File, out map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					out[name.Name] = true
				}
			}
		case *ast.FuncDecl:
			out[n.Name.Name] = out[n.Name.Name] || n.Doc != nil && slices.ContainsFunc(n.Doc.List, func(c *ast.Comment) bool {
				return strings.HasPrefix(c.Text, "//go:wasmexport")
			})
		}
		return true
	})
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname ") || strings.HasPrefix(c.Text, "//export ") {
				words(c.Text, out)
			}
		}
	}
}

// isCgo reports whether a file is one that cgo makes something else of, or has made.
func isCgo(file *ast.File, name string) bool {
	return filepath.Base(name) == "_cgo_gotypes.go" || slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
}

// words notes everything in a text that may be a name.
func words(text string, out map[string]bool) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out[w] = true
	}
}
