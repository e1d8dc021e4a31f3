package memmodel

import "slices"

// Model is a memory model, compiled: package cat makes it from text, package models holds the library. It is immutable and
// may be shared by searches.
type Model struct {
	Name string

	g *graph
	// The index of the axiom that says coherence per location, and of the one that says atomicity of read-modify-writes, if
	// the model has them in the usual form: the search then builds only executions that obey them. Otherwise -1.
	coherence, atomicity int
	// The atomicity axiom leaves out exclusive pairs with a write of their own thread to the location in between.
	ownWrites bool
}

func newModel(name string, g *graph) *Model {
	m := &Model{Name: name, g: g, coherence: -1, atomicity: -1}
	// Expressions are shared, so an axiom of the usual form has the very nodes that are made here.
	leaf := func(b base) int32 { return g.add(node{op: opBase, rel: true, b: int32(b)}) }
	rf, co, fr, ext := leaf(baseRF), leaf(baseCO), leaf(baseFR), leaf(baseExt)
	poloc := g.make(opInter, true, leaf(basePo), leaf(baseLoc))
	com := []int32{poloc, rf, co, fr}
	slices.Sort(com)
	fre, coe := g.make(opInter, true, fr, ext), g.make(opInter, true, co, ext)
	between := g.make(opSeq, true, fre, coe)
	broken := g.make(opInter, true, leaf(baseRMW), between)
	w := g.add(node{op: opBase, b: int32(baseW)})
	own := g.make(opSeq, true, poloc, g.make(opRestrictL, true, w, poloc))
	ownToo := g.make(opSeq, true, g.make(opRestrictR, true, poloc, w), poloc)
	without := func(x int32) int32 {
		return g.make(opInter, true, g.make(opDiff, true, leaf(baseRMW), x), between)
	}
	for i, a := range g.axioms {
		if a.neg || a.flag {
			continue
		}
		switch {
		case a.kind == Acyclic && slices.Equal(g.unionOf(nil, a.expr), com):
			m.coherence = i
		case a.kind == Empty && a.expr == broken:
			m.atomicity, m.ownWrites = i, false
		case a.kind == Empty && (a.expr == without(own) || a.expr == without(ownToo)):
			m.atomicity, m.ownWrites = i, true
		}
	}
	return m
}

// unionOf appends the operands of the union that id is, sorted, or id alone.
func (g *graph) unionOf(out []int32, id int32) []int32 {
	from := len(out)
	out = g.operandsOf(out, id)
	slices.Sort(out[from:])
	return out[:from+len(slices.Compact(out[from:]))]
}

func (g *graph) operandsOf(out []int32, id int32) []int32 {
	if n := g.nodes[id]; n.op == opUnion {
		return g.operandsOf(g.operandsOf(out, n.a), n.b)
	}
	return append(out, id)
}

// Axioms are the names of the model's axioms in the order of its text.
func (m *Model) Axioms() []string { return m.list(false) }

// Flags are the names of the flags that the model can raise.
func (m *Model) Flags() []string { return m.list(true) }

func (m *Model) list(flag bool) []string {
	var out []string
	for _, a := range m.g.axioms {
		if a.flag == flag {
			out = append(out, a.name)
		}
	}
	return out
}

// Native says whether the search itself obeys the model's axioms of coherence and of atomicity, which it does if they have
// the usual form: `acyclic po-loc | rf | co | fr`, and `empty rmw & (fre; coe)`. That changes no result, only the time.
func (m *Model) Native() (coherence, atomicity bool) { return m.coherence >= 0, m.atomicity >= 0 }

// Without is the model with one axiom removed, and whether there was one of that name. Mutation tests use it.
func (m *Model) Without(name string) (*Model, bool) {
	g := *m.g
	i := slices.IndexFunc(g.axioms, func(a axiom) bool { return a.name == name && !a.flag })
	if i < 0 {
		return nil, false
	}
	g.axioms = slices.Delete(slices.Clone(g.axioms), i, i+1)
	return newModel(m.Name+" without "+name, &g), true
}
