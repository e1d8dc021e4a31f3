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
)

// Grade says how far it is known that a fence is not needed.
type Grade int

// The grades.
const (
	Absent Grade = iota // the code is not built there, or what the fence is there is not known
	Needed
	Free   // there the fence is no instruction
	Local  // not needed by the accesses that the function shows, on one side of the fence
	Proved // not needed, whatever the callers do before and afterwards, or whatever those do that are all there are
)

// Fence is one call of a fence.
type Fence struct {
	Op       Op
	Call     *ast.CallExpr // nil for a deferred call
	File     *ast.File
	Verdicts []Verdict // one per architecture
	Fix      bool      // it can go everywhere, together with every other of which this is said
	Weaker   *Weaker   // what would do instead, if it can't go
	// Callers are the calls of the function that has the fence, and those that lead to them, by name of what is called. There
	// are some only if it takes them to say that the fence, or a part of it, is not needed.
	Callers []Reason

	pos     token.Pos
	of      *function
	in, all place // in its function, and in the unit
}

// KnownCallers says on whose callers a finding rests: nothing if it holds whoever calls.
func (f *Fence) KnownCallers() string {
	if len(f.Callers) == 0 {
		return ""
	}
	name, n := f.Callers[0].Name, 0
	for _, c := range f.Callers {
		if c.Name == name {
			n++
		}
	}
	if n == 1 {
		return " (the only caller of " + name + " is in this package)"
	}
	return fmt.Sprintf(" (all %d callers of %s are in this package)", n, name)
}

// place is where something stands in a graph.
type place struct {
	*graph
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

// judge finds the fences of a unit and what needs them.
func (u *unit) judge() []*Fence {
	fences := u.fences()
	if len(fences) == 0 {
		return nil
	}
	holds := u.members[0].holds // of a function whose file is not for all, no caller is known
	every := u.trial(slices.DeleteFunc(slices.Clone(everywhere()), func(m *Machine) bool { return !m.builds(holds) }), true)
	every.fix(fences)
	for i, gr := range groups() {
		if holds != nil && !slices.ContainsFunc(gr.machines, func(m *Machine) bool { return m.builds(holds) }) {
			continue
		}
		t := u.trial(append(gr.machines[:len(gr.machines):len(gr.machines)], compiler()), false)
		for _, f := range fences { // what would do everywhere would do here
			if f.Weaker != nil && f.Weaker.Proved {
				t.note(f, Op{Prim: &f.Weaker.Prim}, f.Weaker.callers)
			}
		}
		t.prove(fences, gr, i)
		// Only then what the rest is good for: a fence must not lean on one that goes.
		for _, f := range fences {
			t.look(f, &f.Verdicts[i])
		}
	}
	return fences
}

// fix finds what can go, or be weaker, on all machines. From the end: of two that give the same order, the first stays.
// What holds whoever calls comes first.
func (t *trial) fix(fences []*Fence) {
	for _, f := range slices.Backward(fences) {
		f.Fix = f.Op.knownOn(t.machines) && t.alone(f, Op{})
	}
	for _, f := range fences {
		if f.Fix {
			continue
		}
		f.Weaker = f.in.weaken(f, t.own[f.of])
		if f.Weaker != nil && f.Weaker.Proved && !t.alone(f, Op{Prim: &f.Weaker.Prim}) {
			f.Weaker = nil
		}
	}
	for _, f := range slices.Backward(fences) {
		if !f.Fix && f.Op.knownOn(t.machines) && t.called(f, Op{}) {
			f.Fix, f.Weaker, f.Callers = true, nil, f.of.chain()
		}
	}
	for _, f := range fences {
		if f.Fix || !t.inlined[f.of] || f.Weaker != nil && f.Weaker.Proved {
			continue
		}
		f.Weaker = f.all.weaken(f, t.gone)
		if f.Weaker != nil && f.Weaker.Proved {
			f.Weaker.callers = true
			if t.called(f, Op{Prim: &f.Weaker.Prim}) {
				f.Callers = f.of.chain()
			} else {
				f.Weaker = nil
			}
		}
	}
}

// prove finds the grades on an architecture.
func (t *trial) prove(fences []*Fence, gr group, i int) {
	for _, f := range slices.Backward(fences) {
		v := Verdict{Arch: gr.arch}
		switch {
		case !f.Op.knownOn(gr.machines):
		case !slices.ContainsFunc(gr.machines, func(m *Machine) bool { return m.emits(f.Op) }):
			v.Grade = Free
		case t.alone(f, Op{}):
			v.Grade = Proved
		default:
			v.Grade = Needed
		}
		f.Verdicts[i] = v
	}
	for _, f := range slices.Backward(fences) {
		if f.Verdicts[i].Grade == Needed && t.called(f, Op{}) {
			f.Verdicts[i].Grade, f.Callers = Proved, f.of.chain()
		}
	}
}

// chain are the calls that lead to a function, and to its callers if their callers are known: its own first.
func (f *function) chain() []Reason {
	var out []Reason
	seen := map[*function]bool{f: true}
	for work := []*function{f}; len(work) > 0; work = work[1:] {
		for _, c := range work[0].callers {
			out = append(out, Reason{work[0].name, c.pos})
			if !seen[c.in] {
				seen[c.in] = true
				work = append(work, c.in)
			}
		}
	}
	return out
}

// fences are the calls of a unit that order and access nothing.
func (u *unit) fences() []*Fence {
	out := u.graph.fences()
	bySite := map[*site]*Fence{}
	for _, f := range out {
		f.Verdicts = make([]Verdict, len(groups()))
		bySite[u.graph.nodes[f.all.nodes[0]].at] = f
	}
	for _, m := range u.members {
		for i, n := range m.graph.nodes {
			if f := bySite[n.at]; f != nil && n.at != nil {
				f.of, f.in.graph = m, m.graph
				f.in.nodes = append(f.in.nodes, i)
			}
		}
	}
	return out
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
			f = &Fence{Op: n.op, pos: n.at.pos, all: place{graph: g}}
			bySite[n.at] = f
			out = append(out, f)
		}
		f.all.nodes = append(f.all.nodes, i)
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
// A function that orders more on some paths than on others is no fence: what would be lost with it is not known.
func (o Op) fence() bool {
	if o.Body != nil && !o.Body.Whole && !o.Body.Assembly || o.Unknown || o.Private || o.Sync != "" || o.Prim != nil && o.Prim.Op != contract.Fence {
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
