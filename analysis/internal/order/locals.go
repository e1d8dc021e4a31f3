package order

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// locals knows which variables of a function nobody else can reach.
type locals struct{ private map[ssa.Value]bool }

func newLocals(fn *ssa.Function) *locals {
	l := &locals{private: map[ssa.Value]bool{}}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if a, ok := in.(*ssa.Alloc); ok {
				l.private[a] = private(a, 0)
			}
		}
	}
	return l
}

// shared reports whether the memory at an address may be reached by another goroutine.
func (l *locals) shared(addr ssa.Value) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			if _, ok := a.X.Type().Underlying().(*types.Pointer); !ok {
				return true // a slice's elements
			}
			addr = a.X
		case *ssa.Alloc:
			return !l.private[a]
		default:
			return true
		}
	}
}

// private reports whether an address is used for nothing but accesses to what it points to.
func private(addr ssa.Value, depth int) bool {
	if depth > 8 || addr.Referrers() == nil {
		return false
	}
	for _, use := range *addr.Referrers() {
		switch u := use.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp: // a load
		case *ssa.Store:
			if u.Val == addr {
				return false
			}
		case *ssa.FieldAddr:
			if !private(u, depth+1) {
				return false
			}
		case *ssa.IndexAddr:
			if !private(u, depth+1) {
				return false
			}
		case *ssa.Call:
			fn, _ := u.Call.Value.(*ssa.Function)
			if fn == nil {
				return false
			}
			obj, _ := fn.Object().(*types.Func)
			op, ok := Known(obj)
			if !ok || op.Sync == "" && op.Prim == nil {
				return false
			}
			for _, arg := range u.Call.Args[1:] {
				if arg == addr {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}
