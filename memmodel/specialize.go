package memmodel

import "slices"

// facts are what a model can be specialized for: what is known to be empty in every execution of a program.
type facts struct {
	bases uint32 // bases that may hold something
	tags  uint64 // tags of the program that some event may carry
}

// specializer specializes models, one after another in the same memory.
type specializer struct {
	old, new *graph
	ids      []int32 // what a node of old is in new, or -1
	emp      []bool
	leaves   []int32 // of the unions at work
}

// specialize is the model's graph with everything folded away that these facts make empty; a union's operands are ordered so
// that what never changes is joined first. tagBit says which bit of the program a tag of the graph is, or -1. The graph is
// valid until the next call.
func (s *specializer) specialize(m *Model, f facts, tagBit []int8, keep func(i int) bool) *graph {
	if s.new == nil {
		s.new = newGraph()
	}
	s.new.reset()
	s.old = m.g
	s.emptiness(f, tagBit)
	s.ids = grow(s.ids, len(s.old.nodes))
	for i := range s.ids {
		s.ids[i] = -1
	}
	s.new.tags = s.old.tags
	for range s.old.fixes {
		s.new.fixes = append(s.new.fixes, fixpoint{})
	}
	for i, a := range s.old.axioms {
		if !keep(i) {
			continue
		}
		a.expr = s.id(a.expr)
		if s.new.empty(a.expr) && a.flag == a.neg {
			continue // cannot be raised, or always holds
		}
		s.new.axioms = append(s.new.axioms, a)
		s.new.from = append(s.new.from, i)
	}
	return s.new
}

// emptiness says which expressions are empty in every execution under these facts.
func (s *specializer) emptiness(f facts, tagBit []int8) {
	g := s.old
	s.emp = grow(s.emp, len(g.nodes))
	emp := s.emp
	for i := range emp {
		emp[i] = g.nodes[i].op == opVar // until a definition proves otherwise
	}
	for changed := true; changed; {
		changed = false
		for i, n := range g.nodes {
			e := false
			switch n.op {
			case opNone:
				e = true
			case opBase:
				e = f.bases>>n.b&1 == 0
			case opTag:
				bit := tagBit[n.b]
				e = bit < 0 || f.tags>>bit&1 == 0
			case opUnion:
				e = emp[n.a] && emp[n.b]
			case opInter, opSeq, opRestrictL, opRestrictR, opProduct:
				e = emp[n.a] || emp[n.b]
			case opDiff, opDomain, opRange, opToID, opInverse, opPlus:
				e = emp[n.a]
			case opVar, opFixRes:
				e = emp[g.fixes[n.a].defs[n.b]]
				if n.op == opVar {
					changed = changed || e != emp[i]
				}
			}
			emp[i] = e
		}
	}
}

func (s *specializer) id(i int32) int32 {
	if s.ids[i] >= 0 {
		return s.ids[i]
	}
	n := s.old.nodes[i]
	var out int32
	switch {
	case s.emp[i]:
		out = s.new.none(n.rel)
	case n.op == opVar:
		out = s.new.add(n)
	case n.op == opFixRes:
		s.fix(n.a)
		out = s.new.add(n)
	case n.op == opBase || n.op == opTag:
		out = s.new.add(n)
	case n.op == opUnion:
		out = s.union(i, n.rel)
	default:
		a := s.id(n.a)
		b := n.b
		if n.op.binary() {
			b = s.id(n.b)
		}
		out = s.new.make(n.op, n.rel, a, b)
	}
	s.ids[i] = out
	return out
}

func (o op) binary() bool {
	switch o {
	case opUnion, opInter, opDiff, opSeq, opRestrictL, opRestrictR, opProduct:
		return true
	}
	return false
}

func (s *specializer) union(i int32, rel bool) int32 {
	from := len(s.leaves)
	s.leaves = s.old.unionOf(s.leaves, i)
	for k := from; k < len(s.leaves); k++ {
		l := s.id(s.leaves[k])
		s.leaves[k] = l
	}
	leaves := s.leaves[from:]
	s.leaves = s.leaves[:from]
	slices.SortFunc(leaves, func(a, b int32) int {
		if d := int(s.new.quickLevel(a)) - int(s.new.quickLevel(b)); d != 0 {
			return d
		}
		return int(a - b)
	})
	out := leaves[0]
	for _, l := range leaves[1:] {
		out = s.new.make(opUnion, rel, out, l)
	}
	return out
}

// fix carries over `let rec` number f.
func (s *specializer) fix(f int32) {
	nf := &s.new.fixes[f]
	if nf.defs != nil {
		return
	}
	of := s.old.fixes[f]
	nf.defs = make([]int32, len(of.defs)) // also marks it as begun
	nf.vars = make([]int32, len(of.vars))
	for i := range of.vars {
		nf.vars[i] = s.id(of.vars[i])
		d := s.id(of.defs[i])
		s.new.fixes[f].defs[i] = d
	}
}

// quickLevel is the level of a node as far as it is known while a graph is made: a variable may be anything.
func (g *graph) quickLevel(id int32) level {
	for len(g.levels) < len(g.nodes) {
		n := g.nodes[len(g.levels)]
		l := levelStatic
		switch n.op {
		case opBase:
			l = bases[n.b].level
		case opVar, opFixRes:
			l = levelCO
		case opTag, opNone:
		default:
			l = g.levels[n.a]
			if n.op.binary() {
				l = max(l, g.levels[n.b])
			}
		}
		g.levels = append(g.levels, l)
	}
	return g.levels[id]
}
