package order

import (
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
)

// Weaker is a primitive that would do in a fence's place.
type Weaker struct {
	Prim contract.Primitive
	Arch []string // where it costs less
	// Proved: it gives the same order on every architecture, whatever the callers do. Else it is enough for the accesses that the
	// function shows, on the architectures above.
	Proved bool
	By     []Reason // the read-modify-write that it binds to

	callers bool // proved with the callers' help
}

// weaken finds the cheapest primitive that suffices for a fence that can't go. One that suffices everywhere comes first.
func (at place) weaken(f *Fence, gone change) *Weaker {
	if f.Op.Prim == nil || f.Op.Private || f.Op.Prim.Binds != contract.Anything {
		return nil
	}
	var best *Weaker
	most := 0
	for _, p := range contract.Of(contract.Barrier) {
		w := Weaker{Prim: p}
		switch {
		case p.Name == f.Op.Prim.Name || !within(p, *f.Op.Prim):
			continue
		case p.Binds == contract.LastRMW || p.Binds == contract.LastSyncRMW:
			w.By = at.lastRMW(p.Binds == contract.LastSyncRMW)
			if len(w.By) == 0 {
				continue
			}
		case p.Binds != contract.Anything:
			continue
		}
		var saved int
		w.Arch, saved = f.saves(p)
		w.Proved = at.enough(f, p, gone, everywhere(), nil)
		if saved == 0 || best != nil && (best.Proved && !w.Proved || best.Proved == w.Proved && saved <= most) {
			continue
		}
		// A fence that is not full was chosen for a pair of kinds: what its caller shows says little of them.
		if w.Proved || f.Op.Prim.Set() == contract.Full && at.enoughHere(f, p, gone) {
			best, most = &w, saved
		}
	}
	return best
}

// within reports whether one fence promises nothing that another does not: what it says of the operation that it binds to
// aside, since a fence that orders everything orders that too.
func within(p, than contract.Primitive) bool {
	for _, o := range p.Orders {
		if o.Side != contract.Across {
			continue
		}
		if !slices.ContainsFunc(than.Orders, func(t contract.Order) bool {
			return t.Side == contract.Across && o.From&^t.From == 0 && o.To&^t.To == 0 && o.Domain&^t.Domain == 0
		}) {
			return false
		}
	}
	return true
}

// saves are the native architectures on which a primitive costs less than the fence, and by how much in all: nothing if
// it costs more on any.
func (f *Fence) saves(p contract.Primitive) ([]string, int) {
	var where []string
	saved := 0
	for _, gr := range groups() {
		m := gr.machines[0]
		if gr.arch == otherArch {
			continue
		}
		less := m.cost(*f.Op.Prim) - m.cost(p)
		if less < 0 {
			return nil, 0
		}
		if less > 0 {
			where = append(where, gr.arch)
		}
		saved += less
	}
	return where, saved
}

func (m *Machine) cost(p contract.Primitive) int {
	if low := m.lower(p); low != nil {
		return low.Cost
	}
	return 0
}

// enough reports whether the primitive in the fence's place keeps all order on the machines.
func (at place) enough(f *Fence, p contract.Primitive, gone change, machines []*Machine, adapt func(*flow.Graph)) bool {
	for _, m := range machines {
		if at.lost(m, f, true, gone.with(at.nodes, Op{Prim: &p}), adapt) != nil {
			return false
		}
	}
	return true
}

// enoughHere reports whether the primitive is enough for the accesses that the function shows, which need some fence. Where it
// shows none of its own on a side, the fence is there for others.
func (at place) enoughHere(f *Fence, p contract.Primitive, gone change) bool {
	if at.graph.calls(f.of) || !at.shows(before, contract.All) || !at.shows(after, contract.All) {
		return false
	}
	closed := func(on *flow.Graph) { on.Entry, on.Exit = 0, 0 }
	absent := gone.with(at.nodes, Op{})
	needed := false
	for _, gr := range groups() {
		if gr.arch == otherArch {
			continue
		}
		for _, m := range gr.machines {
			needed = needed || at.lost(m, f, true, absent, closed) != nil
		}
		if !at.enough(f, p, gone, gr.machines, closed) {
			return false
		}
	}
	return needed && at.enough(f, p, gone, []*Machine{compiler()}, closed)
}

// lastRMW are the read-modify-writes directly before the fence, if on every path there is one that wrote and no access in
// between; those of sync/atomic only, if others will not do.
func (at place) lastRMW(sync bool) []Reason {
	before := at.predecessors()
	var out []Reason
	seen := map[int]bool{}
	work := at.nodes
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if len(before[n]) == 0 {
			return nil // the entry
		}
		for _, p := range before[n] {
			op := at.graph.nodes[p].op
			switch {
			case seen[p]:
			case op.rmw() && !op.Private && (!sync || op.Sync != ""):
				out = append(out, Reason{op.Name, at.graph.nodes[p].at.pos})
			case op.accesses():
				return nil
			default:
				work = append(work[:len(work):len(work)], p)
			}
			seen[p] = true
		}
	}
	return out
}

// accesses reports whether the operation may access memory that others see.
func (o Op) accesses() bool { return compiler().events(o) != 0 }
