package arch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/contract"
)

// Lowering is the code chosen for one primitive at one level of one target.
type Lowering struct {
	Primitive contract.Primitive
	Target    *Target
	Level     *Level
	Candidate
	Cost     int
	Why      string   // one sentence: why this, and why it is empty or not
	Rejected []string // every other candidate with the reason
}

// Use restricts a selection.
type Use struct {
	Pointer bool // the operand is a Go pointer
	Macro   bool // for a header macro: assembly only, and no call to pay for
}

// Select returns the cheapest candidate whose orders cover what p demands, on the machine and for the compiler. It
// panics if there is none: that is a hole in the target's table.
func Select(t *Target, l *Level, p contract.Primitive, use Use) Lowering {
	low, err := Find(t, l, p, use)
	if err != nil {
		panic("arch: " + err.Error())
	}
	return low
}

// Find is Select for places where a candidate may be lacking, such as macros.
func Find(t *Target, l *Level, p contract.Primitive, use Use) (Lowering, error) {
	best := Lowering{Cost: -1}
	var rejected []string
	reject := func(c Candidate, why string) { rejected = append(rejected, fmt.Sprintf("%s (%s): %s", c, c.Form, why)) }
	for _, c := range l.Candidates()[p.Op] {
		why := unfit(c, p, use)
		if why == "" {
			why = missing(t, l, p, c, use.Macro)
		}
		if why != "" {
			reject(c, why)
			continue
		}
		cost := c.Cost()
		if c.Form == Assembly && !use.Macro {
			cost += t.CallCost
		}
		if best.Cost >= 0 && cost >= best.Cost {
			reject(c, fmt.Sprintf("%d cycles, not cheaper than %d", cost, best.Cost))
			continue
		}
		if best.Cost >= 0 {
			reject(best.Candidate, fmt.Sprintf("%d cycles, dearer than %d", best.Cost, cost))
		}
		best = Lowering{Primitive: p, Target: t, Level: l, Candidate: c, Cost: cost}
	}
	if best.Cost < 0 {
		return best, fmt.Errorf("no candidate for %s on %s %s: %s", p.Name, t.Name, l.Name, strings.Join(rejected, "; "))
	}
	best.Rejected = rejected
	best.Why = why(best)
	return best, nil
}

// unfit says why c can't serve p whatever its orders.
func unfit(c Candidate, p contract.Primitive, use Use) string {
	switch {
	case c.NoResult && p.Result != contract.NoResult:
		return "it does not return what it read"
	case use.Pointer && c.Form == Assembly:
		return "a pointer stored by assembly would bypass the garbage collector's write barrier"
	case use.Pointer && c.NotPtr != "":
		return c.NotPtr
	case c.BitNumber && p.Operand != contract.Bit:
		return "it works on a single bit"
	case c.MacroOnly && !use.Macro:
		return "an unbounded loop in assembly can't be preempted"
	case use.Macro && c.Form != Assembly && !c.Empty():
		return "it is Go, not assembly"
	}
	return ""
}

// missing says which order of p the candidate does not give, or "".
func missing(t *Target, l *Level, p contract.Primitive, c Candidate, macro bool) string {
	for _, seq := range c.Variants() {
		if p.Op.RMW() && !atomic(seq) {
			return "it is not one atomic step"
		}
		for _, near := range neighbours(t, l, p.Binds) {
			if o, ok := uncovered(t.Free, p.Orders, place(p, near, seq.Steps()), t.strength); !ok {
				return fmt.Sprintf("it does not order %v", o)
			}
		}
	}
	if c.Form == Inline && !macro {
		if o, ok := uncovered(nil, compilerDemand(p), place(p, plain(p.Binds), compilerSteps(c.Code)), t.strength); !ok {
			return fmt.Sprintf("the compiler need not keep %v", o)
		}
	}
	return ""
}

// atomic reports whether a sequence writes memory as part of a read-modify-write only.
func atomic(s Seq) bool {
	var writes contract.Classes
	for _, step := range s.Steps() {
		for _, e := range step.Events {
			writes |= e & contract.Writes
		}
	}
	return writes != 0 && writes&^contract.RMWWrites == 0
}

// strength is how strong an order must be on t for a contract that asks for s.
func (t *Target) strength(s contract.Strength) contract.Strength {
	if t.MultiCopyAtomic {
		return contract.Local
	}
	return s
}

// neighbour is what a binding relies on: operations before or after the primitive, whose events are then "its own".
type neighbour struct {
	before, after []contract.Step
}

// neighbours returns every environment in which a binding must hold.
func neighbours(t *Target, l *Level, b contract.Binding) []neighbour {
	switch b {
	case contract.NextRMW:
		return []neighbour{{after: []contract.Step{t.WeakestRMW.Step}}}
	case contract.LastRMW:
		return []neighbour{{before: []contract.Step{t.WeakestRMW.Step}}}
	case contract.LastSyncRMW:
		var out []neighbour
		for _, op := range l.SyncRMW {
			out = append(out, neighbour{before: []contract.Step{op.Step}})
		}
		return out
	case contract.LastLock:
		return []neighbour{{before: []contract.Step{t.Known("CompareAndSwapAcquire")}}}
	case contract.LastUnlock:
		return []neighbour{{before: []contract.Step{t.Known("StoreRelease"), t.Known("CompareAndSwapAcquire")}}}
	case contract.LastSRCU:
		// What primitives/srcu promises of its read unlock, on every machine: a full read-modify-write.
		return []neighbour{{before: []contract.Step{t.Known("AddFull")}}}
	case contract.LastBranch:
		return []neighbour{{before: []contract.Step{branch}}}
	}
	return []neighbour{{}}
}

// branch is a load that decides a conditional branch: every machine orders it before the stores behind the branch.
var branch = contract.Step{Events: []contract.Classes{contract.PlainRead},
	Orders: []contract.Order{{Side: contract.After, From: contract.PlainRead, To: contract.Writes, Strength: contract.Strong, Domain: contract.Everywhere}}}

// Known is an operation of which no more is known than its contract, and that it is at least the machine's weakest of its
// kind: a lock that somebody wrote on these primitives.
func (t *Target) Known(name string) contract.Step {
	p := mustLookup(name)
	var step contract.Step
	if p.Op.RMW() {
		step.Events = []contract.Classes{contract.RMWRead, contract.RMWWrite}
		step.Orders = slices.Clone(t.WeakestRMW.Orders)
		if p.Acquires() {
			step.Events[0] = contract.RMWAcquireRead
		}
		if p.Releases() {
			step.Events[1] = contract.RMWReleaseWrite
		}
	} else {
		step.Events = []contract.Classes{contract.ReleaseWrite}
	}
	// The contract speaks of reads and writes of its own; here they are these events.
	for _, o := range p.Orders {
		for _, e := range step.Events {
			if o.Side == contract.Before && sameKind(e, o.To) {
				o.To |= e
			}
			if o.Side == contract.After && sameKind(e, o.From) {
				o.From |= e
			}
		}
		step.Orders = append(step.Orders, o)
	}
	return step
}

func mustLookup(name string) contract.Primitive {
	p, ok := contract.Lookup(name)
	if !ok {
		panic("arch: no primitive " + name)
	}
	return p
}

// plain is the neighbour as the compiler sees it: accesses that it may move.
func plain(b contract.Binding) neighbour {
	events := contract.Step{Events: []contract.Classes{contract.RMWRead, contract.RMWWrite}}
	switch b {
	case contract.Anything:
		return neighbour{}
	case contract.NextRMW:
		return neighbour{after: []contract.Step{events}}
	case contract.LastBranch:
		events.Events = []contract.Classes{contract.PlainRead}
	}
	return neighbour{before: []contract.Step{events}}
}

// compilerDemand is what every primitive demands of the compiler: a fence keeps all accesses on their side, an access
// keeps its place. The primitives' names for volatile are stronger than the language knows.
func compilerDemand(p contract.Primitive) []contract.Order {
	every := func(s contract.Side) contract.Order {
		return contract.Order{Side: s, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: contract.Everywhere}
	}
	if p.Op != contract.Fence {
		return []contract.Order{every(contract.Before), every(contract.After)}
	}
	return []contract.Order{every(contract.Across)}
}

// compilerSteps is a Go sequence as the compiler sees it: only what carries its memory state orders anything.
func compilerSteps(s Seq) []contract.Step {
	out := make([]contract.Step, len(s))
	for i, in := range s {
		for _, step := range in.Machine.Steps() {
			out[i].Events = append(out[i].Events, step.Events...)
		}
		if in.Carries {
			for _, side := range []contract.Side{contract.Before, contract.After, contract.Across} {
				out[i].Orders = append(out[i].Orders, contract.Order{Side: side, From: contract.All, To: contract.All,
					Strength: contract.Strong, Domain: contract.Everywhere})
			}
		}
	}
	return out
}

// placed is a sequence among its neighbours; own are the steps whose events an order's own side speaks of.
type placed struct {
	steps    []contract.Step
	from, to int // own steps
}

func place(p contract.Primitive, near neighbour, seq []contract.Step) placed {
	out := placed{steps: slices.Concat(near.before, seq, near.after)}
	switch {
	case len(near.before) > 0:
		out.to = len(near.before)
	case len(near.after) > 0:
		out.from, out.to = len(seq), len(seq)+len(near.after)
	default:
		out.to = len(seq)
	}
	return out
}

// uncovered returns the first demanded order that the placed sequence does not give.
func uncovered(free, demand []contract.Order, in placed, strength func(contract.Strength) contract.Strength) (contract.Order, bool) {
	for _, o := range demand {
		froms, tos := o.From.Each(), o.To.Each()
		if o.Side == contract.Before {
			tos = []contract.Classes{0}
		}
		if o.Side == contract.After {
			froms = []contract.Classes{0}
		}
		for _, from := range froms {
			for _, to := range tos {
				if !holds(free, o, from, to, in, strength(o.Strength)) {
					o.From, o.To = narrow(o.From, from), narrow(o.To, to)
					return o, false
				}
			}
		}
	}
	return contract.Order{}, true
}

func narrow(all, one contract.Classes) contract.Classes {
	if one == 0 {
		return all
	}
	return one
}

// holds checks one order for one pair of classes; a zero class stands for the operation's own events.
func holds(free []contract.Order, o contract.Order, from, to contract.Classes, in placed, min contract.Strength) bool {
	var steps []contract.Step
	if from != 0 {
		steps = append(steps, contract.Step{Events: []contract.Classes{from}})
	}
	shift := len(steps)
	steps = append(steps, in.steps...)
	if to != 0 {
		steps = append(steps, contract.Step{Events: []contract.Classes{to}})
	}
	m := contract.LocalOrder(free, o.Domain, min, steps)
	// An own event belongs to the order if it is of the same kind: a contract's plain read may well be done by an
	// acquire load.
	own := func(kinds contract.Classes) []int {
		var out []int
		for s := in.from + shift; s < in.to+shift; s++ {
			for k, e := range m.Of(s) {
				if sameKind(steps[s].Events[k], kinds) {
					out = append(out, e)
				}
			}
		}
		return out
	}
	first, last := []int{0}, m.Of(len(steps)-1)
	if from == 0 {
		first = own(o.From)
	}
	if to == 0 {
		last = own(o.To)
	}
	if len(first) == 0 || len(last) == 0 {
		return false
	}
	for _, i := range first {
		for _, j := range last {
			if !m.Ordered(i, j) {
				return false
			}
		}
	}
	return true
}

// sameKind reports whether a class is a read, or a write, like some class of the set.
func sameKind(c, set contract.Classes) bool {
	return c&contract.Reads != 0 && set&contract.Reads != 0 || c&contract.Writes != 0 && set&contract.Writes != 0
}
