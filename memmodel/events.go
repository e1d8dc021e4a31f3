package memmodel

// execEvents are the events of the ways chosen, and the relations between them.
type execEvents struct {
	n      int
	events [MaxEvents]event
	thread [MaxEvents]int8
	vals   [MaxEvents]Value
	start  []int // first event of a thread
	locs   []locEvents

	initVal [MaxEvents]Value
	rf      [MaxEvents]uint64
	co      [MaxEvents]uint64
	fr      [MaxEvents]uint64
	from    [MaxEvents]uint8 // the write that a read reads
	last    [MaxEvents]uint8 // the last write to a location, by index into locs

	after []bitset // what the ways of the threads behind provide at best

	staticDone, rfDone bool
	dead, rfDead       bool // an axiom that needs no more than that failed
	raised             [numLevels]uint64
}

// locEvents are the accesses to one location and the ways to link them. Writes and reads are events; within the choices, a
// write is an index into writes.
type locEvents struct {
	loc    int
	writes []uint8 // the initial one first
	reads  []uint8

	before   []uint64 // writes that must come before a write whatever is read
	vals     []Value  // for which rfs was computed
	asgs     []uint8
	orders   []uint8
	rfs      []rfChoice
	cur      *rfChoice
	possible bool
}

// rfChoice is a choice of reads-from for the reads of a location, with the coherence orders that fit.
type rfChoice struct {
	asg     int32 // start in asgs: a write for each read
	co, cos int32 // start in orders, and how many
}

// buildEvents numbers the events of the chosen ways: the initial writes, then thread by thread.
func (e *engine) buildEvents() bool {
	x := &e.ev
	x.staticDone, x.dead = false, false
	x.raised = [numLevels]uint64{}
	x.start = grow(x.start, len(e.skels))
	x.after = grow(x.after, len(e.skels)+1)
	x.after[len(e.skels)] = bitset{}
	for t := len(e.skels) - 1; t >= 0; t-- {
		x.after[t] = x.after[t+1].or(e.skels[t].provides)
	}
	// The locations in use.
	locIndex := grow(e.locIndex, len(e.p.Locs))
	e.locIndex = locIndex
	for l := range locIndex {
		locIndex[l] = -1
		if slot := e.locObserved[l]; slot >= 0 {
			e.current[slot] = Truncate(e.p.Locs[l].Init, e.p.Locs[l].Size, false)
		}
	}
	x.n = 0
	locs := x.locs[:0]
	for _, s := range e.skels {
		for i := range s.events {
			l := s.events[i].loc
			if l < 0 || locIndex[l] >= 0 {
				continue
			}
			locIndex[l] = int32(len(locs))
			if len(locs) < cap(locs) {
				locs = locs[:len(locs)+1]
			} else {
				locs = append(locs, locEvents{})
			}
			le := &locs[len(locs)-1]
			le.loc = int(l)
			le.writes, le.reads, le.vals = le.writes[:0], le.reads[:0], le.vals[:0]
			le.possible = false
		}
	}
	x.locs = locs
	total := len(locs)
	for _, s := range e.skels {
		total += len(s.events)
	}
	if total > MaxEvents {
		e.err = &LimitError{e.p.Name, "events", MaxEvents}
		return false
	}
	for i := range locs {
		x.events[i] = event{kind: KindW, loc: int16(locs[i].loc), instr: -1, rmw: -1}
		x.thread[i] = -1
		loc := &e.p.Locs[locs[i].loc]
		x.initVal[i] = Truncate(loc.Init, loc.Size, false)
		locs[i].writes = append(locs[i].writes, uint8(i))
	}
	n := len(locs)
	for t, s := range e.skels {
		x.start[t] = n
		for i := range s.events {
			x.events[n] = s.events[i]
			x.thread[n] = int8(t)
			if ev := &x.events[n]; ev.kind != KindF {
				le := &locs[locIndex[ev.loc]]
				if ev.kind == KindW {
					le.writes = append(le.writes, uint8(n))
				} else {
					le.reads = append(le.reads, uint8(n))
				}
			}
			n++
		}
	}
	x.n = n
	clear(x.rf[:n])
	clear(x.co[:n])
	clear(x.fr[:n])
	for i := range locs {
		e.baseOrder(&locs[i])
	}
	e.m.prepare(e.m.code, n)
	return true
}

// fillStatic computes the base sets and relations that the code uses and that do not depend on reads-from and coherence.
func (e *engine) fillStatic() {
	c, x := e.m.code, &e.ev
	for _, b := range c.bases {
		d := &bases[b.base]
		if d.level != levelStatic {
			continue
		}
		if d.rel {
			e.fillRelation(b.base, e.m.rel(b.reg))
		} else {
			e.m.sets[b.reg] = e.baseSet(b.base)
		}
	}
	for _, t := range c.tags {
		s := uint64(0)
		for i := 0; i < x.n && t.bit >= 0; i++ {
			s |= uint64(x.events[i].tags) >> t.bit & 1 << i
		}
		e.m.sets[t.reg] = s
	}
}

func (e *engine) baseSet(b base) (s uint64) {
	x := &e.ev
	switch b {
	case baseAll:
		return e.m.all
	case baseIW:
		return uint64(1)<<len(x.locs) - 1
	case baseRMWSet:
		for i := range x.events[:x.n] {
			if r := x.events[i].rmw; r >= 0 {
				s |= 1<<i | 1<<(x.start[x.thread[i]]+int(r))
			}
		}
		return s
	}
	for i := range x.events[:x.n] {
		k := x.events[i].kind
		if b == baseM && k != KindF || b == baseR && k == KindR || b == baseW && k == KindW || b == baseF && k == KindF {
			s |= 1 << i
		}
	}
	return s
}

func (e *engine) fillRelation(b base, r []uint64) {
	x := &e.ev
	switch b {
	case baseID:
		for i := range r {
			r[i] = 1 << i
		}
		return
	case baseLoc:
		for i := range r {
			r[i] = 0
			if x.events[i].loc < 0 {
				continue
			}
			for j := range r {
				if x.events[j].loc == x.events[i].loc {
					r[i] |= 1 << j
				}
			}
		}
		return
	case baseInt, baseExt:
		e.fillThreads(b == baseExt, r)
		return
	}
	clear(r)
	for t := range x.start {
		from, to := x.start[t], x.n
		if t+1 < len(x.start) {
			to = x.start[t+1]
		}
		for i := from; i < to; i++ {
			e.fillEvent(b, r, i, from, to)
		}
	}
	if b == baseSI {
		for i := range x.locs {
			r[i] = 1 << i
		}
	}
}

// fillThreads is the relation of the events of one thread, or of different ones; an initial write is a thread of its own.
func (e *engine) fillThreads(ext bool, r []uint64) {
	x := &e.ev
	flip := uint64(0)
	if ext {
		flip = e.m.all
	}
	for i := range x.locs {
		r[i] = 1<<i ^ flip
	}
	for t := range x.start {
		from, to := x.start[t], x.n
		if t+1 < len(x.start) {
			to = x.start[t+1]
		}
		mask := span(from, to)
		for i := from; i < to; i++ {
			r[i] = mask ^ flip
		}
	}
}

// span are the events from..to-1.
func span(from, to int) uint64 {
	if from == to {
		return 0
	}
	return ^uint64(0) >> (64 - (to - from)) << from
}

// fillEvent adds to r the pairs of b that event i has: for po those it begins, for dependencies those it ends.
func (e *engine) fillEvent(b base, r []uint64, i, from, to int) {
	ev := &e.ev.events[i]
	var deps uint64
	switch b {
	case basePo:
		for j := i + 1; j < to; j++ {
			if !e.sameInstr(i, j) {
				r[i] |= span(j, to)
				return
			}
		}
		return
	case baseSI:
		r[i] |= 1 << i
		for j := i - 1; j >= from && e.sameInstr(j, i); j-- {
			r[i] |= 1 << j
			r[j] |= 1 << i
		}
		return
	case baseHalves:
		if ev.whole {
			r[i] |= 1 << (from + int(ev.half) - 1)
		}
		return
	case baseRMW, baseAMO, baseLxSx:
		if ev.rmw >= 0 && (b == baseRMW || ev.amo == (b == baseAMO)) {
			r[from+int(ev.rmw)] |= 1 << i
		}
		return
	case baseAddr:
		deps = ev.addr
	case baseData:
		deps = ev.data
	case baseCtrl:
		deps = ev.ctrl
	case basePickAddr:
		deps = ev.pickAddr
	case basePickData:
		deps = ev.pickData
	case basePickCtrl:
		deps = ev.pickCtrl
	}
	for k := from; deps != 0; k, deps = k+1, deps>>1 {
		if deps&1 != 0 {
			r[k] |= 1 << i
		}
	}
}

// sameInstr says whether i and j, in this order and of one thread, belong to one instruction.
func (e *engine) sameInstr(i, j int) bool {
	w := &e.ev.events[j]
	if w.half != 0 {
		return e.ev.events[i].half != 0 && e.firstOf(i) == e.firstOf(j)
	}
	return j == i+1 && w.amo && e.ev.start[e.ev.thread[j]]+int(w.rmw) == i
}

// firstOf is the first event, within its thread, of the instruction that half of an access of 16 bytes belongs to.
func (e *engine) firstOf(i int) int16 {
	start := e.ev.start[e.ev.thread[i]]
	if ev := &e.ev.events[i]; ev.amo {
		i = start + int(ev.rmw)
	}
	return min(int16(i-start), e.ev.events[i].half-1)
}

// fillRF gives the code the current reads-from.
func (e *engine) fillRF() {
	for _, b := range e.m.code.bases {
		if b.base == baseRF {
			copy(e.m.rel(b.reg), e.ev.rf[:e.ev.n])
		}
	}
}

// fillCO gives the code the current coherence order.
func (e *engine) fillCO() {
	x := &e.ev
	for _, b := range e.m.code.bases {
		switch b.base {
		case baseCO:
			copy(e.m.rel(b.reg), x.co[:x.n])
		case baseFR:
			copy(e.m.rel(b.reg), x.fr[:x.n])
		case baseFW:
			s := uint64(0)
			for i := range x.locs {
				s |= 1 << x.last[i]
			}
			e.m.sets[b.reg] = s
		}
	}
}
