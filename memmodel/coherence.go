package memmodel

import "slices"

const maxOrders = 1 << 20

// baseOrder finds which writes to a location must come before which, whatever is read.
func (e *engine) baseOrder(l *locEvents) {
	x := &e.ev
	l.before = grow(l.before, len(l.writes))
	for j, w := range l.writes {
		l.before[j] = 0
		if j == 0 {
			continue
		}
		l.before[j] = 1
		for k := 1; k < j && e.coherent; k++ {
			if x.thread[l.writes[k]] == x.thread[w] {
				l.before[j] |= 1 << k
			}
		}
	}
}

// configure finds the reads-from and coherence choices of a location for the current values and says whether there are any.
func (e *engine) configure(l *locEvents) bool {
	x := &e.ev
	n := len(l.writes) + len(l.reads)
	if len(l.vals) == n && e.sameValues(l) {
		return l.possible
	}
	l.vals = l.vals[:0]
	for _, w := range l.writes {
		l.vals = append(l.vals, x.vals[w])
	}
	for _, r := range l.reads {
		l.vals = append(l.vals, x.vals[r])
	}
	l.rfs, l.asgs, l.orders = l.rfs[:0], l.asgs[:0], l.orders[:0]
	e.lk.asg = grow(e.lk.asg, len(l.reads))
	e.assign(l, 0)
	l.possible = len(l.rfs) > 0
	return l.possible
}

func (e *engine) sameValues(l *locEvents) bool {
	for j, w := range l.writes {
		if l.vals[j] != e.ev.vals[w] {
			return false
		}
	}
	for j, r := range l.reads {
		if l.vals[len(l.writes)+j] != e.ev.vals[r] {
			return false
		}
	}
	return true
}

// linker is the scratch memory of configure.
type linker struct {
	asg    []uint8
	before []uint64
	order  []uint8
	rmws   []rmwPair
}

// rmwPair is a read-modify-write: the write from is read, the write to follows it with no other thread's write between.
type rmwPair struct {
	from, to uint8
	thread   int8
}

// assign chooses the write that read j of the location reads, and those behind it.
func (e *engine) assign(l *locEvents, j int) {
	if j == len(l.reads) {
		e.order(l)
		return
	}
	x := &e.ev
	r := int(l.reads[j])
	for k, w := range l.writes {
		if x.vals[w] != x.vals[r] {
			continue
		}
		if x.thread[w] == x.thread[r] && int(w) > r && (e.coherent || e.sameInstr(r, int(w))) {
			continue
		}
		e.lk.asg[j] = uint8(k)
		e.assign(l, j+1)
		if e.err != nil {
			return
		}
	}
}

// order finds the coherence orders that fit the reads-from chosen, and keeps the choice if there are any.
func (e *engine) order(l *locEvents) {
	x, lk := &e.ev, &e.lk
	lk.before = append(lk.before[:0], l.before...)
	lk.rmws = lk.rmws[:0]
	if e.coherent {
		e.readOrder(l)
	} else {
		e.stepOrder(l)
	}
	relPlus(lk.before)
	if !relIrreflexive(lk.before) {
		return
	}
	if e.atomic {
		for k, w := range l.writes {
			if ev := &x.events[w]; ev.rmw >= 0 {
				r := uint8(x.start[x.thread[w]] + int(ev.rmw))
				if k > 0 && l.writes[k-1] > r && e.model.ownWrites {
					continue
				}
				lk.rmws = append(lk.rmws, rmwPair{lk.asg[slices.Index(l.reads, r)], uint8(k), x.thread[w]})
			}
		}
	}
	c := rfChoice{asg: int32(len(l.asgs)), co: int32(len(l.orders))}
	lk.order = lk.order[:0]
	e.place(l, &c, 0)
	if c.cos > 0 {
		l.asgs = append(l.asgs, lk.asg...)
		l.rfs = append(l.rfs, c)
	}
}

// readOrder adds what the reads say about the writes' order: a read sees nothing older than what its thread has written or
// read before, and nothing that its thread writes later.
func (e *engine) readOrder(l *locEvents) {
	x, lk := &e.ev, &e.lk
	for j, r := range l.reads {
		from := lk.asg[j]
		for k, w := range l.writes[1:] {
			k := uint8(k + 1)
			if x.thread[w] != x.thread[r] || k == from {
				continue
			}
			if w < r {
				lk.before[from] |= 1 << k
			} else {
				lk.before[k] |= 1 << from
			}
		}
		// Reads of a thread stand in order, so the next one is enough.
		if j+1 < len(l.reads) && x.thread[l.reads[j+1]] == x.thread[r] && lk.asg[j+1] != from {
			lk.before[lk.asg[j+1]] |= 1 << from
		}
	}
}

// stepOrder is what remains of that in a model without coherence: an instruction that reads and writes in one step.
func (e *engine) stepOrder(l *locEvents) {
	for k, w := range l.writes {
		if ev := &e.ev.events[w]; ev.amo {
			r := uint8(e.ev.start[e.ev.thread[w]] + int(ev.rmw))
			e.lk.before[k] |= 1 << e.lk.asg[slices.Index(l.reads, r)]
		}
	}
}

// place extends the order begun by every write that may come next.
func (e *engine) place(l *locEvents, c *rfChoice, placed uint64) {
	lk := &e.lk
	if len(lk.order) == len(l.writes) {
		if len(l.orders) > maxOrders {
			e.err = &LimitError{e.p.Name, "coherence orders of one location", maxOrders / len(l.writes)}
			return
		}
		l.orders = append(l.orders, lk.order...)
		c.cos++
		return
	}
	for k := range l.writes {
		if placed>>k&1 != 0 || lk.before[k]&^placed != 0 || !e.mayFollow(l, uint8(k), placed) {
			continue
		}
		lk.order = append(lk.order, uint8(k))
		e.place(l, c, placed|1<<k)
		lk.order = lk.order[:len(lk.order)-1]
		if e.err != nil {
			return
		}
	}
}

// mayFollow says whether write k leaves the read-modify-writes atomic that have read something placed already.
func (e *engine) mayFollow(l *locEvents, k uint8, placed uint64) bool {
	for _, p := range e.lk.rmws {
		if placed>>p.from&1 != 0 && placed>>p.to&1 == 0 && k != p.to && e.ev.thread[l.writes[k]] != p.thread {
			return false
		}
	}
	return true
}
