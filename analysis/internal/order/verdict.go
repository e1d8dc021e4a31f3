package order

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
)

// Grade says how far it is known that a fence is not needed.
type Grade int

// The grades.
const (
	Absent Grade = iota // the code is not built there, or what the fence is there is not known
	Needed
	Free   // there the fence is no instruction
	Local  // not needed by the accesses that the function shows, on one side of the fence
	Proved // not needed, whatever the callers do before and afterwards
)

// Fence is one call of a fence.
type Fence struct {
	Op       Op
	Call     *ast.CallExpr // nil for a deferred call
	File     *ast.File
	Verdicts []Verdict // one per architecture
	Fix      bool      // it can go everywhere, together with every other of which this is said
	Weaker   *Weaker   // what would do instead, if it can't go

	pos   token.Pos
	nodes []int
}

// Verdict is what is known on one architecture.
type Verdict struct {
	Arch   string
	Grade  Grade
	Unless string   // for Local: what would need the fence
	By     []Reason // the operations that give its order already
}

// Reason is an operation that orders.
type Reason struct {
	Name string
	Pos  token.Pos
}

// group is an architecture at a level, with its variants.
type group struct {
	arch     string
	machines []*Machine
}

var groups = sync.OnceValue(func() []group {
	var out []group
	for _, m := range Machines() {
		if i := slices.IndexFunc(out, func(g group) bool { return g.arch == m.Arch }); i >= 0 {
			out[i].machines = append(out[i].machines, m)
		} else if !m.compiler {
			out = append(out, group{m.Arch, []*Machine{m}})
		}
	}
	return out
})

func compiler() *Machine { return Machines()[len(Machines())-1] }

// judge finds the fences of a function and what needs them, on the architectures for which its file is built.
func judge(g *graph, holds func(goarch string) bool) []*Fence {
	fences := g.fences()
	if len(fences) == 0 {
		return nil
	}
	for _, f := range fences {
		f.Verdicts = make([]Verdict, len(groups()))
	}
	every := removal{g: g, gone: change{}, devices: true}
	for _, m := range everywhere() {
		if m.builds(holds) {
			every.machines = append(every.machines, m)
		}
	}
	for i, gr := range groups() {
		if holds != nil && !slices.ContainsFunc(gr.machines, func(m *Machine) bool { return m.builds(holds) }) {
			continue
		}
		r := removal{g: g, machines: append(gr.machines[:len(gr.machines):len(gr.machines)], compiler()), gone: change{}}
		// From the end: of two that give the same order, the first stays.
		for _, f := range slices.Backward(fences) {
			f.Verdicts[i] = r.prove(f, gr)
		}
		// Only then what the rest is good for: a fence must not lean on one that goes.
		for _, f := range fences {
			r.look(f, &f.Verdicts[i])
		}
	}
	for _, f := range slices.Backward(fences) {
		f.Fix = f.Op.knownOn(every.machines) && every.try(f) == nil
	}
	for _, f := range fences {
		if !f.Fix {
			f.Weaker = weaken(g, f, every.gone)
		}
	}
	return fences
}

// fences are the calls that order and access nothing.
func (g *graph) fences() []*Fence {
	var out []*Fence
	bySite := map[*site]*Fence{}
	for i, n := range g.nodes {
		if n.at == nil || !n.at.call || !n.op.fence() {
			continue
		}
		f := bySite[n.at]
		if f == nil {
			f = &Fence{Op: n.op, pos: n.at.pos}
			bySite[n.at] = f
			out = append(out, f)
		}
		f.nodes = append(f.nodes, i)
	}
	slices.SortFunc(out, func(a, b *Fence) int { return cmp.Compare(a.pos, b.pos) })
	return out
}

// knownOn reports whether it is known what the operation does on the machines.
func (o Op) knownOn(machines []*Machine) bool {
	return o.Body == nil || !slices.ContainsFunc(machines, func(m *Machine) bool { return !o.Body.known(m) })
}

// fence reports whether the operation accesses nothing that others see, as far as it is known, and orders something on some
// CPU. An atomic operation on a variable of the function's own is left to dummyfence, which knows what it may be there for.
func (o Op) fence() bool {
	if o.Unknown || o.Private || o.Sync != "" || o.Prim != nil && o.Prim.Op != contract.Fence {
		return false
	}
	orders := false
	for _, m := range Machines() {
		if !o.knownOn([]*Machine{m}) {
			continue
		}
		for _, s := range m.steps(o) {
			if len(s.Events) > 0 {
				return false
			}
			orders = orders || len(s.Orders) > 0 && !m.compiler
		}
	}
	return orders
}

func (b *Body) fence() bool { return Op{Body: b}.fence() }

// emits reports whether the fence is more on a machine than a compiler barrier.
func (m *Machine) emits(o Op) bool { return ordering(m.steps(o)) }

func ordering(steps []contract.Step) bool {
	return slices.ContainsFunc(steps, func(s contract.Step) bool { return len(s.Orders) > 0 })
}

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

// try takes a fence away if nothing is lost on any machine.
func (r *removal) try(f *Fence) *loss {
	gone := r.gone.with(f.nodes, Op{})
	for _, m := range r.machines {
		if l := r.g.lost(m, f, r.devices, gone, nil); l != nil {
			return l
		}
	}
	r.gone = gone
	return nil
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

// prove takes a fence away if nothing on the architecture needs it.
func (r *removal) prove(f *Fence, gr group) Verdict {
	v := Verdict{Arch: gr.arch}
	switch {
	case !f.Op.knownOn(gr.machines):
	case !slices.ContainsFunc(gr.machines, func(m *Machine) bool { return m.emits(f.Op) }):
		v.Grade = Free
	case r.try(f) == nil:
		v.Grade = Proved
	default:
		v.Grade = Needed
	}
	return v
}

// look completes the verdict on a fence when all that can go is gone.
func (r *removal) look(f *Fence, v *Verdict) {
	switch v.Grade {
	case Proved:
		v.By = r.reasons(f, r.only(f, nil))
	case Needed:
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
	gone := r.gone.with(f.nodes, Op{})
	hide := r.only(f, r.g.hide(f, s))
	trial := removal{g: r.g, machines: r.machines, gone: gone}
	unless := ""
	for _, m := range r.machines {
		if r.g.lost(m, f, r.devices, gone, hide) != nil {
			return "", nil
		}
		if l := r.g.lost(m, f, r.devices, gone, r.only(f, nil)); l != nil && unless == "" && !m.compiler {
			unless = describe(l.Loss, s)
		}
	}
	return unless, trial.reasons(f, hide)
}

// only makes the removal of one fence all that a comparison is about: the others are gone in both versions.
func (r *removal) only(f *Fence, adapt func(*flow.Graph)) func(*flow.Graph) {
	return func(on *flow.Graph) {
		for i := range r.gone {
			if !slices.Contains(f.nodes, i) {
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
	from, to := g.reach(f.nodes, false), g.reach(f.nodes, true)
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
		if _, gone := r.gone[i]; gone || n.at == nil || n.op.Unknown {
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

// Level is an architecture at a level, as verdicts name it, and the setting of the build that chooses the level.
type Level struct{ Arch, Setting string }

// Levels are those of each architecture, the lowest first.
func Levels() [][]Level {
	var out [][]Level
	for i, g := range groups() {
		m := g.machines[0]
		l := Level{g.arch, "GO" + strings.ToUpper(m.target.Name) + "=" + m.level.Name}
		if i > 0 && m.target == groups()[i-1].machines[0].target {
			out[len(out)-1] = append(out[len(out)-1], l)
		} else {
			out = append(out, []Level{l})
		}
	}
	return out
}

// Redundant reports whether there is an architecture on which the fence costs something and can go whatever the build's
// feature level is.
func (f *Fence) Redundant() bool {
	for _, levels := range Levels() {
		can, costs := true, false
		for _, l := range levels {
			for _, v := range f.Verdicts {
				if v.Arch == l.Arch {
					can = can && (v.Grade == Proved || v.Grade == Local || v.Grade == Free)
					costs = costs || v.Grade == Proved || v.Grade == Local
				}
			}
		}
		if can && costs && levels[0].Arch != otherArch {
			return true
		}
	}
	return false
}

// On are the architectures of a grade, but not those without a target of their own.
func (f *Fence) On(g Grade) []string {
	var out []string
	for _, v := range f.Verdicts {
		if v.Grade == g && v.Arch != otherArch {
			out = append(out, v.Arch)
		}
	}
	return out
}

// First is the first verdict of a grade.
func (f *Fence) First(g Grade) Verdict {
	for _, v := range f.Verdicts {
		if v.Grade == g {
			return v
		}
	}
	return Verdict{}
}
