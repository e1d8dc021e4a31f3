// Package report words what the analyzers say.
package report

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/order"
)

// List joins names: "a", "a and b", "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Arches joins architectures, given at their levels: one that is there at every level is named once.
func Arches(names []string) string {
	var out []string
	for _, levels := range order.Levels() {
		var there []string
		for _, l := range levels {
			if slices.Contains(names, l.Arch) {
				there = append(there, levels[0].Arch+" with "+l.Setting)
			}
		}
		if len(there) == len(levels) {
			there = []string{levels[0].Arch}
		}
		out = append(out, there...)
	}
	return List(out)
}

// Reasons says which operations already order, and where.
func Reasons(fset *token.FileSet, at token.Pos, by []order.Reason) string {
	here := fset.Position(at)
	var parts []string
	for i, r := range by {
		if i == 2 {
			parts = append(parts, "others")
			break
		}
		p := fset.Position(r.Pos)
		switch {
		case p.Filename != here.Filename:
			parts = append(parts, r.Name+" in another file")
		case p.Line == here.Line:
			parts = append(parts, r.Name+" on the same line")
		default:
			parts = append(parts, fmt.Sprintf("%s on line %d", r.Name, p.Line))
		}
	}
	return List(parts)
}

// Related turns reasons into related positions.
func Related(by []order.Reason, message string) []analysis.RelatedInformation {
	out := make([]analysis.RelatedInformation, len(by))
	for i, r := range by {
		out[i] = analysis.RelatedInformation{Pos: r.Pos, Message: r.Name + " " + message}
	}
	return out
}

// Deletion is the edit that deletes a call that is a statement of its own, with its line and the comment behind it if
// nothing else stands there; nil if it is part of something, or the file is generated.
func Deletion(pass *analysis.Pass, file *ast.File, call *ast.CallExpr) []analysis.TextEdit {
	if ast.IsGenerated(file) {
		return nil
	}
	var stmt ast.Stmt
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ExprStmt); ok && s.X == call {
			stmt = s
		}
		return stmt == nil
	})
	if stmt == nil {
		return nil
	}
	pos, end := stmt.Pos(), stmt.End()
	if from, to, ok := wholeLine(pass, pos, end); ok {
		pos, end = from, to
	}
	return []analysis.TextEdit{{Pos: pos, End: end}}
}

// wholeLine extends a range to its lines, if there is nothing else on them but a comment behind it.
func wholeLine(pass *analysis.Pass, pos, end token.Pos) (token.Pos, token.Pos, bool) {
	tf := pass.Fset.File(pos)
	if tf == nil || pass.ReadFile == nil {
		return 0, 0, false
	}
	src, err := pass.ReadFile(tf.Name())
	if err != nil || len(src) != tf.Size() {
		return 0, 0, false
	}
	start, stop := tf.Offset(tf.LineStart(tf.Line(pos))), bytes.IndexByte(src[tf.Offset(end):], '\n')
	if stop < 0 {
		return 0, 0, false
	}
	rest := bytes.TrimSpace(src[tf.Offset(end) : tf.Offset(end)+stop])
	if len(bytes.TrimSpace(src[start:tf.Offset(pos)])) > 0 || len(rest) > 0 && !bytes.HasPrefix(rest, []byte("//")) {
		return 0, 0, false
	}
	return tf.Pos(start), end + token.Pos(stop) + 1, true
}

// Renaming is the edit that calls another function of the same package; nil if the file is generated.
func Renaming(file *ast.File, call *ast.CallExpr, name string) []analysis.TextEdit {
	if ast.IsGenerated(file) {
		return nil
	}
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		return []analysis.TextEdit{{Pos: fun.Sel.Pos(), End: fun.Sel.End(), NewText: []byte(name)}}
	case *ast.Ident: // imported with a dot
		return []analysis.TextEdit{{Pos: fun.Pos(), End: fun.End(), NewText: []byte(name)}}
	}
	return nil
}
