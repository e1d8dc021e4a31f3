package memmodel

import (
	"math/bits"
	"slices"
)

// event is an event of one thread, without its value: what the static part of a model sees. The masks are reads of the
// thread, by the order of its events.
type event struct {
	addr, data, ctrl             uint64
	pickAddr, pickData, pickCtrl uint64
	tags                         Tags
	instr                        int32
	loc                          int16 // -1: none
	rmw                          int16 // of a write: the read it is paired with, else -1
	half                         int16 // of an access of 16 bytes: 1 + the event of its other half, else 0
	kind                         Kind
	amo                          bool // the pair is one instruction
	whole                        bool // the two halves are one single-copy atomic access
}

// skeleton is a way through a thread with everything but the values.
type skeleton struct {
	events   []event
	first, n int32 // its traces
	provides bitset
	needs    bitset // what all of its traces need
}

// trace is one way that a thread can run, with values.
type trace struct {
	skel     int32
	vals     int32 // start of the events' values
	finals   int32 // start of the observed registers' values
	needs    bitset
	provides bitset
	gives    int32 // start, in the thread's atoms, of the pairs that it writes, and then of those its read-modify-writes read
	takes    int32
	end      int32
}

// bitset holds the first numbers of (location, value) pairs; those beyond are simply not used for pruning.
type bitset [2]uint64

func (b *bitset) add(i int) {
	if i < 128 {
		b[i>>6] |= 1 << (i & 63)
	}
}

func (b bitset) or(c bitset) bitset   { return bitset{b[0] | c[0], b[1] | c[1]} }
func (b bitset) and(c bitset) bitset  { return bitset{b[0] & c[0], b[1] & c[1]} }
func (b bitset) within(c bitset) bool { return b[0]&^c[0] == 0 && b[1]&^c[1] == 0 }

// pair is a value that a location can hold, with the threads that can write it.
type pair struct {
	val     Value
	writers uint32
	loc     int16
	depth   int16 // how many writes, one fed by the other, it takes to get there
}

const initWriter = 1 << 31

type regState struct {
	val       Value
	dep, pick uint64
}

type scope struct {
	mask, pick uint64
	end        int
}

// threadTraces are the ways that a thread can run. Slices are reused.
type threadTraces struct {
	skels    []skeleton
	order    []trace // grouped by skeleton
	traces   []trace // as found
	vals     []Value
	finals   []Value
	atoms    []int16
	observed []Reg
	provides bitset
	reads    uint64 // locations read, by number
	ran      int    // clock of the last run
}

// record keeps the trace that has just ended.
func (r *runner) record() {
	o := r.out
	if len(o.traces) >= r.limit {
		r.tooMany = true
		return
	}
	if !r.causal() {
		return
	}
	tr := trace{vals: int32(len(o.vals)), finals: int32(len(o.finals)), skel: -1}
	for i := range o.skels {
		if slices.Equal(o.skels[i].events, r.evs) {
			tr.skel = int32(i)
			break
		}
	}
	if tr.skel < 0 {
		tr.skel = int32(len(o.skels))
		if len(o.skels) < cap(o.skels) {
			o.skels = o.skels[:len(o.skels)+1]
			s := &o.skels[tr.skel]
			s.events = append(s.events[:0], r.evs...)
		} else {
			o.skels = append(o.skels, skeleton{events: slices.Clone(r.evs)})
		}
	}
	o.vals = append(o.vals, r.vals...)
	for _, reg := range o.observed {
		o.finals = append(o.finals, r.regs[reg].val)
	}
	tr.gives = int32(len(o.atoms))
	for i := range r.evs {
		if ev := &r.evs[i]; ev.kind == KindW {
			at := r.offer(int(ev.loc), r.vals[i], 1<<r.t, r.depths[i])
			tr.provides.add(at)
			o.atoms = append(o.atoms, int16(at))
		}
	}
	tr.takes = int32(len(o.atoms))
	for i := range r.evs {
		if read := int(r.evs[i].rmw); read >= 0 && !(r.ownWrites && r.writesBetween(read, i)) {
			o.atoms = append(o.atoms, int16(r.pairOf(int(r.evs[i].loc), r.vals[read])))
		}
	}
	tr.end = int32(len(o.atoms))
	for i := range r.evs {
		if r.evs[i].kind == KindR && !r.selfServed(i) {
			tr.needs.add(r.pairOf(int(r.evs[i].loc), r.vals[i]))
		}
	}
	o.provides = o.provides.or(tr.provides)
	o.traces = append(o.traces, tr)
}

// causal computes how many writes, one fed by the other, each write of the trace takes at least. A trace with one that takes
// more than there are in the program cannot be part of an execution.
func (r *runner) causal() bool {
	r.depths = grow(r.depths, len(r.evs))
	for i := range r.evs {
		ev := &r.evs[i]
		r.depths[i] = 0
		switch ev.kind {
		case KindR:
			r.depths[i] = r.readDepth(i)
		case KindW:
			for deps := ev.addr | ev.data | ev.ctrl | ev.pickAddr | ev.pickData | ev.pickCtrl; deps != 0; deps &= deps - 1 {
				r.depths[i] = max(r.depths[i], r.depths[bits.TrailingZeros64(deps)])
			}
			if r.depths[i]++; int(r.depths[i]) > r.writes {
				return false
			}
		}
	}
	return true
}

// readDepth is the depth of the value of read i.
func (r *runner) readDepth(i int) int16 {
	if at := r.pairOf(int(r.evs[i].loc), r.vals[i]); at >= 0 {
		return r.pairs[at].depth
	}
	for k := i - 1; ; k-- { // no thread is known to write it but this one, in this very trace
		if r.evs[k].kind == KindW && r.evs[k].loc == r.evs[i].loc && r.vals[k] == r.vals[i] {
			return r.depths[k]
		}
	}
}

// writesBetween says whether the thread itself writes to the location between the read and the write of a pair.
func (r *runner) writesBetween(read, write int) bool {
	for i := read + 1; i < write; i++ {
		if r.evs[i].kind == KindW && r.evs[i].loc == r.evs[write].loc {
			return true
		}
	}
	return false
}

// selfServed says whether read i can get its value without another thread.
func (r *runner) selfServed(i int) bool {
	ev := &r.evs[i]
	if !r.coherent && r.pairs[r.pairOf(int(ev.loc), r.vals[i])].writers&(initWriter|1<<r.t) != 0 {
		return true
	}
	for k := i - 1; k >= 0; k-- {
		if r.evs[k].kind == KindW && r.evs[k].loc == ev.loc {
			return r.vals[k] == r.vals[i]
		}
	}
	return r.pairs[r.pairOf(int(ev.loc), r.vals[i])].writers&initWriter != 0
}

// group puts traces of one skeleton side by side.
func (o *threadTraces) group() {
	o.order = grow(o.order, len(o.traces))
	for i := range o.skels {
		o.skels[i].n = 0
		o.skels[i].provides = bitset{}
		o.skels[i].needs = bitset{^uint64(0), ^uint64(0)}
	}
	for i := range o.traces {
		o.skels[o.traces[i].skel].n++
	}
	at := int32(0)
	for i := range o.skels {
		o.skels[i].first = at
		at += o.skels[i].n
		o.skels[i].n = 0
	}
	for i := range o.traces {
		s := &o.skels[o.traces[i].skel]
		o.order[s.first+s.n] = o.traces[i]
		s.n++
		s.provides = s.provides.or(o.traces[i].provides)
		s.needs = s.needs.and(o.traces[i].needs)
	}
}
