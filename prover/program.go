package prover

import (
	"errors"
	"fmt"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/memmodel"
)

// piece is one step of a thread, in the abstract: what it is on a machine, or under the contract, a realizer says.
type piece struct {
	access *access             // an access of the cycle; nil for a fence or a neighbour
	strong bool                // the strongest fence there is
	prim   *contract.Primitive // the primitive in question, or a neighbour of it: as a fence, or as the access
	lock   bool                // prim takes a lock, or releases one
	macro  bool                // prim in its weakest form: that of the header macros
	branch bool                // a conditional branch on what was read last
	steps  bool                // an access that reads makes the step to the next value, too
	fails  bool                // a compare-and-swap that finds another value than it wants
}

// realizer turns pieces into instructions.
type realizer interface {
	model() (*memmodel.Model, error)
	arch() string
	tags() []string
	plain(b *builder, a access) memmodel.Reg
	strong(b *builder)
	// primitive appends an operation; a is the access that it performs (nil for a fence). It returns the register that the
	// access was read into.
	primitive(b *builder, p piece, a *access) (memmodel.Reg, error)
}

// builder is a thread under construction.
type builder struct {
	prog   *memmodel.Program
	thread *memmodel.Thread
	values []memmodel.Value
	read   memmodel.Reg
	cell   int          // locations of 8 bytes that make one of the cycle's
	wide   bool         // plain accesses take both
	hi     memmodel.Reg // what the second half of an access of 16 bytes was read into
}

// reg makes a register with a value.
func (b *builder) reg(name string, init memmodel.Value) memmodel.Reg {
	b.thread.Regs = append(b.thread.Regs, memmodel.Register{Name: fmt.Sprintf("%s%d", name, len(b.thread.Regs)), Init: init})
	return memmodel.Reg(len(b.thread.Regs) - 1)
}

func (b *builder) emit(in memmodel.Instr) {
	if in.Op == memmodel.OpFence { // about no location
		in.A, in.B = memmodel.K(0), memmodel.K(0)
	}
	if in.Op == memmodel.OpStore || in.Op == memmodel.OpFence || in.Op == memmodel.OpBranch || in.Op == memmodel.OpAssume {
		in.Dst = memmodel.NoReg
	}
	b.thread.Code = append(b.thread.Code, in)
}

// addr is the address of a location.
func (b *builder) addr(loc int) memmodel.Value { return b.prog.Addr(b.cell * loc) }

// scratch is the address of a location that nobody else uses.
func (b *builder) scratch() memmodel.Value {
	return b.addr(addLocation(b.prog, b.cell, fmt.Sprintf("p%d", len(b.prog.Locs)), b.values[0]))
}

// addLocation adds a location of the cycle, of as many halves, and returns its number.
func addLocation(p *memmodel.Program, cell int, name string, init memmodel.Value) int {
	p.Locs = append(p.Locs, memmodel.Location{Name: name, Init: init, Size: 8})
	if cell == 2 {
		p.Locs = append(p.Locs, memmodel.Location{Name: name + ".hi", Init: init, Size: 8})
	}
	return len(p.Locs)/cell - 1
}

// errUnobserved: an operation that does not return what it read can't be the read of a cycle.
var errUnobserved = errors.New("the value read does not show")

// question is a program with the outcome that completes its cycle.
type question struct {
	prog    *memmodel.Program
	observe []memmodel.Observable
	want    []memmodel.Value
}

// values are what the indexes of a cycle's values stand for. Bits are only ever set, or with clears only ever cleared.
func values(clears bool) []memmodel.Value {
	if clears {
		return []memmodel.Value{3, 2, 0}
	}
	return []memmodel.Value{0, 1, 3}
}

// build makes the program of a cycle whose threads are the given pieces.
func build(c cycle, threads [][]piece, clears bool, r realizer) (question, error) {
	q := question{prog: &memmodel.Program{Name: c.name, Arch: r.arch(), Tags: r.tags()}}
	vals := values(clears)
	cell := 1
	if c.wide || usesWide(threads) {
		cell = 2
	}
	for i := range c.locs {
		addLocation(q.prog, cell, string(rune('x'+i%3))+string(rune('0'+i/3)), vals[0])
	}
	q.prog.Threads = make([]memmodel.Thread, len(threads))
	for t, pieces := range threads {
		b := &builder{prog: q.prog, thread: &q.prog.Threads[t], values: vals, cell: cell, wide: c.wide}
		b.reg("zero", 0) // the register that an operand without a value names
		for _, p := range pieces {
			reg := memmodel.NoReg
			b.hi = memmodel.NoReg
			var err error
			switch {
			case p.branch:
				// Always taken to the next instruction: what counts is that it depends on the read.
				b.emit(memmodel.Instr{Op: memmodel.OpBranch, Fn: memmodel.FnA, A: memmodel.R(b.read), B: memmodel.K(0), Target: len(b.thread.Code) + 1})
			case p.strong:
				r.strong(b)
			case p.prim != nil:
				reg, err = r.primitive(b, p, p.access)
			default:
				reg = r.plain(b, *p.access)
			}
			if err != nil {
				return q, err
			}
			if reg != memmodel.NoReg {
				b.read = reg
			}
			if p.access != nil && !p.access.write {
				if reg == memmodel.NoReg {
					return q, errUnobserved
				}
				q.observe = append(q.observe, memmodel.ObserveReg(t, reg))
				q.want = append(q.want, vals[p.access.val])
				if c.wide {
					q.observe = append(q.observe, memmodel.ObserveReg(t, b.hi))
					q.want = append(q.want, vals[p.access.hi])
				}
			}
		}
	}
	for loc, v := range c.final {
		if v >= 0 {
			q.observe = append(q.observe, memmodel.ObserveLoc(loc*cell))
			q.want = append(q.want, vals[v])
		}
	}
	for loc, v := range c.exact {
		q.observe = append(q.observe, memmodel.ObserveLoc(loc))
		q.want = append(q.want, v)
	}
	return q, nil
}

// usesWide says whether some primitive works on 16 bytes.
func usesWide(threads [][]piece) bool {
	for _, t := range threads {
		for _, p := range t {
			if p.prim != nil && p.prim.Operand == contract.Wide {
				return true
			}
		}
	}
	return false
}

// allowed reports whether the outcome can happen.
func (q question) allowed(s *memmodel.Search) (bool, error) {
	res, err := s.Run(q.prog, q.observe, func(state []memmodel.Value) bool {
		for i, v := range state {
			if v != q.want[i] {
				return false
			}
		}
		return true
	})
	if err != nil {
		return false, err
	}
	// A program that cannot run forbids everything; that would prove nothing.
	if res.Faults > 0 || res.Positive+res.Negative == 0 {
		return false, fmt.Errorf("internal error: program %s does not run", q.prog.Name)
	}
	return res.Positive > 0, nil
}
