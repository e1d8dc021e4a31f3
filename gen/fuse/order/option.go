package order

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// Machine is a target as one body of a function is made for it.
type Machine struct {
	Target *arch.Target
	Level  *arch.Level
	Else   bool   // without the feature that is chosen at run time
	Name   string // "amd64", "arm64", "arm64 without LSE"
}

// Machines are the bodies that a function has on a target: one, or two of which the CPU decides at run time. The second is
// for CPUs that lack what the target's highest level takes for granted.
func Machines(t *arch.Target) []Machine {
	highest := &t.Levels[len(t.Levels)-1]
	out := []Machine{{Target: t, Level: highest, Name: t.Name}}
	for _, cs := range t.Levels[0].Candidates() {
		if slices.ContainsFunc(cs, func(c arch.Candidate) bool { return c.Form == arch.Assembly && c.Else != nil }) {
			return append(out, Machine{Target: t, Level: &t.Levels[0], Else: true, Name: t.Name + " without LSE"})
		}
	}
	return out
}

// Option is one way to do an operation on a machine.
type Option struct {
	arch.Candidate
	Seq  arch.Seq // what of the candidate is needed: nothing is computed that nobody reads
	cost int
	ok   []contract.Step // what it does if it writes, or always
	fail []contract.Step // and if it does not
}

// Name is the sequence without what neither accesses nor orders memory.
func (o Option) Name() string {
	var parts []string
	for _, in := range o.Seq {
		if len(in.Events) == 0 && len(in.Orders) == 0 {
			continue
		}
		name := in.Name
		if len(in.Args) == 1 && in.Args[0].Name != "" {
			name += " " + in.Args[0].Name
		}
		parts = append(parts, name)
	}
	if parts == nil {
		return "nothing"
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "LOCK; ", "LOCK ")
}

// LoopError is an operation that the target has no bounded sequence for.
type LoopError struct {
	Op     *ir.Instr
	Target string
}

func (e *LoopError) Error() string {
	return fmt.Sprintf("%s has no form without an unbounded loop on %s", e.Op.Name(), e.Target)
}

// options are the ways to do an operation, the cheapest first. Only orders for these observers count.
func (m Machine) options(in *ir.Instr, domains []contract.Domain) ([]Option, error) {
	var out []Option
	if b := in.Prim.Binds; (b == contract.LastSyncRMW || b == contract.LastSRCU) && arch.Select(m.Target, &m.Target.Levels[0], in.Prim, arch.Use{}).Empty() {
		// The caller's operation is so much already, at every level: what sync/atomic chose at run time is not known here.
		return []Option{{ok: []contract.Step{{Orders: across(in.Prim.Orders)}}, fail: []contract.Step{{}}}}, nil
	}
	for _, c := range m.Level.Candidates()[in.Prim.Op] {
		if c.Form != arch.Assembly && !c.Empty() || c.MacroOnly || c.NoResult && in.Dst != ir.None || c.BitNumber && in.Prim.Operand != contract.Bit {
			continue
		}
		if in.Plain && in.Width < 32 && (len(c.Code) > 1 || orders(c.Code.Steps())) {
			continue // the tables' other instructions are for words
		}
		seq := c.Code
		if m.Else && c.Else != nil {
			seq = c.Else
		}
		o := Option{Candidate: c, Seq: trim(seq.Flat(), in.Dst != ir.None)}
		o.cost = o.Seq.Cost() + preparation(in, c)
		o.ok, o.fail = runs(o.Seq, false), runs(o.Seq, true)
		if len(in.Prim.Orders) == 0 {
			o.ok, o.fail = unasked(o.ok), unasked(o.fail)
		}
		if in.Prim.Op.RMW() && !atomic(o.ok) || in.Prim.Operand == contract.Wide && !whole(o.Seq) {
			continue
		}
		out = append(out, o)
	}
	if len(out) == 0 {
		return nil, &LoopError{in, m.Target.Name}
	}
	slices.SortStableFunc(out, func(a, b Option) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(len(a.Seq), len(b.Seq)))
	})
	return dominating(out, domains), nil
}

// unasked are steps with the annotations of their events forgotten, and their orders kept. A machine may order a release
// before a later acquire of itself. It does so by waiting, at the price of a fence, which the cost of neither instruction
// shows; so this counts only where the contracts ask for both.
func unasked(steps []contract.Step) []contract.Step {
	plain := func(c contract.Classes) contract.Classes {
		for from, to := range map[contract.Classes]contract.Classes{contract.AcquireRead: contract.PlainRead, contract.ReleaseWrite: contract.PlainWrite,
			contract.RMWAcquireRead: contract.RMWRead, contract.RMWReleaseWrite: contract.RMWWrite} {
			if c&from != 0 {
				c |= to
			}
		}
		return c
	}
	out := make([]contract.Step, len(steps))
	for i, s := range steps {
		for _, e := range s.Events {
			out[i].Events = append(out[i].Events, plain(e)&^annotated)
		}
		for _, o := range s.Orders {
			switch o.Side { // an own side is about these events
			case contract.Before:
				o.To = plain(o.To)
			case contract.After:
				o.From = plain(o.From)
			}
			out[i].Orders = append(out[i].Orders, o)
		}
	}
	return out
}

// orders reports whether any step orders anything.
func orders(steps []contract.Step) bool {
	return slices.ContainsFunc(steps, func(s contract.Step) bool { return len(s.Orders) > 0 })
}

const annotated = contract.AcquireRead | contract.ReleaseWrite | contract.RMWAcquireRead | contract.RMWReleaseWrite

// atomic reports whether memory is written as part of a read-modify-write only.
func atomic(steps []contract.Step) bool {
	for _, s := range steps {
		for _, e := range s.Events {
			if e&contract.Writes&^contract.RMWWrites != 0 {
				return false
			}
		}
	}
	return true
}

// whole reports whether each access of 16 bytes is single-copy atomic where it writes. What an exclusive load saw is one value only if the
// store of the pair succeeds, so it need not be.
func whole(seq arch.Seq) bool {
	return !slices.ContainsFunc(seq, func(in arch.Inst) bool {
		return !in.Whole && slices.ContainsFunc(in.Events, func(e contract.Classes) bool { return e&contract.Writes != 0 })
	})
}

// dominating drops the options for which a cheaper one gives the same events and orders, or more orders.
func dominating(sorted []Option, domains []contract.Domain) []Option {
	var observers contract.Domain
	for _, d := range domains {
		observers |= d
	}
	var out []Option
	for _, o := range sorted {
		if !slices.ContainsFunc(out, func(better Option) bool {
			return covers(better.ok, o.ok, observers) && covers(better.fail, o.fail, observers)
		}) {
			out = append(out, o)
		}
	}
	return out
}

// covers reports whether one line of steps gives at least what the other does, step by step.
func covers(a, b []contract.Step, observers contract.Domain) bool {
	if len(a) != len(b) {
		return !accesses(a) && !accesses(b) && covers(joined(a), joined(b), observers)
	}
	for i := range a {
		if !slices.Equal(a[i].Events, b[i].Events) {
			return false
		}
		for _, want := range b[i].Orders {
			seen := want.Domain & observers
			if seen != 0 && !slices.ContainsFunc(a[i].Orders, func(have contract.Order) bool {
				return have.Side == want.Side && have.From&want.From == want.From && have.To&want.To == want.To &&
					have.Strength >= want.Strength && have.Domain&seen == seen
			}) {
				return false
			}
		}
	}
	return true
}

// accesses reports whether any step accesses memory.
func accesses(steps []contract.Step) bool {
	return slices.ContainsFunc(steps, func(s contract.Step) bool { return len(s.Events) > 0 })
}

// joined are fences as one.
func joined(fences []contract.Step) []contract.Step {
	var out contract.Step
	for _, f := range fences {
		out.Orders = append(out.Orders, f.Orders...)
	}
	return []contract.Step{out}
}

// top gives all that any of the options gives: the events with the most annotations, the orders of all on their sides, and their fences.
func top(options []Option) Option {
	var best Option
	var first, last, own []contract.Order
	most := -1
	for _, o := range options {
		n := 0
		for _, s := range o.ok {
			for _, e := range s.Events {
				if e&annotated != 0 {
					n++
				}
			}
		}
		if n > most {
			best, most = o, n
		}
		seen := false
		for i, s := range o.ok {
			seen = seen || len(s.Events) > 0
			switch {
			case len(s.Events) > 0:
				for _, order := range s.Orders { // on whatever events perform it
					if order.Side == contract.Before {
						order.To = contract.All
					} else if order.Side == contract.After {
						order.From = contract.All
					}
					own = append(own, order)
				}
			case seen && !accesses(o.ok[i:]):
				last = append(last, s.Orders...)
			default:
				first = append(first, s.Orders...)
			}
		}
	}
	around := func(steps []contract.Step) []contract.Step {
		out := []contract.Step{{Orders: first}}
		for _, s := range steps {
			if len(s.Events) > 0 {
				out = append(out, contract.Step{Events: s.Events, Orders: own})
			}
		}
		return append(out, contract.Step{Orders: last})
	}
	best.ok, best.fail = around(best.ok), around(best.fail)
	return best
}

// preparation is what it costs to make a bit's mask, or its number.
func preparation(in *ir.Instr, c arch.Candidate) int {
	if in.Prim.Operand != contract.Bit || in.Prim.Op == contract.Load {
		return 0
	}
	bit := in.Args[0]
	switch {
	case bit.IsConst() && (c.BitNumber || bit.Const&63 < 31):
		return 0
	case bit.IsConst() || c.BitNumber:
		return 1
	}
	return 3
}

// trim drops the instructions between registers whose result nobody reads.
func trim(seq arch.Seq, wanted bool) arch.Seq {
	live := map[arch.Role]bool{}
	if wanted {
		live[Output(seq)] = true
	}
	keep := make([]bool, len(seq))
	flags := false
	for i := len(seq) - 1; i >= 0; i-- {
		in := seq[i]
		reads, sets := flagEffect(in)
		switch {
		case !pure(in):
			keep[i] = true
		case sets:
			keep[i] = flags
			flags = false
		default:
			keep[i] = live[in.Args[len(in.Args)-1].Role]
		}
		if !keep[i] {
			continue
		}
		flags = flags || reads
		for _, a := range in.Args {
			if !a.Imm && !a.Jump {
				live[a.Role] = true
				live[a.Pair] = a.Pair != ""
			}
		}
	}
	at := make([]int64, len(seq)+1)
	n := int64(0)
	for i := range seq {
		at[i] = n
		if keep[i] {
			n++
		}
	}
	at[len(seq)] = n
	var out arch.Seq
	for i, in := range seq {
		if !keep[i] {
			continue
		}
		in.Args = slices.Clone(in.Args)
		for j := range in.Args {
			if in.Args[j].Jump {
				in.Args[j].N = at[in.Args[j].N]
			}
		}
		out = append(out, in)
	}
	return out
}

// pure reports whether an instruction is between registers only.
func pure(in arch.Inst) bool {
	return len(in.Events) == 0 && len(in.Orders) == 0 && !in.Prefix && len(in.Args) > 0 &&
		!slices.ContainsFunc(in.Args, func(a arch.Arg) bool { return a.Mem || a.Jump })
}

// flagEffect says whether an instruction reads the CPU's condition flags, and whether it is there to set them.
func flagEffect(in arch.Inst) (reads, sets bool) {
	switch {
	case in.Name == "CMP":
		return false, true
	case strings.HasPrefix(in.Name, "SET"), strings.HasPrefix(in.Name, "CSET"), in.Name == "BNE", in.Name == "JNE":
		return true, false
	case strings.HasPrefix(in.Name, "CCMP"):
		return true, true
	}
	return false, false
}

// Output is the role that holds what a sequence returns.
func Output(seq arch.Seq) arch.Role {
	for _, in := range seq {
		for _, a := range in.Args {
			if a.Role == arch.Result {
				return arch.Result
			}
		}
	}
	return arch.Old
}

// runs are the steps of a sequence in its last round: one in which it writes, or finds that it must not. An earlier round
// of a loop is undone or repeated. A jump forward is taken by one that fails.
func runs(seq arch.Seq, fails bool) []contract.Step {
	steps := seq.Steps()
	var out []contract.Step
	forward := false
	for i := 0; i < len(seq); i++ {
		s := steps[i]
		to := i
		for _, a := range seq[i].Args {
			if a.Jump {
				to = int(a.N)
			}
		}
		if to > i && fails {
			forward = true
			i = to - 1
		}
		if len(s.Events) > 0 || len(s.Orders) > 0 {
			out = append(out, s)
		}
	}
	if !fails || forward {
		return out
	}
	for i := range out { // the comparison is inside one instruction
		out[i].Events = slices.DeleteFunc(slices.Clone(out[i].Events), func(c contract.Classes) bool { return c&contract.Writes != 0 })
	}
	return out
}
