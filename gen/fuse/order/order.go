// Package order chooses the code of a function's memory operations: together they keep whatever order the operations'
// contracts demand, on every path, at the least cost.
//
// What a contract demands comes from the contract table, what an instruction gives and costs from the target's table, and
// whether one contains the other is contract/flow's to say. So a fence that nothing demands costs nothing, one next to an
// operation whose acquire-release form is cheaper moves into that, and two become one. Before the entry and after the exit
// stand the callers' accesses, unless the function says that they need no order. The compiler needs no fence here: a call
// of an assembly function is opaque to it.
package order

import (
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// Plan is the code chosen for a function on a machine.
type Plan struct {
	Machine Machine
	Options []Option // by slot
	Cost    int      // of all operations, in cycles, each as often as it runs
	// Exhausted is set if the search for the cheapest was cut short: the plan is right, and may not be the cheapest.
	Exhausted bool

	g       *graph
	domains []contract.Domain
	all     [][]Option
	top     []Option // of each slot: more than any of its options
}

// searchLimit bounds the combinations that are tried.
const searchLimit = 10000

// What may stand for an option.
const (
	undecided = -1 // more than any option of the slot gives
	bare      = -2 // the plan's accesses, ordering nothing
)

// Choose finds the cheapest plan. An operation that has no bounded sequence is a *LoopError.
func Choose(fn *ir.Func, m Machine) (*Plan, error) {
	p := &Plan{Machine: m, g: newGraph(fn), Cost: -1}
	p.domains = p.g.domains()
	for _, in := range p.g.ops {
		os, err := m.options(in, p.domains)
		if err != nil {
			return nil, err
		}
		p.all, p.top = append(p.all, os), append(p.top, top(os))
	}
	s := search{plan: p, weight: weights(fn), choice: slices.Repeat([]int{undecided}, len(p.all)), least: make([]bound, len(p.all)+1)}
	for i := len(p.all) - 1; i >= 0; i-- {
		shortest := slices.MinFunc(p.all[i], func(a, b Option) int { return len(a.Seq) - len(b.Seq) })
		s.least[i] = bound{s.least[i+1].cost + p.all[i][0].cost*s.weight[i], s.least[i+1].length + len(shortest.Seq)}
	}
	s.decide(0, 0, 0)
	for slot, i := range s.best {
		p.Options = append(p.Options, p.all[slot][i])
	}
	return p, nil
}

// search looks for the cheapest choice, slot by slot, the cheapest option first.
type search struct {
	plan    *Plan
	weight  []int
	least   []bound // of the slots from each one on
	choice  []int
	best    []int
	length  int // of the best one, in instructions: among equals the shortest
	tried   int
	refused []conflict
}

// bound is the least that slots cost, in cycles and instructions.
type bound struct{ cost, length int }

// conflict are options that can't stand together, whatever the others are. Those of most refusals are few, so that few choices are tried.
type conflict map[int]int

// decide tries the options of a slot.
func (s *search) decide(slot, cost, length int) {
	p := s.plan
	if slot == len(s.choice) {
		p.Cost, s.length, s.best = cost, length, slices.Clone(s.choice)
		return
	}
	for i, o := range p.all[slot] {
		c, n := cost+o.cost*s.weight[slot], length+len(o.Seq)
		if least := c + s.least[slot+1].cost; p.Cost >= 0 && (least > p.Cost || least == p.Cost && n+s.least[slot+1].length >= s.length) {
			continue
		}
		if s.tried > searchLimit && s.best != nil {
			p.Exhausted = true
			break
		}
		s.choice[slot] = i
		if s.possible(slot) {
			s.decide(slot+1, c, n)
		}
	}
	s.choice[slot] = undecided
}

// possible reports whether the choice so far may keep what is demanded; the slot was decided last.
func (s *search) possible(slot int) bool {
	for _, c := range s.refused {
		if s.holds(c) {
			return false
		}
	}
	if s.keeps() {
		return true
	}
	c := conflict{slot: s.choice[slot]}
	decided := slices.Clone(s.choice)
	for other := range slot {
		s.choice[other] = undecided
		if s.keeps() { // without it there is no conflict
			s.choice[other] = decided[other]
			c[other] = decided[other]
		}
	}
	copy(s.choice, decided)
	s.refused = append(s.refused, c)
	return false
}

func (s *search) keeps() bool {
	s.tried++
	return s.plan.keeps(s.plan.g, s.choice)
}

func (s *search) holds(c conflict) bool {
	for slot, i := range c {
		if s.choice[slot] != i {
			return false
		}
	}
	return true
}

// weights are how often each slot runs.
func weights(fn *ir.Func) []int {
	var out []int
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.Memory {
				out = append(out, b.Weight)
			}
		}
	}
	return out
}

// domains are the observers that some contract speaks of.
func (g *graph) domains() []contract.Domain {
	var all contract.Domain
	for _, n := range g.nodes {
		for _, s := range n.want {
			for _, o := range s.Orders {
				all |= o.Domain
			}
		}
	}
	var out []contract.Domain
	for _, d := range []contract.Domain{contract.Normal, contract.DMA, contract.Device} {
		if all&d != 0 {
			out = append(out, d)
		}
	}
	return out
}

// keeps reports whether a choice keeps what the graph demands. What is undecided gives more than it can.
func (p *Plan) keeps(g *graph, choice []int) bool {
	_, ok := p.lost(g, choice)
	return ok
}

func (p *Plan) lost(g *graph, choice []int) (flow.Loss, bool) {
	fg := flow.Graph{Free: p.Machine.Target.Free, Entry: g.fn.Entry, Exit: g.fn.Exit}
	strengths := []contract.Strength{contract.Local}
	if !p.Machine.Target.MultiCopyAtomic {
		strengths = append(strengths, contract.ACumulative, contract.Strong)
	}
	for _, n := range g.nodes {
		fn := flow.Node{Want: n.want, Succ: n.succ}
		if n.slot >= 0 {
			fn.Give = p.give(n, choice[n.slot])
		}
		fg.Nodes = append(fg.Nodes, fn)
	}
	for _, d := range p.domains {
		for _, s := range strengths {
			fg.Domain, fg.Strength = d, s
			if loss, ok := flow.Contained(fg); !ok {
				return loss, false
			}
		}
	}
	return flow.Loss{}, true
}

// give are the steps of a node for a choice.
func (p *Plan) give(n node, choice int) []contract.Step {
	var o Option
	switch choice {
	case undecided:
		o = p.top[n.slot]
	case bare:
		o = p.Options[n.slot]
	default:
		o = p.all[n.slot][choice]
	}
	steps := o.ok
	if n.fails {
		steps = o.fail
	}
	if choice == bare {
		steps = slices.Clone(steps)
		for i := range steps {
			steps[i].Orders = nil
		}
	}
	return steps
}

// Weakest is the plan with the weakest code of every operation, whatever is demanded: what a proof must refuse where anything is.
func (p *Plan) Weakest() *Plan {
	out := *p
	out.Options = nil
	for _, os := range p.all {
		best, least := 0, -1
		for i, o := range os {
			n := 0
			for _, s := range o.ok {
				n += len(s.Orders)
			}
			if least < 0 || n < least {
				best, least = i, n
			}
		}
		out.Options = append(out.Options, os[best])
	}
	return &out
}
