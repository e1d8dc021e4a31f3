package order

import (
	"fmt"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// Visit is a memory operation on a path.
type Visit struct {
	Slot  int
	Fails bool // it is conditional and does not write
}

// Paths are the ways through the function, as the memory operations on them; a loop is run once and twice. There are at most so many.
func Paths(fn *ir.Func, limit int) [][]Visit {
	g := newGraph(fn)
	visits := make([]int, len(g.nodes))
	var out [][]Visit
	var walk func(n int, line []Visit)
	walk = func(n int, line []Visit) {
		if len(out) == limit || visits[n] == 2 {
			return
		}
		visits[n]++
		if g.nodes[n].slot >= 0 {
			line = append(line[:len(line):len(line)], Visit{g.nodes[n].slot, g.nodes[n].fails})
		}
		if len(g.nodes[n].succ) == 0 {
			out = append(out, line)
		}
		for _, s := range g.nodes[n].succ {
			walk(s, line)
		}
		visits[n]--
	}
	walk(0, nil)
	return out
}

// Reason says what became of a fence: of a primitive that is one.
type Reason struct {
	Op   *ir.Instr
	Code string // what is left of it
	Text string // why it is gone, or what it is needed for
}

// Reasons are those of all fences.
func (p *Plan) Reasons() []Reason {
	var out []Reason
	for slot, in := range p.g.ops {
		if in.Prim.Op == contract.Fence {
			out = append(out, Reason{in, p.Options[slot].Name(), p.reason(slot)})
		}
	}
	return out
}

func (p *Plan) reason(slot int) string {
	if len(p.g.ops[slot].Prim.Orders) == 0 {
		return "orders nothing in the machine, and the compiler moves nothing across the call of the function"
	}
	if p.g.unbound[slot] {
		return "promises nothing here: it binds to " + string(p.g.ops[slot].Prim.Binds)
	}
	if len(p.Options[slot].Seq) == 0 && orders(p.Options[slot].ok) {
		return "is unnecessary: on " + p.Machine.Name + " it is in " + string(p.g.ops[slot].Prim.Binds) + ", the caller's"
	}
	if len(p.Options[slot].Seq) > 0 {
		choice := p.choice()
		choice[slot] = bare
		if loss, ok := p.lost(p.g, choice); !ok {
			return "is needed: without it nothing orders " + loss.String()
		}
		return "is needed"
	}
	// Only what this fence demands, of a function whose other operations order as little as they can without losing that.
	alone := p.g.only(slot)
	choice := p.choice()
	var needed []string
	for other := range choice {
		if other == slot {
			continue
		}
		strong := choice[other]
		choice[other] = bare
		if !p.keeps(alone, choice) {
			choice[other] = strong
			needed = append(needed, fmt.Sprintf("%s (%s)", p.g.ops[other].Name(), p.Options[other].Name()))
		}
	}
	if len(needed) > 0 {
		return "is made unnecessary by " + strings.Join(needed, " and ")
	}
	if len(p.Machine.Target.Free) > 0 {
		free := *p.Machine.Target
		free.Free = nil
		on := *p
		on.Machine.Target = &free
		if !on.keeps(alone, choice) {
			return "is unnecessary: " + p.Machine.Target.Name + " " + p.Machine.Target.FreeDoc
		}
	}
	return "is unnecessary: no two accesses are left that it would have to order"
}

// choice is the plan as indexes of options.
func (p *Plan) choice() []int {
	out := make([]int, len(p.Options))
	for slot, o := range p.Options {
		out[slot] = slices.IndexFunc(p.all[slot], func(x Option) bool { return x.Seq.String() == o.Seq.String() })
	}
	return out
}

// only is the graph with nothing demanded but what one fence demands.
func (g *graph) only(slot int) *graph {
	fn := *g.fn
	out := &graph{fn: &fn, ops: make([]*ir.Instr, len(g.ops)), nodes: slices.Clone(g.nodes)}
	for i, in := range g.ops {
		cp := *in
		acc := *in.Access
		if i != slot {
			acc.Prim.Orders, acc.Loads = nil, false
		}
		cp.Access = &acc
		out.ops[i] = &cp
	}
	for i := range out.nodes {
		out.nodes[i].want = nil
	}
	out.demand()
	return out
}
