package litmus

import (
	"sync"

	"github.com/barriergen/barriergen/memmodel"
)

// aarch64Tags are the sets of events that models of AArch64 name: acquire, release and acquire-pc accesses, those of
// exclusives and atomic instructions, reads whose result is dropped, and the barriers by their option.
var aarch64Tags = append([]string{"A", "L", "Q", "X", "NoRet", "ISB"}, a64BarrierTags()...)

// aarch64FrontEnd reads AArch64.
var aarch64FrontEnd = frontEnd{
	code:        func(b *builder, s *scanner) error { return asmCode(b, s, &aarch64ISA) },
	register:    a64Register,
	compareRegs: compareNumbered,
	tags:        aarch64Tags,
}

var aarch64ISA = isa{instruction: a64Instruction}

// a64Options are the options of DMB and DSB.
var a64Options = []string{"SY", "LD", "ST", "ISH", "ISHLD", "ISHST", "OSH", "OSHLD", "OSHST", "NSH", "NSHLD", "NSHST"}

func a64BarrierTags() (tags []string) {
	for _, kind := range []string{"DMB", "DSB"} {
		for _, option := range a64Options {
			tags = append(tags, kind+"."+option)
		}
	}
	return tags
}

// a64Regs are the names under which registers are kept.
var a64Regs = numbered("X", 31)

// numbered makes the names prefix0, prefix1, …
func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + digits(i)
	}
	return names
}

// a64Register knows X0 to X30; W0 to W30 are their lower halves.
func a64Register(name string) (string, bool) {
	n, _, ok := a64RegNumber([]byte(name))
	if !ok || n == a64Zero {
		return "", false
	}
	return a64Regs[n], true
}

// a64Zero is the number that encodes XZR and WZR.
const a64Zero = 31

// a64RegNumber reads a register's name: its number, and whether it is the 64-bit form.
func a64RegNumber(name []byte) (n int, wide, ok bool) {
	if len(name) < 2 || len(name) > 3 {
		return 0, false, false
	}
	c := name[0] &^ 0x20
	if c != 'X' && c != 'W' {
		return 0, false, false
	}
	wide = c == 'X'
	rest := name[1:]
	if equalFold(rest, "zr") {
		return a64Zero, wide, true
	}
	for _, d := range rest {
		if d < '0' || d > '9' {
			return 0, false, false
		}
		n = n*10 + int(d-'0')
	}
	return n, wide, n < len(a64Regs) && (rest[0] != '0' || len(rest) == 1)
}

// compareNumbered orders X2 before X10.
func compareNumbered(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// a64Reg is a register operand.
type a64Reg struct {
	n    int
	wide bool
	at   int
}

// size is how many bytes of the register the instruction writes; 0 is all.
func (r a64Reg) size() uint8 {
	if r.wide {
		return 0
	}
	return 4
}

// a64Reg reads a register.
func (a *asm) a64Reg() (a64Reg, error) {
	a.skipBlanks()
	at := a.pos
	id := a.ident()
	n, wide, ok := a64RegNumber(id)
	if !ok {
		a.pos = at
		return a64Reg{}, a.errorf(at, "expected a register, found %s", a.operandFound())
	}
	return a64Reg{n, wide, at}, nil
}

// a64Use is the register as an operand; the zero register is the constant 0.
func (a *asm) a64Use(r a64Reg) memmodel.Operand {
	if r.n == a64Zero {
		return memmodel.K(0)
	}
	return memmodel.R(a.reg(a.thread, a64Regs[r.n]))
}

// a64Set is the register as a destination; the zero register is none.
func (a *asm) a64Set(r a64Reg) memmodel.Reg {
	if r.n == a64Zero {
		return memmodel.NoReg
	}
	return a.reg(a.thread, a64Regs[r.n])
}

// a64Immediate reads #n, or n.
func (a *asm) a64Immediate() (memmodel.Value, error) {
	a.skipBlanks()
	a.accept('#')
	at := a.pos
	n, ok := a.number()
	if !ok {
		return 0, a.errorf(at, "expected a number, found %s", a.operandFound())
	}
	return n, nil
}

// isImmediate says whether a number comes next.
func (a *asm) isImmediate() bool {
	a.skipBlanks()
	c := a.peek()
	return c == '#' || c == '-' || digit(c) < 10
}

// a64Value reads the last operand of an arithmetic instruction: a number, or a register that may be extended or shifted.
func (a *asm) a64Value(wide bool) (memmodel.Operand, error) {
	if a.isImmediate() {
		n, err := a.a64Immediate()
		if err != nil {
			return memmodel.Operand{}, err
		}
		return a.a64Shift(memmodel.K(n), wide)
	}
	r, err := a.a64Reg()
	if err != nil {
		return memmodel.Operand{}, err
	}
	return a.a64Shift(a.a64Use(r), wide)
}

// a64Shifts is what may follow a register: its function, the bytes that it takes of the register, and their sign.
var a64Shifts = sync.OnceValue(func() map[string]a64Extension {
	return map[string]a64Extension{
		"LSL": {fn: memmodel.FnShl}, "LSR": {fn: memmodel.FnShr},
		"UXTB": {memmodel.FnShl, 1, false}, "UXTH": {memmodel.FnShl, 2, false}, "UXTW": {memmodel.FnShl, 4, false}, "UXTX": {memmodel.FnShl, 8, false},
		"SXTB": {memmodel.FnShl, 1, true}, "SXTH": {memmodel.FnShl, 2, true}, "SXTW": {memmodel.FnShl, 4, true}, "SXTX": {memmodel.FnShl, 8, true},
	}
})

type a64Extension struct {
	fn     memmodel.Fn
	size   uint8
	signed bool
}

// a64Shift reads an extension or shift of the operand, if there is one, into a register of its own.
func (a *asm) a64Shift(x memmodel.Operand, wide bool) (memmodel.Operand, error) {
	a.skipBlanks()
	if a.peek() != ',' {
		return x, nil
	}
	a.pos++
	a.skipBlanks()
	at := a.pos
	name := upper(&a.option, a.ident())
	shift, ok := a64Shifts()[string(name)]
	if !ok {
		return x, a.errorf(at, "expected an extension or shift such as SXTW or LSL #1, found %q", name)
	}
	amount := memmodel.Value(0)
	if a.isImmediate() {
		var err error
		if amount, err = a.a64Immediate(); err != nil {
			return x, err
		}
	} else if shift.size == 0 {
		return x, a.errorf(a.pos, "expected the amount of the shift, found %s", a.operandFound())
	}
	if x.Reg == memmodel.NoReg && shift.size == 0 && amount >= 0 && amount < 64 && shift.fn == memmodel.FnShl {
		return memmodel.K(x.Val << uint(amount)), nil
	}
	if amount == 0 && (shift.size == 0 || shift.size == 8) {
		return x, nil
	}
	tmp := a.reg(a.thread, "shifted")
	if shift.size != 0 {
		a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Size: shift.size, Signed: shift.signed, Dst: tmp, A: x, B: memmodel.K(0)})
		x = memmodel.R(tmp)
	}
	if amount != 0 {
		size := uint8(4)
		if wide {
			size = 0
		}
		a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: shift.fn, Size: size, Dst: tmp, A: x, B: memmodel.K(amount)})
	}
	return memmodel.R(tmp), nil
}

// a64Address is a memory operand: the address is the sum of two operands, and the base may change before or after.
type a64Address struct {
	a, b memmodel.Operand
	base memmodel.Reg
	step memmodel.Value // added to the base afterwards
}

// a64Memory reads [Xn], [Xn,#i], [Xn,Xm], [Xn,Wm,SXTW], [Xn,#i]! or [Xn],#i.
func (a *asm) a64Memory() (m a64Address, err error) {
	a.skipBlanks()
	if !a.accept('[') {
		return m, a.errorf(a.pos, "expected an address in brackets, found %s", a.operandFound())
	}
	base, err := a.a64Reg()
	if err != nil {
		return m, err
	}
	if base.n == a64Zero || !base.wide {
		return m, a.errorf(base.at, "an address must be in a 64-bit register")
	}
	m.base = a.a64Set(base)
	m.a, m.b = memmodel.R(m.base), memmodel.K(0)
	a.skipBlanks()
	indexed := false
	if a.accept(',') {
		indexed = a.isImmediate()
		if m.b, err = a.a64Value(true); err != nil {
			return m, err
		}
		a.skipBlanks()
	}
	if !a.accept(']') {
		return m, a.errorf(a.pos, "expected ], found %s", a.operandFound())
	}
	if err := a.bound(m.base, base.at); err != nil {
		return m, err
	}
	a.skipBlanks()
	switch {
	case indexed && a.accept('!'):
		a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnAdd, Dst: m.base, A: m.a, B: m.b})
		m.b = memmodel.K(0)
	case !indexed && a.accept(','):
		m.step, err = a.a64Immediate()
	}
	return m, err
}

// a64Finish emits the change of the base that a post-indexed access ends with.
func (a *asm) a64Finish(m a64Address) {
	if m.step != 0 {
		a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnAdd, Dst: m.base, A: memmodel.R(m.base), B: memmodel.K(m.step)})
	}
}
