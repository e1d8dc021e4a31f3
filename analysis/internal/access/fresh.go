package access

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// fresh reports whether, at an instruction, nobody else can see the object that an address is in.
func fresh(root ssa.Value, path string, at ssa.Instruction) bool {
	if at.Parent().Synthetic == "package initializer" {
		return true
	}
	a := Object(root, path)
	return a != nil && Unpublished(a, at)
}

// Object is the allocation of the object that an address is in, nil if the function does not allocate it.
func Object(root ssa.Value, path string) *ssa.Alloc {
	a, ok := root.(*ssa.Alloc)
	if !ok || strings.Contains(path, "*") { // a pointer in a variable is the address of another object
		return nil
	}
	return a
}

// Unpublished reports whether an object that the function allocates is seen by nobody else, at an instruction that works on
// it.
func Unpublished(a *ssa.Alloc, at ssa.Instruction) bool {
	for _, p := range Publications(a) {
		if reaches(p, at, a) {
			return false
		}
	}
	return true
}

// Publications are the instructions after which others may reach an object.
func Publications(a *ssa.Alloc) []ssa.Instruction {
	var out []ssa.Instruction
	var follow func(v ssa.Value)
	seen := map[ssa.Value]bool{}
	follow = func(v ssa.Value) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, use := range *v.Referrers() {
			switch u := use.(type) {
			case *ssa.DebugRef, *ssa.UnOp:
			case *ssa.FieldAddr:
				follow(u)
			case *ssa.IndexAddr:
				follow(u)
			case *ssa.ChangeType:
				follow(u)
			case *ssa.Convert:
				follow(u)
			case *ssa.Store:
				if u.Val == v {
					out = append(out, u)
				}
			case *ssa.Call:
				if _, ok := operation(u.Common()); !ok || len(u.Call.Args) == 0 || u.Call.Args[0] != v || contains(u.Call.Args[1:], v) {
					if !mutex(u.Common(), v) {
						out = append(out, u)
					}
				}
			default:
				out = append(out, use)
			}
		}
	}
	follow(a)
	return out
}

func contains(values []ssa.Value, v ssa.Value) bool {
	for _, x := range values {
		if x == v {
			return true
		}
	}
	return false
}

// mutex reports whether a call only locks or unlocks v.
func mutex(c *ssa.CallCommon, v ssa.Value) bool {
	if c.StaticCallee() == nil || len(c.Args) != 1 || c.Args[0] != v {
		return false
	}
	fn, ok := c.StaticCallee().Object().(*types.Func)
	return ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync"
}

// reaches reports whether control may go from one instruction to another without allocating the object anew.
func reaches(from, to ssa.Instruction, a *ssa.Alloc) bool {
	if from.Block() == to.Block() && index(from) < index(to) {
		return true
	}
	seen := map[*ssa.BasicBlock]bool{}
	work := append([]*ssa.BasicBlock(nil), from.Block().Succs...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] || b == a.Block() { // every use in that block comes behind the allocation
			continue
		}
		seen[b] = true
		if b == to.Block() {
			return true
		}
		work = append(work, b.Succs...)
	}
	return false
}

func index(in ssa.Instruction) int {
	for i, x := range in.Block().Instrs {
		if x == in {
			return i
		}
	}
	return -1
}
