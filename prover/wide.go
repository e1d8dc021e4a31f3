package prover

import (
	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/memmodel"
)

// A value of 16 bytes is two locations of 8, and an access to it an event on each, which the model joins if the access is
// single-copy atomic. In the cycles for order the other accesses are to the first half, and the second never changes. In
// the programs for tearing both halves always hold the same value, and nobody may see, or leave, two different ones.

// half is the value that goes with one of the first half.
func (b *builder) half(lo memmodel.Value) memmodel.Value {
	if b.wide {
		return lo
	}
	return b.values[0]
}

// plainHalf is the second half of an access of somebody else: of 16 bytes, in one step, where all are.
func (b *builder) plainHalf(a access) *memmodel.Half {
	if !b.wide {
		return nil
	}
	h := &memmodel.Half{Dst: memmodel.NoReg, C: memmodel.K(b.values[a.val]), Whole: true}
	if !a.write {
		b.hi = b.reg("hi", 0)
		h.Dst = b.hi
	}
	return h
}

// tornShapes are the programs in which a value of 16 bytes is torn: somebody sees half of an update, or half of one is left
// behind another.
func tornShapes(p contract.Primitive) []shape {
	var out []shape
	vals := values(false)
	add := func(name string, first, second piece, a, b access, exact ...memmodel.Value) {
		c := cycle{name: name, locs: 1, threads: [][]access{{a}, {b}}, final: []int{-1}, exact: exact, wide: true}
		first.access, second.access = &c.threads[0][0], &c.threads[1][0]
		out = append(out, shape{cycle: c, threads: [][]piece{{first}, {second}}, where: "of 16 bytes"})
	}
	update, reader, plain := piece{prim: &p}, piece{prim: &p, fails: true}, piece{}
	for _, half := range []struct{ lo, hi int }{{1, 0}, {0, 1}} {
		one, seen := access{write: true, val: 1}, access{val: half.lo, hi: half.hi}
		add("half of an update seen", update, reader, one, seen)
		add("half of a store seen", plain, reader, one, seen)
		add("half of an update loaded", update, plain, one, seen)
		two, lo, hi := access{write: true, val: 2}, vals[1+half.lo], vals[1+half.hi]
		add("two updates, half of each left", update, update, one, two, lo, hi)
		add("update and store, half of each left", update, plain, one, two, lo, hi)
	}
	return out
}

// pair is the second half of an arm64 instruction on pairs of registers, by what it reads, stores and compares with; nil of one
// on single registers.
func (f *frame) pair(in arch.Inst, dst, stored, expected *arch.Arg) *memmodel.Half {
	h := &memmodel.Half{Dst: memmodel.NoReg, Whole: in.Whole}
	is := false
	for _, a := range []*arch.Arg{dst, stored, expected} {
		is = is || a != nil && a.Pair != ""
	}
	if !is {
		return nil
	}
	if dst != nil {
		h.Dst = f.role(dst.Pair)
	}
	if stored != nil {
		h.C = memmodel.R(f.role(stored.Pair))
	}
	if expected != nil {
		h.D = memmodel.R(f.role(expected.Pair))
	}
	return h
}

// compareExchange16 is CMPXCHG16B. Without LOCK it is two loads and two stores.
func (f *frame) compareExchange16(in arch.Inst, locked bool, x memmodel.Tags) {
	olds, news := [2]arch.Role{arch.OldLo, arch.OldHi}, [2]arch.Role{arch.NewLo, arch.NewHi}
	var old, wanted, diff [2]memmodel.Reg
	for k := range old {
		old[k], wanted[k], diff[k] = f.role(olds[k]), f.reg("wanted", 0), f.reg("diff", 0)
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: wanted[k], A: memmodel.R(old[k])})
	}
	addr := [2]memmodel.Operand{f.at(arch.M(arch.Addr)), f.at(arch.At(arch.Addr, 8))}
	if locked {
		f.emit(memmodel.Instr{Op: memmodel.OpCAS, Dst: old[0], A: addr[0], C: memmodel.R(f.role(news[0])), D: memmodel.R(old[0]), Tags: x, WTags: x,
			Hi: &memmodel.Half{Dst: old[1], C: memmodel.R(f.role(news[1])), D: memmodel.R(old[1]), Whole: in.Whole}})
	} else {
		for k := range old {
			f.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: old[k], A: addr[k]})
		}
	}
	f.flags = f.reg("flags", 0)
	for k := range old {
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnSub, Dst: diff[k], A: memmodel.R(old[k]), B: memmodel.R(wanted[k])})
	}
	f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnOr, Dst: f.flags, A: memmodel.R(diff[0]), B: memmodel.R(diff[1])})
	for k := range old {
		if !locked { // it stores in any case, the old value if the comparison fails
			stored := f.reg("stored", 0)
			f.emit(memmodel.Instr{Op: memmodel.OpPick, Fn: memmodel.FnEq, Dst: stored, A: memmodel.R(f.flags), B: memmodel.K(0), C: memmodel.R(f.role(news[k])), D: memmodel.R(old[k])})
			f.emit(memmodel.Instr{Op: memmodel.OpStore, A: addr[k], C: memmodel.R(stored)})
		}
	}
	f.regs[arch.SeenLo], f.regs[arch.SeenHi] = old[0], old[1]
}
