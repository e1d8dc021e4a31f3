package prover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/memmodel"
)

// Operation is one operation of a straight line: a primitive, and what stands for it on a machine.
type Operation struct {
	Primitive contract.Primitive
	Fails     bool     // it is conditional, and does not write
	Code      arch.Seq // empty if nothing does
}

// Line is a straight line of operations, each on a location of its own.
type Line struct {
	Operations []Operation
	// Before and After say that the callers' accesses before and after count too.
	Before, After bool
}

// Comparison is what the programs around a line showed.
type Comparison struct {
	Programs, Forbidden int      // tried, and forbidden by the contracts
	New                 []string // outcomes that the contracts forbid and the code allows
}

// Comparer compares code with the contracts that it is to keep, on one machine. It remembers what it has tried.
type Comparer struct {
	target            *arch.Target
	cycles            []cycle
	contract, machine memmodel.Search
	known             map[string]Comparison
}

// NewComparer makes a Comparer for a native target. Cycles have up to that many threads.
func NewComparer(t *arch.Target, threads int) (*Comparer, error) {
	c := &Comparer{target: t, cycles: criticalCycles(threads), known: map[string]Comparison{}}
	var err error
	if c.contract.Model, err = (contractRealizer{}).model(); err != nil {
		return nil, err
	}
	if c.machine.Model, err = c.realizer(nil).model(); err != nil {
		return nil, err
	}
	c.contract.Mode, c.machine.Mode = memmodel.Verdict, memmodel.Verdict
	return c, nil
}

// Compare tries every pair of accesses of the line, with all that stands between them, as a thread of every critical cycle
// that can tell whether the two are ordered. Where the contracts forbid the cycle's outcome, the code must.
func (c *Comparer) Compare(ctx context.Context, line Line) (Comparison, error) {
	var out Comparison
	n := len(line.Operations)
	first, last := 0, n-1
	if line.Before {
		first = -1
	}
	if line.After {
		last = n
	}
	for i := first; i <= last; i++ {
		for j := i + 1; j <= last; j++ {
			if i >= 0 && line.Operations[i].Primitive.Op == contract.Fence || j < n && line.Operations[j].Primitive.Op == contract.Fence {
				continue
			}
			if err := ctx.Err(); err != nil {
				return out, err
			}
			got, err := c.pair(line.Operations[max(i, 0):min(j+1, n)], i < 0, j >= n)
			if err != nil {
				return out, err
			}
			out.Programs, out.Forbidden, out.New = out.Programs+got.Programs, out.Forbidden+got.Forbidden, append(out.New, got.New...)
		}
	}
	return out, nil
}

// pair compares for the first and the last access of a line; before and after say that these are the callers'.
func (c *Comparer) pair(ops []Operation, before, after bool) (Comparison, error) {
	ops = telling(ops, before, after)
	key := fmt.Sprint(before, after)
	for _, o := range ops {
		key += fmt.Sprintf("; %s %v %v", o.Primitive.Name, o.Fails, o.Code)
	}
	if known, ok := c.known[key]; ok {
		return Comparison{New: known.New}, nil // counted when it was tried
	}
	var out Comparison
	for _, cy := range c.cycles {
		for _, t := range cy.slots() {
			promised, made, ok := c.threads(cy, t, ops, before, after)
			if !ok {
				continue
			}
			forbidden, isNew, err := c.try(promised, made)
			if errors.Is(err, errUnobserved) {
				continue
			}
			if err != nil {
				return out, fmt.Errorf("%s with %s: %w", describe(ops), cy.name, err)
			}
			out.Programs++
			if forbidden {
				out.Forbidden++
			}
			if isNew {
				out.New = append(out.New, fmt.Sprintf("%s as thread %d of %s [%s]", describe(ops), t, cy.name, cy.kinds()))
			}
		}
	}
	c.known[key] = out
	return out, nil
}

// telling are the ends of a line and what between them may order them. A load or store that orders nothing is in no chain of
// orders that is not there without it: what comes before it by a fence or by the earlier access, or after it by a fence or by the later
// one, is ordered by that alone.
func telling(ops []Operation, before, after bool) []Operation {
	var out []Operation
	for i, o := range ops {
		end := i == 0 && !before || i == len(ops)-1 && !after
		access := o.Primitive.Op == contract.Load || o.Primitive.Op == contract.Store
		if end || !access || len(o.Primitive.Orders) > 0 || slices.ContainsFunc(o.Code.Steps(), func(s contract.Step) bool { return len(s.Orders) > 0 }) {
			out = append(out, o)
		}
	}
	return out
}

// describe names the operations of a line.
func describe(ops []Operation) string {
	names := make([]string, len(ops))
	for i, o := range ops {
		if names[i] = o.Primitive.Name; o.Fails {
			names[i] += " that fails"
		}
	}
	return strings.Join(names, "; ")
}

// program is a cycle with its threads, under the contracts or on the machine.
type program struct {
	cycle   cycle
	threads [][]piece
	clears  bool
	code    map[*contract.Primitive]arch.Seq
}

// try runs both programs.
func (c *Comparer) try(promised, made program) (forbidden, isNew bool, err error) {
	q, err := build(promised.cycle, promised.threads, promised.clears, contractRealizer{})
	if err != nil {
		return false, false, err
	}
	allowed, err := q.allowed(&c.contract)
	if err != nil || allowed {
		return false, false, err
	}
	if q, err = build(made.cycle, made.threads, made.clears, c.realizer(made.code)); err != nil {
		return false, false, err
	}
	got, err := q.allowed(&c.machine)
	return true, got, err
}

// threads puts the operations into thread t of a cycle, whose accesses the first and the last of them perform. What is between has
// locations of its own.
func (c *Comparer) threads(cy cycle, t int, ops []Operation, before, after bool) (promised, made program, ok bool) {
	promised = program{cycle: cy, threads: strongThreads(cy)}
	made = program{cycle: cy, threads: strongThreads(cy), code: map[*contract.Primitive]arch.Seq{}}
	promised.threads[t], made.threads[t] = nil, nil
	accesses := cy.threads[t]
	both := func(p piece) {
		promised.threads[t], made.threads[t] = append(promised.threads[t], p), append(made.threads[t], p)
	}
	if before {
		both(piece{access: &accesses[0]})
	}
	for k, o := range ops {
		var a *access
		switch {
		case k == 0 && !before:
			a = &accesses[0]
		case k == len(ops)-1 && !after:
			a = &accesses[1]
		}
		prim := linear(o.Primitive)
		if a != nil && (!fits(prim, *a) || o.Fails && a.write) {
			return promised, made, false
		}
		if a != nil && prim.Op == contract.UnlockBit && cy.final[a.loc] >= 0 { // it needs a word that nobody else writes
			return promised, made, false
		}
		if prim.Op == contract.UnlockBit { // which clears
			promised.clears, made.clears = true, true
		}
		alone := func(write bool) *access {
			promised.cycle.locs, made.cycle.locs = promised.cycle.locs+1, made.cycle.locs+1
			promised.cycle.final = append(promised.cycle.final[:len(promised.cycle.final):len(promised.cycle.final)], -1)
			made.cycle.final = promised.cycle.final
			out := &access{write: write, loc: promised.cycle.locs - 1}
			if write {
				out.val = 1
			}
			return out
		}
		if a == nil && (prim.Op == contract.Load || prim.Op == contract.UnlockBit) {
			a = alone(prim.Op == contract.UnlockBit)
		}
		mine := prim
		if made.code[&mine] = o.Code; prim.Op == contract.Xor {
			made.code[&mine] = c.linearCode(o.Code)
		}
		if prim.Binds == contract.LastBranch {
			both(piece{branch: true})
		}
		made.threads[t] = append(made.threads[t], piece{prim: &mine, access: a, fails: o.Fails})
		if o.Fails { // it read, and promises nothing
			if prim, _ = contract.Lookup("LoadRelaxed"); a == nil {
				a = alone(false)
			}
		}
		promised.threads[t] = append(promised.threads[t], piece{prim: &prim, access: a})
	}
	if after {
		both(piece{access: &accesses[1]})
	}
	// The cycle is the same to both, also where only one needs a location more.
	made.cycle = promised.cycle
	return promised, made, true
}

// linear is a primitive that inverts bits where it sets or clears them. Order does not depend on what is computed, and this one can make
// any value of any other.
func linear(p contract.Primitive) contract.Primitive {
	switch p.Op {
	case contract.And, contract.Or, contract.LockBit, contract.UnlockXorByte:
		p.Op, p.Clears = contract.Xor, false
	}
	return p
}

// linearNames are instructions and the same ones that invert bits, by target.
var linearNames = map[string]map[string]string{
	"amd64": {"AND": "XOR", "OR": "XOR", "BTS": "XOR", "BTR": "XOR", "BTC": "XOR"},
	"arm64": {"AND": "EOR", "ORR": "EOR", "MVN": "MOVD"},
}

func (c *Comparer) linearCode(seq arch.Seq) arch.Seq {
	out := make(arch.Seq, len(seq))
	for i, in := range seq {
		op := *in.Op
		if to, ok := linearNames[c.target.Name][op.Name]; ok {
			op.Name = to
		}
		for _, family := range []string{"LDCLR", "LDOR"} {
			if order, ok := strings.CutPrefix(op.Name, family); ok {
				op.Name = "LDEOR" + order
			}
		}
		in.Op = &op
		out[i] = in
	}
	return out
}

// lineRealizer realizes each operation by the code that was chosen for it.
type lineRealizer struct {
	*targetRealizer
	code map[*contract.Primitive]arch.Seq
}

func (c *Comparer) realizer(code map[*contract.Primitive]arch.Seq) lineRealizer {
	return lineRealizer{newTarget(c.target, &c.target.Levels[0], 0), code}
}

func (r lineRealizer) primitive(b *builder, p piece, a *access) (memmodel.Reg, error) {
	own := *r.targetRealizer
	own.sequence = func(contract.Primitive, bool) (arch.Seq, error) { return r.code[p.prim], nil }
	return own.primitive(b, p, a)
}
