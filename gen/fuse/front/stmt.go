package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/barriergen/barriergen/gen/fuse/ir"
)

func (t *translator) body(b *ast.BlockStmt) {
	for _, s := range b.List {
		t.stmt(s, "")
	}
}

// stmt translates a statement; label is the one in front of it.
func (t *translator) stmt(s ast.Stmt, label string) {
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		t.body(s)
	case *ast.ExprStmt:
		t.discard(s.X)
	case *ast.DeclStmt:
		t.declare(s.Decl.(*ast.GenDecl))
	case *ast.AssignStmt:
		t.assign(s)
	case *ast.IncDecStmt:
		op := ir.Add
		if s.Tok == token.DEC {
			op = ir.Sub
		}
		typ := t.typeOf(s.X.Pos(), t.Info.TypeOf(s.X))
		t.update(s.X, func(old ir.Value) ir.Value { return t.binary(s.Pos(), op, typ, old, ir.C(1)) })
	case *ast.IfStmt:
		t.branch(s)
	case *ast.ForStmt:
		t.counted(s, label)
	case *ast.RangeStmt:
		t.ranged(s, label)
	case *ast.LabeledStmt:
		t.stmt(s.Stmt, s.Label.Name)
	case *ast.BranchStmt:
		t.leave(s)
	case *ast.ReturnStmt:
		t.ret(s)
	case *ast.SwitchStmt, *ast.TypeSwitchStmt:
		t.fail(s.Pos(), "a switch: write it as if and else")
	case *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt:
		t.fail(s.Pos(), "a go, defer, select or send statement: assembly calls nothing; keep it in the function's caller")
	default:
		t.fail(s.Pos(), "this statement is not among those that can be fused: assignments, if, loops with a constant bound, return and calls of primitives")
	}
}

// discard evaluates an expression for its effect.
func (t *translator) discard(e ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		t.fail(e.Pos(), "an expression without effect")
	}
	t.call(call)
}

func (t *translator) declare(d *ast.GenDecl) {
	if d.Tok == token.CONST {
		return
	}
	if d.Tok != token.VAR {
		t.fail(d.Pos(), "a type inside a function: declare it outside, in a file without the build tag")
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) == 0 {
			for _, id := range spec.Names {
				t.define(id, ir.C(0))
			}
			continue
		}
		exprs := make([]ast.Expr, len(spec.Names))
		for i, id := range spec.Names {
			exprs[i] = id
		}
		t.assignAll(d.Pos(), exprs, spec.Values)
	}
}

func (t *translator) assign(s *ast.AssignStmt) {
	if s.Tok == token.ASSIGN || s.Tok == token.DEFINE {
		t.assignAll(s.Pos(), s.Lhs, s.Rhs)
		return
	}
	typ := t.typeOf(s.Lhs[0].Pos(), t.Info.TypeOf(s.Lhs[0]))
	op := assignOps[s.Tok]
	t.update(s.Lhs[0], func(old ir.Value) ir.Value {
		return t.arithmetic(s.TokPos, op, typ, old, s.Rhs[0])
	})
}

var assignOps = map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO,
	token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR, token.SHL_ASSIGN: token.SHL,
	token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT}

// assignAll assigns in parallel: all values are known before the first place changes.
func (t *translator) assignAll(pos token.Pos, left, right []ast.Expr) {
	if len(left) != len(right) {
		t.fail(pos, "a call with several results: a primitive has one")
	}
	if len(left) == 1 {
		if id, ok := left[0].(*ast.Ident); ok {
			t.setVar(id, right[0])
			return
		}
	}
	places := make([]func(ir.Value), len(left))
	values := make([]ir.Value, len(right))
	for i, l := range left {
		places[i] = t.place(l)
	}
	for i, r := range right {
		if values[i] = t.expr(r); len(right) > 1 && !values[i].IsConst() { // a copy that no assignment changes
			typ := t.fn.Vars[values[i].Reg].Type
			values[i] = t.emit(ir.Instr{Op: ir.Move, Pos: r.Pos(), Dst: t.fn.NewVar("", typ), Type: typ, Args: []ir.Value{values[i]}})
		}
	}
	for i := range places {
		places[i](values[i])
	}
}

// setVar assigns one variable. A pointer that is assigned only here stands for the address itself.
func (t *translator) setVar(id *ast.Ident, e ast.Expr) {
	obj := t.Info.ObjectOf(id)
	if id.Name == "_" || obj == nil {
		t.expr(e)
		return
	}
	if _, known := t.vars[obj]; !known && t.assigned[obj] == 1 && t.typeOf(id.Pos(), obj.Type()).Pointer {
		if c, ok := t.constant(e); ok {
			t.define(id, c)
			return
		}
		a := t.pointer(e)
		if t.stable(a.base) {
			t.vars[obj] = &variable{reg: ir.None, addr: &a}
			return
		}
		t.define(id, t.value(e.Pos(), a))
		return
	}
	t.define(id, t.expr(e))
}

// stable reports whether a value never changes: a constant, a temporary, or a parameter that is not assigned.
func (t *translator) stable(v ir.Value) bool {
	if v.IsConst() || t.fn.Vars[v.Reg].Name == "" {
		return true
	}
	for obj, x := range t.vars {
		if x.reg == v.Reg {
			for _, p := range t.fn.Params {
				if p.Reg == v.Reg {
					return t.assigned[obj] == 0
				}
			}
			return t.assigned[obj] == 1
		}
	}
	return false
}

// define assigns a value to a variable, which is made if it is new.
func (t *translator) define(id *ast.Ident, v ir.Value) {
	obj := t.Info.ObjectOf(id)
	if id.Name == "_" || obj == nil {
		return
	}
	typ := t.typeOf(id.Pos(), obj.Type())
	x := t.vars[obj]
	if x == nil {
		if obj.Parent() == t.Types.Scope() {
			t.fail(id.Pos(), "the package's variable %s: pass its address as a parameter", id.Name)
		}
		x = &variable{reg: t.fn.NewVar(id.Name, typ)}
		t.vars[obj] = x
	}
	if x.loop != nil {
		t.fail(id.Pos(), "the loop's variable %s is assigned in the body: the bound is no constant then", id.Name)
	}
	if n := len(t.instrs()); n > 0 && !v.IsConst() && t.fn.Vars[v.Reg].Name == "" && t.cur.Instrs[n-1].Dst == v.Reg && !t.held(v.Reg) {
		t.cur.Instrs[n-1].Dst = x.reg // computed where it goes
		return
	}
	t.emit(ir.Instr{Op: ir.Move, Pos: id.Pos(), Dst: x.reg, Type: typ, Args: []ir.Value{v}})
}

// instrs are those of the current block so far.
func (t *translator) instrs() []ir.Instr {
	if t.cur == nil {
		return nil
	}
	return t.cur.Instrs
}

// held reports whether a pointer that stands for an address is based on a variable.
func (t *translator) held(r ir.Reg) bool {
	for _, v := range t.vars {
		if v.addr != nil && v.addr.base == ir.V(r) {
			return true
		}
	}
	return false
}

// place is where an assignment writes to; an address is computed at once.
func (t *translator) place(e ast.Expr) func(ir.Value) {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		return func(v ir.Value) { t.define(id, v) }
	}
	a := t.address(e)
	typ := t.stored(e)
	return func(v ir.Value) { t.plainStore(e.Pos(), a, typ, v) }
}

// stored is the type that a plain store writes.
func (t *translator) stored(e ast.Expr) ir.Type {
	typ := t.typeOf(e.Pos(), t.Info.TypeOf(e))
	if typ.Pointer {
		t.fail(e.Pos(), "a pointer is stored: assembly bypasses the garbage collector's write barrier; store it in Go, around the call")
	}
	return typ
}

// update changes a variable or a place by its own value.
func (t *translator) update(e ast.Expr, f func(ir.Value) ir.Value) {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		t.define(id, f(t.expr(id)))
		return
	}
	a := t.address(e)
	typ := t.stored(e)
	t.plainStore(e.Pos(), a, typ, f(t.plainLoad(e.Pos(), a, typ)))
}

func (t *translator) branch(s *ast.IfStmt) {
	if s.Init != nil {
		t.stmt(s.Init, "")
	}
	then, after := t.block(), t.block()
	other := after
	if s.Else != nil {
		other = t.block()
	}
	t.cond(s.Cond, then, other)
	t.enter(then)
	t.body(s.Body)
	t.jump(s.Body.Rbrace, after)
	if s.Else != nil {
		t.enter(other)
		t.stmt(s.Else, "")
		t.jump(s.End(), after)
	}
	t.enter(after)
}

func (t *translator) ret(s *ast.ReturnStmt) {
	term := ir.Term{Kind: ir.Return, Pos: s.Pos()}
	if len(s.Results) != len(t.results) && len(s.Results) > 0 {
		t.fail(s.Pos(), "a call with several results: a primitive has one")
	}
	for _, r := range s.Results {
		term.Results = append(term.Results, t.expr(r))
	}
	if len(s.Results) == 0 {
		results := t.out.Sig.Results()
		for i := range results.Len() {
			v := ir.C(0) // of a blank name
			if x := t.vars[results.At(i)]; x != nil {
				v = ir.V(x.reg)
			}
			term.Results = append(term.Results, v)
		}
	}
	t.end(term)
}

func (t *translator) leave(s *ast.BranchStmt) {
	if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
		t.fail(s.Pos(), "%v: use if, and loops with a constant bound", s.Tok)
	}
	for i := len(t.loops) - 1; i >= 0; i-- {
		l := t.loops[i]
		if s.Label != nil && s.Label.Name != l.label {
			continue
		}
		if s.Tok == token.BREAK {
			t.jump(s.Pos(), l.after)
		} else {
			t.jump(s.Pos(), l.next)
		}
		return
	}
	t.fail(s.Pos(), "%v outside a loop", s.Tok)
}

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
