package load

import (
	"fmt"
	"go/ast"
	"path/filepath"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
)

// Fix is a fix within one .s file, in offsets.
type Fix struct {
	Message string
	Edits   []Edit
}

// Edit replaces a range of offsets.
type Edit struct {
	At, End int
	New     string
}

// Finding is one finding in one configuration.
type Finding struct {
	Fn          *asm.Func
	Offset, End int
	Message     string
	Category    string
	Fix         *Fix
	Related     []analysis.RelatedInformation
}

// Common are the findings that hold in every configuration in which their instruction, or function, is there.
func Common(f *File, find func(fn *asm.Func) []Finding) []Finding {
	type place struct {
		offset int
		macro  string
	}
	there, found := map[place]int{}, map[place]int{}
	first := map[place]Finding{}
	var order []place
	for _, c := range f.Configurations {
		seen := map[place]bool{}
		for _, fn := range c.Funcs {
			there[place{fn.Offset, ""}]++
			for i := range fn.Instrs {
				if p := (place{fn.Instrs[i].Offset, fn.Instrs[i].Macro}); !seen[p] {
					seen[p] = true
					there[p]++
				}
			}
		}
		once := map[place]bool{}
		for _, fn := range c.Funcs {
			for _, d := range find(fn) {
				p := place{d.Offset, macroAt(fn, d.Offset)}
				if once[p] {
					continue
				}
				once[p] = true
				if found[p]++; found[p] == 1 {
					first[p] = d
					order = append(order, p)
				}
			}
		}
	}
	var out []Finding
	for _, p := range order {
		if found[p] == there[p] {
			out = append(out, first[p])
		}
	}
	return out
}

func macroAt(fn *asm.Func, offset int) string {
	for i := range fn.Instrs {
		if fn.Instrs[i].Offset == offset {
			return fn.Instrs[i].Macro
		}
	}
	return ""
}

// Report places a finding in its .s file, unless a comment there silences it; or at the Go declaration of its function: then
// the message starts with the position in the .s file, and no fix is offered.
func Report(pass *analysis.Pass, silenced *suppress.Silenced, f *File, found Finding, atDeclaration bool) {
	line, column := f.Configurations[0].Position(found.Offset)
	if silenced.At(f.Name, line) {
		return
	}
	d := analysis.Diagnostic{Pos: f.Token.Pos(found.Offset), End: f.Token.Pos(found.End), Category: found.Category, Message: found.Message, Related: found.Related}
	if atDeclaration && len(pass.Files) > 0 {
		d.Pos, d.End = pass.Files[0].Name.Pos(), pass.Files[0].Name.End()
		if decl := declaration(pass.Files, found.Fn); decl != nil {
			d.Pos, d.End = decl.Name.Pos(), decl.Name.End()
		}
		d.Message = fmt.Sprintf("%s:%d:%d: %s", filepath.Base(f.Name), line, column, found.Message)
	} else if fix := found.Fix; fix != nil {
		s := analysis.SuggestedFix{Message: fix.Message}
		for _, e := range fix.Edits {
			s.TextEdits = append(s.TextEdits, analysis.TextEdit{Pos: f.Token.Pos(e.At), End: f.Token.Pos(e.End), NewText: []byte(e.New)})
		}
		d.SuggestedFixes = []analysis.SuggestedFix{s}
	}
	pass.Report(d)
}

// declaration is the Go declaration of a function in assembly, or nil.
func declaration(files []*ast.File, fn *asm.Func) *ast.FuncDecl {
	if fn == nil {
		return nil
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Recv == nil && decl.Body == nil && decl.Name.Name == fn.Name {
				return decl
			}
		}
	}
	return nil
}
