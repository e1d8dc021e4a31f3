package dummyfence

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// local is a variable of a function that is the operand of atomic operations.
type local struct {
	variable   *types.Var
	operations []dummy
}

// group are operations that stand for one fence, one behind the other.
type group struct {
	operations []dummy
	declared   ast.Stmt // the declaration of the variable that nothing else uses
	adjacent   bool     // the declaration is right before them
}

func (g group) has(d dummy) bool {
	return slices.ContainsFunc(g.operations, func(o dummy) bool { return o.CallExpr == d.CallExpr })
}

// variable is the function's own variable that an operation works on, unless a literal inside the function has captured it.
func (c *checker) variable(d dummy, stack []ast.Node) *types.Var {
	id, ok := d.Target.(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := c.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.IsField() || v.Pkg() != c.Pkg || v.Parent() == c.Pkg.Scope() {
		return nil
	}
	if _, pointer := v.Type().Underlying().(*types.Pointer); pointer { // what it points to is somebody else's
		return nil
	}
	if suffix.FindString(d.Func.Name()+d.Receiver()) == "Pointer" { // it may be there to have its value escape
		return nil
	}
	for i := len(stack) - 1; i >= 0; i-- {
		if lit, ok := stack[i].(*ast.FuncLit); ok {
			if v.Pos() < lit.Pos() {
				return nil
			}
			break
		}
	}
	return v
}

// unshared are the operations on variables for which there is no other use: nobody else can see them, so order is all
// they can be for.
func (c *checker) unshared(f *ast.File, locals map[*types.Var]*local, uses map[*types.Var]int) []group {
	var out []group
	for _, l := range locals {
		if uses[l.variable] != len(l.operations) || slices.ContainsFunc(l.operations, func(d dummy) bool { return d.stmt == nil }) || parameter(f, l.variable) {
			continue
		}
		decl, list := declaration(f, l.variable)
		if i := slices.Index(list, l.operations[0].stmt); i >= 0 && consecutive(list[i:], l.operations) {
			out = append(out, group{l.operations, decl, i > 0 && list[i-1] == decl})
			continue
		}
		for _, d := range l.operations {
			out = append(out, group{operations: []dummy{d}})
		}
	}
	slices.SortFunc(out, func(a, b group) int { return cmp.Compare(a.operations[0].Pos(), b.operations[0].Pos()) })
	return out
}

func consecutive(list []ast.Stmt, operations []dummy) bool {
	if len(list) < len(operations) {
		return false
	}
	for i, d := range operations {
		if list[i] != d.stmt {
			return false
		}
	}
	return true
}

// parameter reports whether a variable is declared elsewhere than in a function's body.
func parameter(f *ast.File, v *types.Var) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if t, ok := n.(*ast.FuncType); ok && t.Pos() <= v.Pos() && v.Pos() < t.End() {
			found = true
		}
		if d, ok := n.(*ast.FuncDecl); ok && d.Recv != nil && d.Recv.Pos() <= v.Pos() && v.Pos() < d.Recv.End() {
			found = true
		}
		return !found
	})
	return found
}

// declaration is the statement that declares a variable and nothing else, without calling anything, and the block that
// it is in.
func declaration(f *ast.File, v *types.Var) (ast.Stmt, []ast.Stmt) {
	var decl ast.Stmt
	var list []ast.Stmt
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || n.Pos() > v.Pos() || n.End() <= v.Pos() {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		case *ast.DeclStmt:
			if g, ok := n.Decl.(*ast.GenDecl); ok && len(g.Specs) == 1 {
				if s, ok := g.Specs[0].(*ast.ValueSpec); ok && len(s.Names) == 1 && plain(s.Values) {
					decl = n
				}
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == 1 && plain(n.Rhs) {
				decl = n
			}
		}
		return true
	})
	if decl != nil && !slices.Contains(list, decl) {
		decl = nil
	}
	return decl, list
}

// plain reports whether expressions do nothing but have a value.
func plain(values []ast.Expr) bool {
	ok := true
	for _, v := range values {
		ast.Inspect(v, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr, *ast.FuncLit, *ast.IndexExpr, *ast.StarExpr:
				ok = false
			case *ast.UnaryExpr:
				ok = ok && n.Op != token.ARROW
			}
			return ok
		})
	}
	return ok
}
