package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// pointer evaluates an expression of pointer type as an address.
func (t *translator) pointer(e ast.Expr) address {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.Ident:
		if t.Info.Types[x].IsNil() {
			return address{base: ir.C(0)}
		}
		v := t.lookup(x)
		if v.addr != nil {
			return *v.addr
		}
		a := address{base: ir.V(v.reg)}
		if obj := t.Info.ObjectOf(x); t.assigned[obj] == 0 { // a parameter as it came
			a.root = obj
		}
		return a
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return t.address(x.X)
		}
	case *ast.CallExpr:
		if t.Info.Types[x.Fun].IsType() && t.typeOf(x.Pos(), t.Info.TypeOf(x.Args[0])).Pointer {
			return t.pointer(x.Args[0])
		}
		if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok {
			if b, ok := t.Info.Uses[sel.Sel].(*types.Builtin); ok && b.Name() == "Add" {
				return t.advance(x.Args[1], t.pointer(x.Args[0]))
			}
		}
	}
	return address{base: t.expr(e)}
}

// advance is the address that unsafe.Add returns.
func (t *translator) advance(by ast.Expr, a address) address {
	if c, ok := t.constant(by); ok {
		a.off += c.Const
		a.reach = max(a.reach, a.reach+c.Const)
		return a
	}
	n := t.expr(by)
	from := t.typeOf(by.Pos(), t.Info.TypeOf(by))
	if from.Bits < 64 {
		n = t.emit(ir.Instr{Op: ir.Convert, Pos: by.Pos(), Dst: t.fn.NewVar("", ir.Uint64), Type: ir.Uint64, From: from, Args: []ir.Value{n}})
	}
	return address{base: t.binary(by.Pos(), ir.Add, ir.Address, a.base, n), off: a.off}
}

// address is where an addressable expression lies.
func (t *translator) address(e ast.Expr) address {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.StarExpr:
		return t.pointer(x.X)
	case *ast.SelectorExpr:
		if sel := t.Info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal {
			return t.field(x, sel)
		}
		t.fail(x.Pos(), "%s is no field: pass the address of what is needed as a parameter", x.Sel.Name)
	case *ast.IndexExpr:
		return t.element(x)
	case *ast.Ident:
		obj := t.Info.ObjectOf(x)
		if v := t.vars[obj]; v != nil {
			t.fail(x.Pos(), "the address of the local variable %s: it has none in assembly; pass the address of shared memory as a parameter", x.Name)
		}
		t.fail(x.Pos(), "the package's variable %s: pass its address as a parameter", x.Name)
	}
	t.fail(e.Pos(), "this is not an address that can be fused: fields, constant indexes of arrays and what pointers point to can be")
	return address{}
}

// base is the address of x, which is a struct or an array or points to one.
func (t *translator) base(x ast.Expr) (address, types.Type) {
	typ := t.Info.TypeOf(x)
	if p, ok := typ.Underlying().(*types.Pointer); ok {
		return t.pointer(x), p.Elem()
	}
	return t.address(x), typ
}

func (t *translator) field(x *ast.SelectorExpr, sel *types.Selection) address {
	a, typ := t.base(x.X)
	for n, i := range sel.Index() {
		if p, ok := typ.Underlying().(*types.Pointer); ok && n > 0 { // an embedded pointer
			a = address{base: t.plainLoad(x.Pos(), a, ir.Address)}
			typ = p.Elem()
		}
		st := typ.Underlying().(*types.Struct)
		off := t.offsets(st)[i]
		a.off += off
		a.reach += off
		typ = st.Field(i).Type()
	}
	return a
}

func (t *translator) offsets(st *types.Struct) []int64 {
	var fields []*types.Var
	for f := range st.Fields() {
		fields = append(fields, f)
	}
	return t.Sizes.Offsetsof(fields)
}

func (t *translator) element(x *ast.IndexExpr) address {
	typ := t.Info.TypeOf(x.X)
	if p, ok := typ.Underlying().(*types.Pointer); ok {
		typ = p.Elem()
	}
	arr, ok := typ.Underlying().(*types.Array)
	if !ok {
		t.fail(x.Pos(), "an index of %s: only arrays have bounds that are known; pass a pointer to the element, or to an array",
			types.TypeString(typ, types.RelativeTo(t.Types)))
	}
	a, _ := t.base(x.X)
	size := t.Sizes.Sizeof(arr.Elem())
	if c, ok := t.constant(x.Index); ok {
		a.off += c.Const * size
		a.reach += c.Const * size
		return a
	}
	at, ok := t.span(x.Index)
	if !ok || at.lo < 0 || at.hi >= arr.Len() {
		t.fail(x.Index.Pos(), "an index that may be out of range: use a constant, or the variable of a loop with constant bounds within the array; assembly checks no bounds")
	}
	index := t.expr(x.Index)
	if from := t.typeOf(x.Index.Pos(), t.Info.TypeOf(x.Index)); from.Bits < 64 {
		index = t.emit(ir.Instr{Op: ir.Convert, Pos: x.Pos(), Dst: t.fn.NewVar("", ir.Uint64), Type: ir.Uint64, From: from, Args: []ir.Value{index}})
	}
	scale := size
	if n := ir.Power(size); n < 0 || n > 3 {
		index, scale = t.binary(x.Pos(), ir.Mul, ir.Uint64, index, ir.C(size)), 1
	}
	a.base = t.emit(ir.Instr{Op: ir.Index, Pos: x.Pos(), Dst: t.fn.NewVar("", ir.Address), Type: ir.Address, Scale: scale, Args: []ir.Value{a.base, index}})
	a.reach += at.hi * size
	a.uneven = a.uneven || size%16 != 0
	return a
}

// span are the values of an expression made of a loop's variable and constants.
func (t *translator) span(e ast.Expr) (span, bool) {
	e = ast.Unparen(e)
	if c, ok := t.constant(e); ok {
		return span{c.Const, c.Const}, true
	}
	switch x := e.(type) {
	case *ast.Ident:
		if v := t.vars[t.Info.ObjectOf(x)]; v != nil && v.loop != nil {
			return *v.loop, true
		}
	case *ast.BinaryExpr:
		a, okA := t.span(x.X)
		b, okB := t.span(x.Y)
		if !okA || !okB {
			return span{}, false
		}
		typ := t.typeOf(x.Pos(), t.Info.TypeOf(x))
		var s span
		switch x.Op {
		case token.ADD:
			s = span{a.lo + b.lo, a.hi + b.hi}
		case token.SUB:
			s = span{a.lo - b.hi, a.hi - b.lo}
		case token.MUL:
			if a.lo < 0 || b.lo < 0 || b.hi > 1<<20 || a.hi > 1<<20 {
				return span{}, false
			}
			s = span{a.lo * b.lo, a.hi * b.hi}
		default:
			return span{}, false
		}
		return s, typ.Extend(s.lo) == s.lo && typ.Extend(s.hi) == s.hi
	}
	return span{}, false
}

// value is an address as a value.
func (t *translator) value(pos token.Pos, a address) ir.Value {
	t.near(pos, a, 0)
	return t.binary(pos, ir.Add, ir.Address, a.base, ir.C(a.off))
}

// near sees to it that a nil pointer is found out. One that came as a parameter is checked in Go first; of another pointer
// nothing is known there.
func (t *translator) near(pos token.Pos, a address, size int64) {
	if max(a.reach, a.off)+size <= FarOffset {
		return
	}
	if a.root == nil {
		t.fail(pos, "an access %d bytes behind a pointer that is no parameter: if it were nil the fault would kill the program; pass a pointer to the field", a.off)
	}
	if !slices.Contains(t.out.Near, a.root.Name()) {
		t.out.Near = append(t.out.Near, a.root.Name())
	}
}
