package order

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/barriergen/barriergen/contract"
)

// randomOps are what random programs are made of.
var randomOps = func() []Op {
	ops := []Op{reads, writes, reads, writes}
	for _, s := range []contract.Op{contract.Load, contract.Store, contract.Add, contract.CompareAndSwap} {
		ops = append(ops, Op{Name: "sync " + string(s), Sync: s})
	}
	for _, name := range []string{"LoadRelaxed", "LoadAcquire", "StoreRelaxed", "StoreRelease", "AddRelaxed", "AddAcquire", "AddRelease", "AddFull", "ClearBit"} {
		p, _ := contract.Lookup(name)
		ops = append(ops, Op{Name: name, Prim: &p})
	}
	return ops
}()

var randomFences = func() []Op {
	var ops []Op
	for _, name := range []string{"Full", "Full", "Acquire", "Release", "Read", "Write", "BeforeAtomic", "AfterAtomic", "AfterSyncAtomic"} {
		p, _ := contract.Lookup(name)
		ops = append(ops, Op{Name: name, Prim: &p})
	}
	return ops
}()

// randomFunctions are one or two that anybody may call, which call one or two others, which may call each other, and
// themselves. Of some of the others not all callers are known.
func randomFunctions(rng *rand.Rand) []*function {
	var callees, out []*function
	for i := range 1 + rng.IntN(2) {
		f := randomFunction(rng, fmt.Sprintf("callee %d", i), callees, 2)
		if rng.IntN(8) == 0 { // it may call itself, in front of what it does or behind it
			f.graph.recurse(rng, f)
		}
		callees = append(callees, f)
	}
	out = append(out, callees...)
	for i := range 1 + rng.IntN(2) {
		out = append(out, randomFunction(rng, fmt.Sprintf("root %d", i), callees, 2))
	}
	for i, f := range out {
		for k, n := range f.graph.nodes {
			if n.at != nil {
				n.at.pos += tokenPos(1000 * i)
			}
			if c := n.op.callee; c != nil {
				c.callers = append(c.callers, call{n.at.pos, f})
				b := c.graph.body(nil)
				f.graph.nodes[k].op = Op{Name: c.name, callee: c, Body: b, May: !b.Line}
			}
		}
	}
	for _, f := range callees {
		if rng.IntN(4) == 0 || f.graph.body(nil).fence() {
			f.callers = nil
		}
	}
	return out
}

// randomFunction makes a function of a few operations, no more than the given number of them accesses, sometimes with a branch, on a condition or on a compare-and-swap.
func randomFunction(rng *rand.Rand, name string, callees []*function, size int) *function {
	g := &graph{nodes: []node{{}}}
	ends := []int{0}
	add := func(from []int, op Op) []int {
		g.nodes = append(g.nodes, node{op: op, at: &site{call: true}})
		n := len(g.nodes) - 1
		g.nodes[n].at.pos = 1 + 10*tokenPos(n)
		for _, e := range from {
			g.nodes[e].succ = append(g.nodes[e].succ, n)
		}
		return []int{n}
	}
	accesses := 4 - size // of at most four
	some := func(from []int, length int) []int {
		for range length {
			switch {
			case rng.IntN(2) == 0:
				from = add(from, randomFences[rng.IntN(len(randomFences))])
			case callees != nil && rng.IntN(3) > 0:
				f := callees[rng.IntN(len(callees))]
				from = add(from, Op{Name: f.name, callee: f})
			case accesses < 4:
				accesses++
				op := randomOps[rng.IntN(len(randomOps))]
				if op.conditional() {
					op.Failed = rng.IntN(2) == 0
				}
				from = add(from, op)
			}
		}
		return from
	}
	ends = some(ends, size/2+rng.IntN(size-1))
	switch rng.IntN(3) {
	case 0: // a branch
		ends = append(some(ends, 1+rng.IntN(2)), some(ends, rng.IntN(2))...)
	case 1: // on a compare-and-swap
		if accesses < 4 {
			accesses++
			cas := Op{Name: "sync compare-and-swap", Sync: contract.CompareAndSwap}
			failed := cas
			failed.Failed = true
			ends = append(some(add(ends, cas), rng.IntN(2)), some(add(ends, failed), rng.IntN(2))...)
		}
	}
	slices.Sort(ends)
	end := add(some(slices.Compact(ends), 1+rng.IntN(size-1)), Op{})[0]
	g.nodes[end] = node{returns: true}
	return &function{name: name, graph: g}
}

// recurse adds a path on which a function calls itself.
func (g *graph) recurse(rng *rand.Rand, f *function) {
	n := len(g.nodes)
	at := rng.IntN(n - 1) // not the end
	g.nodes = append(g.nodes, node{op: Op{Name: f.name, callee: f, Unknown: true, May: true, Events: contract.All.Each()}, at: &site{pos: 1 + 10*tokenPos(n), call: true},
		succ: slices.Clone(g.nodes[at].succ)})
	g.nodes[at].succ = append(g.nodes[at].succ, n)
}
