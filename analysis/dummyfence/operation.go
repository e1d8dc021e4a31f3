package dummyfence

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/atomics"
	"github.com/barriergen/barriergen/contract"
)

// dummy is an operation without effect, at its place.
type dummy struct {
	atomics.Call
	stmt ast.Stmt // the statement that it is, if nothing uses its result
	in   *ast.FuncDecl
}

// file checks the operations of a file.
func (c *checker) file(f *ast.File) {
	comments := lines(c.Fset, f)
	var found []dummy
	locals, uses := map[*types.Var]*local{}, map[*types.Var]int{}
	var decl *ast.FuncDecl
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.FuncDecl:
			decl = n
		case *ast.Ident:
			if v, ok := c.TypesInfo.Uses[n].(*types.Var); ok {
				uses[v]++
			}
		case *ast.CallExpr:
			call, ok := atomics.Of(c.TypesInfo, n)
			if !ok || call.Sync == "" {
				break
			}
			d := dummy{call, discarding(stack), decl}
			if v := c.variable(d, stack); v != nil {
				if locals[v] == nil {
					locals[v] = &local{variable: v}
				}
				locals[v].operations = append(locals[v].operations, d)
			}
			if c.changesNothing(d) && !d.Nil() {
				found = append(found, d)
			}
		}
		return true
	})
	var fences []group
	for _, g := range c.unshared(f, locals, uses) {
		if g.adjacent && optimizer.MatchString(comments.at(g.declared.Pos())) {
			continue
		}
		if said := comments.at(g.operations[0].Pos()); said == "" || orders(said) {
			fences = append(fences, g)
		}
	}
	for _, d := range found {
		said := comments.at(d.Pos())
		switch {
		case d.stmt == nil:
			c.read(d)
		case slices.ContainsFunc(fences, func(g group) bool { return g.has(d) }):
		case said != "" && !orders(said):
			// its reason is another one
		case d.Sync == contract.Load && (said == "" || c.byName[d.in]):
			// it may be there for the fault, or to have the variable escape
		default:
			fences = append(fences, group{operations: []dummy{d}})
		}
	}
	c.fences(f, fences)
}

// discarding is the statement that the innermost node of a stack is, if nobody takes its result.
func discarding(stack []ast.Node) ast.Stmt {
	for i := len(stack) - 2; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.ExprStmt:
			return n
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Tok == token.ASSIGN {
				if id, ok := n.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
					return n
				}
			}
		}
		break
	}
	return nil
}

// changesNothing reports whether the operation leaves the variable as it is, whatever it holds.
func (c *checker) changesNothing(d dummy) bool {
	switch d.Sync {
	case contract.Load:
		return d.stmt != nil
	case contract.Add, contract.Or:
		v := c.constant(d.Values[0])
		return v != nil && v.Sign() == 0
	case contract.And:
		v := c.constant(d.Values[0])
		b, ok := c.TypesInfo.TypeOf(d.Values[0]).Underlying().(*types.Basic)
		if v == nil || !ok {
			return false
		}
		if b.Info()&types.IsUnsigned == 0 {
			return v.Cmp(big.NewInt(-1)) == 0
		}
		ones := new(big.Int).Add(v, big.NewInt(1))
		bits := c.TypesSizes.Sizeof(b) * 8
		return ones.Cmp(new(big.Int).Lsh(big.NewInt(1), uint(bits))) == 0
	case contract.CompareAndSwap:
		return pure(c.TypesInfo, d.Values[0]) && types.ExprString(d.Values[0]) == types.ExprString(d.Values[1])
	}
	return false
}

// constant is an expression's integer value, nil if it has none.
func (c *checker) constant(e ast.Expr) *big.Int {
	tv := c.TypesInfo.Types[e]
	if tv.Value == nil {
		return nil
	}
	v := constant.ToInt(tv.Value)
	if v.Kind() != constant.Int {
		return nil
	}
	i, ok := new(big.Int).SetString(v.ExactString(), 10)
	if !ok {
		return nil
	}
	return i
}

// pure reports whether an expression has the same value twice in a row: it calls nothing and follows no pointer that it
// was not given.
func pure(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return pure(info, e.X)
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && pure(info, e.X)
	case *ast.CallExpr: // a conversion
		return len(e.Args) == 1 && info.Types[e.Fun].IsType() && pure(info, e.Args[0])
	}
	return false
}

// read reports an operation that is a read.
func (c *checker) read(d dummy) {
	c.silenced.Report(analysis.Diagnostic{Pos: d.Pos(), End: d.End(), Category: "read",
		Message: fmt.Sprintf("%s writes back what it has read: %s does the same, and writes nothing", d.text(), d.load())})
}

// text is the operation as it stands in the code.
func (d dummy) text() string {
	args := make([]string, len(d.Args))
	for i, a := range d.Args {
		args[i] = types.ExprString(a)
	}
	return types.ExprString(d.Fun) + "(" + strings.Join(args, ", ") + ")"
}

// load is the expression that has the same value.
func (d dummy) load() string {
	var load string
	switch fun := ast.Unparen(d.Fun).(type) {
	case *ast.SelectorExpr:
		if d.Method {
			load = types.ExprString(fun.X) + ".Load()"
		} else {
			load = types.ExprString(fun.X) + "." + d.loader() + "(" + types.ExprString(d.Args[0]) + ")"
		}
	default:
		load = d.loader() + "(" + types.ExprString(d.Args[0]) + ")"
	}
	if d.Sync == contract.CompareAndSwap {
		load += " == " + types.ExprString(d.Values[0])
	}
	return load
}

// loader is the load of the same type.
func (d dummy) loader() string {
	return "Load" + suffix.FindString(d.Func.Name())
}

var suffix = regexp.MustCompile(`(Int32|Int64|Uint32|Uint64|Uintptr|Pointer)$`)

// fenceWords say that an operation is meant to order.
var fenceWords = regexp.MustCompile(`(?i)\b(mem(ory)?[ _-]?(barrier|fence)|membar|barriers?|fences?|mb|(re)?order(ed|ing|s)?|acquire|release|flush(es)?|synchroni[sz]\w*|happens[ -](before|after)|visible|visibility)\b`)

// optimizer says that it is meant to keep the compiler from leaving something out.
var optimizer = regexp.MustCompile(`(?i)\b(optimi[sz]\w*|eliminat\w*|elid\w*)\b`)

// orders reports whether a comment says that an operation is meant to order.
func orders(said string) bool { return fenceWords.MatchString(said) && !optimizer.MatchString(said) }

// commented are a file's comments by their last line, and which stand alone there.
type commented struct {
	fset   *token.FileSet
	behind map[int]string // of the comment that ends on the line
}

func lines(fset *token.FileSet, f *ast.File) commented {
	c := commented{fset, map[int]string{}}
	for _, g := range f.Comments {
		c.behind[fset.Position(g.End()).Line] += g.Text()
	}
	return c
}

// at is the comment on a place's line or right above.
func (c commented) at(p token.Pos) string {
	line := c.fset.Position(p).Line
	return c.behind[line] + c.behind[line-1]
}
