// Package arch chooses the cheapest code that keeps an ordering contract on a machine.
//
// A Target is one literal: what the machine orders for free, its instructions with the events and orders each
// contributes, and the candidate sequences per operation. Select compares them with the contract of a primitive, for the
// machine and for the Go compiler alike, and says why it chose what it chose; nothing is empty because somebody typed so.
package arch

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/contract"
)

// Op is one instruction of a machine: the events it performs, the orders it gives, and its cost. Or it is one Go statement
// that the stock compiler turns into known instructions.
type Op struct {
	Name   string         // the Go assembler's mnemonic, without its width suffix; for a Go statement, what it is called
	Suffix map[int]string // width in bits → suffix
	contract.Step
	Cost   int  // in cycles, uncontended; of a Go statement what comes on top of its instructions
	Prefix bool // makes the instruction behind it one atomic step, with this prefix's orders
	Whole  bool // its access of 16 bytes is single-copy atomic: nobody ever sees half of it

	// For a Go statement only. Events and orders are those of its instructions.
	Go      string // its text: see gen for the placeholders
	Machine Seq    // what the compiler makes of it
	Carries bool   // takes and returns the compiler's memory state: the compiler moves no access across it
}

// Mnemonic is the assembler's name at a width in bits.
func (o *Op) Mnemonic(width int) string { return o.Name + o.Suffix[width] }

// Role names an operand by what it holds; the generator assigns registers, a header macro makes it a parameter.
type Role string

// The roles.
const (
	Addr   Role = "addr" // the address of the word
	Val    Role = "val"  // the operand of the operation
	Old    Role = "old"  // expected, and then observed, value
	New    Role = "new"  // replacement
	Tmp    Role = "tmp"  // scratch
	Status Role = "status"
	Result Role = "result" // computed from old
	OldLo  Role = "oldlo"
	OldHi  Role = "oldhi"
	NewLo  Role = "newlo"
	NewHi  Role = "newhi"
	SeenLo Role = "seenlo"
	SeenHi Role = "seenhi"
	StackP Role = "SP"
)

// Arg is one operand of an instruction.
type Arg struct {
	Role Role
	Mem  bool   // the memory that Role, plus N, points to
	Imm  bool   // the constant N
	Jump bool   // the instruction at index N of the sequence; its length is the end
	Pair Role   // the second register of a pair
	N    int64  // constant, displacement or index
	Name string // what the architecture's manual calls the constant
}

// R is a register operand.
func R(r Role) Arg { return Arg{Role: r} }

// M is the memory that r points to.
func M(r Role) Arg { return Arg{Role: r, Mem: true} }

// P is a pair of registers.
func P(lo, hi Role) Arg { return Arg{Role: lo, Pair: hi} }

// At is the memory at a displacement from r.
func At(r Role, disp int64) Arg { return Arg{Role: r, Mem: true, N: disp} }

// I is a constant.
func I(n int64) Arg { return Arg{Imm: true, N: n} }

// To is a jump to the instruction at an index of the sequence.
func To(index int) Arg { return Arg{Jump: true, N: int64(index)} }

// Inst is one step of a sequence.
type Inst struct {
	*Op
	Args []Arg
}

// Seq is a sequence of instructions, in program order.
type Seq []Inst

// Flat is the sequence with every Go statement replaced by its instructions.
func (s Seq) Flat() Seq {
	var out Seq
	for _, in := range s {
		if in.Go == "" {
			out = append(out, in)
			continue
		}
		base := int64(len(out))
		for _, m := range in.Machine {
			m.Args = slices.Clone(m.Args)
			for i := range m.Args {
				if m.Args[i].Jump { // within the statement
					m.Args[i].N += base
				}
			}
			out = append(out, m)
		}
	}
	return out
}

// Steps is the sequence as the machine's memory model sees it.
func (s Seq) Steps() []contract.Step {
	s = s.Flat()
	out := make([]contract.Step, len(s))
	for i, in := range s {
		out[i] = in.Step
		if in.Prefix {
			out[i] = contract.Step{}
		}
		if i > 0 && s[i-1].Prefix {
			out[i] = contract.Step{Events: atomicHalves(in.Events), Orders: s[i-1].Orders}
		}
	}
	return out
}

// atomicHalves turns a plain read and write into the halves of a read-modify-write.
func atomicHalves(events []contract.Classes) []contract.Classes {
	out := make([]contract.Classes, len(events))
	for i, e := range events {
		out[i] = contract.RMWRead
		if e&contract.Writes != 0 {
			out[i] = contract.RMWWrite
		}
	}
	return out
}

// Empty reports whether the sequence leaves nothing in machine code.
func (s Seq) Empty() bool { return len(s.Flat()) == 0 }

// Cost is the sum over the instructions, in cycles.
func (s Seq) Cost() int {
	n := 0
	for _, in := range s {
		n += in.Cost + in.Machine.Cost()
	}
	return n
}

// String joins the instructions, "LOCK; XADD val, (addr)".
func (s Seq) String() string {
	flat := s.Flat()
	if len(flat) == 0 {
		return "empty"
	}
	parts := make([]string, len(flat))
	for i, in := range flat {
		args := make([]string, len(in.Args))
		for j, a := range in.Args {
			args[j] = a.String()
		}
		parts[i] = strings.TrimSpace(in.Name + " " + strings.Join(args, ", "))
	}
	return strings.Join(parts, "; ")
}

// String is the operand in the Go assembler's syntax with roles for registers.
func (a Arg) String() string {
	switch {
	case a.Jump:
		return fmt.Sprintf("#%d", a.N)
	case a.Imm && a.Name != "":
		return a.Name
	case a.Imm:
		return fmt.Sprintf("$%#x", a.N)
	case a.Mem && a.N != 0:
		return fmt.Sprintf("%d(%s)", a.N, a.Role)
	case a.Mem:
		return fmt.Sprintf("(%s)", a.Role)
	case a.Pair != "":
		return fmt.Sprintf("(%s, %s)", a.Role, a.Pair)
	}
	return string(a.Role)
}

// Form says how a candidate reaches its caller.
type Form string

// The forms.
const (
	Inline   Form = "inline Go" // no call
	Assembly Form = "assembly"  // a function of its own, which costs a call
)

// Candidate is one way to do an operation with certain orders.
type Candidate struct {
	Name string // of the assembly function, without its width
	Form Form
	Code Seq
	Else Seq    // the same for CPUs that lack the feature that Code needs, chosen at run time
	Note string // a reason that the orders and the cost do not show
	// Restrictions: what the candidate can't serve.
	NoResult  bool   // it does not return the old value
	NotPtr    string // why it can't be applied to a Go pointer
	Width     int    // in bits, where it is not the operand's
	BitNumber bool   // its operand is a bit's number, its result that bit
	MacroOnly bool   // only inside somebody's assembly: as a function it would be an unbounded loop
}

// Variants are the sequences that may run: Code, and Else where there is one.
func (c Candidate) Variants() []Seq {
	if c.Else == nil {
		return []Seq{c.Code}
	}
	return []Seq{c.Code, c.Else}
}

// Cost is that of the sequence, or the mean of the two of which one runs; a call is not in it.
func (c Candidate) Cost() int {
	n := 0
	for _, s := range c.Variants() {
		n += s.Cost()
	}
	return n / len(c.Variants())
}

// Empty reports whether nothing reaches machine code.
func (c Candidate) Empty() bool { return c.Form == Inline && c.Code.Empty() }

// String shows the sequence, or both.
func (c Candidate) String() string {
	if c.Else != nil {
		return c.Code.String() + "  |  " + c.Else.String()
	}
	return c.Code.String()
}

// Candidates are the ways to do each operation.
type Candidates map[contract.Op][]Candidate

// Lazily makes candidates at first use: not every command asks for them.
func Lazily(candidates func() Candidates) func() Candidates { return sync.OnceValue(candidates) }

// Level is a feature level of a target: what a build may take for granted.
type Level struct {
	Name string // as GOARM64 or GOAMD64 calls it
	Doc  string
	// SyncLoad and SyncStore are what a load and a store of sync/atomic are.
	SyncLoad, SyncStore *Op
	// SyncRMW is what a successful read-modify-write of sync/atomic may be at this level.
	SyncRMW []*Op
	// Candidates per operation, the preferred first among equal costs.
	Candidates func() Candidates
}

// Target is one architecture.
type Target struct {
	Name            string // GOARCH, or "generic"
	Doc             string
	Free            []contract.Order // between ordinary accesses, by class
	FreeDoc         string           // the same as a sentence part
	MultiCopyAtomic bool             // every local order is seen by all CPUs alike
	WeakestRMW      *Op              // the weakest read-modify-write that this library emits
	CallCost        int
	CostSource      string
	Levels          []Level
}

// Level returns the level of that name.
func (t *Target) Level(name string) *Level {
	i := slices.IndexFunc(t.Levels, func(l Level) bool { return l.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("arch: %s has no level %q", t.Name, name))
	}
	return &t.Levels[i]
}

// Barrier is the compiler barrier: no instruction, and no access moves across it. Every candidate that is plain Go is
// made of plain accesses between these.
var Barrier = &Op{Name: "compiler barrier", Go: "runtime.KeepAlive(nil)", Carries: true}

// XorLoop is the Go text of the operation that sync/atomic lacks: it retries a compare-and-swap.
const XorLoop = "r := atomic.Load$T($p)\nfor !atomic.CompareAndSwap$T($p, r, r^$v) {\n\tr = atomic.Load$T($p)\n}"
