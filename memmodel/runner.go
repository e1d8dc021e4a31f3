package memmodel

// runner runs one thread in all ways.
type runner struct {
	p        *Program
	coherent bool
	unroll   int
	limit    int

	ownWrites bool // as in Model
	writes    int  // in all threads, loops unrolled
	depths    []int16

	pairs   []pair
	byLoc   [][]int32
	changed []int // clock of the last change to a location's values
	clock   int

	t      int
	th     *Thread
	out    *threadTraces
	regs   []regState
	turns  []int8
	saved  []regState
	turned []int8
	scopes []scope
	scoped []scope
	evs    []event
	vals   []Value
	mon    int // read event that opened the monitor, or -1; of 16 bytes, that of the first half
	first  int // first half of the load of 16 bytes whose second half comes next, or -1

	ctrl, pickCtrl uint64

	cut, tooMany bool
	faults       int
}

func (r *runner) pairOf(loc int, v Value) int {
	for _, i := range r.byLoc[loc] {
		if r.pairs[i].val == v {
			return int(i)
		}
	}
	return -1
}

func (r *runner) offer(loc int, v Value, writer uint32, depth int16) int {
	i := r.pairOf(loc, v)
	if i < 0 {
		i = len(r.pairs)
		r.pairs = append(r.pairs, pair{val: v, loc: int16(loc), depth: depth})
		r.byLoc[loc] = append(r.byLoc[loc], int32(i))
	}
	if p := &r.pairs[i]; p.writers&writer == 0 || p.depth > depth {
		p.writers |= writer
		p.depth = min(p.depth, depth)
		r.changed[loc] = r.clock
	}
	return i
}

// all finds the traces of all threads: it runs each with the values that are known to be writable, until no new ones come.
// They stop coming because a value takes at most as many writes, one fed by the other, as there are.
func (r *runner) all(p *Program, threads []threadTraces) {
	r.p = p
	r.pairs = r.pairs[:0]
	r.changed = grow(r.changed, len(p.Locs))
	for len(r.byLoc) < len(p.Locs) {
		r.byLoc = append(r.byLoc, nil)
	}
	r.clock, r.cut, r.tooMany, r.faults = 1, false, false, 0
	for l := range p.Locs {
		r.byLoc[l] = r.byLoc[l][:0]
		r.changed[l] = 0
		r.offer(l, Truncate(p.Locs[l].Init, p.Locs[l].Size, false), initWriter, 0)
	}
	r.writes = 0
	for t := range p.Threads {
		threads[t].ran = 0
		r.writes += countWrites(p.Threads[t].Code, r.unroll)
	}
	for again := true; again; {
		again = false
		for t := range p.Threads {
			if out := &threads[t]; out.ran == 0 || r.stale(out) {
				r.clock++
				out.ran = r.clock
				r.thread(t, out)
				again = true
				if r.tooMany {
					return
				}
			}
		}
	}
	for t := range threads[:len(p.Threads)] {
		threads[t].group()
	}
}

func countWrites(code []Instr, unroll int) int {
	n, loops := 0, false
	for i := range code {
		if code[i].writesMemory() {
			n++
			if code[i].Hi != nil {
				n++
			}
		}
		loops = loops || code[i].Op == OpBranch && code[i].Target <= i
	}
	if loops {
		n *= unroll + 1
	}
	return n
}

func (r *runner) stale(out *threadTraces) bool {
	for l, when := range r.changed[:len(r.p.Locs)] {
		if when > out.ran && (l >= 64 || out.reads>>l&1 != 0) {
			return true
		}
	}
	return false
}

func (r *runner) thread(t int, out *threadTraces) {
	r.t, r.th, r.out = t, &r.p.Threads[t], out
	out.skels, out.traces = out.skels[:0], out.traces[:0]
	out.vals, out.finals, out.atoms = out.vals[:0], out.finals[:0], out.atoms[:0]
	out.provides = bitset{}
	out.reads = 0
	r.regs = grow(r.regs, len(r.th.Regs))
	for i := range r.th.Regs {
		r.regs[i] = regState{val: r.th.Regs[i].Init}
	}
	r.turns = grow(r.turns, len(r.th.Code))
	clear(r.turns)
	r.saved, r.turned, r.scoped, r.scopes = r.saved[:0], r.turned[:0], r.scoped[:0], r.scopes[:0]
	r.evs, r.vals = r.evs[:0], r.vals[:0]
	r.mon, r.first, r.ctrl, r.pickCtrl = -1, -1, 0, 0
	r.run(0)
}

// save and restore keep a point of choice.
type point struct {
	regs, turns, scopes int // where the copies begin
	nScopes, events     int
	mon                 int
	ctrl, pickCtrl      uint64
}

func (r *runner) save() point {
	pt := point{len(r.saved), len(r.turned), len(r.scoped), len(r.scopes), len(r.evs), r.mon, r.ctrl, r.pickCtrl}
	r.scoped = append(r.scoped, r.scopes...)
	r.saved = append(r.saved, r.regs...)
	r.turned = append(r.turned, r.turns...)
	return pt
}

func (r *runner) restore(pt point) {
	copy(r.regs, r.saved[pt.regs:])
	copy(r.turns, r.turned[pt.turns:])
	r.scopes = append(r.scopes[:0], r.scoped[pt.scopes:pt.scopes+pt.nScopes]...)
	r.evs, r.vals = r.evs[:pt.events], r.vals[:pt.events]
	r.mon, r.ctrl, r.pickCtrl = pt.mon, pt.ctrl, pt.pickCtrl
}

func (r *runner) drop(pt point) {
	r.saved, r.turned, r.scoped = r.saved[:pt.regs], r.turned[:pt.turns], r.scoped[:pt.scopes]
}

func (r *runner) operand(o Operand) regState {
	if o.Reg == NoReg {
		return regState{val: o.Val}
	}
	return r.regs[o.Reg]
}

// operands are A and B, without one that the function does not look at.
func (r *runner) operands(in *Instr) (a, b regState) {
	if in.uses(&in.A) {
		a = r.operand(in.A)
	}
	if in.uses(&in.B) {
		b = r.operand(in.B)
	}
	return a, b
}

// uses says whether the instruction looks at this operand, A or B.
func (in *Instr) uses(o *Operand) bool {
	switch in.Op {
	case OpFence:
		return o == &in.A
	case OpALU, OpPick, OpBranch, OpAssume:
		return in.Fn != FnA && in.Fn != FnB || (in.Fn == FnA) == (o == &in.A)
	}
	return true
}

// run goes on from pc to the end, or to a point of choice, where it calls itself.
func (r *runner) run(pc int) {
	for pc < len(r.th.Code) && !r.tooMany {
		in := &r.th.Code[pc]
		if len(r.scopes) > 0 {
			r.leaveScopes(pc)
		}
		a, b := r.operands(in)
		switch in.Op {
		case OpALU:
			r.regs[in.Dst] = regState{Truncate(in.Fn.Apply(a.val, b.val), in.Size, in.Signed), a.dep | b.dep, a.pick | b.pick}
		case OpPick:
			from := r.operand(in.D)
			if in.Fn.Apply(a.val, b.val) != 0 {
				from = r.operand(in.C)
			}
			from.val = Truncate(from.val, in.Size, in.Signed)
			from.pick |= a.dep | b.dep | a.pick | b.pick
			r.regs[in.Dst] = from
		case OpBranch:
			if in.Scope > 0 {
				r.enterScope(scope{a.dep | b.dep, a.pick | b.pick, in.Scope})
			} else {
				r.ctrl |= a.dep | b.dep
				r.pickCtrl |= a.pick | b.pick
			}
			if in.Fn.Apply(a.val, b.val) != 0 {
				if in.Target <= pc {
					if int(r.turns[pc]) >= r.unroll {
						r.cut = true
						return
					}
					r.turns[pc]++
				}
				pc = in.Target
				continue
			}
		case OpAssume:
			if in.Fn.Apply(a.val, b.val) == 0 {
				return
			}
		case OpFence:
			loc := -1
			if in.A.Reg != NoReg || in.A.Val != 0 {
				l, ok := r.p.LocAt(a.val)
				if !ok {
					r.faults++
					return
				}
				loc = l
			}
			ev := r.event(KindF, loc, in.Tags, pc)
			ev.addr, ev.pickAddr = a.dep, a.pick
			r.push(ev, 0)
		default:
			loc, ok := r.p.LocAt(a.val + b.val)
			if !ok || in.Hi != nil && loc+1 == len(r.p.Locs) {
				r.faults++
				return
			}
			if r.access(in, pc, loc, a.dep|b.dep, a.pick|b.pick) {
				return
			}
		}
		pc++
	}
	if !r.tooMany {
		r.record()
	}
}

// enterScope begins a control dependency that ends somewhere.
func (r *runner) enterScope(s scope) {
	for i := range r.scopes {
		if o := &r.scopes[i]; o.end == s.end {
			o.mask |= s.mask
			o.pick |= s.pick
			return
		}
	}
	r.scopes = append(r.scopes, s)
}

func (r *runner) leaveScopes(pc int) {
	kept := r.scopes[:0]
	for _, s := range r.scopes {
		if pc < s.end {
			kept = append(kept, s)
		}
	}
	r.scopes = kept
}

func (r *runner) event(kind Kind, loc int, tags Tags, pc int) event {
	ev := event{kind: kind, loc: int16(loc), tags: tags, instr: int32(pc), rmw: -1, ctrl: r.ctrl, pickCtrl: r.pickCtrl}
	for _, s := range r.scopes {
		ev.ctrl |= s.mask
		ev.pickCtrl |= s.pick
	}
	return ev
}

func (r *runner) push(ev event, v Value) {
	r.evs = append(r.evs, ev)
	r.vals = append(r.vals, v)
	if len(r.evs) > MaxEvents {
		r.tooMany = true
	}
}

// access runs an access to memory. It returns true if it has run the rest of the thread in every way there is.
func (r *runner) access(in *Instr, pc, loc int, addr, pick uint64) (done bool) {
	switch in.Op {
	case OpStore:
		r.write(in, pc, loc, r.operand(in.C), addr, pick)
		if in.Hi != nil {
			r.join(len(r.evs)-1, r.write(in, pc, loc+1, r.operand(in.Hi.C), addr, pick), in.Hi.Whole)
		}
		return false
	case OpStoreEx:
		r.storeEx(in, pc, loc, addr, pick)
		return true
	}
	if loc < 64 {
		r.out.reads |= 1 << loc
	}
	// What the thread wrote there last, which it can always read.
	own := -1
	for i := len(r.evs) - 1; i >= 0; i-- {
		if r.evs[i].kind == KindW && int(r.evs[i].loc) == loc {
			own = i
			break
		}
	}
	pt := r.save()
	covered := own < 0
	for k, n := 0, len(r.byLoc[loc]); k < n; k++ {
		v := r.pairs[r.byLoc[loc][k]]
		from := v.writers
		if r.coherent {
			from &^= 1 << r.t
			if own >= 0 {
				from &^= initWriter
			}
		}
		isOwn := own >= 0 && v.val == r.vals[own]
		covered = covered || isOwn
		if from != 0 || isOwn {
			r.read(in, pc, loc, v.val, addr, pick)
			r.restore(pt)
		}
	}
	if !covered {
		r.read(in, pc, loc, r.vals[own], addr, pick)
		r.restore(pt)
	}
	r.drop(pt)
	return true
}

// read takes one value for the read of in, and runs the rest.
func (r *runner) read(in *Instr, pc, loc int, v Value, addr, pick uint64) {
	ev := r.event(KindR, loc, in.Tags, pc)
	ev.addr, ev.pickAddr = addr, pick
	at := len(r.evs)
	r.push(ev, v)
	if r.tooMany {
		return
	}
	if in.Hi != nil {
		r.half(in, pc, loc, addr, pick)
		return
	}
	old := Truncate(v, in.Size, in.Signed)
	// The operands are read before Dst changes: they may be the same register.
	var c regState
	writes := false
	switch in.Op {
	case OpLoadEx:
		r.mon = at
	case OpRMW:
		c, writes = r.operand(in.C), true
	case OpCAS:
		d := r.operand(in.D)
		writes = old == Truncate(d.val, in.Size, in.Signed)
		c = r.operand(in.C)
		c.pick |= d.dep | d.pick
	case OpRMWIf:
		d := r.operand(in.D)
		writes = in.Cmp.Apply(old, d.val) != 0
		c = r.operand(in.C)
		c.pick |= d.dep | d.pick
	}
	if in.Op == OpRMW || in.Op == OpRMWIf {
		c.val = in.Fn.Apply(old, c.val)
		if in.Fn != FnB {
			c.dep |= 1 << at // what is written comes from what was read
		}
	}
	if in.Dst != NoReg {
		r.regs[in.Dst] = regState{val: old, dep: 1 << at}
	}
	if writes {
		w := r.write(in, pc, loc, c, addr, pick)
		r.evs[w].rmw, r.evs[w].amo = int16(at), true
	}
	r.run(pc + 1)
}

func (r *runner) write(in *Instr, pc, loc int, v regState, addr, pick uint64) int {
	ev := r.event(KindW, loc, in.WTags, pc)
	ev.addr, ev.pickAddr = addr, pick
	ev.data, ev.pickData = v.dep, v.pick
	val := Truncate(v.val, in.Size, false)
	r.push(ev, Truncate(val, r.p.Locs[loc].Size, false))
	return len(r.evs) - 1
}

// storeEx runs a store-exclusive: it fails, or, if the monitor is open on its address, it may succeed. Its status depends on
// nothing.
func (r *runner) storeEx(in *Instr, pc, loc int, addr, pick uint64) {
	pt := r.save()
	v := r.operand(in.C)
	if r.mon >= 0 && int(r.evs[r.mon].loc) == loc && (in.Hi != nil) == (r.evs[r.mon].half != 0) {
		read := r.mon
		w := r.write(in, pc, loc, v, addr, pick)
		r.evs[w].rmw = int16(read)
		if in.Hi != nil {
			hi := r.write(in, pc, loc+1, r.operand(in.Hi.C), addr, pick)
			r.evs[hi].rmw = int16(read + 1)
			r.join(w, hi, in.Hi.Whole)
		}
		r.mon = -1
		if in.Dst != NoReg {
			r.regs[in.Dst] = regState{val: 0}
		}
		r.run(pc + 1)
		r.restore(pt)
	}
	r.mon = -1
	if in.Dst != NoReg {
		r.regs[in.Dst] = regState{val: 1}
	}
	r.run(pc + 1)
	r.restore(pt)
	r.drop(pt)
}
