package order

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
)

// removal is a set of fences that can go together.
type removal struct {
	g        *graph
	machines []*Machine
	gone     change
	devices  bool // what devices see counts, whatever the fence is there for
}

// loss is what the fences' absence would lose on a machine.
type loss struct {
	machine *Machine
	flow.Loss
}

// keeps reports whether nothing is lost on any machine if another operation stands in the place of a fence.
func (r *removal) keeps(g *graph, f *Fence, c change) bool {
	return !slices.ContainsFunc(r.machines, func(m *Machine) bool { return g.lost(m, f, r.devices, c, nil) != nil })
}

// trial is what can go from a unit.
type trial struct {
	removal // of the unit's graph: all of it together
	*unit
	own map[*function]change // of each function's graph: what can go from it whoever calls it
}

func (u *unit) trial(machines []*Machine, devices bool) *trial {
	return &trial{removal{u.graph, machines, change{}, devices}, u, map[*function]change{}}
}

// alone puts an operation in a fence's place if nothing is lost, whoever calls the function, nor with all else that goes.
func (t *trial) alone(f *Fence, op Op) bool {
	ok := t.keeps(f.in.graph, f, t.own[f.of].with(f.in.nodes, op)) &&
		(f.in.graph == t.g || t.keeps(t.g, f, t.gone.with(f.all.nodes, op)))
	if ok {
		t.note(f, op, false)
	}
	return ok
}

// called puts an operation in a fence's place if all callers of its function are known and nothing is lost.
func (t *trial) called(f *Fence, op Op) bool {
	ok := t.inlined[f.of] && t.keeps(t.g, f, t.gone.with(f.all.nodes, op))
	if ok {
		t.note(f, op, true)
	}
	return ok
}

func (t *trial) note(f *Fence, op Op, callers bool) {
	t.gone = t.gone.with(f.all.nodes, op)
	if !callers {
		t.own[f.of] = t.own[f.of].with(f.in.nodes, op)
	}
}

// lost checks one machine, in every domain in which the fence orders. adapt may change the graph first.
func (g *graph) lost(m *Machine, f *Fence, devices bool, c change, adapt func(*flow.Graph)) *loss {
	for _, d := range m.domains(f.Op, devices) {
		on := g.on(m, c)
		on.Domain = d
		if adapt != nil {
			adapt(&on)
		}
		for _, on.Strength = range m.strengths() {
			if l, ok := flow.Contained(on); !ok {
				return &loss{m, l}
			}
		}
	}
	return nil
}

// domains are those in which a fence is judged: all in which it orders. One in assembly that orders normal memory beyond
// what the machine does anyway is taken to be there for that, unless devices count.
func (m *Machine) domains(fence Op, devices bool) []contract.Domain {
	var all contract.Domain
	normal := false
	for _, s := range m.steps(fence) {
		for _, o := range s.Orders {
			all |= o.Domain
			normal = normal || o.Domain&contract.Normal != 0 && !m.gives(o)
		}
	}
	out := []contract.Domain{contract.Normal}
	if m.compiler || normal && !devices && fence.Body != nil && fence.Body.Assembly {
		return out
	}
	for _, d := range []contract.Domain{contract.DMA, contract.Device} {
		if all&d != 0 {
			out = append(out, d)
		}
	}
	return out
}

// gives reports whether the machine keeps an order between normal accesses anyway.
func (m *Machine) gives(o contract.Order) bool {
	for _, from := range o.From.Each() {
		var to contract.Classes
		for _, free := range m.free() {
			if free.From&from != 0 {
				to |= free.To
			}
		}
		if o.To&^to != 0 {
			return false
		}
	}
	return true
}

// look completes the verdict on a fence when all that can go is gone.
func (r *removal) look(f *Fence, v *Verdict) {
	switch v.Grade {
	case Proved:
		v.By = r.reasons(f, r.only(f, nil))
	case Needed:
		// One that may stand between a write and a later read, of which the function does not show both, may be there for them: store
		// buffering is what full fences are for.
		if r.g.calls(f.of) || !(f.all.shows(before, contract.Writes) && f.all.shows(after, contract.Reads)) && r.buffers(f) {
			return
		}
		for _, side := range []side{after, before} {
			if unless, by := r.local(f, side); len(by) > 0 {
				v.Grade, v.Unless, v.By = Local, unless, by
				return
			}
		}
	}
}

// side is where accesses are taken for absent unless the function shows them.
type side int

const (
	after side = iota
	before
)

// local checks a fence without the accesses that the function does not show on one side of it, and says what they would
// have to be for the fence to be needed. A fence that nothing replaces is not reported.
func (r *removal) local(f *Fence, s side) (string, []Reason) {
	gone := r.gone.with(f.all.nodes, Op{})
	hide := r.only(f, r.g.hide(f, s))
	trial := removal{g: r.g, machines: r.machines, gone: gone}
	unless := ""
	for _, m := range r.machines {
		if r.g.lost(m, f, r.devices, gone, hide) != nil {
			return "", nil
		}
		for _, want := range []func(*flow.Graph){r.g.asked(m, f, contract.All, contract.All), nil} {
			if l := r.g.lost(m, f, r.devices, gone, r.only(f, want)); l != nil && unless == "" && !m.compiler {
				unless = describe(l.Loss, s)
			}
		}
	}
	return unless, trial.reasons(f, hide)
}

// calls reports whether a graph still calls a function, perhaps through others. What the call does is known with the function's fences in it.
func (g *graph) calls(f *function) bool {
	seen := map[*function]bool{}
	for work := []*graph{g}; len(work) > 0; work = work[1:] {
		for _, n := range work[0].nodes {
			switch c := n.op.callee; {
			case c == nil || c.graph == nil || seen[c]:
			case c == f:
				return true
			default:
				seen[c] = true
				work = append(work, c.graph)
			}
		}
	}
	return false
}

// buffers reports whether without the fence a machine may perform a later read before an earlier write.
func (r *removal) buffers(f *Fence) bool {
	gone := r.gone.with(f.all.nodes, Op{})
	return slices.ContainsFunc(r.machines, func(m *Machine) bool {
		return !m.compiler && r.g.lost(m, f, r.devices, gone, r.only(f, r.g.asked(m, f, contract.Writes, contract.Reads))) != nil
	})
}

// asked makes a fence want what it promises between accesses of two kinds, whatever else its code orders.
func (g *graph) asked(m *Machine, f *Fence, from, to contract.Classes) func(*flow.Graph) {
	return func(on *flow.Graph) {
		for _, i := range f.all.nodes {
			var want contract.Step
			for _, step := range m.promised(g.nodes[i].op) {
				for _, o := range step.Orders {
					o.From, o.To = o.From&from, o.To&to
					want.Orders = append(want.Orders, o)
				}
			}
			on.Nodes[i].Want = []contract.Step{want}
		}
	}
}

// shows reports whether the function itself has an access of some class before or after a place, on some path: a callee's
// or a lock's is none.
func (at place) shows(s side, classes contract.Classes) bool {
	for i := range at.reach(at.nodes, s == before) {
		op := at.graph.nodes[i].op
		if op.Unknown || op.Private || op.Body != nil || op.Like != nil {
			continue
		}
		// A store may be an exchange somewhere, which does not make it a read of the function's.
		if !slices.ContainsFunc(Machines(), func(m *Machine) bool { return m.events(op)&classes == 0 }) {
			return true
		}
	}
	return false
}

// events are the classes of an operation's accesses.
func (m *Machine) events(op Op) contract.Classes {
	var out contract.Classes
	for _, s := range m.steps(op) {
		for _, e := range s.Events {
			out |= e
		}
	}
	return out
}

// only makes the removal of one fence all that a comparison is about: the others are gone in both versions.
func (r *removal) only(f *Fence, adapt func(*flow.Graph)) func(*flow.Graph) {
	return func(on *flow.Graph) {
		for i := range r.gone {
			if !slices.Contains(f.all.nodes, i) {
				on.Nodes[i].Want = on.Nodes[i].Give
			}
		}
		if adapt != nil {
			adapt(on)
		}
	}
}

func describe(l flow.Loss, s side) string {
	if s == after {
		return fmt.Sprintf("later %s that are not seen here must come after earlier %s", kind(l.To), kind(l.From))
	}
	return fmt.Sprintf("earlier %s that are not seen here must come before later %s", kind(l.From), kind(l.To))
}

func kind(c contract.Classes) string {
	if c&contract.Reads != 0 {
		return "reads"
	}
	return "writes"
}

// hide removes the accesses that the function does not show on one side of the fence: those of its callers, and of calls
// of which nothing is known.
func (g *graph) hide(f *Fence, s side) func(*flow.Graph) {
	from, to := g.reach(f.all.nodes, false), g.reach(f.all.nodes, true)
	return func(on *flow.Graph) {
		this, other := from, to
		if s == after {
			on.Exit = 0
		} else {
			on.Entry = 0
			this, other = to, from
		}
		for i, n := range g.nodes {
			if n.op.Unknown && this[i] && !other[i] {
				on.Nodes[i].Want, on.Nodes[i].Give = nil, nil
			}
		}
	}
}

// predecessors are the nodes directly before each.
func (g *graph) predecessors() [][]int {
	out := make([][]int, len(g.nodes))
	for i, n := range g.nodes {
		for _, s := range n.succ {
			out[s] = append(out[s], i)
		}
	}
	return out
}

// reach are the nodes behind the given ones, or before them.
func (g *graph) reach(nodes []int, backward bool) map[int]bool {
	next := g.predecessors()
	if !backward {
		for i, n := range g.nodes {
			next[i] = n.succ
		}
	}
	out := map[int]bool{}
	work := slices.Clone(nodes)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range next[n] {
			if !out[s] {
				out[s] = true
				work = append(work, s)
			}
		}
	}
	return out
}

// reasons are the operations without whose order a fence that is gone would be needed, the nearest first.
func (r *removal) reasons(f *Fence, adapt func(*flow.Graph)) []Reason {
	var out []Reason
	seen := map[token.Pos]bool{}
	var orderers []int
	for i, n := range r.g.nodes {
		if by, gone := r.gone[i]; gone && by.Prim == nil || n.at == nil || n.op.Unknown {
			continue
		}
		if slices.ContainsFunc(r.machines, func(m *Machine) bool { return !m.compiler && ordering(m.promised(n.op)) }) {
			orderers = append(orderers, i)
		}
	}
	needs := func(strip []int) bool {
		for _, m := range r.machines {
			if m.compiler {
				continue
			}
			// What the stripped operations order themselves is not at issue: they are bare in both versions.
			if r.g.lost(m, f, r.devices, r.gone, func(on *flow.Graph) {
				for _, i := range strip {
					on.Nodes[i].Want = bare(on.Nodes[i].Want)
					on.Nodes[i].Give = on.Nodes[i].Want
				}
				adapt(on)
			}) != nil {
				return true
			}
		}
		return false
	}
	note := func(i int) {
		n := r.g.nodes[i]
		if pos := n.at.pos; !seen[pos] {
			seen[pos] = true
			out = append(out, Reason{n.op.Name, pos})
		}
	}
	for _, i := range orderers {
		if needs([]int{i}) {
			note(i)
		}
	}
	if len(out) == 0 && needs(orderers) { // each of several would do
		for _, i := range orderers {
			note(i)
		}
	}
	distance := func(p token.Pos) token.Pos { return max(p-f.pos, f.pos-p) }
	slices.SortFunc(out, func(a, b Reason) int { return cmp.Compare(distance(a.Pos), distance(b.Pos)) })
	return out
}

// bare are the accesses of steps without their orders, of the plainest class.
func bare(steps []contract.Step) []contract.Step {
	out := make([]contract.Step, len(steps))
	for i, s := range steps {
		for _, e := range s.Events {
			c := contract.PlainRead
			if e&contract.Writes != 0 {
				c = contract.PlainWrite
			}
			out[i].Events = append(out[i].Events, c)
		}
	}
	return out
}
