package order

import (
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
)

// Body is what a function does at least, on each machine: it is exported as a fact about the function.
type Body struct {
	// By machine: what it does, and what others may rely on.
	Steps, Promised map[string][]contract.Step
	// Line: the steps are all that the function does, each once and in order. Else there is one step, with the classes of
	// the accesses that the function may make, and the orders that it gives on every path.
	Line bool
	// Whole: it does no more than the steps say, where its file is built.
	Whole bool
	// Assembly: it is written in assembly.
	Assembly bool
}

// AFact makes Body a fact.
func (*Body) AFact() {}

func (b *Body) String() string { return "known order" }

// known reports whether anything is known of the function on a machine.
func (b *Body) known(m *Machine) bool {
	_, ok := b.Steps[m.Name]
	return ok
}

// steps are what the function does on a machine; of one without an entry nothing is known.
func (b *Body) steps(m *Machine) []contract.Step { return entry(b.Steps, m) }

// promised is what of that others may rely on.
func (b *Body) promised(m *Machine) []contract.Step { return entry(b.Promised, m) }

func entry(by map[string][]contract.Step, m *Machine) []contract.Step {
	if s, ok := by[m.Name]; ok {
		return s
	}
	return []contract.Step{{Events: contract.All.Each()}}
}

// body summarises a graph. A function that is there for some architectures only is not taken as a line: elsewhere nothing
// is known of it.
func (g *graph) body(holds func(goarch string) bool) *Body {
	line, ok := g.line()
	b := &Body{Steps: map[string][]contract.Step{}, Promised: map[string][]contract.Step{}, Line: ok && holds == nil, Whole: ok}
	for _, m := range everywhere() {
		b.Steps[m.Name], b.Promised[m.Name] = nil, nil
		if !ok {
			b.Steps[m.Name] = []contract.Step{g.summary(m, m.steps)}
			b.Promised[m.Name] = []contract.Step{g.summary(m, m.promised)}
			continue
		}
		for _, op := range line {
			b.Steps[m.Name] = append(b.Steps[m.Name], m.steps(op)...)
			b.Promised[m.Name] = append(b.Promised[m.Name], m.promised(op)...)
		}
	}
	return b.only(holds)
}

func (g *graph) summary(m *Machine, does func(Op) []contract.Step) contract.Step {
	var s contract.Step
	on := g.skeleton(m)
	for i, n := range g.nodes {
		on.Nodes[i].Want = does(n.op)
		on.Nodes[i].Give = on.Nodes[i].Want
	}
	for _, on.Strength = range m.strengths() {
		one := flow.Summary(on)
		s.Events, s.Orders = one.Events, append(s.Orders, one.Orders...)
	}
	return s
}

// maxLine is the number of operations up to which a function without branches is kept as it is.
const maxLine = 8

// line are the operations of a function without branches, all of which happen.
func (g *graph) line() ([]Op, bool) {
	var out []Op
	for n := 0; ; n = g.nodes[n].succ[0] {
		op := g.nodes[n].op
		if op.May || op.Uncertain || len(g.nodes[n].succ) > 1 || len(out) > maxLine {
			return nil, false
		}
		if g.nodes[n].at != nil {
			out = append(out, op)
		}
		if len(g.nodes[n].succ) == 0 {
			return out, true
		}
	}
}

// telling reports whether the body says more than that anything may happen.
func (b *Body) telling() bool {
	for _, steps := range b.Steps {
		if b.Whole || len(steps[0].Orders) > 0 || !slices.Equal(steps[0].Events, contract.All.Each()) {
			return true
		}
	}
	return false
}
