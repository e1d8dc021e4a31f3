package litmus

import (
	"slices"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/memmodel"
)

// riscvTags are the sets of events that models of RISC-V name: accesses with .aq, .rl or both, those of lr, sc and amo, and
// the fences by their operands.
var riscvTags = append([]string{"Acq", "Rel", "AcqRel", "X", "Fence.tso", "Fence.i"}, riscvFenceTags()...)

// riscvFrontEnd reads RISCV.
var riscvFrontEnd = frontEnd{
	code:        func(b *builder, s *scanner) error { return asmCode(b, s, &riscvISA) },
	register:    riscvRegister,
	compareRegs: compareNumbered,
	tags:        riscvTags,
}

var riscvISA = isa{instruction: riscvInstruction}

// riscvSides are what a fence may order before or after it, without devices.
var riscvSides = []string{"r", "w", "rw"}

func riscvFenceTags() (tags []string) {
	for _, before := range riscvSides {
		for _, after := range riscvSides {
			tags = append(tags, "Fence."+before+"."+after)
		}
	}
	return tags
}

// riscvRegs are the names under which registers are kept.
var riscvRegs = numbered("x", 32)

// riscvNumbers maps every name of a register, those of the calling convention too, to its number.
var riscvNumbers = sync.OnceValue(func() map[string]int {
	m := map[string]int{"fp": 8}
	for i, abi := range strings.Fields("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6") {
		m[abi], m[riscvRegs[i]] = i, i
	}
	return m
})

func riscvRegister(name string) (string, bool) {
	n, ok := riscvNumbers()[name]
	if !ok || n == 0 {
		return "", false
	}
	return riscvRegs[n], true
}

// riscvOp is a mnemonic without its order suffixes.
type riscvOp struct {
	read     func(a *asm, op *riscvOp, tags memmodel.Tags) error
	fn       memmodel.Fn
	size     uint8
	unsigned bool
	zero     bool // a branch that compares with zero
	ordered  bool // may end in .aq, .rl or .aqrl
}

// riscvSuffixes are the order suffixes, longest first.
var riscvSuffixes = []struct {
	name string
	tags memmodel.Tags
}{
	{".aq.rl", tagSet(riscvTags, "AcqRel")},
	{".aqrl", tagSet(riscvTags, "AcqRel")},
	{".aq", tagSet(riscvTags, "Acq")},
	{".rl", tagSet(riscvTags, "Rel")},
}

var riscvExclusive = tagSet(riscvTags, "X")

// riscvOps is every mnemonic.
var riscvOps = sync.OnceValue(func() map[string]*riscvOp {
	t := map[string]*riscvOp{
		"nop":       {read: func(*asm, *riscvOp, memmodel.Tags) error { return nil }},
		"fence":     {read: riscvFence},
		"fence.tso": {read: func(a *asm, _ *riscvOp, _ memmodel.Tags) error { return a.riscvFenceOf("Fence.tso") }},
		"fence.i":   {read: func(a *asm, _ *riscvOp, _ memmodel.Tags) error { return a.riscvFenceOf("Fence.i") }},
		"li":        {read: riscvMove}, "mv": {read: riscvMove},
		"j": {read: func(a *asm, _ *riscvOp, _ memmodel.Tags) error {
			return a.branchTo(memmodel.FnB, memmodel.K(0), memmodel.K(1))
		}},
	}
	for name, fn := range map[string]memmodel.Fn{
		"add": memmodel.FnAdd, "and": memmodel.FnAnd, "or": memmodel.FnOr, "xor": memmodel.FnXor,
		"sll": memmodel.FnShl, "srl": memmodel.FnShr, "slt": memmodel.FnLt,
	} {
		t[name], t[name+"i"] = &riscvOp{read: riscvArithmetic, fn: fn}, &riscvOp{read: riscvArithmetic, fn: fn}
	}
	t["sub"], t["mul"] = &riscvOp{read: riscvArithmetic, fn: memmodel.FnSub}, &riscvOp{read: riscvArithmetic, fn: memmodel.FnMul}
	t["addw"], t["subw"] = &riscvOp{read: riscvArithmetic, fn: memmodel.FnAdd, size: 4}, &riscvOp{read: riscvArithmetic, fn: memmodel.FnSub, size: 4}
	t["addiw"] = t["addw"]
	for name, fn := range map[string]memmodel.Fn{
		"beq": memmodel.FnEq, "bne": memmodel.FnNe, "blt": memmodel.FnLt, "bge": memmodel.FnGe, "bgt": memmodel.FnGt, "ble": memmodel.FnLe,
	} {
		t[name], t[name+"z"] = &riscvOp{read: riscvBranch, fn: fn}, &riscvOp{read: riscvBranch, fn: fn, zero: true}
		if name != "beq" && name != "bne" {
			t[name+"u"] = &riscvOp{read: riscvBranch, fn: fn, unsigned: true}
		}
	}
	for name, size := range map[string]uint8{"b": 1, "h": 2, "w": 4, "d": 8} {
		t["l"+name] = &riscvOp{read: riscvLoad, size: size, ordered: true}
		t["l"+name+"u"] = &riscvOp{read: riscvLoad, size: size, unsigned: true}
		t["s"+name] = &riscvOp{read: riscvStore, size: size, ordered: true}
	}
	for name, size := range map[string]uint8{".w": 4, ".d": 8} {
		t["lr"+name] = &riscvOp{read: riscvLoadReserved, size: size, ordered: true}
		t["sc"+name] = &riscvOp{read: riscvStoreConditional, size: size, ordered: true}
		for amo, fn := range map[string]memmodel.Fn{
			"swap": memmodel.FnB, "add": memmodel.FnAdd, "and": memmodel.FnAnd, "or": memmodel.FnOr, "xor": memmodel.FnXor,
			"max": memmodel.FnMax, "min": memmodel.FnMin, "maxu": memmodel.FnMax, "minu": memmodel.FnMin,
		} {
			t["amo"+amo+name] = &riscvOp{read: riscvAtomic, fn: fn, size: size, ordered: true}
		}
	}
	return t
})

func riscvInstruction(a *asm, mnemonic []byte, at int) error {
	name := strings.ToLower(string(mnemonic))
	if op := riscvOps()[name]; op != nil {
		return op.read(a, op, 0)
	}
	for _, suffix := range riscvSuffixes {
		if base, ok := strings.CutSuffix(name, suffix.name); ok {
			if op := riscvOps()[base]; op != nil && op.ordered {
				return op.read(a, op, suffix.tags)
			}
			break
		}
	}
	return a.errorf(at, "unknown instruction %s", clip([]byte(name)))
}

// riscvReg reads the number of a register.
func (a *asm) riscvReg() (int, error) {
	a.skipBlanks()
	at := a.pos
	n, ok := riscvNumbers()[strings.ToLower(string(a.ident()))]
	if !ok {
		a.pos = at
		return 0, a.errorf(at, "expected a register, found %s", a.operandFound())
	}
	return n, nil
}

// riscvUse is a register as an operand; x0 is the constant 0.
func (a *asm) riscvUse(n int) memmodel.Operand {
	if n == 0 {
		return memmodel.K(0)
	}
	return memmodel.R(a.reg(a.thread, riscvRegs[n]))
}

// riscvSet is a register as a destination; x0 is none.
func (a *asm) riscvSet(n int) memmodel.Reg {
	if n == 0 {
		return memmodel.NoReg
	}
	return a.reg(a.thread, riscvRegs[n])
}

// riscvValue reads a register or a number.
func (a *asm) riscvValue() (memmodel.Operand, error) {
	a.skipBlanks()
	if c := a.peek(); c == '-' || digit(c) < 10 {
		n, ok := a.number()
		if !ok {
			return memmodel.Operand{}, a.errorf(a.pos, "expected a number, found %s", a.operandFound())
		}
		return memmodel.K(n), nil
	}
	n, err := a.riscvReg()
	return a.riscvUse(n), err
}

// riscvFirst reads a register and the comma behind it.
func (a *asm) riscvFirst() (int, error) {
	n, err := a.riscvReg()
	if err != nil {
		return 0, err
	}
	return n, a.comma()
}

// riscvMemory reads 0(x5) or (x5).
func (a *asm) riscvMemory() (base, offset memmodel.Operand, err error) {
	a.skipBlanks()
	offset = memmodel.K(0)
	if a.peek() != '(' {
		n, ok := a.number()
		if !ok {
			return base, offset, a.errorf(a.pos, "expected an address such as 0(x5), found %s", a.operandFound())
		}
		offset = memmodel.K(n)
	}
	if !a.accept('(') {
		return base, offset, a.errorf(a.pos, "expected (, found %s", a.operandFound())
	}
	at := a.pos
	n, err := a.riscvReg()
	if err != nil {
		return base, offset, err
	}
	if n == 0 {
		return base, offset, a.errorf(at, "x0 is zero, which is no address")
	}
	base = a.riscvUse(n)
	if err := a.bound(base.Reg, at); err != nil {
		return base, offset, err
	}
	if !a.accept(')') {
		return base, offset, a.errorf(a.pos, "expected ), found %s", a.operandFound())
	}
	return base, offset, nil
}

func (a *asm) riscvFenceOf(tag string) error {
	a.emit(memmodel.Instr{Op: memmodel.OpFence, Dst: memmodel.NoReg, Tags: tagSet(riscvTags, tag)})
	return nil
}

// riscvFence reads the sides of a fence. Device accesses, i and o, concern no test: a fence of them alone orders nothing.
func riscvFence(a *asm, _ *riscvOp, _ memmodel.Tags) error {
	sides := [2]string{"rw", "rw"}
	a.skipBlanks()
	for i := 0; i < 2 && !a.eof(); i++ {
		if i == 1 {
			if err := a.comma(); err != nil {
				return err
			}
		}
		at := a.pos
		side := a.ident()
		sides[i] = ""
		for _, c := range side {
			switch c {
			case 'r', 'w':
				sides[i] += string(rune(c))
			case 'i', 'o':
			default:
				side = nil
			}
		}
		if len(side) == 0 {
			return a.errorf(at, "expected what the fence orders (r, w, rw), found %q", clip(a.src[at:a.pos]))
		}
	}
	if !slices.Contains(riscvSides, sides[0]) || !slices.Contains(riscvSides, sides[1]) {
		return nil
	}
	return a.riscvFenceOf("Fence." + sides[0] + "." + sides[1])
}

func riscvMove(a *asm, _ *riscvOp, _ memmodel.Tags) error {
	dst, err := a.riscvFirst()
	if err != nil {
		return err
	}
	x, err := a.riscvValue()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: a.riscvSet(dst), A: x, B: memmodel.K(0)})
	return nil
}

func riscvArithmetic(a *asm, op *riscvOp, _ memmodel.Tags) error {
	dst, err := a.riscvFirst()
	if err != nil {
		return err
	}
	left, err := a.riscvFirst()
	if err != nil {
		return err
	}
	y, err := a.riscvValue()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: op.fn, Size: op.size, Signed: true, Dst: a.riscvSet(dst), A: a.riscvUse(left), B: y})
	return nil
}

func riscvBranch(a *asm, op *riscvOp, _ memmodel.Tags) error {
	left, err := a.riscvFirst()
	if err != nil {
		return err
	}
	x, y := a.riscvUse(left), memmodel.K(0)
	if !op.zero {
		right, err := a.riscvFirst()
		if err != nil {
			return err
		}
		y = a.riscvUse(right)
	}
	if op.unsigned {
		a.setFlags(x, y)
		if x, y, err = a.readFlags(flagTest{op.fn, true}, a.pos); err != nil {
			return err
		}
	}
	return a.branchTo(op.fn, x, y)
}

func riscvLoad(a *asm, op *riscvOp, tags memmodel.Tags) error {
	return a.riscvRead(memmodel.OpLoad, op, tags)
}

func riscvLoadReserved(a *asm, op *riscvOp, tags memmodel.Tags) error {
	return a.riscvRead(memmodel.OpLoadEx, op, tags|riscvExclusive)
}

func (a *asm) riscvRead(kind memmodel.Op, op *riscvOp, tags memmodel.Tags) error {
	dst, err := a.riscvFirst()
	if err != nil {
		return err
	}
	base, offset, err := a.riscvMemory()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: kind, Size: op.size, Signed: !op.unsigned, Dst: a.riscvSet(dst), A: base, B: offset, Tags: tags})
	return nil
}

func riscvStore(a *asm, op *riscvOp, tags memmodel.Tags) error {
	src, err := a.riscvFirst()
	if err != nil {
		return err
	}
	base, offset, err := a.riscvMemory()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: memmodel.OpStore, Size: op.size, Signed: true, Dst: memmodel.NoReg, A: base, B: offset, C: a.riscvUse(src), WTags: tags})
	return nil
}

func riscvStoreConditional(a *asm, op *riscvOp, tags memmodel.Tags) error {
	status, err := a.riscvFirst()
	if err != nil {
		return err
	}
	src, err := a.riscvFirst()
	if err != nil {
		return err
	}
	base, offset, err := a.riscvMemory()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: memmodel.OpStoreEx, Size: op.size, Signed: true, Dst: a.riscvSet(status), A: base, B: offset,
		C: a.riscvUse(src), WTags: tags | riscvExclusive})
	return nil
}

func riscvAtomic(a *asm, op *riscvOp, tags memmodel.Tags) error {
	dst, err := a.riscvFirst()
	if err != nil {
		return err
	}
	src, err := a.riscvFirst()
	if err != nil {
		return err
	}
	base, offset, err := a.riscvMemory()
	if err != nil {
		return err
	}
	// Both halves carry the suffixes: an amo is one access to the order that they ask for.
	a.emit(memmodel.Instr{Op: memmodel.OpRMW, Fn: op.fn, Size: op.size, Signed: true, Dst: a.riscvSet(dst), A: base, B: offset,
		C: a.riscvUse(src), Tags: tags | riscvExclusive, WTags: tags | riscvExclusive})
	return nil
}
