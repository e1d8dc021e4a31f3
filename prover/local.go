package prover

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// The first part of a proof: the contract's local order is contained in the code's. The primitive, with the neighbour that
// it binds to, stands between two accesses of every class, with nothing or one access more in between. Whatever pair of
// accesses the contract orders, through whatever chain, the events of the instructions must be ordered too.
//
// All addresses are different. Coherence orders the accesses of one address on every machine, so a pair at one address is
// never missing; but it gives no order toward what comes later, so a chain that leads over an access of the same address
// counts only if each of its links is an order of its own: just as if the addresses were different.

// part is one operation under its contract and in code.
type part struct {
	events []contract.Classes
	orders []contract.Order
	code   []contract.Step
}

// operation is what stands at one place: an access, or the primitive and its neighbours, which are one operation to the
// contract.
type operation struct {
	name    string
	promise contract.Step // as its contract sees it
	code    []contract.Step
	by      [][]int // for each event of the promise, the events of the code that perform it
	events  int     // of the code
}

func operate(name string, parts ...part) operation {
	o := operation{name: name}
	for _, p := range parts {
		o.promise.Events, o.promise.Orders = append(o.promise.Events, p.events...), append(o.promise.Orders, p.orders...)
		for _, e := range p.events {
			o.by = append(o.by, p.performs(e, o.events))
		}
		for _, s := range p.code {
			o.events += len(s.Events)
		}
		o.code = append(o.code, p.code...)
	}
	return o
}

// localTarget is what gives order in code: a machine, or the compiler.
type localTarget struct {
	free      []contract.Order
	strengths []contract.Strength // at which orders are compared
	accesses  []operation
}

// missing is a pair of accesses that the contract orders and the code does not.
type missing string

// comparison is a localTarget's result for one operation.
type comparison struct {
	pairs, ordered int
	lacks          missing
}

// comparisons remembers those in which nothing is missing: many primitives are alike but for the arithmetic.
type comparisons map[string]comparison

func (c *comparison) add(other comparison) {
	c.pairs, c.ordered = c.pairs+other.pairs, c.ordered+other.ordered
	if c.lacks == "" {
		c.lacks = other.lacks
	}
}

func (known comparisons) compare(t localTarget, op operation, d contract.Domain) comparison {
	key := fmt.Sprint(t, op.promise, op.code, op.by, d)
	if c, ok := known[key]; ok {
		return c
	}
	c := t.compare(op, d)
	if c.lacks == "" {
		known[key] = c
	}
	return c
}

// compare counts the pairs of accesses around, and of, an operation, and those that the contract orders; it names the first
// that the code does not order.
func (t localTarget) compare(op operation, d contract.Domain) (out comparison) {
	for _, first := range t.accesses {
		for _, last := range t.accesses {
			out.add(t.line([]operation{first, op, last}, 1, d))
			for _, between := range t.accesses {
				out.add(t.line([]operation{first, op, between, last}, 1, d))
				out.add(t.line([]operation{first, between, op, last}, 2, d))
			}
		}
	}
	return out
}

// placed is an event of the contract in a line of operations.
type placed struct {
	op, event int // event: its number in the operation
}

// line compares one straight line of operations, that at index own being the one in question.
func (t localTarget) line(ops []operation, own int, d contract.Domain) (out comparison) {
	var promises, code [4]contract.Step
	want, have := promises[:0], code[:0]
	var all [16]placed
	var bases [4]int
	events := all[:0]
	for i, op := range ops {
		if i > 0 {
			bases[i] = bases[i-1] + ops[i-1].events
		}
		want, have = append(want, op.promise), append(have, op.code...)
		for e := range op.promise.Events {
			events = append(events, placed{i, e})
		}
	}
	for n, min := range t.strengths {
		want, have := contract.LocalOrder(nil, d, min, want), contract.LocalOrder(t.free, d, min, have)
		for i, a := range events {
			for j := i + 1; j < len(events); j++ {
				b := events[j]
				if a.op == b.op || !counts(a.op, own, len(ops)) || !counts(b.op, own, len(ops)) {
					continue
				}
				if n == 0 {
					out.pairs++
				}
				if !want.Ordered(i, j) {
					continue
				}
				if n == 0 {
					out.ordered++
				}
				if out.lacks == "" && !allOrdered(have, ops[a.op].by[a.event], bases[a.op], ops[b.op].by[b.event], bases[b.op]) {
					out.lacks = name(ops, own, a, b)
				}
			}
		}
	}
	return out
}

// counts says whether an operation is an end of the line or the one in question; what is between is a neighbour only.
func counts(op, own, n int) bool { return op == 0 || op == own || op == n-1 }

// allOrdered reports whether all events of one list, numbered from a base, are ordered before all of another.
func allOrdered(m contract.Matrix, froms []int, from int, tos []int, to int) bool {
	if len(froms) == 0 || len(tos) == 0 {
		return false
	}
	for _, i := range froms {
		for _, j := range tos {
			if !m.Ordered(from+i, to+j) {
				return false
			}
		}
	}
	return true
}

// performs are the events of the code, numbered from base, that perform an event of the contract: the halves of the
// read-modify-write if there is one, since a load that only guesses its outcome is no part of it, else all of that kind.
func (p part) performs(e contract.Classes, base int) []int {
	var halves, others []int
	for _, s := range p.code {
		for _, c := range s.Events {
			if c&contract.Reads != 0 == (e&contract.Reads != 0) {
				if c&(contract.RMWReads|contract.RMWWrites) != 0 {
					halves = append(halves, base)
				} else {
					others = append(others, base)
				}
			}
			base++
		}
	}
	if halves != nil {
		return halves
	}
	return others
}

// name says which pair is not ordered.
func name(ops []operation, own int, a, b placed) missing {
	half := func(p placed) string {
		s, events := ops[p.op].name, ops[p.op].promise.Events
		if len(events) > 1 {
			s = "the " + map[bool]string{true: "read", false: "write"}[events[p.event]&contract.Reads != 0] + " of " + s
		}
		return s
	}
	s := fmt.Sprintf("a later access to pass an earlier one: %s is not ordered before %s", half(a), half(b))
	if a.op != own && b.op != own {
		s += " across " + ops[own].name
	}
	for i := range ops {
		if !counts(i, own, len(ops)) {
			s += fmt.Sprintf(", with %s between", ops[i].name)
		}
	}
	return missing(s)
}

// runs are the straight line that a sequence runs in its last round: one in which it writes, or in which it finds that it
// must not. What an earlier round of a loop did is undone or repeated.
func runs(seq arch.Seq, fails bool) []contract.Step {
	flat, steps := seq.Flat(), seq.Steps()
	var lines [][]contract.Step
	var walk func(pc int, line []contract.Step)
	walk = func(pc int, line []contract.Step) {
		for ; pc < len(flat); pc++ {
			line = append(line, steps[pc])
			to, jumps := jump(flat[pc])
			if jumps && to > pc {
				walk(to, slices.Clone(line))
				if unconditional(flat[pc]) {
					return
				}
			}
		}
		lines = append(lines, line)
	}
	walk(0, nil)
	for i, line := range lines {
		lines[i] = slices.DeleteFunc(line, func(s contract.Step) bool { return len(s.Events) == 0 && len(s.Orders) == 0 })
	}
	writes := func(line []contract.Step) bool {
		return slices.ContainsFunc(line, func(s contract.Step) bool {
			return slices.ContainsFunc(s.Events, func(c contract.Classes) bool { return c&contract.Writes != 0 })
		})
	}
	for _, line := range lines {
		if len(lines) == 1 || writes(line) != fails {
			if fails && writes(line) {
				return withoutWrites(line)
			}
			return line
		}
	}
	return lines[0]
}

// withoutWrites is a line whose comparison, inside one instruction, fails.
func withoutWrites(line []contract.Step) []contract.Step {
	out := make([]contract.Step, len(line))
	for i, s := range line {
		s.Events = slices.DeleteFunc(slices.Clone(s.Events), func(c contract.Classes) bool { return c&contract.Writes != 0 })
		out[i] = s
	}
	return out
}

// jump is the index that an instruction may go to, if it jumps.
func jump(in arch.Inst) (to int, jumps bool) {
	for _, a := range in.Args {
		if a.Jump {
			return int(a.N), true
		}
	}
	return 0, false
}

// unconditional says whether a jump is always taken: it looks at nothing.
func unconditional(in arch.Inst) bool { return in.Name == "B" }

// promised are the events and orders of an operation by its contract; one that fails is a plain read and orders nothing.
func promised(p contract.Primitive, fails bool) part {
	var out part
	switch {
	case p.Op == contract.Fence:
		return part{orders: p.Orders}
	case fails:
		return part{events: []contract.Classes{contract.PlainRead}}
	case p.Op == contract.Load || p.Op == contract.WaitLoad:
		out.events = []contract.Classes{contract.PlainRead}
	case p.Op == contract.Store:
		out.events = []contract.Classes{contract.PlainWrite}
	case p.Op == contract.UnlockBit:
		out.events = []contract.Classes{contract.PlainRead, contract.PlainWrite}
	case p.Result == contract.NoResult:
		out.events = []contract.Classes{contract.NoReturnRead, contract.RMWWrite}
	default:
		out.events = []contract.Classes{contract.RMWRead, contract.RMWWrite}
	}
	out.orders = p.Orders
	return out
}

// ends are the accesses that stand around a primitive, one for each class of events, in the weakest form that the library
// emits.
var ends = []struct {
	name, prim string
	fails      bool
}{
	{"a plain read", "LoadRelaxed", false},
	{"a plain write", "StoreRelaxed", false},
	{"an acquire read", "LoadAcquire", false},
	{"a release write", "StoreRelease", false},
	{"a relaxed read-modify-write", "AddRelaxed", false},
	{"a read-modify-write without a result", "SetBit", false},
	{"an acquire read-modify-write", "AddAcquire", false},
	{"a release read-modify-write", "AddRelease", false},
	{"a full read-modify-write", "AddFull", false},
	{"a compare-and-swap that succeeds", "CompareAndSwapFull", false},
	{"a compare-and-swap that fails", "CompareAndSwapFull", true},
}

// local is the machine for the comparison.
func (r *targetRealizer) local() (localTarget, error) {
	t := localTarget{free: r.target.Free, strengths: []contract.Strength{contract.Local}}
	if !r.target.MultiCopyAtomic {
		t.strengths = []contract.Strength{contract.Local, contract.ACumulative, contract.Strong}
	}
	_, native := machineModels[r.target.Name]
	for _, e := range ends {
		p, ok := contract.Lookup(e.prim)
		if !ok {
			panic("prover: no primitive " + e.prim)
		}
		pt := promised(p, e.fails)
		if pt.code = []contract.Step{r.target.WeakestRMW.Step}; p.Result != contract.NoResult || !p.Op.RMW() {
			seq, err := r.sequence(p, native)
			if err != nil {
				return t, err
			}
			pt.code = runs(seq, e.fails)
		}
		t.accesses = append(t.accesses, operate(e.name, pt))
	}
	return t, nil
}

// compareLocal compares the local order of everything that is emitted for a primitive: for words, pointers and macros, beside
// every neighbour, and for a conditional operation in success and failure.
func (r *targetRealizer) compareLocal(known comparisons, p contract.Primitive) (out comparison, err error) {
	t, err := r.local()
	if err != nil {
		return out, err
	}
	codes, err := r.emitted(p)
	if err != nil {
		return out, err
	}
	domain := contract.Normal
	if len(p.Orders) > 0 {
		domain = p.Orders[0].Domain
	}
	var seen []operation
	for _, code := range codes {
		units, err := r.units(p, code)
		if err != nil {
			return out, err
		}
		for _, u := range units {
			again := u
			again.name = ""
			if !slices.ContainsFunc(seen, func(s operation) bool { return reflect.DeepEqual(s, again) }) {
				seen = append(seen, again)
				out.add(known.compare(t, u, domain))
			}
		}
	}
	return out, nil
}

// emitted are the sequences of a primitive in every form that the generator prints.
func (r *targetRealizer) emitted(p contract.Primitive) ([]arch.Seq, error) {
	word, err := r.sequence(p, false)
	if err != nil {
		return nil, err
	}
	out := []arch.Seq{word}
	for _, use := range []arch.Use{{Pointer: true}, {Macro: true}} {
		if use.Pointer && p.Operand != contract.Word {
			continue
		}
		if low, err := arch.Find(r.target, r.level, p, use); err == nil {
			out = append(out, r.choose(low))
		}
	}
	return out, nil
}

// units are a primitive's code with each neighbour that it may have, as one operation.
func (r *targetRealizer) units(p contract.Primitive, code arch.Seq) ([]operation, error) {
	if p.Op != contract.Fence {
		own := promised(p, false)
		own.code = runs(code, false)
		out := []operation{operate(p.Name, own)}
		if p.Op.Conditional() {
			own := promised(p, true)
			own.code = runs(code, true)
			out = append(out, operate(p.Name+" that fails", own))
		}
		return out, nil
	}
	fence := promised(p, false)
	fence.code = code.Steps()
	if p.Binds == contract.Anything {
		return []operation{operate(p.Name, fence)}, nil
	}
	var out []operation
	_, native := machineModels[r.target.Name]
	for _, name := range neighbours[p.Binds] {
		n, ok := contract.Lookup(name)
		if !ok {
			panic("prover: no primitive " + name)
		}
		near := promised(n, false)
		seq, err := r.sequence(n, native && weakNeighbour(p.Binds))
		if err != nil {
			return nil, err
		}
		near.code = runs(seq, false)
		if n.Op.RMW() && n.Result == contract.NoResult && weakNeighbour(p.Binds) {
			near.code = weakestResult(near.code, r.target)
		}
		parts := []part{near, fence}
		switch p.Binds {
		case contract.NextRMW:
			parts = []part{fence, near}
		case contract.LastUnlock:
			release, _ := contract.Lookup("StoreRelease")
			unlock := promised(release, false)
			if seq, err = r.sequence(release, native); err != nil {
				return nil, err
			}
			unlock.code = runs(seq, false)
			parts = []part{unlock, near, fence}
		}
		out = append(out, operate(p.Name+" beside "+name, parts...))
	}
	return out, nil
}

// weakestResult is the code of an operation whose result nobody receives, as the header macros may emit it: on a machine
// that has a weaker read half for that, with that.
func weakestResult(code []contract.Step, t *arch.Target) []contract.Step {
	weakest := t.WeakestRMW.Events[0]
	if weakest != contract.NoReturnRead {
		return code
	}
	out := make([]contract.Step, len(code))
	for i, s := range code {
		s.Events = slices.Clone(s.Events)
		for k, e := range s.Events {
			if e == contract.RMWRead {
				s.Events[k] = weakest
			}
		}
		out[i] = s
	}
	return out
}
