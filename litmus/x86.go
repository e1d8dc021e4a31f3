package litmus

import (
	"slices"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/memmodel"
)

// x86Tags are the sets of events that models of x86 name: the fences, and X, both halves of locked instructions.
var x86Tags = []string{"MFENCE", "LFENCE", "SFENCE", "X"}

// x86FrontEnd reads X86_64 in AT&T order, source first.
var x86FrontEnd = frontEnd{
	code:        func(b *builder, s *scanner) error { return asmCode(b, s, &x86ISA) },
	register:    func(name string) (string, bool) { return x86Register(name, x86Names64) },
	compareRegs: func(a, b string) int { return slices.Index(x86Names64, a) - slices.Index(x86Names64, b) },
	tags:        x86Tags,
}

// ia32FrontEnd reads X86, whose files have the destination first and whose registers are reported in capitals.
var ia32FrontEnd = frontEnd{
	code:        func(b *builder, s *scanner) error { return asmCode(b, s, &ia32ISA) },
	register:    func(name string) (string, bool) { return x86Register(name, x86Names32) },
	compareRegs: func(a, b string) int { return slices.Index(x86Names32, a) - slices.Index(x86Names32, b) },
	tags:        x86Tags,
}

var (
	x86ISA  = isa{instruction: x86Instruction, prefix: "lock", regs: x86Names64, sourceFirst: true}
	ia32ISA = isa{instruction: x86Instruction, prefix: "lock", regs: x86Names32}
)

// The names under which registers are kept, in the order in which reports print them.
var (
	x86Names64 = []string{"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	x86Names32 = []string{"EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP"}
)

// x86Parts maps every name of a register to its number and width.
var x86Parts = sync.OnceValue(func() map[string]x86Reg {
	m := map[string]x86Reg{}
	for n, name := range x86Names64 {
		m[name] = x86Reg{n, 8}
		if n >= 8 {
			m[name+"d"], m[name+"w"], m[name+"b"] = x86Reg{n, 4}, x86Reg{n, 2}, x86Reg{n, 1}
			continue
		}
		m["e"+name[1:]], m[name[1:]] = x86Reg{n, 4}, x86Reg{n, 2}
		low := strings.TrimSuffix(name[1:], "x") + "l"
		m[low] = x86Reg{n, 1}
	}
	return m
})

// x86Reg is a register's number and how many bytes of it are meant.
type x86Reg struct {
	n    int
	size uint8
}

func x86Register(name string, canonical []string) (string, bool) {
	r, ok := x86Parts()[strings.ToLower(name)]
	if !ok || r.n >= len(canonical) {
		return "", false
	}
	return canonical[r.n], true
}

// x86Kind is what an operand is.
type x86Kind uint8

const (
	x86Imm x86Kind = iota
	x86InReg
	x86InMem
)

// x86Operand is a constant or register, or an address as the sum of two.
type x86Operand struct {
	kind x86Kind
	at   int
	size uint8 // of a register
	a, b memmodel.Operand
}

// x86Op is what a mnemonic, without its size, does.
type x86Op struct {
	run      func(a *asm, op *x86Op, in *x86Instr) error
	operands int
	fn       memmodel.Fn
	test     flagTest
	tags     memmodel.Tags
	lockable bool
}

// x86Instr is an instruction with its operands, the destination last.
type x86Instr struct {
	at     int
	locked bool
	size   uint8
	src    x86Operand // of two operands
	dst    x86Operand
}

// x86Conditions are the conditions of jumps and moves.
var x86Conditions = sync.OnceValue(func() map[string]flagTest {
	return map[string]flagTest{
		"E": {memmodel.FnEq, false}, "Z": {memmodel.FnEq, false}, "NE": {memmodel.FnNe, false}, "NZ": {memmodel.FnNe, false},
		"L": {memmodel.FnLt, false}, "LE": {memmodel.FnLe, false}, "G": {memmodel.FnGt, false}, "GE": {memmodel.FnGe, false},
		"S": {memmodel.FnLt, false}, "NS": {memmodel.FnGe, false},
		"B": {memmodel.FnLt, true}, "BE": {memmodel.FnLe, true}, "A": {memmodel.FnGt, true}, "AE": {memmodel.FnGe, true},
	}
})

var x86Locked = tagSet(x86Tags, "X")

// x86Ops is every mnemonic.
var x86Ops = sync.OnceValue(func() map[string]*x86Op {
	t := map[string]*x86Op{
		"NOP": {run: x86Nothing}, "PAUSE": {run: x86Nothing},
		"MOV":     {run: x86Move, operands: 2},
		"CMP":     {run: x86Compare, operands: 2, fn: memmodel.FnSub},
		"TEST":    {run: x86Compare, operands: 2, fn: memmodel.FnAnd},
		"XCHG":    {run: x86Exchange, operands: 2, lockable: true},
		"XADD":    {run: x86ExchangeAdd, operands: 2, lockable: true},
		"CMPXCHG": {run: x86CompareExchange, operands: 2, lockable: true},
		"JMP": {run: func(a *asm, _ *x86Op, _ *x86Instr) error {
			return a.branchTo(memmodel.FnB, memmodel.K(0), memmodel.K(1))
		}},
	}
	for _, name := range []string{"MFENCE", "LFENCE", "SFENCE"} {
		t[name] = &x86Op{run: x86Fence, tags: tagSet(x86Tags, name)}
	}
	for name, fn := range map[string]memmodel.Fn{
		"ADD": memmodel.FnAdd, "SUB": memmodel.FnSub, "AND": memmodel.FnAnd, "OR": memmodel.FnOr, "XOR": memmodel.FnXor,
	} {
		t[name] = &x86Op{run: x86Arithmetic, operands: 2, fn: fn, lockable: true}
	}
	for name, fn := range map[string]memmodel.Fn{"INC": memmodel.FnAdd, "DEC": memmodel.FnSub, "NOT": memmodel.FnXor} {
		t[name] = &x86Op{run: x86Unary, operands: 1, fn: fn, lockable: true}
	}
	for name, test := range x86Conditions() {
		t["J"+name] = &x86Op{run: x86Jump, test: test}
		t["CMOV"+name] = &x86Op{run: x86ConditionalMove, operands: 2, test: test}
	}
	// A size may follow every name that has operands.
	for name, op := range t {
		if op.operands > 0 {
			for _, suffix := range []string{"B", "W", "L", "Q"} {
				if _, taken := t[name+suffix]; !taken {
					t[name+suffix] = op
				}
			}
		}
	}
	return t
})

// x86Sizes are the suffixes of mnemonics.
var x86Sizes = map[byte]uint8{'B': 1, 'W': 2, 'L': 4, 'Q': 8}

func x86Instruction(a *asm, mnemonic []byte, at int) error {
	in := &a.x86
	*in = x86Instr{at: at}
	if string(mnemonic) == "LOCK" {
		in.locked = true
		a.skipBlanks()
		a.accept(';')
		a.skipSpace()
		at = a.pos
		mnemonic = upper(&a.word, a.mnemonic())
	}
	op := x86Ops()[string(mnemonic)]
	if op == nil {
		return a.errorf(at, "unknown instruction %s", clip(mnemonic))
	}
	if in.locked && !op.lockable {
		return a.errorf(at, "%s cannot be locked", mnemonic)
	}
	suffix := uint8(0)
	if bare := mnemonic[:len(mnemonic)-1]; x86Ops()[string(bare)] == op {
		suffix = x86Sizes[mnemonic[len(mnemonic)-1]]
	}
	if op.operands > 0 {
		if err := a.x86Operands(op, in, suffix); err != nil {
			return err
		}
	}
	if in.locked && in.dst.kind != x86InMem && in.src.kind != x86InMem {
		return a.errorf(at, "a locked instruction needs an operand in memory")
	}
	return op.run(a, op, in)
}

// x86Operands reads the operands in the order of the dialect.
func (a *asm) x86Operands(op *x86Op, in *x86Instr, suffix uint8) (err error) {
	if in.dst, err = a.x86Operand(); err != nil {
		return err
	}
	if op.operands == 2 {
		if err := a.comma(); err != nil {
			return err
		}
		if in.src, err = a.x86Operand(); err != nil {
			return err
		}
		if a.arch.sourceFirst {
			in.src, in.dst = in.dst, in.src
		}
	}
	in.size = max(suffix, in.src.size, in.dst.size)
	if in.size == 0 {
		in.size = 4
	}
	return nil
}

// x86Operand reads $1, %eax, (x), [x], (%rax), 8(%rax) or (%rax,%rbx).
func (a *asm) x86Operand() (o x86Operand, err error) {
	a.skipBlanks()
	o.at = a.pos
	o.b = memmodel.K(0)
	switch c := a.peek(); {
	case c == '$':
		a.pos++
		return a.x86Immediate(o)
	case c == '(' || c == '[':
		return a.x86Memory(o)
	case c == '-' || digit(c) < 10:
		if o, err = a.x86Immediate(o); err != nil || a.peek() != '(' {
			return o, err
		}
		displacement := o.a
		if o, err = a.x86Memory(o); err != nil {
			return o, err
		}
		if o.b != memmodel.K(0) {
			return o, a.errorf(o.at, "a displacement and an index together are not supported")
		}
		o.b = displacement
		return o, nil
	}
	percent := a.accept('%')
	id := a.ident()
	r, ok := x86Parts()[strings.ToLower(string(id))]
	if !ok {
		what := "expected an operand, found %s"
		if percent || len(id) > 0 {
			what = "unknown register %s"
		}
		a.pos = o.at
		return o, a.errorf(o.at, what, a.operandFound())
	}
	return a.x86InRegister(o, r)
}

func (a *asm) x86InRegister(o x86Operand, r x86Reg) (x86Operand, error) {
	names := a.arch.regs
	if r.n >= len(names) {
		return o, a.errorf(o.at, "this register exists only in X86_64")
	}
	o.kind, o.size, o.a = x86InReg, r.size, memmodel.R(a.reg(a.thread, names[r.n]))
	return o, nil
}

func (a *asm) x86Immediate(o x86Operand) (x86Operand, error) {
	n, ok := a.number()
	if !ok {
		return o, a.errorf(a.pos, "expected a number, found %s", a.operandFound())
	}
	o.kind, o.a = x86Imm, memmodel.K(n)
	return o, nil
}

func (a *asm) x86Memory(o x86Operand) (x86Operand, error) {
	closing := byte(')')
	if a.peek() == '[' {
		closing = ']'
	}
	a.pos++
	o.kind = x86InMem
	a.skipBlanks()
	at := a.pos
	percent := a.accept('%')
	id := a.ident()
	r, isReg := x86Parts()[strings.ToLower(string(id))]
	switch {
	case isReg && (percent || a.findLoc(string(id)) < 0):
		base, err := a.x86InRegister(x86Operand{at: at}, r)
		if err != nil {
			return o, err
		}
		o.a = base.a
		if err := a.bound(o.a.Reg, at); err != nil {
			return o, err
		}
		a.skipBlanks()
		if a.accept(',') {
			a.skipBlanks()
			index, err := a.x86Operand()
			if err != nil {
				return o, err
			}
			if index.kind != x86InReg {
				return o, a.errorf(index.at, "expected an index register")
			}
			o.b = index.a
		}
	case percent:
		return o, a.errorf(at, "unknown register %%%s", id)
	case len(id) == 0:
		return o, a.errorf(at, "expected a location or register, found %s", a.operandFound())
	default:
		o.a = memmodel.K(a.test.Program.Addr(a.loc(string(id))))
	}
	a.skipBlanks()
	if !a.accept(closing) {
		return o, a.errorf(a.pos, "expected %c, found %s", closing, a.operandFound())
	}
	return o, nil
}
