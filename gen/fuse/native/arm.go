package native

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/gen"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// arm is arm64. R16 to R18 and R26 to R30 have owners.
type arm struct{}

func (arm) registers() []string {
	var out []string
	for i := range 26 {
		if i < 16 || i > 18 {
			out = append(out, fmt.Sprintf("R%d", i))
		}
	}
	return out
}

func (arm) spell(o operand, name func(reg) string) string {
	switch o.kind {
	case register:
		return name(o.reg)
	case constant:
		return fmt.Sprintf("$%d", o.n)
	case memory:
		if o.n != 0 {
			return fmt.Sprintf("%d(%s)", o.n, name(o.reg))
		}
		return fmt.Sprintf("(%s)", name(o.reg))
	case paired:
		return fmt.Sprintf("(%s, %s)", name(o.reg), name(o.index))
	case shifted:
		return fmt.Sprintf("%s<<%d", name(o.reg), o.n)
	}
	return o.text
}

func (arm) jump() string { return "B" }

func (arm) encode(name string, args []string) Line {
	l := Line{Op: name, Args: strings.Join(args, ", ")}
	if name != "CASPAL" {
		return l
	}
	var s, s1, n, t, t1 int
	if _, err := fmt.Sscanf(l.Args, "(R%d, R%d), (R%d), (R%d, R%d)", &s, &s1, &n, &t, &t1); err != nil {
		panic(fmt.Sprintf("internal error: CASPAL %s: %v", l.Args, err))
	}
	word, err := gen.EncodeCASPAL(s, s1, n, t, t1)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return Line{"WORD", fmt.Sprintf("$%#x", word), name + " " + l.Args}
}

func (arm) suffix(t ir.Type) string {
	if t.Bits == 64 {
		return ""
	}
	return "W"
}

// bitmask reports whether a logical instruction takes a constant: a run of ones, rotated, in elements of a power of two bits
// (Arm ARM DDI 0487 C3.4.2).
func bitmask(n uint64) bool {
	if n == 0 || n == ^uint64(0) {
		return false
	}
	size := 64
	for size > 2 {
		half := size / 2
		mask := uint64(1)<<half - 1
		if n&mask != n>>half&mask {
			break
		}
		size = half
		n &= mask
	}
	if size < 64 {
		n &= uint64(1)<<size - 1
	}
	n = bits.RotateLeft64(n<<(64-size), size) // the element, low
	if n&1 != 0 {                             // turn until the run begins at bit 0 of a zero
		inverted := ^n
		if size < 64 {
			inverted &= uint64(1)<<size - 1
		}
		n = inverted
	}
	n >>= bits.TrailingZeros64(n)
	return n&(n+1) == 0
}

// immediate reports whether an instruction between registers takes a constant as it is.
func (arm) immediate(name string, arg int, n int64) bool {
	if arg != 0 {
		return false
	}
	switch strings.TrimSuffix(name, "W") {
	case "ADD", "SUB", "CMP":
		return n >= 0 && n < 1<<12
	case "CCMP EQ,": // the zero register
		return n == 0
	case "AND", "ORR", "EOR", "TST":
		if strings.HasSuffix(name, "W") {
			n = int64(uint64(uint32(n)) | uint64(n)<<32)
		}
		return bitmask(uint64(n))
	}
	return false
}

func (m arm) move(l *lowerer, dst reg, v ir.Value, t ir.Type) {
	if v.IsConst() {
		n := v.Const
		if t.Bits < 64 {
			n = int64(int32(n))
		}
		l.emit(inst{name: "MOVD", args: ops(imm(n), r(dst)), def: regs(dst), idle: true})
		return
	}
	l.emit(inst{name: "MOVD", args: ops(r(reg(v.Reg)), r(dst)), use: regs(reg(v.Reg)), def: regs(dst), move: true, idle: true})
}

// source is a value as the first operand of an instruction: a constant if it takes that.
func (m arm) source(l *lowerer, name string, v ir.Value, t ir.Type) operand {
	if v.IsConst() && m.immediate(name, 0, v.Const) {
		return imm(v.Const)
	}
	return r(l.in(v, t))
}

var armNames = map[ir.Op]string{ir.Add: "ADD", ir.Sub: "SUB", ir.Mul: "MUL", ir.And: "AND", ir.AndNot: "BIC", ir.Or: "ORR", ir.Xor: "EOR",
	ir.Neg: "NEG", ir.Not: "MVN", ir.Shl: "LSL", ir.Shr: "LSR"}

func (m arm) arithmetic(l *lowerer, in ir.Instr) {
	dst, t := reg(in.Dst), in.Type
	switch in.Op {
	case ir.Convert:
		l.convert(dst, in.Args[0], in.From, t)
		return
	case ir.Index:
		a, b := l.in(in.Args[0], ir.Address), l.in(in.Args[1], ir.Uint64)
		l.op("ADD", ops(lsl(b, int64(ir.Power(in.Scale))), r(a), r(dst)), regs(a, b), regs(dst))
		return
	}
	name := armNames[in.Op] + m.suffix(t)
	a := in.Args[0]
	if len(in.Args) == 1 {
		x := l.in(a, t)
		l.op(name, ops(r(x), r(dst)), regs(x), regs(dst))
		l.narrow(dst, in.Op, t)
		return
	}
	b := in.Args[1]
	if commutes(in.Op) && a.IsConst() {
		a, b = b, a
	}
	if b.IsConst() {
		switch {
		case in.Op == ir.AndNot:
			name, b.Const = "AND"+m.suffix(t), t.Extend(^b.Const)
		case (in.Op == ir.Add || in.Op == ir.Sub) && b.Const < 0 && -b.Const < 1<<12:
			name, b.Const = armNames[map[ir.Op]ir.Op{ir.Add: ir.Sub, ir.Sub: ir.Add}[in.Op]]+m.suffix(t), -b.Const
		}
	}
	var src operand
	switch in.Op {
	case ir.Shl, ir.Shr:
		if in.Op == ir.Shr && t.Signed {
			name = "ASR" + m.suffix(t)
		}
		if src = r(reg(b.Reg)); b.IsConst() {
			src = imm(b.Const & int64(t.Bits-1))
		}
	default:
		src = m.source(l, name, b, t)
	}
	x := l.in(a, t)
	l.op(name, ops(src, r(x), r(dst)), append(reading(src), x), regs(dst))
	l.narrow(dst, in.Op, t)
}

// extension is the move that extends a type to the whole register; it is also the one that loads it.
func (arm) extension(t ir.Type) string {
	names := map[int][2]string{8: {"MOVBU", "MOVB"}, 16: {"MOVHU", "MOVH"}, 32: {"MOVWU", "MOVW"}, 64: {"MOVD", "MOVD"}}[t.Bits]
	if t.Signed {
		return names[1]
	}
	return names[0]
}

// armConds are jumps and conditions.
var armConds = map[bool][]condition{
	true: {{yes: "BEQ", no: "BNE", set: "EQ"}, {yes: "BNE", no: "BEQ", set: "NE"}, {yes: "BLT", no: "BGE", set: "LT"},
		{yes: "BLE", no: "BGT", set: "LE"}, {yes: "BGT", no: "BLE", set: "GT"}, {yes: "BGE", no: "BLT", set: "GE"}},
	false: {{yes: "BEQ", no: "BNE", set: "EQ"}, {yes: "BNE", no: "BEQ", set: "NE"}, {yes: "BLO", no: "BHS", set: "LO"},
		{yes: "BLS", no: "BHI", set: "LS"}, {yes: "BHI", no: "BLS", set: "HI"}, {yes: "BHS", no: "BLO", set: "HS"}},
}

func (arm) comparesNarrow(ir.Type, ir.Value, ir.Value) bool { return false }

func (m arm) compare(l *lowerer, cond ir.Cond, t ir.Type, a, b ir.Value) condition {
	if a.IsConst() && !b.IsConst() {
		a, b, cond = b, a, cond.Swapped()
	}
	x := l.in(a, t)
	if b == ir.C(0) && cond <= ir.Ne {
		c := condition{yes: "CBZ" + m.suffix(t), no: "CBNZ" + m.suffix(t), args: ops(r(x)), set: "EQ"}
		if cond == ir.Ne {
			c.yes, c.no, c.set = c.no, c.yes, "NE"
		}
		return c
	}
	name := "CMP" + m.suffix(t)
	src := m.source(l, name, b, t)
	l.op(name, ops(src, r(x)), append(reading(src), x), nil)
	return armConds[t.Signed][cond]
}

func (m arm) set(l *lowerer, dst reg, c condition) {
	switch {
	case strings.HasPrefix(c.yes, "TB"):
		l.op("UBFX", ops(c.args[0], c.args[1], imm(1), r(dst)), reading(c.args...), regs(dst))
		return
	case len(c.args) > 0: // against zero
		name := "CMP"
		if strings.HasSuffix(c.yes, "W") {
			name = "CMPW"
		}
		l.op(name, ops(imm(0), c.args[0]), reading(c.args...), nil)
	}
	l.op("CSET", ops(lit(c.set), r(dst)), nil, regs(dst))
}

func (m arm) bit(l *lowerer, word reg, n ir.Value) condition {
	at := imm(0)
	if n.IsConst() {
		at = imm(n.Const & 63)
	} else {
		x := l.fresh()
		l.op("LSR", ops(r(reg(n.Reg)), r(word), r(x)), regs(reg(n.Reg), word), regs(x))
		word = x
	}
	return condition{yes: "TBNZ", no: "TBZ", args: ops(at, r(word))}
}

func (m arm) mask(l *lowerer, t ir.Type, a, b ir.Value) condition {
	if a.IsConst() {
		a, b = b, a
	}
	x := l.in(a, t)
	if n := ir.Power(b.Const); b.IsConst() && n >= 0 {
		return condition{yes: "TBNZ", no: "TBZ", args: ops(imm(int64(n)), r(x))}
	}
	name := "TST" + m.suffix(t)
	src := m.source(l, name, b, t)
	l.op(name, ops(src, r(x)), append(reading(src), x), nil)
	return armConds[true][ir.Ne]
}

func (m arm) param(l *lowerer, p ir.Param, dst reg) {
	l.op(m.extension(p.Type), ops(lit(fmt.Sprintf("%s+%d(FP)", p.Name, p.Off)), r(dst)), nil, regs(dst))
}

// stores are the moves to memory.
var armStores = map[int]string{8: "MOVB", 16: "MOVH", 32: "MOVW", 64: "MOVD"}

// orZero is a value in a register: the zero register for zero.
func (m arm) orZero(l *lowerer, v ir.Value, t ir.Type) operand {
	if v == ir.C(0) {
		return lit("ZR")
	}
	return r(l.in(v, t))
}

func (m arm) result(l *lowerer, p ir.Param, v ir.Value) {
	src := m.orZero(l, v, p.Type)
	l.op(armStores[p.Type.Bits], ops(src, lit(fmt.Sprintf("%s+%d(FP)", p.Name, p.Off))), reading(src), nil)
}

// step emits an instruction of a sequence.
func (m arm) step(s *sequence, in arch.Inst) *condition {
	name := in.Mnemonic(s.width)
	role := func(i int) arch.Role { return in.Args[i].Role }
	// stored is a value that goes to memory.
	stored := func(i int) operand {
		if n, ok := s.constant(role(i)); ok && n == 0 {
			return lit("ZR")
		}
		return r(s.reg(role(i)))
	}
	// src is an operand of an instruction between registers.
	src := func(i int) operand {
		if n, ok := s.constant(role(i)); ok && m.immediate(name, i, n) {
			return imm(n)
		}
		return r(s.reg(role(i)))
	}
	switch {
	case len(in.Args) == 1 && in.Args[0].Imm:
		s.note = strings.TrimPrefix(s.note+": "+in.Args[0].Name, ": ")
		s.emit(inst{name: name, args: ops(lit(fmt.Sprintf("$%#x", in.Args[0].N))), fence: true})
	case in.Name == "MOV" && in.Args[0].Mem:
		mem := s.mem()
		x := s.fill(role(1))
		s.op(m.extension(s.in.Type), ops(mem, r(x)), reading(mem), regs(x))
	case in.Name == "MOV":
		x, mem := stored(0), s.mem()
		s.op(armStores[s.width], ops(x, mem), append(reading(mem), reading(x)...), nil)
	case in.Name == "MOVD":
		s.copyOf(role(1), role(0))
	case in.Name == "MVN":
		b := s.env[role(0)]
		b.inverted = !b.inverted
		s.env[role(1)] = b
	case in.Name == "CMP":
		x := src(0)
		y := s.reg(role(1))
		s.op(name, ops(x, r(y)), append(reading(x), y), nil)
	case strings.HasPrefix(in.Name, "CCMP"):
		x, y := stored(0), s.reg(role(1))
		s.op(name, ops(x, r(y), imm(in.Args[2].N)), append(reading(x), y), nil)
	case strings.HasPrefix(in.Name, "CSET"):
		c := armConds[true][ir.Eq]
		return &c
	case in.Name == "B":
		to := s.name(int(in.Args[0].N))
		s.emit(inst{name: name, args: ops(lit(to)), to: to})
	case in.Name == "BNE":
		s.branch(name, nil, s.name(int(in.Args[0].N)))
	case in.Name == "CBNZ":
		s.branch(name, ops(r(s.reg(role(0)))), s.name(int(in.Args[1].N)))
	case in.Name == "CASPAL": // on pairs of an even register and the next
		lo, hi := s.pin(role(0), "R2"), s.pin(in.Args[0].Pair, "R3")
		repl := pair(s.pin(role(2), "R4"), s.pin(in.Args[2].Pair, "R5"))
		s.env[role(0)], s.env[in.Args[0].Pair] = binding{value: ir.V(ir.Reg(lo))}, binding{value: ir.V(ir.Reg(hi))}
		s.plainAddress()
		mem := s.mem()
		s.op(name, ops(pair(lo, hi), mem, repl), append(append(reading(mem), reading(repl)...), lo, hi), regs(lo, hi))
	case strings.HasPrefix(in.Name, "CAS"):
		x, repl := s.own(role(0)), stored(2)
		s.plainAddress()
		mem := s.mem()
		s.op(name, ops(r(x), mem, repl), append(append(reading(mem), reading(repl)...), x), regs(x))
	case len(in.Args) == 3 && in.Args[1].Mem && strings.HasPrefix(in.Name, "ST"): // exclusive
		x := stored(0)
		if in.Args[0].Pair != "" {
			x = pair(s.reg(role(0)), s.reg(in.Args[0].Pair))
		}
		mem := s.mem()
		status := s.fill(role(2))
		s.emit(inst{name: name, args: ops(x, mem, r(status)), use: append(reading(mem), reading(x)...), def: regs(status), early: true})
	case len(in.Args) == 3 && in.Args[1].Mem: // an LSE operation
		x := stored(0)
		s.plainAddress()
		mem := s.mem()
		old := s.fill(role(2))
		s.op(name, ops(x, mem, r(old)), append(reading(mem), reading(x)...), regs(old))
	case len(in.Args) == 3:
		x := src(0)
		y := s.reg(role(1))
		dst := s.fill(role(2))
		s.emit(inst{name: name, args: ops(x, r(y), r(dst)), use: append(reading(x), y), def: regs(dst), idle: true})
	case in.Args[0].Mem && in.Args[1].Pair != "":
		s.plainAddress()
		mem := s.mem()
		lo, hi := s.fill(role(1)), s.fill(in.Args[1].Pair)
		s.op(name, ops(mem, pair(lo, hi)), reading(mem), regs(lo, hi))
	case in.Args[0].Mem:
		s.plainAddress()
		mem := s.mem()
		x := s.fill(role(1))
		s.op(name, ops(mem, r(x)), reading(mem), regs(x))
	default:
		x := stored(0)
		s.plainAddress()
		mem := s.mem()
		s.op(name, ops(x, mem), append(reading(mem), reading(x)...), nil)
	}
	return nil
}
