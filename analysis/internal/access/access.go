// Package access finds all accesses to variables of a package, and which locks are held there.
//
// A variable is a field of a struct, taken for all objects together, or a variable of the package.
package access

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/barriergen/barriergen/analysis/internal/order"
	"github.com/barriergen/barriergen/contract"
)

// Access is one access to a variable.
type Access struct {
	Var    *types.Var
	Instr  ssa.Instruction
	Pos    token.Pos
	Atomic bool
	Op     order.Op // if it is atomic
	Reads  bool
	Writes bool
	Whole  bool // it is one to all of the object
	// Locks are those held on every path, by their place beside the variable; true for exclusive ones.
	Locks map[string]bool
	// Fresh: nobody else can see the object yet.
	Fresh bool
}

// Summary is what a package does to a variable.
type Summary struct {
	Accesses []Access
	// Open: its address goes somewhere, so there may be more accesses than these.
	Open bool
}

// Of finds the accesses to variables in functions.
func Of(fns []*ssa.Function, vars map[*types.Var]bool) map[*types.Var]*Summary {
	out := map[*types.Var]*Summary{}
	for v := range vars {
		out[v] = &Summary{}
	}
	held := newHeld(fns)
	for _, fn := range fns {
		touches := false
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				touches = touches || mentions(in, vars)
			}
		}
		if !touches {
			continue
		}
		held.each(fn, func(in ssa.Instruction, locks map[place]bool) {
			for _, a := range accesses(in, vars, out) {
				root, path := Path(a.addr)
				a.Locks = beside(root, path, locks)
				a.Fresh = fresh(root, path, in)
				s := out[a.Var]
				s.Accesses = append(s.Accesses, a.Access)
			}
		})
	}
	return out
}

// Var is the variable that an address is that of, nil for others. A conversion of the pointer does not matter.
func Var(addr ssa.Value) *types.Var {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return field(a.X.Type(), a.Field)
	case *ssa.Global:
		v, _ := a.Object().(*types.Var)
		return v
	case *ssa.ChangeType:
		return Var(a.X)
	case *ssa.Convert:
		return Var(a.X)
	}
	return nil
}

func field(pointer types.Type, i int) *types.Var {
	p, ok := pointer.Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return s.Field(i).Origin()
}

func mentions(in ssa.Instruction, vars map[*types.Var]bool) bool {
	var space [8]*ssa.Value
	for _, op := range in.Operands(space[:0]) {
		if *op == nil {
			continue
		}
		if v := Var(*op); v != nil && vars[v] {
			return true
		}
		if p, ok := (*op).Type().Underlying().(*types.Pointer); ok {
			if s, ok := p.Elem().Underlying().(*types.Struct); ok && whole(in, *op) {
				for i := range s.NumFields() {
					if vars[s.Field(i).Origin()] {
						return true
					}
				}
			}
		}
	}
	return false
}

// whole reports whether an instruction reads or writes all that a pointer points to.
func whole(in ssa.Instruction, p ssa.Value) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.MUL
	case *ssa.Store:
		return in.Addr == p
	}
	return false
}

type addressed struct {
	Access
	addr ssa.Value
}

// accesses are those of an instruction. Where it does something else with an address, the variable is open.
func accesses(in ssa.Instruction, vars map[*types.Var]bool, open map[*types.Var]*Summary) []addressed {
	var out []addressed
	note := func(v *types.Var, addr ssa.Value, a Access) {
		a.Var, a.Instr, a.Pos = v, in, in.Pos()
		if !a.Pos.IsValid() { // as of the store in x++
			a.Pos = addr.Pos()
		}
		out = append(out, addressed{a, addr})
	}
	var space [8]*ssa.Value
	for n, op := range in.Operands(space[:0]) {
		if *op == nil {
			continue
		}
		v := Var(*op)
		if v == nil || !vars[v] {
			if whole(in, *op) {
				_, write := in.(*ssa.Store)
				for i, f := range fields((*op).Type()) {
					if vars[f] {
						note(f, &ssa.FieldAddr{X: *op, Field: i}, Access{Reads: !write, Writes: write, Whole: true})
					}
				}
			}
			continue
		}
		switch in := in.(type) {
		case *ssa.DebugRef, *ssa.ChangeType:
		case *ssa.Convert:
			if _, pointer := in.Type().Underlying().(*types.Pointer); !pointer {
				open[v].Open = true
			}
		case *ssa.UnOp:
			note(v, *op, Access{Reads: true})
		case *ssa.Store:
			if in.Addr != *op {
				open[v].Open = true
				break
			}
			note(v, *op, Access{Writes: true})
		case *ssa.FieldAddr: // into the variable, itself a struct
		case *ssa.Call:
			known, ok := operation(in.Common())
			if !ok || n != 1 { // the function is operand 0
				open[v].Open = true
				break
			}
			rmw := known.Sync.RMW() || known.Prim != nil && known.Prim.Op.RMW()
			store := known.Sync == contract.Store || known.Prim != nil && (known.Prim.Op == contract.Store || known.Prim.Op == contract.UnlockBit)
			note(v, *op, Access{Atomic: true, Op: known, Reads: !store, Writes: rmw || store})
		default:
			open[v].Open = true
		}
	}
	return out
}

func fields(pointer types.Type) []*types.Var {
	p, ok := pointer.Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	out := make([]*types.Var, s.NumFields())
	for i := range out {
		out[i] = s.Field(i).Origin()
	}
	return out
}

// operation is the atomic operation that a call is.
func operation(c *ssa.CallCommon) (order.Op, bool) {
	fn := c.StaticCallee()
	if fn == nil {
		return order.Op{}, false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, _ := fn.Object().(*types.Func)
	op, ok := order.Known(obj)
	return op, ok && (op.Sync != "" || op.Prim != nil && op.Prim.Op != contract.Fence)
}
