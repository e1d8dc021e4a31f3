package memmodel

import (
	"fmt"
	"math/bits"
	"slices"
)

const (
	defaultTraces     = 1 << 16
	defaultCandidates = 1 << 21
	defaultSteps      = 1 << 26
	defaultUnroll     = 2
	maxThreads        = 31
)

// engine is the state of a search. Everything in it is reused from program to program.
type engine struct {
	runner  runner
	threads []threadTraces
	codes   codeCache
	m       machine

	model    *Model
	p        *Program
	observe  []Observable
	cond     func([]Value) bool
	mode     Mode
	limits   Limits
	coherent bool // build only executions that are coherent, atomic: only those whose read-modify-writes are atomic
	atomic   bool
	explain  *explainer

	locObserved []int32 // for each location: index into observe, or -1
	regSlots    []int32 // by thread, in the order of its observed registers: index into observe
	numLocsSeen int

	// The threads' parts chosen so far.
	skels  []*skeleton
	chosen []*trace
	after  []bitset // what the threads behind can provide at best

	ev       execEvents
	claims   claims
	lk       linker
	locIndex []int32 // of a location among those in use, or -1

	states  stateTable
	res     Result
	pending uint64 // flags not raised yet
	done    bool
	steps   int
	err     error
	current []Value
}

func (e *engine) run(s *Search, p *Program, observe []Observable, cond func([]Value) bool) (*Result, error) {
	if err := e.begin(s, p, observe, cond, true); err != nil {
		return nil, err
	}
	if e.err == nil {
		e.chooseSkeletons(0, bitset{}, bitset{})
	}
	if e.err != nil {
		return nil, e.err
	}
	e.res.States = e.states.list
	return &e.res, nil
}

// begin prepares a search, up to and including the threads' traces.
func (e *engine) begin(s *Search, p *Program, observe []Observable, cond func([]Value) bool, native bool) error {
	e.model, e.p, e.observe, e.cond, e.mode, e.limits = s.Model, p, observe, cond, s.Mode, s.Limits
	e.explain, e.err, e.done, e.steps = nil, nil, false, 0
	if e.limits.Traces == 0 {
		e.limits.Traces = defaultTraces
	}
	if e.limits.Candidates == 0 {
		e.limits.Candidates = defaultCandidates
	}
	if e.limits.Steps == 0 {
		e.limits.Steps = defaultSteps
	}
	if e.limits.Unroll == 0 {
		e.limits.Unroll = defaultUnroll
	}
	if len(p.Threads) > maxThreads {
		return &LimitError{p.Name, "threads", maxThreads}
	}
	e.coherent = native && e.model.coherence >= 0
	e.atomic = native && e.model.atomicity >= 0
	e.res = Result{Flags: e.res.Flags[:0]}
	e.states.reset(len(observe))
	e.current = grow(e.current, len(observe))
	e.observeProgram()

	r := &e.runner
	r.ownWrites = e.model.ownWrites
	r.coherent, r.unroll, r.limit = e.coherent, e.limits.Unroll, e.limits.Traces
	r.all(p, e.threads)
	if r.tooMany {
		if len(r.evs) > MaxEvents {
			return &LimitError{p.Name, "events in a thread", MaxEvents}
		}
		return &LimitError{p.Name, "traces of a thread", e.limits.Traces}
	}
	e.res.Faults = r.faults
	if r.cut {
		e.res.Unrolled = e.limits.Unroll
	}
	n := len(p.Threads)
	e.skels, e.chosen, e.after = grow(e.skels, n), grow(e.chosen, n), grow(e.after, n+1)
	e.after[n] = bitset{}
	for t := n - 1; t >= 0; t-- {
		e.after[t] = e.after[t+1].or(e.threads[t].provides)
	}
	e.prepareClaims()
	var c *code
	if native {
		c = e.codes.get(e.model, p)
	} else {
		c = e.codes.full(e.model, p)
	}
	e.m.code, e.m.diverged = c, false
	e.pending = 0
	for i := range c.checks {
		if c.checks[i].flag {
			e.pending |= 1 << i
		}
	}
	return nil
}

// observeProgram sorts the observables by thread and location.
func (e *engine) observeProgram() {
	p := e.p
	for len(e.threads) < len(p.Threads) {
		e.threads = append(e.threads, threadTraces{})
	}
	for t := range p.Threads {
		e.threads[t].observed = e.threads[t].observed[:0]
	}
	e.locObserved = grow(e.locObserved, len(p.Locs))
	for l := range e.locObserved {
		e.locObserved[l] = -1
	}
	e.numLocsSeen = 0
	e.regSlots = e.regSlots[:0]
	for t := range p.Threads {
		for i, o := range e.observe {
			if o.Thread == t {
				e.threads[t].observed = append(e.threads[t].observed, o.Reg)
				e.regSlots = append(e.regSlots, int32(i))
			}
		}
	}
	for i, o := range e.observe {
		if o.Thread < 0 {
			e.locObserved[o.Loc] = int32(i)
			e.numLocsSeen++
		}
	}
}

// chooseSkeletons takes a way through each thread from t on. A way is of no use if a value that it needs has no writer.
func (e *engine) chooseSkeletons(t int, needs, provides bitset) {
	if t == len(e.skels) {
		if e.buildEvents() {
			e.chooseTraces(0, bitset{}, bitset{})
		}
		return
	}
	e.step(1)
	th := &e.threads[t]
	for i := range th.skels {
		s := &th.skels[i]
		n, pr := needs.or(s.needs), provides.or(s.provides)
		if !n.within(pr.or(e.after[t+1])) {
			continue
		}
		e.skels[t] = s
		e.chooseSkeletons(t+1, n, pr)
		if e.done || e.err != nil {
			return
		}
	}
}

// The work of a combination of traces and, for each event, of a check, in steps.
const (
	combinationSteps = 16
	checkSteps       = 4
)

// step counts work.
func (e *engine) step(n int) {
	if e.steps += n; e.steps > e.limits.Steps {
		e.err = &LimitError{e.p.Name, "steps", e.limits.Steps}
	}
}

// chooseTraces takes the values of each thread from t on.
func (e *engine) chooseTraces(t int, needs, provides bitset) {
	if t == len(e.skels) {
		e.combination()
		return
	}
	s := e.skels[t]
	traces := e.threads[t].order[s.first : s.first+s.n]
	e.step(1 + len(traces))
	for i := range traces {
		tr := &traces[i]
		n, pr := needs.or(tr.needs), provides.or(tr.provides)
		if !n.within(pr.or(e.ev.after[t+1])) {
			continue
		}
		e.chosen[t] = tr
		if len(e.claims.contested) == 0 {
			e.chooseTraces(t+1, n, pr)
		} else {
			if e.claim(t, tr, 1) {
				e.chooseTraces(t+1, n, pr)
			}
			e.claim(t, tr, -1)
		}
		if e.done || e.err != nil || e.ev.dead {
			return
		}
	}
}

// combination goes on with one trace of each thread: their values, then reads-from and coherence.
func (e *engine) combination() {
	e.step(combinationSteps / 2)
	slot := 0
	for t := range e.skels {
		th := &e.threads[t]
		from := e.chosen[t].finals
		for k := range th.observed {
			e.current[e.regSlots[slot]] = th.finals[int(from)+k]
			slot++
		}
	}
	if e.numLocsSeen == 0 && !e.wanted() {
		return
	}
	e.step(combinationSteps / 2)
	e.takeValues()
	for i := range e.ev.locs {
		if !e.configure(&e.ev.locs[i]) {
			return
		}
		if e.err != nil {
			return
		}
	}
	e.chooseRF(0)
}

// takeValues puts the chosen values into the events.
func (e *engine) takeValues() {
	for l := range e.ev.locs {
		e.ev.vals[l] = e.ev.initVal[l]
	}
	at := len(e.ev.locs)
	for t := range e.skels {
		tr := e.chosen[t]
		at += copy(e.ev.vals[at:], e.threads[t].vals[tr.vals:int(tr.vals)+len(e.skels[t].events)])
	}
}

// wanted says whether an execution with the current final state has to be checked at all.
func (e *engine) wanted() bool {
	if e.explain != nil {
		return e.cond == nil || e.cond(e.current)
	}
	switch e.mode {
	case All:
		return true
	case Verdict:
		if e.cond == nil || e.cond(e.current) {
			return e.res.Positive == 0
		}
		return e.res.Negative == 0
	}
	return e.pending != 0 || !e.states.has(e.current)
}

// chooseRF takes reads-from for each location from i on.
func (e *engine) chooseRF(i int) {
	x := &e.ev
	if i == len(x.locs) {
		x.rfDone, x.rfDead = false, false
		e.chooseCO(0)
		return
	}
	l := &x.locs[i]
	for k := range l.rfs {
		for _, w := range l.writes {
			x.rf[w] = 0
		}
		c := &l.rfs[k]
		asg := l.asgs[c.asg : int(c.asg)+len(l.reads)]
		for j, r := range l.reads {
			x.rf[l.writes[asg[j]]] |= 1 << r
			x.from[r] = l.writes[asg[j]]
		}
		l.cur = c
		e.chooseRF(i + 1)
		if e.done || e.err != nil || x.dead {
			return
		}
	}
}

// chooseCO takes coherence for each location from i on, and then checks the execution.
func (e *engine) chooseCO(i int) {
	x := &e.ev
	e.step(1)
	if i == len(x.locs) {
		if e.numLocsSeen == 0 || e.wanted() {
			e.candidate()
		}
		return
	}
	l := &x.locs[i]
	nw := len(l.writes)
	for k := int32(0); k < l.cur.cos; k++ {
		from := int(l.cur.co) + int(k)*nw
		order := l.orders[from : from+nw]
		after := uint64(0)
		for j := nw - 1; j >= 0; j-- {
			w := l.writes[order[j]]
			x.co[w] = after
			after |= 1 << w
		}
		for _, r := range l.reads {
			x.fr[r] = x.co[x.from[r]] &^ (1 << r)
		}
		last := l.writes[order[nw-1]]
		x.last[i] = last
		if slot := e.locObserved[l.loc]; slot >= 0 {
			e.current[slot] = x.vals[last]
		}
		e.chooseCO(i + 1)
		if e.done || e.err != nil || x.dead || x.rfDead {
			return
		}
	}
}

// candidate checks one execution. What does not depend on coherence is checked once for all the executions that share it.
func (e *engine) candidate() {
	x := &e.ev
	e.step(checkSteps * x.n)
	if e.res.Candidates++; e.res.Candidates > e.limits.Candidates {
		e.err = &LimitError{e.p.Name, "candidate executions", e.limits.Candidates}
		return
	}
	if e.explain != nil {
		e.explainCandidate()
		return
	}
	if !x.staticDone {
		x.staticDone = true
		e.fillStatic()
		if !e.evaluate(levelStatic) {
			x.dead = true
			return
		}
	}
	if e.m.code.lastLevel >= levelRF && !x.rfDone {
		x.rfDone = true
		e.fillRF()
		if !e.evaluate(levelRF) {
			x.rfDead = true
			return
		}
	}
	raised := x.raised[levelStatic] | x.raised[levelRF]
	if e.m.code.lastLevel >= levelCO {
		e.fillCO()
		if !e.evaluate(levelCO) {
			return
		}
		raised |= x.raised[levelCO]
	}
	e.allow(raised)
}

// evaluate runs one level of the model's code and says whether the execution is still allowed.
func (e *engine) evaluate(l level) bool {
	e.m.raised = 0
	ok := e.m.run(l) < 0
	e.ev.raised[l] = e.m.raised
	if e.m.diverged {
		e.err = fmt.Errorf("%s: a 'let rec' of model %s does not come to rest", e.p.Name, e.model.Name)
	}
	return ok && e.err == nil
}

// allow records an allowed execution.
func (e *engine) allow(raised uint64) {
	if raised &= e.pending; raised != 0 {
		e.pending &^= raised
		for ; raised != 0; raised &= raised - 1 {
			a := e.m.code.checks[bits.TrailingZeros64(raised)].axiom
			e.res.Flags = append(e.res.Flags, e.model.g.axioms[a].name)
		}
		slices.Sort(e.res.Flags)
	}
	positive := e.cond == nil || e.cond(e.current)
	if positive {
		e.res.Positive++
	} else {
		e.res.Negative++
	}
	e.states.add(e.current, positive)
	if e.mode == Verdict && e.res.Positive > 0 && e.res.Negative > 0 {
		e.done = true
	}
}
