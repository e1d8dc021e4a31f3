package memmodel

import "slices"

// codeCache keeps the code of models for the kinds of programs that a search has met: most tests of a collection share it.
type codeCache struct {
	codes       map[codeKey]*code
	taint       []bool
	specializer specializer
	emitter     emitter
}

type codeKey struct {
	model *Model
	tags  *string
	nTags int
	facts facts
}

// get is the model compiled for what p may do, without the axioms that the search itself obeys.
func (c *codeCache) get(m *Model, p *Program) *code {
	key := codeKey{model: m, nTags: len(p.Tags), facts: c.facts(p)}
	if key.nTags > 0 {
		key.tags = &p.Tags[0]
	}
	if code, ok := c.codes[key]; ok {
		return code
	}
	if c.codes == nil || len(c.codes) > 4096 {
		c.codes = map[codeKey]*code{}
	}
	bits := tagBits(m, p)
	keep := func(i int) bool { return i != m.coherence && i != m.atomicity }
	code := c.emitter.emit(c.specializer.specialize(m, key.facts, bits, keep), bits)
	c.codes[key] = code
	return code
}

// full is the model as it is written, with the registers of its nodes.
func (c *codeCache) full(m *Model, p *Program) *code {
	code := c.emitter.emit(m.g, tagBits(m, p))
	code.regs = slices.Clone(c.emitter.reg)
	return code
}

func tagBits(m *Model, p *Program) []int8 {
	bits := make([]int8, len(m.g.tags))
	for i, name := range m.g.tags {
		bits[i] = -1
		for k, t := range p.Tags {
			if t == name {
				bits[i] = int8(k)
			}
		}
	}
	return bits
}

// facts finds what the executions of p cannot have: tags that it does not use, dependencies where no value that was read
// reaches, and so on. It may err on the side of too much.
func (c *codeCache) facts(p *Program) facts {
	f := facts{bases: 1<<numBases - 1}
	var have uint32
	picks := false
	for t := range p.Threads {
		th := &p.Threads[t]
		c.taint = grow(c.taint, len(th.Regs))
		clear(c.taint)
		for again := true; again; {
			again = false
			for i := range th.Code {
				again = c.instr(&th.Code[i], &have) || again
			}
		}
		for i := range th.Code {
			f.tags |= uint64(th.Code[i].Tags | th.Code[i].WTags)
			picks = picks || th.Code[i].Op == OpPick || th.Code[i].Op == OpCAS || th.Code[i].Op == OpRMWIf
		}
	}
	if !picks {
		have &^= 1<<basePickAddr | 1<<basePickData | 1<<basePickCtrl
	}
	if have&(1<<baseAMO|1<<baseLxSx) != 0 {
		have |= 1<<baseRMW | 1<<baseRMWSet
	}
	const optional = 1<<baseAddr | 1<<baseData | 1<<baseCtrl | 1<<basePickAddr | 1<<basePickData | 1<<basePickCtrl |
		1<<baseAMO | 1<<baseLxSx | 1<<baseRMW | 1<<baseRMWSet | 1<<baseF | 1<<baseHalves
	f.bases &^= optional &^ have
	return f
}

// instr adds what in can bring to have, and says whether it tainted another register.
func (c *codeCache) instr(in *Instr, have *uint32) bool {
	dep := func(o Operand) bool { return o.Reg != NoReg && c.taint[o.Reg] }
	ab := in.uses(&in.A) && dep(in.A) || in.uses(&in.B) && dep(in.B)
	out := false
	note := func(b base, is bool) {
		if is {
			*have |= 1 << b
		}
	}
	// Picks travel the same ways as plain dependencies, so a tainted register may carry both; only where no pick is there is
	// none.
	both := func(plain, pick base, is bool) {
		note(plain, is)
		note(pick, is)
	}
	switch in.Op {
	case OpALU:
		out = ab
	case OpPick:
		out = ab || dep(in.C) || dep(in.D)
	case OpBranch:
		both(baseCtrl, basePickCtrl, ab)
		return false
	case OpFence:
		note(baseF, true)
		both(baseAddr, basePickAddr, ab)
		return false
	case OpAssume:
		return false
	default:
		both(baseAddr, basePickAddr, ab)
		both(baseData, basePickData, in.writesMemory() && (in.Op != OpStore && in.Op != OpStoreEx || dep(in.C) || in.Hi != nil && dep(in.Hi.C)))
		note(baseHalves, in.Hi != nil && in.Hi.Whole)
		note(baseAMO, in.Op == OpRMW || in.Op == OpCAS || in.Op == OpRMWIf)
		note(baseLxSx, in.Op == OpStoreEx)
		out = in.Op != OpStore && in.Op != OpStoreEx
	}
	if !out {
		return false
	}
	news := c.mark(in.Dst)
	if in.Hi != nil {
		news = c.mark(in.Hi.Dst) || news
	}
	return news
}

// mark taints a register and says whether that is new.
func (c *codeCache) mark(r Reg) bool {
	if r == NoReg || c.taint[r] {
		return false
	}
	c.taint[r] = true
	return true
}

func (in *Instr) writesMemory() bool {
	switch in.Op {
	case OpStore, OpStoreEx, OpRMW, OpCAS, OpRMWIf:
		return true
	}
	return false
}
