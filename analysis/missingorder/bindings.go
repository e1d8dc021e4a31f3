package missingorder

import (
	"github.com/barriergen/barriergen/contract"
)

// bindings hints at fences that bind to a read-modify-write and have something else beside them.
func (c *checker) bindings() {
	for _, g := range c.graphs {
		before := g.reverse()
		for i, n := range g.nodes {
			if n.event == nil || !n.fence() {
				continue
			}
			switch n.Prim.Binds {
			case contract.LastRMW, contract.LastSyncRMW:
				c.behind(g, before, i)
			case contract.NextRMW:
				c.ahead(g, i)
			}
		}
	}
}

// arrow is an edge, seen from its end.
type arrow struct {
	from int
	edge
}

func (g *graph) reverse() [][]arrow {
	out := make([][]arrow, len(g.nodes))
	for i, n := range g.nodes {
		for _, e := range n.succ {
			out[e.to] = append(out[e.to], arrow{i, e})
		}
	}
	return out
}

// behind checks what a fence finds before it. Plain reads in between are passed over, as of what decides whether the fence is
// needed.
func (c *checker) behind(g *graph, before [][]arrow, fence int) {
	f := g.nodes[fence].event
	type state struct {
		node  int
		known int // index of an outcome, -1 for none
	}
	var outcomes []edge
	seen := map[state]bool{}
	work := []state{{fence, -1}}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range before[s.node] {
			next := state{a.from, s.known}
			if a.of != nil {
				outcomes = append(outcomes, a.edge)
				next.known = len(outcomes) - 1
				for i, o := range outcomes {
					if o.of == a.of && o.wrote == a.wrote {
						next.known = i
						break
					}
				}
			}
			if seen[next] {
				continue
			}
			seen[next] = true
			e := g.nodes[a.from].event
			switch {
			case e == nil, !e.access() && !e.opaque, e.reads && !e.atomic():
				work = append(work, next)
			case e.opaque:
			case !e.atomic():
				c.hint(f.pos, f.pos, e.pos, "%s binds to the read-modify-write directly before it, but what comes before it is the plain store on line %d: use barrier.Full",
					f.Name, c.line(e.pos))
			case !e.rmw():
				c.hint(f.pos, f.pos, e.pos, "%s binds to the read-modify-write directly before it, but what comes before it is %s on line %d: use barrier.Full",
					f.Name, e.Name, c.line(e.pos))
			case f.Prim.Binds == contract.LastSyncRMW && e.Sync == "":
				c.hint(f.pos, f.pos, e.pos, "%s is for the read-modify-writes of sync/atomic, but what comes before it is %s on line %d: use barrier.AfterAtomic",
					f.Name, e.Name, c.line(e.pos))
			case e.conditional() && !wrote(e, next.known, outcomes):
				c.hint(f.pos, f.pos, e.pos, "%s on line %d may have failed, and then %s orders nothing: use barrier.Full, or put it where the operation has succeeded",
					e.Name, c.line(e.pos), f.Name)
			}
		}
	}
}

// wrote reports whether an operation is known to have written on the way from it to a fence.
func wrote(e *event, known int, outcomes []edge) bool {
	return known >= 0 && outcomes[known].of == e.result && e.succeeded(outcomes[known].wrote)
}

// succeeded says whether an operation has written, from what it returned.
func (e *event) succeeded(result bool) bool {
	if e.Prim != nil && e.Prim.Op == contract.LockBit { // it returns what the bit was
		return !result
	}
	return result
}

// ahead checks what a fence finds behind it.
func (c *checker) ahead(g *graph, fence int) {
	f := g.nodes[fence].event
	seen := map[int]bool{}
	work := []int{fence}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range g.nodes[n].succ {
			if seen[s.to] {
				continue
			}
			seen[s.to] = true
			e := g.nodes[s.to].event
			switch {
			case e == nil, e.reads && !e.atomic():
				work = append(work, s.to)
			case e.opaque, e.fence(), e.rmw():
			case !e.atomic():
				c.hint(f.pos, f.pos, e.pos, "%s binds to the read-modify-write directly after it, but what comes after it is the plain store on line %d: use barrier.Full, or barrier.Release to publish",
					f.Name, c.line(e.pos))
			default:
				c.hint(f.pos, f.pos, e.pos, "%s binds to the read-modify-write directly after it, but what comes after it is %s on line %d: use barrier.Full, or barrier.Release to publish",
					f.Name, e.Name, c.line(e.pos))
			}
		}
	}
}
