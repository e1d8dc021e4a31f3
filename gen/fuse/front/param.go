package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// Check is what must hold of a parameter before the assembly runs. Where it does not hold the Go body runs, which panics
// where the source says so.
type Check struct {
	Kind  CheckKind
	Param string
	Type  types.Type // of a handle
	Off   int64      // of a cell, behind what the parameter points to
	Index string     // of a bitmap: the parameter that is a bit's number, or empty
	Words int64      // of a bitmap: without an index, how many it must have
}

// CheckKind says what a check is of.
type CheckKind uint8

// The checks.
const (
	HasCell CheckKind = iota // a handle has a cell
	Aligned                  // a pointer is to a cell of 16 bytes
	Within                   // a bit is in a bitmap
)

// named reports whether a type is the one of that name in this project's package, or in one that barriergen generated.
func (p *Package) named(typ types.Type, name string) bool {
	if typ == nil {
		return false
	}
	n, ok := types.Unalias(typ).(*types.Named)
	return ok && n.Obj().Name() == name && p.primitives(n.Obj())
}

func (p *Package) isPair(typ types.Type) bool   { return p.named(typ, "Pair") }
func (p *Package) isHandle(typ types.Type) bool { return p.named(typ, "Uint128") }
func (p *Package) isBitmap(typ types.Type) bool { return p.named(typ, "Bitmap") }

// component is what of a parameter is in one register.
type component struct {
	suffix string // of the name, as the assembler's vet check wants it
	typ    ir.Type
}

// components are those of a type: a Pair has two words, a handle is the address of its cell, a bitmap is a slice.
func (p *Package) components(pos token.Pos, typ types.Type) []component {
	if p.isBitmap(typ) {
		return []component{{"_base", ir.Address}, {"_len", ir.Uint64}, {"_cap", ir.Uint64}}
	}
	if !p.isPair(typ) && !p.isHandle(typ) {
		return []component{{"", p.typeOf(pos, typ)}}
	}
	var out []component
	for f := range typ.Underlying().(*types.Struct).Fields() {
		out = append(out, component{"_" + f.Name(), p.typeOf(pos, f.Type())})
	}
	return out
}

func (t *translator) check(c Check) {
	if !slices.ContainsFunc(t.out.Checks, func(x Check) bool {
		return x.Kind == c.Kind && x.Param == c.Param && x.Off == c.Off && x.Index == c.Index && x.Words >= c.Words
	}) {
		t.out.Checks = append(t.out.Checks, c)
	}
}

// bit is the address of the word of a bitmap in which a bit is. That the bitmap has it is checked in Go before the assembly
// runs, so bitmap and number must be known there.
func (t *translator) bit(bitmap, number ast.Expr, prim contract.Primitive) address {
	id, ok := ast.Unparen(bitmap).(*ast.Ident)
	if !ok || !t.isBitmap(t.Info.TypeOf(id)) || !t.unchanged(id) {
		t.fail(bitmap.Pos(), "a bitmap that is not a parameter as it came: its bounds are checked in Go before the assembly runs; "+
			"pass the Bitmap as a parameter, or the address of the word, for bitops.%s(&b[n/64], n)", prim.Name)
	}
	a := *t.lookup(id).addr
	n, isParam := ast.Unparen(number).(*ast.Ident)
	at, bounded := t.span(number)
	switch {
	case bounded && at.lo >= 0:
		t.check(Check{Kind: Within, Param: id.Name, Words: at.hi/64 + 1})
	case isParam && t.unchanged(n):
		t.check(Check{Kind: Within, Param: id.Name, Index: n.Name})
	default:
		t.fail(number.Pos(), "the number of a bit that is no parameter, constant or loop's variable: that the Bitmap has it is checked in Go before the assembly runs; "+
			"pass the number as a parameter, or the address of the word, for bitops.%s(&b[n/64], n)", prim.Name)
	}
	word := t.binary(number.Pos(), ir.Shr, ir.Uint64, t.expr(number), ir.C(6))
	if word.IsConst() {
		return address{base: a.base, off: word.Const * 8}
	}
	return address{base: t.emit(ir.Instr{Op: ir.Index, Pos: number.Pos(), Dst: t.fn.NewVar("", ir.Address), Type: ir.Address, Scale: 8, Args: []ir.Value{a.base, word}})}
}

// unchanged reports whether a name is a parameter that is never assigned.
func (t *translator) unchanged(id *ast.Ident) bool {
	obj := t.Info.ObjectOf(id)
	v, ok := obj.(*types.Var)
	return ok && v.Kind() == types.ParamVar && t.vars[obj] != nil && t.assigned[obj] == 0
}
