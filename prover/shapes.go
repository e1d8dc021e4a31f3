package prover

import (
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/memmodel"
)

// shape is a program in the abstract: a cycle with the primitive at some of the positions where it fits.
type shape struct {
	cycle   cycle
	threads [][]piece
	clears  bool // values are made by clearing bits
	where   string
}

// neighbours are what a fence that binds may stand next to, in the weakest form in which somebody may write them: of all
// that the library offers. Of what the tables do not tell there is little: sync/atomic has no exclusive-or, the library's SRCU
// read unlock is one addition, and a branch follows a load.
var neighbours = map[contract.Binding][]string{
	contract.NextRMW:     offered(func(p contract.Primitive) bool { return true }),
	contract.LastRMW:     offered(func(p contract.Primitive) bool { return true }),
	contract.LastSyncRMW: {"AddRelaxed", "AndRelaxed", "OrRelaxed", "SwapRelaxed", "CompareAndSwapRelaxed"},
	contract.LastLock:    offered(contract.Primitive.Acquires),
	contract.LastUnlock:  offered(contract.Primitive.Acquires),
	contract.LastSRCU:    {"AddFull"},
	contract.LastBranch:  {"LoadRelaxed"},
}

// offered are the names of the library's read-modify-writes, of up to 8 bytes, that have a property.
func offered(is func(contract.Primitive) bool) []string {
	var out []string
	for _, p := range contract.Table() {
		if p.Op.RMW() && p.Operand != contract.Wide && is(p) {
			out = append(out, p.Name)
		}
	}
	return out
}

// weakNeighbour says whether the neighbour may also stand in its weakest form, that of the header macros.
func weakNeighbour(b contract.Binding) bool {
	return b != contract.LastSyncRMW && b != contract.LastSRCU
}

// shapes are the programs of a primitive.
func shapes(p contract.Primitive, cycles []cycle) []shape {
	if p.Op != contract.Fence {
		return slices.Concat(accessShapes(p, cycles), betweenShapes(p, cycles), atomicShapes(p))
	}
	var out []shape
	if p.Binds == contract.Anything || p.Binds == contract.LastBranch {
		return fenceShapes(cycles, func(a, b *access) []piece {
			if p.Binds == contract.Anything {
				return []piece{{access: a}, {prim: &p}, {access: b}}
			}
			if a.write {
				return nil
			}
			return []piece{{access: a}, {branch: true}, {prim: &p}, {access: b}}
		})
	}
	for _, name := range neighbours[p.Binds] {
		n, ok := contract.Lookup(name)
		if !ok {
			panic("prover: no primitive " + name)
		}
		near := piece{prim: &n, macro: weakNeighbour(p.Binds), lock: p.Binds == contract.LastLock || p.Binds == contract.LastUnlock}
		for _, s := range fenceShapes(cycles, func(a, b *access) []piece { return beside(p, near, a, b) }) {
			s.clears, s.where = n.Clears || n.Op == contract.And, "beside "+name
			out = append(out, s)
		}
		if near.lock {
			continue
		}
		// The neighbour as an access of the cycle itself.
		for _, s := range fenceShapes(cycles, func(a, b *access) []piece {
			own := near
			if p.Binds == contract.NextRMW {
				if own.access = b; !fits(n, *b) {
					return nil
				}
				return []piece{{access: a}, {prim: &p}, own}
			}
			if own.access = a; !fits(n, *a) {
				return nil
			}
			return []piece{own, {prim: &p}, {access: b}}
		}) {
			s.clears, s.where = n.Clears || n.Op == contract.And, "with "+name+" as the access"
			out = append(out, s)
		}
	}
	return out
}

// beside puts a fence and its neighbour between two accesses.
func beside(p contract.Primitive, near piece, a, b *access) []piece {
	switch p.Binds {
	case contract.NextRMW:
		return []piece{{access: a}, {prim: &p}, near, {access: b}}
	case contract.LastUnlock:
		unlock, _ := contract.Lookup("StoreRelease")
		return []piece{{access: a}, {prim: &unlock, lock: true, macro: true}, near, {prim: &p}, {access: b}}
	}
	return []piece{{access: a}, near, {prim: &p}, {access: b}}
}

// fenceShapes are the cycles with something in every non-empty subset of the slots where it fits; the other slots hold the
// strongest fence.
func fenceShapes(cycles []cycle, slot func(a, b *access) []piece) []shape {
	var out []shape
	for _, c := range cycles {
		slots := c.slots()
		fitting := map[int][]piece{}
		for _, t := range slots {
			if ps := slot(&c.threads[t][0], &c.threads[t][1]); ps != nil {
				fitting[t] = ps
			}
		}
	subsets:
		for mask := 1; mask < 1<<len(slots); mask++ {
			threads := strongThreads(c)
			for i, t := range slots {
				if mask&(1<<i) == 0 {
					continue
				}
				if fitting[t] == nil {
					continue subsets
				}
				threads[t] = fitting[t]
			}
			out = append(out, shape{cycle: c, threads: threads})
		}
	}
	return out
}

// strongThreads are the threads of a cycle with the strongest fence in every slot.
func strongThreads(c cycle) [][]piece {
	threads := make([][]piece, len(c.threads))
	for t, as := range c.threads {
		for i := range as {
			if i > 0 {
				threads[t] = append(threads[t], piece{strong: true})
			}
			threads[t] = append(threads[t], piece{access: &c.threads[t][i]})
		}
	}
	return threads
}

// fits reports whether an operation can perform an access: what it read must show.
func fits(p contract.Primitive, a access) bool {
	switch {
	case p.Op == contract.Load || p.Op == contract.WaitLoad:
		return !a.write
	case p.Op == contract.Store || p.Op == contract.UnlockBit:
		return a.write
	case a.write:
		return true
	}
	return p.Result != contract.NoResult && p.Result != contract.OldSign
}

// accessShapes put the primitive in the place of an access, one at a time and at all places at once; nothing else stands in
// the slot beside it.
func accessShapes(p contract.Primitive, cycles []cycle) []shape {
	var out []shape
	clears := p.Clears || p.Op == contract.And
	for _, c := range cycles {
		all := strongThreads(c)
		places := 0
		for t, as := range c.threads {
			if len(as) < 2 {
				continue
			}
			taken := false
			for i := range as {
				if !fits(p, as[i]) || p.Op == contract.UnlockBit && c.final[as[i].loc] >= 0 { // which needs a word that nobody else writes
					continue
				}
				threads := strongThreads(c)
				threads[t] = bare(p, as, i)
				out = append(out, shape{cycle: c, threads: threads, clears: clears})
				if !taken {
					all[t] = bare(p, as, i)
					taken = true
					places++
				}
			}
		}
		if places > 1 {
			out = append(out, shape{cycle: c, threads: all, clears: clears})
		}
	}
	return out
}

// bare is a thread whose access i is the primitive, without a fence.
func bare(p contract.Primitive, as []access, i int) []piece {
	out := []piece{{access: &as[0]}, {access: &as[1]}}
	out[i].prim = &p
	return out
}

// betweenShapes put an operation between the accesses of a thread, on a location of its own.
func betweenShapes(p contract.Primitive, cycles []cycle) []shape {
	if !p.Op.RMW() && p.Op != contract.Store {
		return nil
	}
	out := fenceShapes(cycles, func(a, b *access) []piece { return []piece{{access: a}, {prim: &p}, {access: b}} })
	for i := range out {
		out[i].clears = p.Clears || p.Op == contract.And
		out[i].where = "between"
	}
	return out
}

// atomicShapes are the programs in which a read-modify-write that is not one step loses an update: two of them on one
// location, and one against a store.
func atomicShapes(p contract.Primitive) []shape {
	if !p.Op.RMW() {
		return nil
	}
	clears := p.Clears || p.Op == contract.And
	vals := values(clears)
	step := func(from memmodel.Value) memmodel.Value { // what the second operation makes of a value
		if clears {
			return from &^ (vals[1] &^ vals[2])
		}
		return from | vals[2]&^vals[1]
	}
	make := func(name string, other piece, second access, want memmodel.Value) shape {
		c := cycle{name: name, locs: 1, threads: [][]access{{{write: true, val: 1}}, {second}}, final: []int{-1}}
		c.exact = append(c.exact, want)
		other.access = &c.threads[1][0]
		return shape{cycle: c, clears: clears, threads: [][]piece{{{access: &c.threads[0][0], prim: &p}}, {other}}, where: "on one location"}
	}
	if p.Op == contract.Swap || p.Op == contract.CompareAndSwap || p.Op == contract.CompareAndSwap2 {
		// Both see the initial value.
		c := cycle{name: "two updates", locs: 1, threads: [][]access{{{val: 0}}, {{val: 0}}}, final: []int{-1}, wide: p.Operand == contract.Wide}
		s := shape{cycle: c, where: "on one location"}
		for t := range c.threads {
			s.threads = append(s.threads, []piece{{access: &c.threads[t][0], prim: &p, steps: true}})
		}
		if p.Operand == contract.Wide {
			return append(tornShapes(p), s)
		}
		return []shape{s}
	}
	return []shape{
		make("two updates", piece{prim: &p}, access{write: true, val: 2}, step(vals[0])),
		make("update against store", piece{}, access{write: true, val: 2}, vals[1]),
	}
}
