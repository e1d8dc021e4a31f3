// Package native turns a function whose memory operations have their code into assembly: registers for its variables, and
// no stack frame.
//
// Each access is the instruction that the plan chose, in the order of the source; none is merged, split or dropped. A variable of 32 bits
// or less leaves the upper half of its register undefined; one of 8 or 16 bits is extended to 32 where somebody reads that.
package native

import (
	"fmt"
	"go/token"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
	"github.com/barriergen/barriergen/gen/fuse/order"
)

// Error is a function that can't be compiled.
type Error struct {
	Pos  token.Pos
	Text string
}

func (e *Error) Error() string { return e.Text }

// Code is a body.
type Code struct {
	Lines []Line
	// Instructions counts the instructions, Fences those that only order memory.
	Instructions, Fences int
}

// Line is an instruction, or a label if it ends with a colon.
type Line struct{ Op, Args, Note string }

// Compile makes the body of a function. Labels begin with prefix.
func Compile(fn *ir.Func, plan *order.Plan, prefix string) (code *Code, err error) {
	m := machines[plan.Machine.Target.Name]
	fn = fn.Without(func(in ir.Instr) bool { return in.Prim.Op == contract.Fence && len(plan.Options[in.Slot].Seq) == 0 })
	l := &lowerer{m: m, fn: fn, prefix: prefix, uses: fn.Uses(), exact: exact(fn, m), fixed: map[reg]string{}, next: reg(len(fn.Vars))}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			code, err = nil, r
		default:
			panic(r)
		}
	}()
	l.function(plan.Options)
	l.out = dropDead(l.out, int(l.next))
	colors, err := allocate(l.out, int(l.next), l.fixed, m.registers())
	if err != nil {
		return nil, err
	}
	return print(l.out, colors, m), nil
}

var machines = map[string]machine{"amd64": x86{}, "arm64": arm{}}

// reg is a virtual register. Those of the function's variables come first.
type reg int

const noReg reg = -1

// operand is one operand of an instruction.
type operand struct {
	kind  operandKind
	reg   reg
	n     int64  // constant, displacement
	index reg    // of memory: a register that is added, or noReg
	scale int64  // of the index
	text  string // spelled out
}

type operandKind uint8

const (
	register operandKind = iota
	constant
	memory
	shifted // a register shifted left by n
	paired  // two registers: the first, and index
	literal
)

func r(x reg) operand             { return operand{kind: register, reg: x} }
func imm(n int64) operand         { return operand{kind: constant, n: n} }
func at(x reg, off int64) operand { return operand{kind: memory, reg: x, n: off, index: noReg} }
func lit(s string) operand        { return operand{kind: literal, text: s} }
func lsl(x reg, n int64) operand  { return operand{kind: shifted, reg: x, n: n} }
func pair(lo, hi reg) operand     { return operand{kind: paired, reg: lo, index: hi} }
func regs(rs ...reg) []reg        { return rs }
func ops(os ...operand) []operand { return os }
func reading(os ...operand) (out []reg) {
	for _, o := range os {
		if o.kind == register || o.kind == memory || o.kind == shifted || o.kind == paired {
			out = append(out, o.reg)
			if o.kind == memory && o.index != noReg || o.kind == paired {
				out = append(out, o.index)
			}
		}
	}
	return out
}

// inst is an instruction on virtual registers.
type inst struct {
	name     string
	args     []operand
	use, def []reg
	early    bool   // it writes before it has read everything
	move     bool   // it copies its only use to its only def
	idle     bool   // it does nothing if nobody reads its def
	label    string // a label, and no instruction
	to       string // of a jump
	falls    bool   // a jump that may not be taken
	ret      bool
	fence    bool
	note     string
	pos      token.Pos
}

// condition is what a jump can test.
type condition struct {
	yes, no string // the jumps
	set     string // what makes it a value, where that is one instruction on flags
	args    []operand
}

// machine is what an architecture's instructions need beyond the table of the target.
type machine interface {
	registers() []string
	spell(o operand, name func(reg) string) string
	// move copies a value to a register; a constant is made there.
	move(l *lowerer, dst reg, v ir.Value, t ir.Type)
	arithmetic(l *lowerer, in ir.Instr)
	// extension is the move that extends a type to what a register holds of it.
	extension(t ir.Type) string
	compare(l *lowerer, cond ir.Cond, t ir.Type, a, b ir.Value) condition
	// comparesNarrow reports whether a comparison reads the bits of the type only.
	comparesNarrow(t ir.Type, a, b ir.Value) bool
	// set makes a condition a value.
	set(l *lowerer, dst reg, c condition)
	// bit tests a bit of a word.
	bit(l *lowerer, word reg, n ir.Value) condition
	// immediate reports whether an instruction takes a constant as that argument.
	immediate(name string, arg int, n int64) bool
	// mask tests whether two values have a bit in common.
	mask(l *lowerer, t ir.Type, a, b ir.Value) condition
	// step is one instruction of a table's sequence; the condition that it leaves is nil if it leaves none.
	step(s *sequence, in arch.Inst) *condition
	param(l *lowerer, p ir.Param, dst reg)
	result(l *lowerer, p ir.Param, v ir.Value)
	jump() string
	// encode is an instruction as the assembler can spell it.
	encode(name string, args []string) Line
}

// lowerer makes instructions of a function.
type lowerer struct {
	m       machine
	fn      *ir.Func
	prefix  string
	out     []inst
	next    reg
	uses    []int
	exact   []bool // of each variable: it is extended
	fixed   map[reg]string
	pos     token.Pos
	note    string
	pending *condition // whether what the end of the block tests is not zero
}

func (l *lowerer) emit(in inst) {
	in.pos = l.pos
	if in.label == "" {
		in.note, l.note = l.note, ""
	}
	l.out = append(l.out, in)
}

// op emits an instruction that reads and writes registers.
func (l *lowerer) op(name string, args []operand, use, def []reg) {
	l.emit(inst{name: name, args: args, use: use, def: def})
}

func (l *lowerer) fresh() reg {
	l.next++
	return l.next - 1
}

// pinned is a new register that is a certain one of the machine.
func (l *lowerer) pinned(name string) reg {
	x := l.fresh()
	l.fixed[x] = name
	return x
}

// in puts a value into a register.
func (l *lowerer) in(v ir.Value, t ir.Type) reg {
	if !v.IsConst() {
		return reg(v.Reg)
	}
	x := l.fresh()
	l.m.move(l, x, v, t)
	return x
}

func (l *lowerer) label(block int) string { return fmt.Sprintf("%sb%d", l.prefix, block) }

func (l *lowerer) function(options []order.Option) {
	used := l.fn.Uses()
	for _, p := range l.fn.Params {
		if used[p.Reg] > 0 {
			l.m.param(l, p, reg(p.Reg))
		}
	}
	for i, b := range l.fn.Blocks {
		l.emit(inst{label: l.label(i)})
		for k, in := range b.Instrs {
			l.pos = in.Pos
			last := k == len(b.Instrs)-1 && b.Term.Kind == ir.If && b.Term.A == ir.V(in.Dst) && b.Term.B == ir.C(0) && b.Term.Cond <= ir.Ne
			switch in.Op {
			case ir.Move:
				l.m.move(l, reg(in.Dst), in.Args[0], in.Type)
			case ir.Memory:
				l.memory(in, options[in.Slot], last)
			case ir.Compare:
				l.truth(in.Dst, l.m.compare(l, in.Cond, in.Type, in.Args[0], in.Args[1]), last)
			case ir.And:
				if last && l.uses[in.Dst] == 1 && in.Type.Bits >= 32 { // only whether any bit is left
					c := l.m.mask(l, in.Type, in.Args[0], in.Args[1])
					l.pending = &c
					break
				}
				l.m.arithmetic(l, in)
			default:
				l.m.arithmetic(l, in)
			}
		}
		l.pos = b.Term.Pos
		l.term(b.Term, i+1)
	}
}

// truth makes a condition the value of a variable, unless only the end of the block wants to know.
func (l *lowerer) truth(dst ir.Reg, c condition, last bool) {
	if last && l.uses[dst] == 1 {
		l.pending = &c
		return
	}
	l.m.set(l, reg(dst), c)
}

func (l *lowerer) term(t ir.Term, next int) {
	switch t.Kind {
	case ir.Jump:
		l.goTo(t.Then, next)
	case ir.Return:
		for i, v := range t.Results {
			l.m.result(l, l.fn.Results[i], v)
		}
		l.emit(inst{name: "RET", ret: true})
	case ir.If:
		var c condition
		cond := t.Cond
		if l.pending != nil {
			c, l.pending = *l.pending, nil
			if cond == ir.Eq {
				c.yes, c.no = c.no, c.yes
			}
		} else {
			c = l.m.compare(l, cond, t.Type, t.A, t.B)
		}
		if t.Then == next {
			l.branch(c.no, c.args, l.label(t.Else))
			return
		}
		l.branch(c.yes, c.args, l.label(t.Then))
		l.goTo(t.Else, next)
	}
}

func (l *lowerer) goTo(block, next int) {
	if block != next {
		l.emit(inst{name: l.m.jump(), args: ops(lit(l.label(block))), to: l.label(block)})
	}
}

// branch is a jump that may be taken.
func (l *lowerer) branch(name string, args []operand, label string) {
	l.emit(inst{name: name, args: append(args[:len(args):len(args)], lit(label)), use: reading(args...), to: label, falls: true})
}
