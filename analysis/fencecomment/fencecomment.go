// Package fencecomment finds fences without a comment. It is off unless asked for.
//
//	r.state = sleeping
//	barrier.Full() // pairs with the one in wake: either it sees sleeping, or we see the work
//	if r.work == nil {
//
// A fence does nothing alone: it orders two accesses against two others, which some other fence or operation orders. Who
// reads the code has to know which, and it is the one thing that the code does not say. The comment stands behind the fence or on the line above;
// where a function is nothing but fences, it is the function's.
//
// To turn it on:
//
//	barriervet -fencecomment.enable ./...
package fencecomment

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/atomics"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
	"github.com/barriergen/barriergen/contract"
)

// Analyzer reports fences without a comment.
var Analyzer = &analysis.Analyzer{
	Name:     "fencecomment",
	Doc:      "find memory fences without a comment that says what they pair with (opt-in)\n\nIt reports only with its flag enable.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/fencecomment",
	Requires: []*analysis.Analyzer{suppress.Analyzer},
	Run:      run,
}

var enable bool

func init() { Analyzer.Flags.BoolVar(&enable, "enable", false, "report findings") }

func run(pass *analysis.Pass) (any, error) {
	if !enable {
		return nil, nil
	}
	silenced := suppress.New(pass)
	defer silenced.Unused()
	for _, f := range atomics.Files(pass) {
		if ast.IsGenerated(f) {
			continue
		}
		said := comments(pass, f)
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if ok && d.Doc != nil && d.Body != nil && onlyFences(pass, d.Body) {
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !fence(pass, call) {
					return true
				}
				if line := pass.Fset.Position(call.Pos()).Line; !said[line] && !said[line-1] {
					silenced.Report(analysis.Diagnostic{Pos: call.Pos(), End: call.End(),
						Message: fmt.Sprintf("%s without a comment: what does it pair with?", types.ExprString(call.Fun))})
				}
				return true
			})
		}
	}
	return nil, nil
}

// directive is a comment for tools.
var directive = regexp.MustCompile(`^//(nolint|lint:|go:|\s?nolint)`)

// comments are the lines on which a comment ends that says something.
func comments(pass *analysis.Pass, f *ast.File) map[int]bool {
	said := map[int]bool{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if !directive.MatchString(c.Text) {
				said[pass.Fset.Position(g.End()).Line] = true
			}
		}
	}
	return said
}

func fence(pass *analysis.Pass, call *ast.CallExpr) bool {
	c, ok := atomics.Of(pass.TypesInfo, call)
	return ok && c.Prim != nil && c.Prim.Op == contract.Fence
}

// onlyFences reports whether a body gives fences a name.
func onlyFences(pass *analysis.Pass, body *ast.BlockStmt) bool {
	for _, s := range body.List {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		if call, ok := e.X.(*ast.CallExpr); !ok || !fence(pass, call) {
			return false
		}
	}
	return true
}
