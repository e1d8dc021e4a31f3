package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

var conds = map[token.Token]ir.Cond{token.EQL: ir.Eq, token.NEQ: ir.Ne, token.LSS: ir.Lt, token.LEQ: ir.Le, token.GTR: ir.Gt, token.GEQ: ir.Ge}

// expr evaluates an expression.
func (t *translator) expr(e ast.Expr) ir.Value {
	e = ast.Unparen(e)
	if c, ok := t.constant(e); ok {
		return c
	}
	switch x := e.(type) {
	case *ast.Ident:
		v := t.lookup(x)
		t.typeOf(x.Pos(), t.Info.TypeOf(x))
		if v.addr != nil {
			return t.value(x.Pos(), *v.addr)
		}
		return ir.V(v.reg)
	case *ast.UnaryExpr:
		return t.unary(x)
	case *ast.BinaryExpr:
		if _, ok := conds[x.Op]; ok || x.Op == token.LAND || x.Op == token.LOR {
			return t.truth(x)
		}
		typ := t.typeOf(x.Pos(), t.Info.TypeOf(x))
		return t.arithmetic(x.OpPos, x.Op, typ, t.expr(x.X), x.Y)
	case *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr:
		if sel, ok := x.(*ast.SelectorExpr); ok {
			if i, ok := t.half(sel); ok {
				return t.pair(sel.X)[i]
			}
		}
		typ := t.typeOf(e.Pos(), t.Info.TypeOf(e))
		return t.plainLoad(e.Pos(), t.address(e), typ)
	case *ast.CallExpr:
		return t.call(x)
	}
	t.fail(e.Pos(), "this expression is not among those that can be fused: integer arithmetic, comparisons, fields, constant indexes and calls of primitives")
	return ir.Value{}
}

func (t *translator) lookup(id *ast.Ident) *variable {
	obj := t.Info.ObjectOf(id)
	v := t.vars[obj]
	if v == nil {
		t.fail(id.Pos(), "%s is no parameter and no local variable: pass what is needed of it as a parameter", id.Name)
	}
	return v
}

func (t *translator) unary(x *ast.UnaryExpr) ir.Value {
	if x.Op == token.AND {
		return t.value(x.Pos(), t.address(x.X))
	}
	typ := t.typeOf(x.Pos(), t.Info.TypeOf(x))
	v := t.expr(x.X)
	one := func(op ir.Op) ir.Value {
		return t.emit(ir.Instr{Op: op, Pos: x.Pos(), Dst: t.fn.NewVar("", typ), Type: typ, Args: []ir.Value{v}})
	}
	switch x.Op {
	case token.ADD:
		return v
	case token.SUB:
		return one(ir.Neg)
	case token.XOR:
		return one(ir.Not)
	case token.NOT:
		return t.emit(ir.Instr{Op: ir.Compare, Pos: x.Pos(), Dst: t.fn.NewVar("", ir.Bool), Type: ir.Bool, Cond: ir.Eq, Args: []ir.Value{v, ir.C(0)}})
	}
	t.fail(x.Pos(), "the operator %v can't be fused", x.Op)
	return ir.Value{}
}

var operators = map[token.Token]ir.Op{token.ADD: ir.Add, token.SUB: ir.Sub, token.MUL: ir.Mul, token.AND: ir.And, token.AND_NOT: ir.AndNot, token.OR: ir.Or,
	token.XOR: ir.Xor}

// arithmetic computes a op y.
func (t *translator) arithmetic(pos token.Pos, op token.Token, typ ir.Type, a ir.Value, y ast.Expr) ir.Value {
	switch op {
	case token.SHL, token.SHR:
		return t.shift(pos, op, typ, a, y)
	case token.QUO, token.REM:
		c, ok := t.constant(y)
		n := ir.Power(c.Const)
		if !ok || n < 0 || typ.Signed {
			t.fail(pos, "a division: only an unsigned one by a constant power of two can be fused; divide in Go")
		}
		if op == token.QUO {
			return t.binary(pos, ir.Shr, typ, a, ir.C(int64(n)))
		}
		return t.binary(pos, ir.And, typ, a, ir.C(c.Const-1))
	}
	o, ok := operators[op]
	if !ok {
		t.fail(pos, "the operator %v can't be fused", op)
	}
	return t.binary(pos, o, typ, a, t.expr(y))
}

// shift is a shift as Go has it: by the width or more, nothing of the value is left.
func (t *translator) shift(pos token.Pos, op token.Token, typ ir.Type, a ir.Value, y ast.Expr) ir.Value {
	o := ir.Shl
	if op == token.SHR {
		o = ir.Shr
	}
	width := int64(typ.Bits)
	gone := func() ir.Value {
		if o == ir.Shr && typ.Signed {
			return t.binary(pos, ir.Shr, typ, a, ir.C(width-1))
		}
		return ir.C(0)
	}
	if c, ok := t.constant(y); ok {
		if uint64(c.Const) >= uint64(width) {
			return gone()
		}
		return t.binary(pos, o, typ, a, c)
	}
	by := t.typeOf(y.Pos(), t.Info.TypeOf(y))
	if by.Signed {
		t.fail(y.Pos(), "a shift by a signed number, which panics if it is negative: convert it to uint")
	}
	if x, ok := ast.Unparen(y).(*ast.BinaryExpr); ok && width >= 32 && x.Op == token.AND {
		if c, is := t.constant(x.Y); is && c.Const == width-1 {
			return t.binary(pos, o, typ, a, t.expr(x.X)) // the machine takes it modulo the width
		}
	}
	count := t.expr(y)
	if limit, ok := t.below(y); ok && limit <= width {
		return t.binary(pos, o, typ, a, count)
	}
	dst := t.fn.NewVar("", typ)
	set := func(v ir.Value) {
		t.emit(ir.Instr{Op: ir.Move, Pos: pos, Dst: dst, Type: typ, Args: []ir.Value{v}})
	}
	shifted, over, after := t.block(), t.block(), t.block()
	t.end(ir.Term{Kind: ir.If, Pos: pos, Cond: ir.Lt, Type: by, A: count, B: ir.C(width), Then: shifted, Else: over})
	t.enter(shifted)
	set(t.binary(pos, o, typ, a, count))
	t.jump(pos, after)
	t.enter(over)
	set(gone())
	t.jump(pos, after)
	t.enter(after)
	return ir.V(dst)
}

// below is a bound that an expression is always below.
func (t *translator) below(e ast.Expr) (int64, bool) {
	x, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		if call, is := ast.Unparen(e).(*ast.CallExpr); is && t.Info.Types[call.Fun].IsType() && len(call.Args) == 1 {
			return t.below(call.Args[0])
		}
		if id, is := ast.Unparen(e).(*ast.Ident); is {
			if v := t.vars[t.Info.ObjectOf(id)]; v != nil && v.loop != nil && v.loop.lo >= 0 {
				return v.loop.hi + 1, true
			}
		}
		return 0, false
	}
	for _, operand := range []ast.Expr{x.X, x.Y} {
		if c, is := t.constant(operand); is && x.Op == token.AND && c.Const >= 0 {
			return c.Const + 1, true
		}
	}
	if c, is := t.constant(x.Y); is && x.Op == token.REM && c.Const > 0 {
		return c.Const, true
	}
	return 0, false
}

// truth evaluates a condition into a variable.
func (t *translator) truth(x *ast.BinaryExpr) ir.Value {
	if cond, ok := conds[x.Op]; ok {
		typ, a, b := t.operands(x)
		return t.emit(ir.Instr{Op: ir.Compare, Pos: x.OpPos, Dst: t.fn.NewVar("", ir.Bool), Type: typ, Cond: cond, Args: []ir.Value{a, b}})
	}
	dst := t.fn.NewVar("", ir.Bool)
	yes, no, after := t.block(), t.block(), t.block()
	t.cond(x, yes, no)
	for i, b := range []int{no, yes} {
		t.enter(b)
		t.emit(ir.Instr{Op: ir.Move, Pos: x.OpPos, Dst: dst, Type: ir.Bool, Args: []ir.Value{ir.C(int64(i))}})
		t.jump(x.OpPos, after)
	}
	t.enter(after)
	return ir.V(dst)
}

// operands are those of a comparison.
func (t *translator) operands(x *ast.BinaryExpr) (ir.Type, ir.Value, ir.Value) {
	typ := t.Info.TypeOf(x.X)
	if b, ok := typ.Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		typ = t.Info.TypeOf(x.Y)
	}
	if t.isPair(typ) {
		return ir.Uint64, t.differ(x.OpPos, t.pair(x.X), t.pair(x.Y)), ir.C(0)
	}
	return t.typeOf(x.Pos(), typ), t.expr(x.X), t.expr(x.Y)
}

// cond branches on a condition.
func (t *translator) cond(e ast.Expr, yes, no int) {
	e = ast.Unparen(e)
	if c, ok := t.constant(e); ok {
		to := no
		if c.Const != 0 {
			to = yes
		}
		t.jump(e.Pos(), to)
		return
	}
	switch x := e.(type) {
	case *ast.UnaryExpr:
		t.cond(x.X, no, yes)
		return
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND:
			more := t.block()
			t.cond(x.X, more, no)
			t.enter(more)
			t.cond(x.Y, yes, no)
			return
		case token.LOR:
			more := t.block()
			t.cond(x.X, yes, more)
			t.enter(more)
			t.cond(x.Y, yes, no)
			return
		}
		typ, a, b := t.operands(x)
		t.test(e.Pos(), conds[x.Op], typ, a, b, yes, no)
		return
	}
	t.test(e.Pos(), ir.Ne, ir.Bool, t.expr(e), ir.C(0), yes, no)
}

func (t *translator) test(pos token.Pos, cond ir.Cond, typ ir.Type, a, b ir.Value, yes, no int) {
	if a.IsConst() && b.IsConst() {
		if !cond.Holds(typ, a.Const, b.Const) {
			yes = no
		}
		t.jump(pos, yes)
		return
	}
	if a.IsConst() {
		cond, a, b = cond.Swapped(), b, a
	}
	t.end(ir.Term{Kind: ir.If, Pos: pos, Cond: cond, Type: typ, A: a, B: b, Then: yes, Else: no})
}

// call is a conversion, a builtin or a primitive.
func (t *translator) call(x *ast.CallExpr) ir.Value {
	if t.Info.Types[x.Fun].IsType() {
		return t.convert(x)
	}
	fun := ast.Unparen(x.Fun)
	if ix, ok := fun.(*ast.IndexExpr); ok { // a type argument
		fun = ix.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		t.fail(x.Pos(), "a call of a function value: assembly calls nothing")
	}
	switch obj := t.Info.Uses[id].(type) {
	case *types.Builtin:
		if obj.Name() == "Add" {
			a := t.pointer(x.Args[0])
			return t.value(x.Pos(), t.advance(x.Args[1], a))
		}
		t.fail(x.Pos(), "a call of %s, which can't be fused", obj.Name())
	case *types.Func:
		if prim, ok := t.ours(obj); ok {
			return t.primitive(x, fun, obj, prim)
		}
		t.fail(x.Pos(), "a call of %s, which is no primitive of barriergen: assembly calls nothing else; keep the call in Go", obj.FullName())
	}
	t.fail(x.Pos(), "a call of %s, which is no primitive of barriergen: assembly calls nothing else; keep the call in Go", id.Name)
	return ir.Value{}
}

func (t *translator) convert(x *ast.CallExpr) ir.Value {
	to := t.typeOf(x.Pos(), t.Info.TypeOf(x))
	from := t.typeOf(x.Args[0].Pos(), t.Info.TypeOf(x.Args[0]))
	v := t.expr(x.Args[0])
	if v.IsConst() {
		return ir.C(to.Extend(v.Const))
	}
	if to.Bits == from.Bits && (to.Signed == from.Signed || to.Bits >= 32) || to.Pointer {
		return v // the same bits
	}
	return t.emit(ir.Instr{Op: ir.Convert, Pos: x.Pos(), Dst: t.fn.NewVar("", to), Type: to, From: from, Args: []ir.Value{v}})
}

// primitive is a call of a primitive.
func (t *translator) primitive(x *ast.CallExpr, fun ast.Expr, obj *types.Func, prim contract.Primitive) ir.Value {
	if sel, ok := fun.(*ast.SelectorExpr); ok && prim.Operand == contract.Wide {
		t.cellCall(x, sel, prim)
		return ir.Value{Reg: ir.None}
	}
	args := x.Args
	if prim.Op == contract.WaitLoad {
		t.fail(x.Pos(), "%s waits as long as it takes: assembly can't be preempted; wait in Go, around the call", prim.Name)
	}
	if prim.Op == contract.Fence {
		t.emit(ir.Instr{Op: ir.Memory, Pos: x.Pos(), Dst: ir.None, Access: &ir.Access{Prim: prim, Base: ir.C(0)}})
		return ir.Value{Reg: ir.None}
	}
	var a address
	var elem types.Type
	if recv := obj.Signature().Recv(); recv != nil {
		sel := fun.(*ast.SelectorExpr)
		if _, isSlice := deref(recv.Type()).Underlying().(*types.Slice); isSlice {
			return t.operation(x, obj, prim, t.bit(sel.X, args[0], prim), types.Typ[types.Uint64], args)
		}
		if deref(t.Info.TypeOf(sel.X)) != types.Unalias(t.Info.TypeOf(sel.X)) {
			a = t.pointer(sel.X)
		} else {
			a = t.address(sel.X)
		}
		if path := t.Info.Selections[sel].Index(); len(path) > 1 {
			t.fail(x.Pos(), "a method of an embedded field: name the field")
		}
		st := deref(recv.Type()).Underlying().(*types.Struct)
		last := st.NumFields() - 1
		a.off += t.offsets(st)[last]
		a.reach += t.offsets(st)[last]
		elem = st.Field(last).Type()
	} else {
		a = t.pointer(args[0])
		elem = deref(t.Info.TypeOf(args[0]))
		args = args[1:]
	}
	return t.operation(x, obj, prim, a, elem, args)
}

// operation is a call of a primitive on a word.
func (t *translator) operation(x *ast.CallExpr, obj *types.Func, prim contract.Primitive, a address, elem types.Type, args []ast.Expr) ir.Value {
	in := ir.Instr{Op: ir.Memory, Pos: x.Pos(), Dst: ir.None, Access: &ir.Access{Prim: prim}}
	typ := t.typeOf(x.Pos(), elem)
	if typ.Pointer && prim.Op != contract.Load {
		t.fail(x.Pos(), "%s stores a pointer: assembly bypasses the garbage collector's write barrier; do it in Go, around the call", obj.Name())
	}
	for i, arg := range args {
		v := t.expr(arg)
		want := t.typeOf(arg.Pos(), obj.Signature().Params().At(obj.Signature().Params().Len()-len(args)+i).Type())
		if v.IsConst() {
			v = ir.C(want.Extend(v.Const))
		}
		in.Args = append(in.Args, v)
	}
	in.Type = typ
	if prim.Result != contract.NoResult {
		res := t.typeOf(x.Pos(), t.Info.TypeOf(x))
		in.Dst = t.fn.NewVar("", res)
	}
	in.Width = typ.Bits
	return t.access(in, a)
}

func (t *translator) plainLoad(pos token.Pos, a address, typ ir.Type) ir.Value {
	prim, _ := contract.Lookup("LoadRelaxed")
	return t.access(ir.Instr{Op: ir.Memory, Pos: pos, Dst: t.fn.NewVar("", typ), Type: typ,
		Access: &ir.Access{Prim: prim, Plain: true, Width: typ.Bits}}, a)
}

func (t *translator) plainStore(pos token.Pos, a address, typ ir.Type, v ir.Value) {
	prim, _ := contract.Lookup("StoreRelaxed")
	t.access(ir.Instr{Op: ir.Memory, Pos: pos, Dst: ir.None, Type: typ, Args: []ir.Value{v},
		Access: &ir.Access{Prim: prim, Plain: true, Width: typ.Bits}}, a)
}

// access emits an access at an address.
func (t *translator) access(in ir.Instr, a address) ir.Value {
	t.near(in.Pos, a, int64(in.Width/8))
	in.Base, in.Off = a.base, a.off
	return t.emit(in)
}
