package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/barriergen/barriergen/gen/fuse/ir"
)

const unbounded = "a loop without a constant bound: assembly can't be preempted, so a long loop stops the garbage collector; " +
	"write for i := 0; i < N; i++ with a constant N, or keep the loop in Go around the call"

// counted is a for statement whose variable goes from a constant to a constant.
func (t *translator) counted(s *ast.ForStmt, label string) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || s.Cond == nil || s.Post == nil {
		t.fail(s.Pos(), unbounded)
	}
	id := init.Lhs[0].(*ast.Ident)
	obj := t.Info.Defs[id]
	start, ok := t.constant(init.Rhs[0])
	cmp, isCmp := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !ok || !isCmp || !t.is(cmp.X, obj) {
		t.fail(s.Pos(), unbounded)
	}
	cond, ok := conds[cmp.Op]
	limit, isConst := t.constant(cmp.Y)
	step, hasStep := t.step(s.Post, obj)
	if !ok || !isConst || !hasStep || step == 0 {
		t.fail(s.Pos(), unbounded)
	}
	if t.assigned[obj] != 2 { // here and in the post statement
		t.fail(s.Pos(), "the loop's variable %s is assigned in the body: the bound is no constant then", id.Name)
	}
	typ := t.typeOf(id.Pos(), obj.Type())
	trips, last := int64(0), start.Const
	for v := start.Const; cond.Holds(typ, v, limit.Const); v = typ.Extend(v + step) {
		last = v
		if trips++; trips > MaxTrips {
			break
		}
	}
	t.loop(s.Pos(), id, obj, label, s.Body, start.Const, last, step, trips)
}

// step is what a loop's post statement adds.
func (t *translator) step(post ast.Stmt, obj types.Object) (int64, bool) {
	switch p := post.(type) {
	case *ast.IncDecStmt:
		if !t.is(p.X, obj) {
			return 0, false
		}
		if p.Tok == token.DEC {
			return -1, true
		}
		return 1, true
	case *ast.AssignStmt:
		if len(p.Lhs) != 1 || !t.is(p.Lhs[0], obj) {
			return 0, false
		}
		c, ok := t.constant(p.Rhs[0])
		switch p.Tok {
		case token.ADD_ASSIGN:
			return c.Const, ok
		case token.SUB_ASSIGN:
			return -c.Const, ok
		}
	}
	return 0, false
}

func (t *translator) is(e ast.Expr, obj types.Object) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && t.Info.ObjectOf(id) == obj
}

// ranged is a range over a constant, or over the indexes of an array.
func (t *translator) ranged(s *ast.RangeStmt, label string) {
	var n int64
	typ := deref(t.Info.TypeOf(s.X))
	if arr, ok := typ.Underlying().(*types.Array); ok && s.Value == nil {
		n = arr.Len()
	} else if c, ok := t.constant(s.X); ok && s.Value == nil {
		n = max(c.Const, 0)
	} else {
		t.fail(s.Pos(), "a range over something else than a constant or the indexes of an array: %s", unbounded)
	}
	id, _ := s.Key.(*ast.Ident)
	var obj types.Object
	if id != nil && id.Name != "_" {
		if obj = t.Info.Defs[id]; obj == nil || t.assigned[obj] != 1 {
			t.fail(s.Key.Pos(), "the loop's variable %s is assigned elsewhere too: declare it in the range clause", id.Name)
		}
	}
	t.loop(s.Pos(), id, obj, label, s.Body, 0, n-1, 1, n)
}

// loop runs a body a constant number of times. The test is at the end: the body runs at least once.
func (t *translator) loop(pos token.Pos, id *ast.Ident, obj types.Object, label string, body *ast.BlockStmt, first, last, step, trips int64) {
	if trips == 0 {
		return
	}
	if trips*int64(t.weight) > MaxTrips {
		t.fail(pos, "the loop's body runs more than %d times, loops around it included: assembly can't be preempted; keep the outer loop in Go around the call", MaxTrips)
	}
	if obj != nil {
		for _, p := range []int64{first, last} {
			if typ := t.typeOf(pos, obj.Type()); typ.Extend(p) != p {
				t.fail(pos, "the loop's variable does not fit its type")
			}
		}
	}
	typ, name := ir.Type{Bits: 64, Signed: true}, "i"
	if obj != nil {
		typ, name = t.typeOf(pos, obj.Type()), id.Name
	}
	reg := t.fn.NewVar(name, typ)
	if obj != nil {
		t.vars[obj] = &variable{reg: reg, loop: &span{min(first, last), max(first, last)}}
	}
	t.emit(ir.Instr{Op: ir.Move, Pos: pos, Dst: reg, Type: typ, Args: []ir.Value{ir.C(first)}})
	outer := t.weight
	t.weight *= int(trips)
	head, next := t.block(), t.block()
	t.weight = outer
	after := t.block()
	t.weight *= int(trips)
	t.jump(pos, head)
	t.enter(head)
	t.loops = append(t.loops, loop{label, after, next})
	t.body(body)
	t.loops = t.loops[:len(t.loops)-1]
	t.jump(body.Rbrace, next)
	t.enter(next)
	t.emit(ir.Instr{Op: ir.Add, Pos: pos, Dst: reg, Type: typ, Args: []ir.Value{ir.V(reg), ir.C(step)}})
	end := typ.Extend(last + step)
	t.end(ir.Term{Kind: ir.If, Pos: pos, Cond: ir.Ne, Type: typ, A: ir.V(reg), B: ir.C(end), Then: head, Else: after})
	t.weight = outer
	t.enter(after)
}
