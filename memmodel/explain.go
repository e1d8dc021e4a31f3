package memmodel

import (
	"math/bits"
	"slices"
)

// explainer is the state of Explain: the best execution so far.
type explainer struct {
	best  *Explanation
	axiom int // that best violates
}

func (e *engine) explainRun(s *Search, p *Program, observe []Observable, cond func([]Value) bool) (*Explanation, error) {
	// Executions that are coherent say more about the program; only if none has the state are the others looked at.
	for _, native := range []bool{true, false} {
		if err := e.begin(s, p, observe, cond, native); err != nil {
			return nil, err
		}
		e.m.code = e.codes.full(e.model, p)
		e.explain = &explainer{axiom: -1}
		e.chooseSkeletons(0, bitset{}, bitset{})
		best, err := e.explain.best, e.err
		e.explain = nil
		if err != nil {
			return nil, err
		}
		if best != nil {
			return best, nil
		}
	}
	return nil, nil
}

// explainCandidate looks at one execution with the state wanted. An allowed one ends the search; of the forbidden ones, that
// is kept which breaks the latest axiom.
func (e *engine) explainCandidate() {
	e.fillStatic()
	e.fillRF()
	e.fillCO()
	failed := -1
	for l := levelStatic; l < numLevels; l++ {
		if a := e.m.run(l); a >= 0 && (failed < 0 || a < failed) {
			failed = a
		}
	}
	ex := e.explain
	if failed >= 0 && failed <= ex.axiom {
		return
	}
	ex.best = &Explanation{Execution: e.execution()}
	ex.axiom = failed
	if failed < 0 {
		e.done = true
		return
	}
	ex.best.Violation = e.violation(failed)
}

// execution is a copy of the current execution.
func (e *engine) execution() *Execution {
	x := &e.ev
	out := &Execution{Program: e.p, State: slices.Clone(e.current)}
	for i := range x.events[:x.n] {
		ev := &x.events[i]
		o := Event{Thread: int(x.thread[i]), Kind: ev.kind, Loc: int(ev.loc), Value: x.vals[i], Tags: ev.tags, Instr: int(ev.instr)}
		if o.Thread >= 0 {
			o.Line = e.p.Threads[o.Thread].Code[o.Instr].Line
		}
		out.Events = append(out.Events, o)
	}
	rel := make([]uint64, x.n)
	for _, b := range []base{basePo, baseRF, baseCO, baseFR, baseRMW, baseAddr, baseData, baseCtrl} {
		switch b {
		case baseRF:
			copy(rel, x.rf[:x.n])
		case baseCO:
			copy(rel, x.co[:x.n])
		case baseFR:
			copy(rel, x.fr[:x.n])
		default:
			e.fillRelation(b, rel)
		}
		for i, row := range rel {
			for ; row != 0; row &= row - 1 {
				j := bits.TrailingZeros64(row)
				if (b == basePo || b == baseCO) && between(rel, i, j) {
					continue
				}
				out.Edges = append(out.Edges, Edge{i, j, bases[b].name})
			}
		}
	}
	return out
}

// between says whether a transitive relation has something between i and j.
func between(r []uint64, i, j int) bool {
	for k, row := range r {
		if r[i]>>k&1 != 0 && row>>j&1 != 0 {
			return true
		}
	}
	return false
}

// violation describes how the current execution breaks a check of the full code.
func (e *engine) violation(check int) *Violation {
	g := e.model.g
	k := &e.m.code.checks[check]
	a := &g.axioms[k.axiom]
	v := &Violation{Axiom: a.name, Kind: a.kind.String()}
	if a.neg {
		v.Kind = "~" + v.Kind
		return v
	}
	if !k.rel {
		for s := e.m.sets[k.reg]; s != 0; s &= s - 1 {
			i := bits.TrailingZeros64(s)
			v.Cycle = append(v.Cycle, Edge{i, i, a.name})
		}
		return v
	}
	r := e.m.rel(k.reg)
	switch a.kind {
	case Empty, Irreflexive:
		for i, row := range r {
			if a.kind == Irreflexive {
				row &= 1 << i
			}
			for ; row != 0; row &= row - 1 {
				v.Cycle = append(v.Cycle, e.expand(a.expr, i, bits.TrailingZeros64(row), a.name)...)
				if a.kind == Irreflexive {
					return v
				}
			}
		}
	case Acyclic:
		cycle := shortestCycle(r)
		for i, from := range cycle {
			v.Cycle = append(v.Cycle, e.expand(a.expr, from, cycle[(i+1)%len(cycle)], a.name)...)
		}
	}
	return v
}

// expand splits an edge of a sequence or a closure into the edges that it is made of, unless it has a name.
func (e *engine) expand(id int32, i, j int, name string) []Edge {
	g := e.model.g
	if n, ok := g.names[id]; ok {
		name = n
	}
	n := g.nodes[id]
	switch n.op {
	case opUnion:
		for _, c := range []int32{n.a, n.b} {
			if e.holdsEdge(c, i, j) {
				return e.expand(c, i, j, name)
			}
		}
	case opPlus:
		path := shortestPath(e.m.rel(e.m.code.regs[n.a]), i, j)
		var out []Edge
		for k := 0; k+1 < len(path); k++ {
			out = append(out, e.expand(n.a, path[k], path[k+1], name)...)
		}
		return out
	case opSeq:
		if _, named := g.names[id]; named {
			break
		}
		ra, rb := e.m.rel(e.m.code.regs[n.a]), e.m.rel(e.m.code.regs[n.b])
		for k := range rb {
			if ra[i]>>k&1 != 0 && rb[k]>>j&1 != 0 {
				return append(e.expand(n.a, i, k, name), e.expand(n.b, k, j, name)...)
			}
		}
	case opBase:
		name = bases[n.b].name
	}
	return []Edge{{i, j, name}}
}

func (e *engine) holdsEdge(id int32, i, j int) bool {
	reg := e.m.code.regs[id]
	return reg >= 0 && e.m.rel(reg)[i]>>j&1 != 0
}

// shortestCycle is a cycle of r with as few events as there can be.
func shortestCycle(r []uint64) []int {
	var best []int
	for i := range r {
		if p := shortestPath(r, i, i); p != nil && (best == nil || len(p) < len(best)) {
			best = p
		}
	}
	if best == nil {
		return nil
	}
	return best[:len(best)-1]
}

// shortestPath is a path of at least one edge from i to j, both included, or nil.
func shortestPath(r []uint64, i, j int) []int {
	before := make([]int, len(r))
	for k := range before {
		before[k] = -1
	}
	queue := []int{i}
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		for row := r[k]; row != 0; row &= row - 1 {
			next := bits.TrailingZeros64(row)
			if next == j {
				path := []int{j, k}
				for k != i {
					k = before[k]
					path = append(path, k)
				}
				slices.Reverse(path)
				return path
			}
			if before[next] < 0 && next != i {
				before[next] = k
				queue = append(queue, next)
			}
		}
	}
	return nil
}
