// Package atomics recognises atomic operations in syntax, functions and methods alike. It is what an analyzer looks at
// first, before it builds anything.
package atomics

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/order"
)

// Primitives is the path below which this project's primitives are.
const Primitives = "github.com/barriergen/barriergen/primitives"

// Call is a call of an atomic operation or of a fence.
type Call struct {
	*ast.CallExpr
	order.Op
	Func   *types.Func
	Method bool
	// Target is the variable that it works on; Address is its address, if that is all there is. Both are nil for a fence.
	Target, Address ast.Expr
	Values          []ast.Expr // the other arguments
}

// Of recognises a call, of sync/atomic or of this project's primitives.
func Of(info *types.Info, call *ast.CallExpr) (Call, bool) {
	fn := callee(info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" && !Primitive(fn.Pkg()) {
		return Call{}, false
	}
	op, ok := order.Known(fn)
	if !ok {
		return Call{}, false
	}
	c := Call{CallExpr: call, Op: op, Func: fn, Method: fn.Signature().Recv() != nil, Values: call.Args}
	switch {
	case c.Method:
		c.Target = ast.Unparen(call.Fun).(*ast.SelectorExpr).X
	case len(call.Args) > 0:
		c.Address, c.Values = ast.Unparen(call.Args[0]), call.Args[1:]
		if u, ok := c.Address.(*ast.UnaryExpr); ok && u.Op == token.AND {
			c.Target, c.Address = ast.Unparen(u.X), nil
		}
	}
	return c, true
}

// Receiver is the name of the type whose method it is, or "".
func (c Call) Receiver() string {
	recv := c.Func.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// Nil reports an operation on a nil pointer, which is there for its panic.
func (c Call) Nil() bool {
	e := c.Address
	if c.Method {
		e = c.Target
	}
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.CallExpr: // a conversion
			if len(x.Args) != 1 {
				return false
			}
			e = x.Args[0]
			continue
		case *ast.Ident:
			return x.Name == "nil"
		}
		return false
	}
}

// Variable is the field or the variable that it works on, also where its address is converted; nil if it has no name.
func (c Call) Variable(info *types.Info) *types.Var {
	target := c.Target
	if conv, ok := c.Address.(*ast.CallExpr); ok && len(conv.Args) == 1 && info.Types[conv.Fun].IsType() {
		if u, ok := ast.Unparen(conv.Args[0]).(*ast.UnaryExpr); ok && u.Op == token.AND {
			target = ast.Unparen(u.X)
		}
	}
	var id *ast.Ident
	switch t := target.(type) {
	case *ast.Ident:
		id = t
	case *ast.SelectorExpr:
		id = t.Sel
	default:
		return nil
	}
	v, _ := info.Uses[id].(*types.Var)
	if v == nil {
		return nil
	}
	return v.Origin()
}

// callee is the function that is called by its own name.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		if s := info.Selections[f]; s != nil && s.Kind() != types.MethodVal {
			return nil
		}
		id = f.Sel
	default:
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// Primitive reports whether a package is one of this project's primitives.
func Primitive(p *types.Package) bool { return strings.HasPrefix(p.Path(), Primitives+"/") }

// Import returns the name under which a file imports a package, or "" if it does not or only for its effects.
func Import(info *types.Info, f *ast.File, path string) string {
	for _, s := range f.Imports {
		if s.Path.Value != `"`+path+`"` {
			continue
		}
		if s.Name != nil {
			if s.Name.Name == "_" || s.Name.Name == "." {
				continue
			}
			return s.Name.Name
		}
		if pkg, ok := info.Implicits[s].(*types.PkgName); ok {
			return pkg.Name()
		}
	}
	return ""
}

// Files are the files of a package that import sync/atomic or a primitive: nothing else can contain a call.
func Files(pass *analysis.Pass) []*ast.File {
	var out []*ast.File
	for _, f := range pass.Files {
		for _, s := range f.Imports {
			path := strings.Trim(s.Path.Value, `"`)
			if path == "sync/atomic" || strings.HasPrefix(path, Primitives+"/") {
				out = append(out, f)
				break
			}
		}
	}
	return out
}
