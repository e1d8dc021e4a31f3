package front

import (
	"go/ast"
	"go/token"
	"slices"

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
	case *ast.SwitchStmt:
		t.cases(s, label)
	case *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt:
		t.fail(s.Pos(), "a go, defer, select or send statement: assembly calls nothing; keep it in the function's caller")
	default:
		t.fail(s.Pos(), "this statement is not among those that can be fused: assignments, if, switch, loops with a constant bound, return and calls of primitives")
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
				zero := []ir.Value{ir.C(0)}
				if t.isPair(t.Info.TypeOf(id)) {
					zero = append(zero, ir.C(0))
				}
				t.define(id, zero...)
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
	if len(left) == 1 && !t.isPair(t.Info.TypeOf(right[0])) {
		if id, ok := left[0].(*ast.Ident); ok {
			t.setVar(id, right[0])
			return
		}
	}
	places := make([]func(...ir.Value), len(left))
	for i, l := range left {
		places[i] = t.place(l)
	}
	values := make([][]ir.Value, len(left))
	if len(left) != len(right) {
		values = t.several(pos, right[0])
	} else {
		for i, r := range right {
			values[i] = slices.Clone(t.values(r))
			for k, v := range values[i] {
				if (len(right) > 1 || len(values[i]) > 1) && !v.IsConst() && t.fn.Vars[v.Reg].Name != "" { // a copy that no assignment changes
					typ := t.fn.Vars[v.Reg].Type
					values[i][k] = t.emit(ir.Instr{Op: ir.Move, Pos: r.Pos(), Dst: t.fn.NewVar("", typ), Type: typ, Args: []ir.Value{v}})
				}
			}
		}
	}
	for i := range places {
		places[i](values[i]...)
	}
}

// values evaluates an expression: a Pair is two values.
func (t *translator) values(e ast.Expr) []ir.Value {
	if t.isPair(t.Info.TypeOf(e)) {
		return t.pair(e)
	}
	return []ir.Value{t.expr(e)}
}

// several evaluates a call with several results.
func (t *translator) several(pos token.Pos, e ast.Expr) [][]ir.Value {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if sel, prim, ok := t.cellMethod(call); ok {
			vs := t.cellCall(call, sel, prim)
			return [][]ir.Value{vs[:2], vs[2:]}
		}
	}
	t.fail(pos, "a call with several results: of the primitives only the CompareAndSwap of a 16-byte cell has that")
	return nil
}

// setVar assigns one variable. A pointer that is assigned only here stands for the address itself.
func (t *translator) setVar(id *ast.Ident, e ast.Expr) {
	obj := t.Info.ObjectOf(id)
	if id.Name == "_" || obj == nil {
		t.expr(e)
		return
	}
	if t.isHandle(obj.Type()) {
		if t.assigned[obj] != 1 || t.vars[obj] != nil {
			t.fail(id.Pos(), "the handle %s is assigned more than once: which cell it means must be known in Go before the assembly runs; use a variable for each", id.Name)
		}
		a := t.cell(e)
		t.vars[obj] = &variable{reg: ir.None, addr: &a}
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

// define assigns a value to a variable, which is made if it is new; of a Pair both halves.
func (t *translator) define(id *ast.Ident, vs ...ir.Value) {
	obj := t.Info.ObjectOf(id)
	if id.Name == "_" || obj == nil {
		return
	}
	x := t.vars[obj]
	if x == nil {
		if obj.Parent() == t.Types.Scope() {
			t.fail(id.Pos(), "the package's variable %s: pass its address as a parameter", id.Name)
		}
		x = t.newVar(id.Name, id.Pos(), obj.Type())
		t.vars[obj] = x
	}
	if x.loop != nil {
		t.fail(id.Pos(), "the loop's variable %s is assigned in the body: the bound is no constant then", id.Name)
	}
	if x.reg == ir.None {
		t.fail(id.Pos(), "%s is assigned: what it stands for must be known in Go before the assembly runs; use a variable of its own", id.Name)
	}
	for i, half := range x.values() {
		t.set(id.Pos(), half.Reg, vs[i])
	}
}

// set gives a variable a value. What was just computed into a temporary is computed where it goes.
func (t *translator) set(pos token.Pos, to ir.Reg, v ir.Value) {
	if n := len(t.instrs()); n > 0 && !v.IsConst() && t.fn.Vars[v.Reg].Name == "" && !t.held(v.Reg) {
		for _, d := range t.cur.Instrs[n-1].Defs() {
			if *d == v.Reg {
				*d = to
				return
			}
		}
	}
	t.emit(ir.Instr{Op: ir.Move, Pos: pos, Dst: to, Type: t.fn.Vars[to].Type, Args: []ir.Value{v}})
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
func (t *translator) place(e ast.Expr) func(...ir.Value) {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		return func(vs ...ir.Value) { t.define(id, vs...) }
	}
	if reg, ok := t.halfVar(e); ok {
		return func(vs ...ir.Value) { t.set(e.Pos(), reg, vs[0]) }
	}
	a := t.address(e)
	typ := t.stored(e)
	return func(vs ...ir.Value) { t.plainStore(e.Pos(), a, typ, vs[0]) }
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
	if reg, ok := t.halfVar(e); ok {
		t.set(e.Pos(), reg, f(ir.V(reg)))
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

// cases is a switch: one comparison after the other.
func (t *translator) cases(s *ast.SwitchStmt, label string) {
	if s.Init != nil {
		t.stmt(s.Init, "")
	}
	var tag ir.Value
	var typ ir.Type
	if s.Tag != nil {
		typ = t.typeOf(s.Tag.Pos(), t.Info.TypeOf(s.Tag))
		tag = t.expr(s.Tag)
	}
	after := t.block()
	other := after // where no case holds
	t.loops = append(t.loops, loop{label, after, none})
	bodies := make([]int, len(s.Body.List))
	for i, c := range s.Body.List {
		bodies[i] = t.block()
		clause := c.(*ast.CaseClause)
		if clause.List == nil {
			other = bodies[i]
		}
		for _, e := range clause.List {
			next := t.block()
			if s.Tag == nil {
				t.cond(e, bodies[i], next)
			} else {
				t.test(e.Pos(), ir.Eq, typ, tag, t.expr(e), bodies[i], next)
			}
			t.enter(next)
		}
	}
	t.jump(s.Pos(), other)
	for i, c := range s.Body.List {
		t.enter(bodies[i])
		for _, inner := range c.(*ast.CaseClause).Body {
			t.stmt(inner, "")
		}
		t.jump(c.End(), after)
	}
	t.loops = t.loops[:len(t.loops)-1]
	t.enter(after)
}

func (t *translator) ret(s *ast.ReturnStmt) {
	term := ir.Term{Kind: ir.Return, Pos: s.Pos()}
	results := t.out.Sig.Results()
	switch {
	case len(s.Results) == 0:
		for v := range results.Variables() {
			if x := t.vars[v]; x != nil {
				term.Results = append(term.Results, x.values()...)
				continue
			}
			for range t.components(v.Pos(), v.Type()) { // of a blank name
				term.Results = append(term.Results, ir.C(0))
			}
		}
	case len(s.Results) != results.Len():
		term.Results = slices.Concat(t.several(s.Pos(), s.Results[0])...)
	default:
		for _, r := range s.Results {
			term.Results = append(term.Results, t.values(r)...)
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
		if s.Label != nil && s.Label.Name != l.label || s.Tok == token.CONTINUE && l.next == none {
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
