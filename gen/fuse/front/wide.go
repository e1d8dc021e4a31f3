package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// pair evaluates a Pair as its halves, the low one first.
func (t *translator) pair(e ast.Expr) []ir.Value {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return t.lookup(x).values()
	case *ast.CompositeLit:
		halves := []ir.Value{ir.C(0), ir.C(0)}
		for i, elt := range x.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				_, index, _ := types.LookupFieldOrMethod(t.Info.TypeOf(x), false, t.Types, kv.Key.(*ast.Ident).Name)
				i, elt = index[0], kv.Value
			}
			halves[i] = t.expr(elt)
		}
		return halves
	case *ast.CallExpr:
		if sel, prim, ok := t.cellMethod(x); ok {
			return t.cellCall(x, sel, prim)[:2]
		}
	}
	t.fail(e.Pos(), "a Pair that is no local variable, literal or result of Load: in memory it is two words, read .Lo and .Hi")
	return nil
}

// half finds the half that a selector names of a Pair that is not in memory.
func (t *translator) half(x *ast.SelectorExpr) (index int, ok bool) {
	sel := t.Info.Selections[x]
	if sel == nil || !t.isPair(sel.Recv()) {
		return 0, false
	}
	switch e := ast.Unparen(x.X).(type) {
	case *ast.Ident:
		v := t.vars[t.Info.ObjectOf(e)]
		return sel.Index()[0], v != nil && v.pair
	case *ast.CompositeLit, *ast.CallExpr:
		return sel.Index()[0], true
	}
	return 0, false
}

// halfVar is the variable that a half of a Pair is kept in.
func (t *translator) halfVar(e ast.Expr) (ir.Reg, bool) {
	x, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ir.None, false
	}
	i, ok := t.half(x)
	id, isVar := ast.Unparen(x.X).(*ast.Ident)
	if !ok || !isVar {
		return ir.None, false
	}
	return t.lookup(id).values()[i].Reg, true
}

// differ is zero if two pairs are equal.
func (t *translator) differ(pos token.Pos, a, b []ir.Value) ir.Value {
	lo := t.binary(pos, ir.Xor, ir.Uint64, a[0], b[0])
	hi := t.binary(pos, ir.Xor, ir.Uint64, a[1], b[1])
	return t.binary(pos, ir.Or, ir.Uint64, lo, hi)
}

// cellMethod finds the method of a 16-byte cell that a call is of.
func (t *translator) cellMethod(x *ast.CallExpr) (sel *ast.SelectorExpr, prim contract.Primitive, ok bool) {
	if sel, ok = ast.Unparen(x.Fun).(*ast.SelectorExpr); !ok {
		return nil, prim, false
	}
	fn, ok := t.Info.Uses[sel.Sel].(*types.Func)
	if !ok {
		return nil, prim, false
	}
	prim, ok = t.ours(fn)
	return sel, prim, ok && prim.Operand == contract.Wide
}

// stays are the methods of a cell that can't be in assembly, with what to do instead.
var stays = map[string]string{
	"Store":    "retries as long as others write, and assembly can't be preempted: write a loop of at most N calls of CompareAndSwap, and say what happens after the last",
	"Swap":     "retries as long as others write, and assembly can't be preempted: write a loop of at most N calls of CompareAndSwap, and say what happens after the last",
	"LockFree": "asks what the CPU can: assembly runs only where it can; ask in Go, around the call",
}

// cellCall is a call of a cell's method: the halves of what it saw, and whether it wrote.
func (t *translator) cellCall(x *ast.CallExpr, sel *ast.SelectorExpr, prim contract.Primitive) []ir.Value {
	if why := stays[sel.Sel.Name]; why != "" {
		t.fail(x.Pos(), "%s of a 16-byte cell %s", sel.Sel.Name, why)
	}
	in := ir.Instr{Op: ir.Memory, Pos: x.Pos(), Type: ir.Uint64, Access: &ir.Access{Width: 128}}
	a := t.cell(sel.X)
	for _, arg := range x.Args {
		in.Args = append(in.Args, t.pair(arg)...)
	}
	if sel.Sel.Name == "Load" { // by its documentation an acquire load, in the form of a compare-and-swap
		in.Loads, in.Args = true, slices.Repeat([]ir.Value{ir.C(0)}, 4)
		acquire, _ := contract.Lookup("CompareAndSwapAcquire")
		prim.Orders = acquire.Orders
	}
	in.Prim, in.Base, in.Off = prim, a.base, a.off
	in.Dst, in.Seen = t.fn.NewVar("", ir.Bool), []ir.Reg{t.fn.NewVar("", ir.Uint64), t.fn.NewVar("", ir.Uint64)}
	t.emit(in)
	return []ir.Value{ir.V(in.Seen[0]), ir.V(in.Seen[1]), ir.V(in.Dst)}
}

// cell is the address that a handle stands for. That it has one, and that it is aligned, is checked in Go before the
// assembly runs, so it must be known there.
func (t *translator) cell(e ast.Expr) address {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if !t.isHandle(t.Info.TypeOf(x)) {
			break
		}
		v := t.lookup(x)
		if v.addr.root == t.Info.ObjectOf(x) {
			t.check(Check{Kind: HasCell, Param: x.Name, Type: t.Info.TypeOf(x)})
		}
		return *v.addr
	case *ast.CallExpr:
		if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && sel.Sel.Name == "Uint128At" && t.isHandle(t.Info.TypeOf(x)) {
			a := t.pointer(x.Args[0])
			if a.root == nil || a.uneven {
				t.fail(x.Args[0].Pos(), "a 16-byte cell that is not at a constant distance from a parameter: that it is aligned is checked in Go before the assembly runs, "+
					"since a fault in assembly is fatal; pass an atomics.Uint128, or the cell's address")
			}
			t.check(Check{Kind: Aligned, Param: a.root.Name(), Type: t.Info.TypeOf(x), Off: a.off})
			return a
		}
	}
	t.fail(e.Pos(), "a handle that is not a parameter: that it has a cell is checked in Go before the assembly runs, since a fault in assembly is fatal; "+
		"pass the handle as a parameter of type atomics.Uint128")
	return address{}
}
