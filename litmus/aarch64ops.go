package litmus

import (
	"strings"
	"sync"

	"github.com/barriergen/barriergen/memmodel"
)

// a64Op is a mnemonic: how its operands are read, and what fills in the instruction.
type a64Op struct {
	read        func(a *asm, op *a64Op, at int) error
	fn          memmodel.Fn
	size        uint8 // of the access; 0 is the register's
	signed      bool
	flags       bool // sets the flags
	test        flagTest
	tags, wtags memmodel.Tags
	exclusive   bool
	options     map[string]memmodel.Tags // of a barrier
}

// a64Ops is every mnemonic.
var a64Ops = sync.OnceValue(a64Table)

func a64Instruction(a *asm, mnemonic []byte, at int) error {
	op, ok := a64Ops()[string(mnemonic)]
	if !ok {
		return a.errorf(at, "unknown instruction %s", mnemonic)
	}
	return op.read(a, op, at)
}

// a64Conditions are the conditions on two values that were compared.
var a64Conditions = sync.OnceValue(func() map[string]flagTest {
	return map[string]flagTest{
		"EQ": {memmodel.FnEq, false}, "NE": {memmodel.FnNe, false},
		"LT": {memmodel.FnLt, false}, "LE": {memmodel.FnLe, false}, "GT": {memmodel.FnGt, false}, "GE": {memmodel.FnGe, false},
		"MI": {memmodel.FnLt, false}, "PL": {memmodel.FnGe, false},
		"LO": {memmodel.FnLt, true}, "CC": {memmodel.FnLt, true}, "LS": {memmodel.FnLe, true},
		"HI": {memmodel.FnGt, true}, "HS": {memmodel.FnGe, true}, "CS": {memmodel.FnGe, true},
	}
})

// a64Table lists the instructions; families that differ in suffixes are spelled out by loops.
func a64Table() map[string]*a64Op {
	tag := func(name string) memmodel.Tags { return tagSet(aarch64Tags, name) }
	acquire, release, acquirePC, exclusive := tag("A"), tag("L"), tag("Q"), tag("X")
	t := map[string]*a64Op{
		"NOP":  {read: func(*asm, *a64Op, int) error { return nil }},
		"ISB":  {read: a64Fence, tags: tag("ISB")},
		"MOV":  {read: a64Move, fn: memmodel.FnA},
		"MOVZ": {read: a64Move, fn: memmodel.FnA},
		"MVN":  {read: a64Move, fn: memmodel.FnXor},
		"NEG":  {read: a64Move, fn: memmodel.FnSub},
		"SXTW": {read: a64Extend, size: 4, signed: true},
		"UXTW": {read: a64Extend, size: 4},
		"SXTH": {read: a64Extend, size: 2, signed: true},
		"UXTH": {read: a64Extend, size: 2},
		"SXTB": {read: a64Extend, size: 1, signed: true},
		"UXTB": {read: a64Extend, size: 1},
		"CMP":  {read: a64Compare, fn: memmodel.FnSub},
		"CMN":  {read: a64Compare, fn: memmodel.FnAdd},
		"TST":  {read: a64Compare, fn: memmodel.FnAnd},
		"CBZ":  {read: a64CompareBranch, fn: memmodel.FnEq},
		"CBNZ": {read: a64CompareBranch, fn: memmodel.FnNe},
		"TBZ":  {read: a64TestBranch, fn: memmodel.FnEq},
		"TBNZ": {read: a64TestBranch, fn: memmodel.FnNe},
		"B":    {read: func(a *asm, _ *a64Op, _ int) error { return a.branchTo(memmodel.FnB, memmodel.K(0), memmodel.K(1)) }},

		"CSEL":  {read: a64Select, fn: memmodel.FnA},
		"CSINC": {read: a64Select, fn: memmodel.FnAdd},
		"CSINV": {read: a64Select, fn: memmodel.FnXor},
		"CSNEG": {read: a64Select, fn: memmodel.FnSub},
		"CSET":  {read: a64SelectConstant, fn: memmodel.FnAdd},
		"CSETM": {read: a64SelectConstant, fn: memmodel.FnXor},
	}
	for name, fn := range map[string]memmodel.Fn{
		"ADD": memmodel.FnAdd, "SUB": memmodel.FnSub, "AND": memmodel.FnAnd, "ORR": memmodel.FnOr, "EOR": memmodel.FnXor,
		"BIC": memmodel.FnAndNot, "MUL": memmodel.FnMul, "LSL": memmodel.FnShl, "LSR": memmodel.FnShr,
	} {
		t[name] = &a64Op{read: a64Arithmetic, fn: fn}
	}
	for _, name := range []string{"ADD", "SUB", "AND", "BIC"} {
		t[name+"S"] = &a64Op{read: a64Arithmetic, fn: t[name].fn, flags: true}
	}
	for name, test := range a64Conditions() {
		t["B."+name] = &a64Op{read: a64FlagBranch, test: test}
		t["B"+name] = t["B."+name]
	}
	for _, kind := range []string{"DMB", "DSB"} {
		t[kind] = &a64Op{read: a64Barrier, options: map[string]memmodel.Tags{}}
		for _, option := range a64Options {
			t[kind].options[option] = tag(kind + "." + option)
		}
	}
	for suffix, size := range map[string]uint8{"": 0, "B": 1, "H": 2} {
		for name, op := range map[string]a64Op{
			"LDR": {}, "LDUR": {}, "LDAR": {tags: acquire}, "LDAPR": {tags: acquirePC}, "LDAPUR": {tags: acquirePC},
			"LDXR": {tags: exclusive, exclusive: true}, "LDAXR": {tags: acquire | exclusive, exclusive: true},
		} {
			op.read, op.size = a64Load, size
			t[name+suffix] = &op
		}
		for name, op := range map[string]a64Op{"STR": {}, "STUR": {}, "STLR": {wtags: release}, "STLUR": {wtags: release}} {
			op.read, op.size = a64Store, size
			t[name+suffix] = &op
		}
		for name, wtags := range map[string]memmodel.Tags{"STXR": exclusive, "STLXR": exclusive | release} {
			t[name+suffix] = &a64Op{read: a64StoreExclusive, size: size, wtags: wtags}
		}
		for order, tags := range map[string][2]memmodel.Tags{"": {}, "A": {acquire, 0}, "L": {0, release}, "AL": {acquire, release}} {
			op := a64Op{size: size, tags: tags[0] | exclusive, wtags: tags[1] | exclusive}
			cas, swp := op, op
			cas.read, swp.read, swp.fn = a64CompareAndSwap, a64Atomic, memmodel.FnB
			t["CAS"+order+suffix], t["SWP"+order+suffix] = &cas, &swp
			for name, fn := range map[string]memmodel.Fn{
				"ADD": memmodel.FnAdd, "CLR": memmodel.FnAndNot, "EOR": memmodel.FnXor, "SET": memmodel.FnOr,
				"SMAX": memmodel.FnMax, "SMIN": memmodel.FnMin,
			} {
				load := op
				load.read, load.fn = a64Atomic, fn
				t["LD"+name+order+suffix] = &load
				if !strings.HasPrefix(order, "A") {
					store := load
					store.read = a64AtomicStore
					t["ST"+name+order+suffix] = &store
				}
			}
		}
	}
	t["LDRSW"] = &a64Op{read: a64Load, size: 4, signed: true}
	t["LDRSB"] = &a64Op{read: a64Load, size: 1, signed: true}
	t["LDRSH"] = &a64Op{read: a64Load, size: 2, signed: true}
	return t
}

func a64Fence(a *asm, op *a64Op, _ int) error {
	a.skipBlanks()
	if !a.eof() { // ISB SY
		a.ident()
	}
	a.emit(memmodel.Instr{Op: memmodel.OpFence, Dst: memmodel.NoReg, Tags: op.tags})
	return nil
}

func a64Barrier(a *asm, op *a64Op, _ int) error {
	a.skipBlanks()
	at := a.pos
	option := upper(&a.option, a.ident())
	tags, ok := op.options[string(option)]
	if !ok {
		return a.errorf(at, "unknown option %q of %s: known are %s", option, a.word[:3], strings.Join(a64Options, ", "))
	}
	a.emit(memmodel.Instr{Op: memmodel.OpFence, Dst: memmodel.NoReg, Tags: tags})
	return nil
}

// a64Destination reads a register and the comma behind it.
func (a *asm) a64Destination() (a64Reg, error) {
	dst, err := a.a64Reg()
	if err != nil {
		return dst, err
	}
	return dst, a.comma()
}

func a64Move(a *asm, op *a64Op, _ int) error {
	dst, err := a.a64Destination()
	if err != nil {
		return err
	}
	x, err := a.a64Value(dst.wide)
	if err != nil {
		return err
	}
	in := memmodel.Instr{Op: memmodel.OpALU, Fn: op.fn, Size: dst.size(), Dst: a.a64Set(dst), A: x, B: memmodel.K(-1)}
	if op.fn == memmodel.FnSub {
		in.A, in.B = memmodel.K(0), x
	}
	a.emit(in)
	return nil
}

// a64Extend reads SXTW Xd,Wn and its kin.
func a64Extend(a *asm, op *a64Op, _ int) error {
	dst, err := a.a64Destination()
	if err != nil {
		return err
	}
	src, err := a.a64Reg()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Size: op.size, Signed: op.signed, Dst: a.a64Set(dst), A: a.a64Use(src), B: memmodel.K(0)})
	return nil
}

func a64Arithmetic(a *asm, op *a64Op, _ int) error {
	dst, left, err := a.a64TwoRegisters()
	if err != nil {
		return err
	}
	y, err := a.a64Value(dst.wide)
	if err != nil {
		return err
	}
	x := a.a64Use(left)
	if op.flags && op.fn == memmodel.FnSub {
		a.setFlags(x, y)
	}
	a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: op.fn, Size: dst.size(), Dst: a.a64Set(dst), A: x, B: y})
	if op.flags && op.fn != memmodel.FnSub {
		a.setFlags(a.a64Use(dst), memmodel.K(0))
	}
	return nil
}

func a64Compare(a *asm, op *a64Op, _ int) error {
	left, err := a.a64Destination()
	if err != nil {
		return err
	}
	y, err := a.a64Value(left.wide)
	if err != nil {
		return err
	}
	x := a.a64Use(left)
	if op.fn != memmodel.FnSub {
		result := a.reg(a.thread, "flags.a")
		a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: op.fn, Size: left.size(), Dst: result, A: x, B: y})
		x, y = memmodel.R(result), memmodel.K(0)
	}
	a.setFlags(x, y)
	return nil
}

func a64CompareBranch(a *asm, op *a64Op, _ int) error {
	r, err := a.a64Destination()
	if err != nil {
		return err
	}
	return a.branchTo(op.fn, a.a64Use(r), memmodel.K(0))
}

func a64TestBranch(a *asm, op *a64Op, _ int) error {
	r, err := a.a64Destination()
	if err != nil {
		return err
	}
	at := a.pos
	bit, err := a.a64Immediate()
	if err != nil {
		return err
	}
	if bit < 0 || bit > 63 {
		return a.errorf(at, "there is no bit %d", bit)
	}
	if err := a.comma(); err != nil {
		return err
	}
	tested := a.reg(a.thread, "tested")
	a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnAnd, Dst: tested, A: a.a64Use(r), B: memmodel.K(1 << uint(bit))})
	return a.branchTo(op.fn, memmodel.R(tested), memmodel.K(0))
}

func a64FlagBranch(a *asm, op *a64Op, at int) error {
	x, y, err := a.readFlags(op.test, at)
	if err != nil {
		return err
	}
	return a.branchTo(op.test.fn, x, y)
}

// a64Condition reads a condition's name and gives the operands to compare.
func (a *asm) a64Condition() (test flagTest, x, y memmodel.Operand, err error) {
	a.skipBlanks()
	at := a.pos
	name := upper(&a.option, a.ident())
	test, ok := a64Conditions()[string(name)]
	if !ok {
		return test, x, y, a.errorf(at, "unknown condition %q", name)
	}
	x, y, err = a.readFlags(test, at)
	return test, x, y, err
}

func a64Select(a *asm, op *a64Op, _ int) error {
	dst, yes, err := a.a64TwoRegisters()
	if err != nil {
		return err
	}
	no, err := a.a64Destination()
	if err != nil {
		return err
	}
	test, x, y, err := a.a64Condition()
	if err != nil {
		return err
	}
	other := a.a64Use(no)
	if op.fn != memmodel.FnA {
		other = a.a64Changed(op.fn, other, dst)
	}
	a.emit(memmodel.Instr{Op: memmodel.OpPick, Fn: test.fn, Size: dst.size(), Dst: a.a64Set(dst), A: x, B: y, C: a.a64Use(yes), D: other})
	return nil
}

// a64Changed is x incremented, inverted or negated, in a register of its own.
func (a *asm) a64Changed(fn memmodel.Fn, x memmodel.Operand, dst a64Reg) memmodel.Operand {
	other := a.reg(a.thread, "otherwise")
	in := memmodel.Instr{Op: memmodel.OpALU, Fn: fn, Size: dst.size(), Dst: other, A: x, B: memmodel.K(1)}
	switch fn {
	case memmodel.FnXor:
		in.B = memmodel.K(-1)
	case memmodel.FnSub:
		in.A, in.B = memmodel.K(0), x
	}
	a.emit(in)
	return memmodel.R(other)
}

func a64SelectConstant(a *asm, op *a64Op, _ int) error {
	dst, err := a.a64Destination()
	if err != nil {
		return err
	}
	test, x, y, err := a.a64Condition()
	if err != nil {
		return err
	}
	yes := memmodel.K(1)
	if op.fn == memmodel.FnXor {
		yes = memmodel.K(-1)
	}
	a.emit(memmodel.Instr{Op: memmodel.OpPick, Fn: test.fn, Size: dst.size(), Dst: a.a64Set(dst), A: x, B: y, C: yes, D: memmodel.K(0)})
	return nil
}

// accessSize is how many bytes the instruction accesses.
func (op *a64Op) accessSize(r a64Reg) uint8 {
	switch {
	case op.size != 0:
		return op.size
	case r.wide:
		return 8
	}
	return 4
}

func a64Load(a *asm, op *a64Op, _ int) error {
	dst, err := a.a64Destination()
	if err != nil {
		return err
	}
	m, err := a.a64Memory()
	if err != nil {
		return err
	}
	in := memmodel.Instr{Op: memmodel.OpLoad, Size: op.accessSize(dst), Signed: op.signed, Dst: a.a64Set(dst), A: m.a, B: m.b, Tags: op.tags}
	if op.exclusive {
		in.Op = memmodel.OpLoadEx
	}
	a.emit(in)
	a.a64Finish(m)
	return nil
}

func a64Store(a *asm, op *a64Op, _ int) error {
	src, err := a.a64Destination()
	if err != nil {
		return err
	}
	m, err := a.a64Memory()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: memmodel.OpStore, Size: op.accessSize(src), Dst: memmodel.NoReg, A: m.a, B: m.b, C: a.a64Use(src), WTags: op.wtags})
	a.a64Finish(m)
	return nil
}

// a64TwoRegisters reads the two registers that an instruction begins with.
func (a *asm) a64TwoRegisters() (first, second a64Reg, err error) {
	if first, err = a.a64Destination(); err == nil {
		second, err = a.a64Destination()
	}
	return first, second, err
}

func a64StoreExclusive(a *asm, op *a64Op, _ int) error {
	status, src, err := a.a64TwoRegisters()
	if err != nil {
		return err
	}
	m, err := a.a64Memory()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: memmodel.OpStoreEx, Size: op.accessSize(src), Dst: a.a64Set(status), A: m.a, B: m.b, C: a.a64Use(src), WTags: op.wtags})
	return nil
}

// a64Atomic reads LDADD Ws,Wt,[Xn] and its kin: Wt becomes the old value. With the zero register as Wt there is no value
// to return: the read loses acquire and, as a no-return read, the order that DMB LD gives to reads.
func a64Atomic(a *asm, op *a64Op, _ int) error {
	src, dst, err := a.a64TwoRegisters()
	if err != nil {
		return err
	}
	return a.a64RMW(op, src, dst)
}

// a64AtomicStore reads STADD Ws,[Xn] and its kin.
func a64AtomicStore(a *asm, op *a64Op, _ int) error {
	src, err := a.a64Destination()
	if err != nil {
		return err
	}
	return a.a64RMW(op, src, a64Reg{n: a64Zero, wide: src.wide})
}

var a64NoReturn, a64Acquire = tagSet(aarch64Tags, "NoRet"), tagSet(aarch64Tags, "A")

func (a *asm) a64RMW(op *a64Op, src, dst a64Reg) error {
	m, err := a.a64Memory()
	if err != nil {
		return err
	}
	in := memmodel.Instr{Op: memmodel.OpRMW, Fn: op.fn, Size: op.accessSize(src), Dst: a.a64Set(dst), A: m.a, B: m.b, C: a.a64Use(src),
		Tags: op.tags, WTags: op.wtags}
	if dst.n == a64Zero {
		in.Tags = in.Tags&^a64Acquire | a64NoReturn
	}
	a.emit(in)
	return nil
}

// a64CompareAndSwap reads CAS Ws,Wt,[Xn]: Ws is what is expected and becomes the old value, Wt is the new one.
func a64CompareAndSwap(a *asm, op *a64Op, _ int) error {
	expected, src, err := a.a64TwoRegisters()
	if err != nil {
		return err
	}
	m, err := a.a64Memory()
	if err != nil {
		return err
	}
	a.emit(memmodel.Instr{Op: memmodel.OpCAS, Size: op.accessSize(expected), Dst: a.a64Set(expected), A: m.a, B: m.b,
		C: a.a64Use(src), D: a.a64Use(expected), Tags: op.tags, WTags: op.wtags})
	return nil
}
