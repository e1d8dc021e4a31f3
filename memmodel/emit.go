package memmodel

import "slices"

// opcode is an operation of the compiled code. The s ones make sets, the r ones relations.
type opcode uint8

const (
	cSetNone opcode = iota
	cSetUnion
	cSetInter
	cSetDiff
	cSetCompl
	cDomain
	cRange
	cRelNone
	cRelUnion
	cRelInter
	cRelDiff
	cRelCompl
	cSeq
	cRestrictL
	cRestrictR
	cToID
	cProduct
	cInverse
	cPlus
	cFixBegin
	cFixEnd
	cCheck // axiom a of the code
)

// instruction works on registers; sets and relations are numbered apart.
type instruction struct {
	op        opcode
	dst, a, b int32
}

type check struct {
	axiom int // index into the model's axioms
	kind  AxiomKind
	neg   bool
	flag  bool
	rel   bool
	reg   int32
}

type fixCode struct {
	rels       []bool
	vars, defs []int32
	start      int // of the body, in its level's code
}

type baseReg struct {
	base base
	reg  int32
}

type tagReg struct {
	bit int8
	reg int32
}

// code is a model compiled for programs of one kind: straight-line code in three parts, which run at different times.
type code struct {
	levels     [numLevels][]instruction
	sets, rels int32 // numbers of registers
	bases      []baseReg
	tags       []tagReg
	checks     []check
	fixes      []fixCode
	regs       []int32 // of a model as it is written: register of a node of the graph, or -1
	// lastLevel is the highest level that has code: nothing beyond it must be evaluated.
	lastLevel level
}

// emitter makes code of graphs, one after another in the same memory.
type emitter struct {
	g      *graph
	tagBit []int8
	c      code
	reg    []int32 // register of a node, -1 before it is emitted
	level  []level
	deps   []uint64 // the `let rec`s whose variables a node depends on
	seen   []int32  // 1 + the `let rec` for which a node was looked at last
}

func (e *emitter) emit(g *graph, tagBit []int8) *code {
	e.g, e.tagBit = g, tagBit
	e.c = code{bases: e.c.bases[:0], tags: e.c.tags[:0], levels: e.c.levels}
	for l := range e.c.levels {
		e.c.levels[l] = e.c.levels[l][:0]
	}
	e.analyse()
	e.reg = grow(e.reg, len(g.nodes))
	for i := range e.reg {
		e.reg[i] = -1
	}
	e.seen = grow(e.seen, len(g.nodes))
	clear(e.seen)
	e.c.fixes = make([]fixCode, len(g.fixes))
	e.c.checks = make([]check, 0, len(g.axioms))
	for i, a := range g.axioms {
		e.node(a.expr)
		l := e.level[a.expr]
		from := i
		if g.from != nil {
			from = g.from[i]
		}
		e.c.checks = append(e.c.checks, check{axiom: from, kind: a.kind, neg: a.neg, flag: a.flag, rel: g.nodes[a.expr].rel, reg: e.reg[a.expr]})
		e.c.levels[l] = append(e.c.levels[l], instruction{op: cCheck, a: int32(i)})
		e.c.lastLevel = max(e.c.lastLevel, l)
	}
	c := e.c
	c.bases, c.tags = slices.Clone(c.bases), slices.Clone(c.tags)
	for l := range c.levels {
		c.levels[l] = slices.Clone(c.levels[l])
	}
	return &c
}

// analyse finds the level and the dependencies on `let rec` of every node, both by iteration, since definitions may come
// behind what uses them.
func (e *emitter) analyse() {
	g := e.g
	e.level = grow(e.level, len(g.nodes))
	e.deps = grow(e.deps, len(g.nodes))
	clear(e.level)
	clear(e.deps)
	for changed := true; changed; {
		changed = false
		for i, n := range g.nodes {
			var l level
			var d uint64
			switch n.op {
			case opNone, opTag:
			case opBase:
				l = bases[n.b].level
			case opVar, opFixRes:
				for _, def := range g.fixes[n.a].defs {
					l = max(l, e.level[def])
					d |= e.deps[def]
				}
				d &^= 1 << n.a
				if n.op == opVar {
					d |= 1 << n.a
				}
			default:
				l, d = e.level[n.a], e.deps[n.a]
				if n.op.binary() {
					l = max(l, e.level[n.b])
					d |= e.deps[n.b]
				}
			}
			if l != e.level[i] || d != e.deps[i] {
				e.level[i], e.deps[i], changed = l, d, true
			}
		}
	}
}

func (e *emitter) newReg(rel bool) int32 {
	if rel {
		e.c.rels++
		return e.c.rels - 1
	}
	e.c.sets++
	return e.c.sets - 1
}

var setOps = [...]opcode{opNone: cSetNone, opUnion: cSetUnion, opInter: cSetInter, opDiff: cSetDiff, opCompl: cSetCompl,
	opDomain: cDomain, opRange: cRange}

var relOps = [...]opcode{opNone: cRelNone, opUnion: cRelUnion, opInter: cRelInter, opDiff: cRelDiff, opCompl: cRelCompl,
	opSeq: cSeq, opRestrictL: cRestrictL, opRestrictR: cRestrictR, opToID: cToID, opProduct: cProduct, opInverse: cInverse, opPlus: cPlus}

func (e *emitter) node(id int32) int32 {
	if e.reg[id] >= 0 {
		return e.reg[id]
	}
	n := e.g.nodes[id]
	if n.op == opFixRes {
		e.fix(n.a)
		e.reg[id] = e.c.fixes[n.a].vars[n.b]
		return e.reg[id]
	}
	in := instruction{}
	switch {
	case n.op == opBase || n.op == opTag || n.op == opNone || n.op == opVar:
	case n.op.binary():
		in.a, in.b = e.node(n.a), e.node(n.b)
	default:
		in.a = e.node(n.a)
	}
	in.dst = e.newReg(n.rel)
	e.reg[id] = in.dst
	switch n.op {
	case opBase:
		e.c.bases = append(e.c.bases, baseReg{base(n.b), in.dst})
	case opTag:
		e.c.tags = append(e.c.tags, tagReg{e.tagBit[n.b], in.dst})
	case opVar:
	default:
		if n.rel {
			in.op = relOps[n.op]
		} else {
			in.op = setOps[n.op]
		}
		l := e.level[id]
		e.c.levels[l] = append(e.c.levels[l], in)
	}
	return in.dst
}

// fix emits `let rec` number f: first what its definitions use and does not change, then the loop.
func (e *emitter) fix(f int32) {
	fc := &e.c.fixes[f]
	if fc.vars != nil {
		return
	}
	fix := e.g.fixes[f]
	for i := range fix.vars {
		fc.rels = append(fc.rels, e.g.nodes[fix.vars[i]].rel)
		fc.vars = append(fc.vars, e.node(fix.vars[i]))
	}
	for _, d := range fix.defs {
		e.invariants(d, f)
	}
	l := e.level[fix.vars[0]]
	e.c.levels[l] = append(e.c.levels[l], instruction{op: cFixBegin, a: f})
	fc.start = len(e.c.levels[l])
	for _, d := range fix.defs {
		fc.defs = append(fc.defs, e.node(d))
	}
	e.c.levels[l] = append(e.c.levels[l], instruction{op: cFixEnd, a: f})
}

// invariants emits what id uses and what does not depend on `let rec` number f.
func (e *emitter) invariants(id, f int32) {
	if e.seen[id] == f+1 {
		return
	}
	e.seen[id] = f + 1
	if e.deps[id]>>f&1 == 0 {
		e.node(id)
		return
	}
	n := e.g.nodes[id]
	switch {
	case n.op == opVar:
	case n.op == opFixRes:
		for _, d := range e.g.fixes[n.a].defs {
			e.invariants(d, f)
		}
	case n.op.binary():
		e.invariants(n.a, f)
		e.invariants(n.b, f)
	default:
		e.invariants(n.a, f)
	}
}
