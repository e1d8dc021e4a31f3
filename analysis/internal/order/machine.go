package order

import (
	"slices"
	"sync"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
)

// Machine is one thing that reorders accesses, for which a removal must be sound: a CPU in one variant, or the Go
// compiler.
type Machine struct {
	Name     string // unique, as facts know it
	Arch     string // as messages say it
	target   *arch.Target
	level    *arch.Level
	variant  int // of code that is chosen at run time
	compiler bool
	contract bool     // fences are what their contracts promise, not what they are
	lowered  sync.Map // by primitive
}

// otherArch are those without a target of their own.
const otherArch = "other architectures"

// Machines are all of them, in the order in which messages name their architectures. The compiler is the last.
var Machines = sync.OnceValue(func() []*Machine {
	var out []*Machine
	for _, t := range targets.All {
		for i := range t.Levels {
			l := &t.Levels[i]
			name := t.Name
			if i > 0 {
				name += " " + l.Name
			}
			for v := range l.SyncRMW {
				m := &Machine{Name: name, Arch: name, target: t, level: l, variant: v}
				if v > 0 {
					m.Name += " else"
				}
				if t == targets.Generic {
					m.Arch = otherArch
				}
				out = append(out, m)
			}
		}
	}
	return append(out, &Machine{Name: "compiler", target: targets.Native[0], level: &targets.Native[0].Levels[0], compiler: true})
})

// portable stands for every machine that keeps the contracts: what is enough there needs no look at any machine's code.
var portable = &Machine{Name: "contract", Arch: otherArch, target: targets.Generic, level: &targets.Generic.Levels[0], contract: true}

// everywhere are the machines and what stands for all that are to come.
var everywhere = sync.OnceValue(func() []*Machine { return append(slices.Clone(Machines()), portable) })

// carried is what the compiler keeps in its place.
var carried = func() []contract.Order {
	var out []contract.Order
	for _, side := range []contract.Side{contract.Before, contract.After, contract.Across} {
		out = append(out, contract.Order{Side: side, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: contract.Everywhere})
	}
	return out
}()

func (m *Machine) free() []contract.Order {
	if m.compiler {
		return nil
	}
	return m.target.Free
}

// strengths are those at which an order of a fence is to be kept: one, if all CPUs see every order alike.
func (m *Machine) strengths() []contract.Strength {
	if m.target.MultiCopyAtomic {
		return []contract.Strength{contract.Local}
	}
	return []contract.Strength{contract.Local, contract.ACumulative, contract.Strong}
}

// steps are what an operation does on the machine.
func (m *Machine) steps(op Op) []contract.Step {
	var out []contract.Step
	switch {
	case op.Body != nil:
		out = op.Body.steps(m)
	case op.Prim != nil:
		out = m.primitive(*op.Prim, op.Failed)
	case op.Sync != "":
		out = m.atomic(op.Sync, op.Failed)
	default:
		for _, name := range op.Like {
			out = append(out, m.target.Known(name))
		}
		for _, e := range op.Events {
			out = append(out, contract.Step{Events: []contract.Classes{e}})
		}
	}
	if m.compiler && op.carries() {
		var events []contract.Classes
		for _, s := range out {
			events = append(events, s.Events...)
		}
		out = []contract.Step{{Events: events, Orders: carried}}
	}
	if op.Private {
		out = []contract.Step{m.unseen(out)}
	}
	if op.Uncertain {
		out = slices.Clone(out)
		for i := range out {
			out[i].Orders = nil
		}
	}
	return out
}

func (m *Machine) primitive(p contract.Primitive, failed bool) []contract.Step {
	if m.contract && p.Op == contract.Fence {
		return []contract.Step{{Orders: p.Orders}}
	}
	low := m.lower(p)
	if low == nil {
		return []contract.Step{{Events: contract.All.Each()}}
	}
	v := low.Variants()
	steps := v[min(m.variant, len(v)-1)].Steps()
	switch {
	case p.Op == contract.Fence && slices.ContainsFunc(steps, func(s contract.Step) bool { return len(s.Events) > 0 }):
		return []contract.Step{m.unseen(steps)} // an operation on the stack
	case failed:
		return m.failed(steps)
	}
	return steps
}

// promised is what others may rely on of an operation: of a primitive its contract, not what its code happens to order
// beyond it. A fence that binds to a neighbour promises nothing for itself.
func (m *Machine) promised(op Op) []contract.Step {
	switch {
	case op.Uncertain:
		return m.steps(op)
	case op.Body != nil:
		return op.Body.promised(m)
	case op.Prim == nil || m.compiler:
		return m.steps(op)
	case op.Private:
		op.Private = false
		return []contract.Step{m.unseen(m.promised(op))}
	case op.Prim.Op == contract.Fence && op.Prim.Binds != contract.Anything:
		return []contract.Step{{}}
	case op.Prim.Op == contract.Fence:
		return []contract.Step{{Orders: nearer(op.Prim.Orders)}}
	case op.Failed:
		return []contract.Step{{Events: []contract.Classes{contract.RMWRead}}}
	case op.Prim.Op.RMW():
		return []contract.Step{m.target.Known(op.Prim.Name)}
	}
	s := contract.Step{Events: []contract.Classes{contract.PlainRead}}
	switch op.Prim.Op {
	case contract.Store:
		s.Events[0] = contract.PlainWrite
	case contract.UnlockBit:
		s.Events = append(s.Events, contract.PlainWrite)
	}
	s.Orders = op.Prim.Orders
	return []contract.Step{s}
}

// nearer adds the observers that are nearer: what orders for devices orders for other CPUs too.
func nearer(orders []contract.Order) []contract.Order {
	out := slices.Clone(orders)
	for i, o := range out {
		if o.Domain&contract.Device != 0 {
			out[i].Domain = contract.Everywhere
		}
		out[i].Domain |= contract.Normal
	}
	return out
}

// lower is the code of a primitive, nil if the machine has none.
func (m *Machine) lower(p contract.Primitive) *arch.Lowering {
	if low, ok := m.lowered.Load(p.Name); ok {
		return low.(*arch.Lowering)
	}
	var out *arch.Lowering
	if low, err := arch.Find(m.target, m.level, p, arch.Use{}); err == nil {
		out = &low
	}
	m.lowered.Store(p.Name, out)
	return out
}

func (m *Machine) atomic(op contract.Op, failed bool) []contract.Step {
	switch {
	case op == contract.Load:
		return []contract.Step{m.level.SyncLoad.Step}
	case op == contract.Store:
		return []contract.Step{m.level.SyncStore.Step}
	}
	steps := []contract.Step{m.level.SyncRMW[m.variant].Step}
	if failed {
		return m.failed(steps)
	}
	return steps
}

// failed is what is left of an operation that has not written: its reads. What the fallback's machines order then is not
// known.
func (m *Machine) failed(steps []contract.Step) []contract.Step {
	out := slices.Clone(steps)
	for i := range out {
		out[i].Events = slices.DeleteFunc(slices.Clone(out[i].Events), func(c contract.Classes) bool { return c&contract.Writes != 0 })
		if len(out[i].Events) == 0 || m.target == targets.Generic {
			out[i].Orders = nil
		}
	}
	return out
}

// unseen is an operation on memory that nobody shares: what is left of it is the order that it gives to others.
func (m *Machine) unseen(steps []contract.Step) contract.Step {
	s := flow.Summary(flow.Graph{Nodes: []flow.Node{{Want: steps, Give: steps}}, Free: m.free(), Domain: contract.Normal})
	s.Events = nil
	s.Orders = slices.DeleteFunc(s.Orders, func(o contract.Order) bool { return o.Side != contract.Across })
	return s
}
