package native

import (
	"fmt"
	"math"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// x86 is amd64. SP and BP have owners, R14 and R15 may have.
type x86 struct{}

// registers: those that some instruction ties come last.
func (x86) registers() []string {
	return []string{"DI", "SI", "DX", "R8", "R9", "R10", "R11", "BX", "R12", "R13", "CX", "AX"}
}

func (x86) spell(o operand, name func(reg) string) string {
	switch o.kind {
	case register:
		return name(o.reg)
	case constant:
		return fmt.Sprintf("$%d", o.n)
	case memory:
		s := fmt.Sprintf("(%s)", name(o.reg))
		if o.n != 0 {
			s = fmt.Sprint(o.n) + s
		}
		if o.index != noReg {
			s += fmt.Sprintf("(%s*%d)", name(o.index), o.scale)
		}
		return s
	}
	return o.text
}

func (x86) jump() string { return "JMP" }

func (x86) encode(name string, args []string) Line {
	return Line{Op: name, Args: strings.Join(args, ", ")}
}

// suffix is that of an operation between registers.
func (x86) suffix(t ir.Type) string {
	if t.Bits == 64 {
		return "Q"
	}
	return "L"
}

func fits32(n int64) bool { return n >= math.MinInt32 && n <= math.MaxInt32 }

// immediate: an instruction on memory or a register takes a constant of 32 bits, extended. Those that write the register back do not.
func (x86) immediate(name string, arg int, n int64) bool {
	switch name {
	case "XADD", "XCHG", "CMPXCHG":
		return false
	}
	return arg == 0 && fits32(n)
}

func (m x86) move(l *lowerer, dst reg, v ir.Value, t ir.Type) {
	if v.IsConst() {
		name, n := "MOVQ", v.Const
		if t.Bits < 64 {
			name, n = "MOVL", int64(int32(n))
		} else if n >= 0 && n <= math.MaxUint32 {
			name = "MOVL" // clears the upper half
		}
		l.emit(inst{name: name, args: ops(imm(n), r(dst)), def: regs(dst), idle: true})
		return
	}
	l.emit(inst{name: "MOV" + m.suffix(t), args: ops(r(reg(v.Reg)), r(dst)), use: regs(reg(v.Reg)), def: regs(dst), move: true, idle: true})
}

// source is a value as an operand: a constant if it fits.
func (m x86) source(l *lowerer, v ir.Value, t ir.Type) operand {
	if v.IsConst() {
		n := v.Const
		if t.Bits < 64 {
			n = int64(int32(n))
		}
		if fits32(n) {
			return imm(n)
		}
	}
	return r(l.in(v, t))
}

var x86Names = map[ir.Op]string{ir.Add: "ADD", ir.Sub: "SUB", ir.Mul: "IMUL", ir.And: "AND", ir.AndNot: "AND", ir.Or: "OR", ir.Xor: "XOR",
	ir.Neg: "NEG", ir.Not: "NOT", ir.Shl: "SHL", ir.Shr: "SHR"}

func commutes(op ir.Op) bool {
	return op == ir.Add || op == ir.Mul || op == ir.And || op == ir.Or || op == ir.Xor
}

func (m x86) arithmetic(l *lowerer, in ir.Instr) {
	dst, t := reg(in.Dst), in.Type
	sfx := m.suffix(t)
	if in.Op == ir.Convert {
		l.convert(dst, in.Args[0], in.From, t)
		return
	}
	if in.Op == ir.Index {
		a, b := l.in(in.Args[0], ir.Address), l.in(in.Args[1], ir.Uint64)
		mem := at(a, 0)
		mem.index, mem.scale = b, in.Scale
		l.op("LEAQ", ops(mem, r(dst)), regs(a, b), regs(dst))
		return
	}
	name := x86Names[in.Op] + sfx
	a := in.Args[0]
	if len(in.Args) == 1 {
		m.move(l, dst, a, t)
		l.op(name, ops(r(dst)), regs(dst), regs(dst))
		l.narrow(dst, in.Op, t)
		return
	}
	b := in.Args[1]
	if commutes(in.Op) && (a.IsConst() || b == ir.V(in.Dst)) {
		a, b = b, a
	}
	switch in.Op {
	case ir.AndNot:
		if b.IsConst() {
			b.Const = ^b.Const
			break
		}
		x := l.fresh()
		m.move(l, x, b, t)
		l.op("NOT"+sfx, ops(r(x)), regs(x), regs(x))
		b = ir.V(ir.Reg(x))
	case ir.Shl, ir.Shr:
		if in.Op == ir.Shr && t.Signed {
			name = "SAR" + sfx
		}
		if !b.IsConst() {
			cx := l.pinned("CX")
			l.emit(inst{name: "MOVL", args: ops(r(reg(b.Reg)), r(cx)), use: regs(reg(b.Reg)), def: regs(cx), move: true})
			x := l.fresh() // dst may be the count
			m.move(l, x, a, t)
			l.op(name, ops(r(cx), r(x)), regs(cx, x), regs(x))
			m.move(l, dst, ir.V(ir.Reg(x)), t)
			l.narrow(dst, in.Op, t)
			return
		}
		b.Const &= int64(t.Bits - 1)
	case ir.Add:
		if b.IsConst() && t.Bits == 64 && a != ir.V(in.Dst) && fits32(b.Const) && !a.IsConst() {
			l.op("LEAQ", ops(at(reg(a.Reg), b.Const), r(dst)), regs(reg(a.Reg)), regs(dst))
			return
		}
	}
	src := m.source(l, b, t)
	if in.Op == ir.Mul && src.kind == constant {
		x := l.in(a, t)
		l.op("IMUL3"+sfx, ops(src, r(x), r(dst)), regs(x), regs(dst))
		l.narrow(dst, in.Op, t)
		return
	}
	if src.kind == register && src.reg == dst { // dst = a - dst
		x := l.fresh()
		m.move(l, x, a, t)
		l.op(name, ops(src, r(x)), regs(src.reg, x), regs(x))
		m.move(l, dst, ir.V(ir.Reg(x)), t)
	} else {
		m.move(l, dst, a, t)
		l.op(name, ops(src, r(dst)), append(reading(src), dst), regs(dst))
	}
	l.narrow(dst, in.Op, t)
}

// extension is the move that extends a type to 32 bits, or 32 bits to 64.
func (x86) extension(t ir.Type) string {
	names := map[int][2]string{8: {"MOVBLZX", "MOVBLSX"}, 16: {"MOVWLZX", "MOVWLSX"}, 32: {"MOVL", "MOVLQSX"}}[t.Bits]
	if t.Signed {
		return names[1]
	}
	return names[0]
}

// x86Conds are jumps and what makes a value of the same flags.
var x86Conds = map[bool][]condition{
	true: {{yes: "JEQ", no: "JNE", set: "SETEQ"}, {yes: "JNE", no: "JEQ", set: "SETNE"}, {yes: "JLT", no: "JGE", set: "SETLT"},
		{yes: "JLE", no: "JGT", set: "SETLE"}, {yes: "JGT", no: "JLE", set: "SETGT"}, {yes: "JGE", no: "JLT", set: "SETGE"}},
	false: {{yes: "JEQ", no: "JNE", set: "SETEQ"}, {yes: "JNE", no: "JEQ", set: "SETNE"}, {yes: "JCS", no: "JCC", set: "SETCS"},
		{yes: "JLS", no: "JHI", set: "SETLS"}, {yes: "JHI", no: "JLS", set: "SETHI"}, {yes: "JCC", no: "JCS", set: "SETCC"}},
}

// comparesNarrow: a constant of 16 bits would change the length of the instruction, which takes time to decode.
func (x86) comparesNarrow(t ir.Type, a, b ir.Value) bool {
	small := func(v ir.Value) bool { return !v.IsConst() || int64(int8(v.Const)) == v.Const }
	return t.Bits < 32 && small(a) && small(b)
}

func (m x86) compare(l *lowerer, cond ir.Cond, t ir.Type, a, b ir.Value) condition {
	sfx := m.suffix(t)
	if m.comparesNarrow(t, a, b) {
		sfx = x86Widths[t.Bits]
	}
	if a.IsConst() && !b.IsConst() {
		a, b, cond = b, a, cond.Swapped()
	}
	x := l.in(a, t)
	if b == ir.C(0) && cond <= ir.Ne {
		l.op("TEST"+sfx, ops(r(x), r(x)), regs(x), nil)
	} else {
		src := m.source(l, b, t)
		l.op("CMP"+sfx, ops(r(x), src), append(reading(src), x), nil)
	}
	return x86Conds[t.Signed][cond]
}

func (x86) set(l *lowerer, dst reg, c condition) { l.op(c.set, ops(r(dst)), nil, regs(dst)) }

func (m x86) bit(l *lowerer, word reg, n ir.Value) condition {
	src := operand{}
	if n.IsConst() {
		src = imm(n.Const & 63)
	} else {
		src = r(reg(n.Reg)) // taken modulo 64 between registers
	}
	l.op("BTQ", ops(src, r(word)), append(reading(src), word), nil)
	return condition{yes: "JCS", no: "JCC", set: "SETCS"}
}

func (m x86) mask(l *lowerer, t ir.Type, a, b ir.Value) condition {
	if a.IsConst() {
		a, b = b, a
	}
	x, src := l.in(a, t), m.source(l, b, t)
	l.op("TEST"+m.suffix(t), ops(src, r(x)), append(reading(src), x), nil)
	return x86Conds[true][ir.Ne]
}

func (m x86) param(l *lowerer, p ir.Param, dst reg) {
	l.op(m.load(p.Type), ops(lit(fmt.Sprintf("%s+%d(FP)", p.Name, p.Off)), r(dst)), nil, regs(dst))
}

// load is the move that loads a type.
func (m x86) load(t ir.Type) string {
	switch {
	case t.Bits == 64:
		return "MOVQ"
	case t.Bits == 32:
		return "MOVL"
	}
	return m.extension(t)
}

var x86Widths = map[int]string{8: "B", 16: "W", 32: "L", 64: "Q"}

func (m x86) result(l *lowerer, p ir.Param, v ir.Value) {
	src := m.source(l, v, p.Type)
	if p.Type.Bits < 32 && src.kind == constant {
		src.n = ir.Type{Bits: p.Type.Bits, Signed: true}.Extend(src.n)
	}
	l.op("MOV"+x86Widths[p.Type.Bits], ops(src, lit(fmt.Sprintf("%s+%d(FP)", p.Name, p.Off))), reading(src), nil)
}

// step emits an instruction of a sequence.
func (m x86) step(s *sequence, in arch.Inst) *condition {
	if in.Prefix {
		s.prefix = in.Name
		return nil
	}
	name := in.Mnemonic(s.width)
	locked := func(name string, args []operand, use, def []reg) {
		if s.prefix != "" {
			s.op(s.prefix, nil, nil, nil)
			s.prefix = ""
		}
		s.emit(inst{name: name, args: args, use: use, def: def, fence: len(in.Events) == 0 && len(in.Orders) > 0})
	}
	// src is the first operand.
	src := func() operand {
		a := in.Args[0]
		if a.Imm {
			return imm(a.N)
		}
		if n, ok := s.constant(a.Role); ok && m.immediate(in.Name, 0, n) {
			return imm(n)
		}
		return r(s.reg(a.Role))
	}
	switch {
	case len(in.Args) == 0:
		locked(name, nil, nil, nil)
	case strings.HasPrefix(in.Name, "SET"):
		c := condition{set: in.Name}
		for _, known := range append(x86Conds[true], condition{yes: "JCS", no: "JCC", set: "SETCS"}, condition{yes: "JMI", no: "JPL", set: "SETMI"}) {
			if known.set == in.Name {
				c = known
			}
		}
		return &c
	case in.Name == "CMPXCHG":
		ax := s.pinned("AX")
		m.move(s.lowerer, ax, s.env[arch.Old].value, s.typ())
		repl, mem := s.reg(in.Args[0].Role), s.mem()
		s.env[arch.Old] = binding{value: ir.V(ir.Reg(ax)), owned: true}
		locked(name, ops(r(repl), mem), append(reading(mem), repl, ax), regs(ax))
	case in.Name == "CMPXCHG16B": // RDX:RAX is compared with and holds what was seen, RCX:RBX is stored
		ax, dx := s.pin(arch.OldLo, "AX"), s.pin(arch.OldHi, "DX")
		bx, cx := s.pin(arch.NewLo, "BX"), s.pin(arch.NewHi, "CX")
		mem := s.mem()
		s.env[arch.SeenLo], s.env[arch.SeenHi] = binding{value: ir.V(ir.Reg(ax))}, binding{value: ir.V(ir.Reg(dx))}
		locked(name, ops(mem), append(reading(mem), ax, dx, bx, cx), regs(ax, dx))
	case in.Name == "MOV" && in.Args[0].Mem:
		mem := s.mem()
		x := s.fill(in.Args[1].Role)
		locked(m.load(s.in.Type), ops(mem, r(x)), reading(mem), regs(x))
	case in.Args[len(in.Args)-1].Mem && in.Args[1].Role == arch.StackP:
		// Below the stack pointer is nobody's, and in cache.
		x := src()
		name = in.Mnemonic(32)
		locked(name, ops(x, lit(fmt.Sprintf("%d(SP)", in.Args[1].N))), reading(x), nil)
		s.out[len(s.out)-1].fence = true
	case (in.Name == "XADD" || in.Name == "XCHG") && in.Args[1].Mem:
		x, mem := s.own(in.Args[0].Role), s.mem()
		locked(name, ops(r(x), mem), append(reading(mem), x), regs(x))
	case in.Args[1].Mem:
		if in.Name == "MOV" {
			name = "MOV" + x86Widths[s.width]
		}
		x, mem := src(), s.mem()
		locked(name, ops(x, mem), append(reading(mem), reading(x)...), nil)
	case in.Name == "MOV":
		s.copyOf(in.Args[1].Role, in.Args[0].Role)
	default: // between registers
		x := src()
		dst := s.own(in.Args[1].Role)
		s.emit(inst{name: name, args: ops(x, r(dst)), use: append(reading(x), dst), def: regs(dst), idle: true})
	}
	return nil
}
