// Package unpublishedatomic finds atomic operations that cost more than what is needed: it informs, and is off unless
// asked for.
//
//	s := &server{}
//	atomic.StoreInt64(&s.limit, 10)   // nobody else can see s yet: s.limit = 10
//	current.Store(s)
//
//	atomic.SwapInt32(&state, idle)    // nobody takes the old value: atomic.StoreInt32(&state, idle)
//
// To turn it on:
//
//	barriervet -unpublishedatomic.enable ./...
//
// An atomic store is an exchange on amd64. Before an object is published, a plain store does: whatever publishes the object
// orders it. Only the functions of sync/atomic are reported; a field of one of its types has no plain store.
package unpublishedatomic

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/barriergen/barriergen/analysis/internal/access"
	"github.com/barriergen/barriergen/analysis/internal/atomics"
	"github.com/barriergen/barriergen/analysis/internal/lazyssa"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
	"github.com/barriergen/barriergen/contract"
)

// Analyzer reports atomic stores to objects that nobody else can see, and swaps of which nobody takes the result.
var Analyzer = &analysis.Analyzer{
	Name:     "unpublishedatomic",
	Doc:      "find atomic stores to objects that are not published yet, and swaps whose result is dropped (opt-in)\n\nIt informs: nothing that it finds is wrong. It reports only with its flag enable.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/unpublishedatomic",
	Requires: []*analysis.Analyzer{suppress.Analyzer, lazyssa.Analyzer},
	Run:      run,
}

var enable bool

func init() { Analyzer.Flags.BoolVar(&enable, "enable", false, "report findings") }

func run(pass *analysis.Pass) (any, error) {
	if !enable || atomics.Primitive(pass.Pkg) {
		return nil, nil
	}
	silenced := suppress.New(pass)
	defer silenced.Unused()
	stores := map[token.Pos]atomics.Call{} // by the parenthesis, which is the position that SSA form knows
	for _, f := range atomics.Files(pass) {
		commented := map[int]bool{}
		for _, g := range f.Comments {
			commented[pass.Fset.Position(g.End()).Line] = true
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if c, ok := atomics.Of(pass.TypesInfo, n); ok && c.Sync == contract.Store && !c.Method && local(pass, c.Target) {
					stores[n.Lparen] = c
				}
			case *ast.ExprStmt:
				dropped(pass, silenced, n.X, commented)
			case *ast.AssignStmt:
				if id, ok := n.Lhs[0].(*ast.Ident); ok && id.Name == "_" && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
					dropped(pass, silenced, n.Rhs[0], commented)
				}
			}
			return true
		})
	}
	if len(stores) == 0 {
		return nil, nil
	}
	for _, fn := range pass.ResultOf[lazyssa.Analyzer].(*lazyssa.Package).Functions() {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(*ssa.Call); ok {
					if call, ok := stores[c.Pos()]; ok {
						unpublished(pass, silenced, c, call)
					}
				}
			}
		}
	}
	return nil, nil
}

// local reports whether a variable is a field of something that a variable of the function begins.
func local(pass *analysis.Pass, target ast.Expr) bool {
	field := false
	for {
		switch t := target.(type) {
		case *ast.SelectorExpr:
			field = true
			target = ast.Unparen(t.X)
			continue
		case *ast.IndexExpr:
			target = ast.Unparen(t.X)
			continue
		case *ast.Ident:
			v, ok := pass.TypesInfo.Uses[t].(*types.Var)
			return ok && field && v.Parent() != pass.Pkg.Scope() && v.Pkg() == pass.Pkg
		}
		return false
	}
}

// unpublished reports a store to an object that the function has allocated and not published yet, but does later.
func unpublished(pass *analysis.Pass, silenced *suppress.Silenced, store *ssa.Call, call atomics.Call) {
	object := access.Object(access.Path(store.Call.Args[0]))
	if object == nil || !access.Unpublished(object, store) {
		return
	}
	later := access.Publications(object)
	if len(later) == 0 {
		return
	}
	d := analysis.Diagnostic{Pos: call.Pos(), End: call.End(), Category: "information",
		Message: fmt.Sprintf("nobody else can see %s yet: a plain store does", types.ExprString(base(call.Target)))}
	for _, p := range later {
		if p.Pos().IsValid() {
			d.Related = []analysis.RelatedInformation{{Pos: p.Pos(), Message: "published here"}}
			break
		}
	}
	silenced.Report(d)
}

func base(e ast.Expr) ast.Expr {
	for {
		s, ok := ast.Unparen(e).(*ast.SelectorExpr)
		if !ok {
			return e
		}
		e = s.X
	}
}

// dropped reports a swap whose result nobody takes. One with a comment has a reason.
func dropped(pass *analysis.Pass, silenced *suppress.Silenced, e ast.Expr, commented map[int]bool) {
	n, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return
	}
	c, ok := atomics.Of(pass.TypesInfo, n)
	line := pass.Fset.Position(n.Pos()).Line
	if !ok || c.Sync != contract.Swap || c.Nil() || commented[line] || commented[line-1] {
		return
	}
	if id, ok := c.Target.(*ast.Ident); ok {
		if v, ok := pass.TypesInfo.Uses[id].(*types.Var); ok && v.Parent() != pass.Pkg.Scope() {
			return // a fence, or there to have its value escape
		}
	}
	silenced.Report(analysis.Diagnostic{Pos: n.Pos(), End: n.End(), Category: "information",
		Message: fmt.Sprintf("nobody takes the old value: %s does", strings.Replace(types.ExprString(n.Fun), "Swap", "Store", 1))})
}
