package diy

import "slices"

// access is an access of a cycle with its place in the test.
type access struct {
	dir    dir
	note   *note
	thread int
	loc    int
	val    int  // read or written; writes to a location count from 1 in coherence order
	unseen bool // the read of an instruction without a result
}

// plan is what a test of a cycle does and observes.
type plan struct {
	accesses []access
	locs     int
	writes   []int  // to each location
	observed []bool // locations whose writes need an observer
}

// plan gives every access its thread, location and value. Values grow along a location's part of the cycle, so that the cycle
// happened if all of them are seen.
func (c Cycle) plan() plan {
	p := plan{accesses: make([]access, len(c.edges))}
	for t, s := range c.threads() {
		for i := s.first; i < s.end; i++ {
			p.accesses[i] = access{dir: c.edges[i].from, note: c.notes[i], thread: t}
			if r := c.edges[i].rmw; r != nil {
				p.accesses[i].unseen = !r.seen(c.notes[i], c.notes[i+1])
			}
		}
	}
	for _, e := range c.edges {
		if e.moves() {
			p.locs++
		}
	}
	// A location's part begins behind an edge that changes the location. If there is none, the cycle is cut at an edge of program
	// order, against which all others must lead.
	cut := slices.IndexFunc(c.edges, func(e edge) bool { return e.moves() })
	if p.locs == 0 {
		p.locs = 1
		cut = slices.IndexFunc(c.edges, func(e edge) bool { return e.com == "" })
	}
	loc := 0
	for i, e := range c.edges { // locations are named in the order of the text
		p.accesses[i].loc = loc
		if e.moves() {
			loc = (loc + 1) % p.locs
		}
	}
	p.writes = make([]int, p.locs)
	n := len(c.edges)
	for k := range n {
		a := &p.accesses[(cut+1+k)%n]
		if a.dir == write {
			p.writes[a.loc]++
		}
		a.val = p.writes[a.loc]
	}
	for l := range p.locs {
		p.observed = append(p.observed, p.needsObserver(l))
	}
	return p
}

// needsObserver says whether the values seen leave the order of a location's writes open. The last write shows in the final
// state. An earlier one comes before the next if a thread meets the one value, then the other, whichever way: coherence
// follows program order.
func (p *plan) needsObserver(loc int) bool {
	for v := 1; v+1 < p.writes[loc]; v++ {
		met := false
		for i, a := range p.accesses {
			for _, b := range p.accesses[i+1:] {
				met = met || a.loc == loc && b.loc == loc && a.thread == b.thread && !a.unseen && !b.unseen && a.val == v && b.val == v+1
			}
		}
		if !met {
			return true
		}
	}
	return false
}
