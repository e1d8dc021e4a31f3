package litmus

import "github.com/barriergen/barriergen/memmodel"

func x86Nothing(*asm, *x86Op, *x86Instr) error { return nil }

func x86Fence(a *asm, op *x86Op, _ *x86Instr) error {
	a.emit(memmodel.Instr{Op: memmodel.OpFence, Dst: memmodel.NoReg, Tags: op.tags})
	return nil
}

// x86Load emits the read of an operand in memory into a register.
func (a *asm) x86Load(in *x86Instr, from x86Operand, dst memmodel.Reg) {
	a.emit(memmodel.Instr{Op: memmodel.OpLoad, Size: in.size, Signed: true, Dst: dst, A: from.a, B: from.b})
}

// x86Value is the operand's value, read from memory if it is there.
func (a *asm) x86Value(in *x86Instr, o x86Operand, scratch string) memmodel.Operand {
	if o.kind != x86InMem {
		return o.a
	}
	tmp := a.reg(a.thread, scratch)
	a.x86Load(in, o, tmp)
	return memmodel.R(tmp)
}

// x86Writable is an error if the destination is a constant.
func (a *asm) x86Writable(in *x86Instr) error {
	if in.dst.kind == x86Imm {
		return a.errorf(in.dst.at, "a constant cannot be the destination")
	}
	if in.dst.kind == x86InMem && in.src.kind == x86InMem {
		return a.errorf(in.src.at, "only one operand can be in memory")
	}
	return nil
}

func x86Move(a *asm, _ *x86Op, in *x86Instr) error {
	if err := a.x86Writable(in); err != nil {
		return err
	}
	switch {
	case in.dst.kind == x86InMem:
		a.emit(memmodel.Instr{Op: memmodel.OpStore, Size: in.size, Signed: true, Dst: memmodel.NoReg, A: in.dst.a, B: in.dst.b, C: in.src.a})
	case in.src.kind == x86InMem:
		a.x86Load(in, in.src, in.dst.a.Reg)
	default:
		a.x86Set(in, in.dst.a.Reg, memmodel.FnA, in.src.a, memmodel.K(0))
	}
	return nil
}

// x86Set emits dst = fn(x, y).
func (a *asm) x86Set(in *x86Instr, dst memmodel.Reg, fn memmodel.Fn, x, y memmodel.Operand) {
	a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: fn, Size: in.size, Signed: true, Dst: dst, A: x, B: y})
}

func x86Compare(a *asm, op *x86Op, in *x86Instr) error {
	if in.dst.kind == x86InMem && in.src.kind == x86InMem {
		return a.errorf(in.src.at, "only one operand can be in memory")
	}
	x, y := a.x86Value(in, in.dst, "operand"), a.x86Value(in, in.src, "operand")
	if op.fn == memmodel.FnAnd {
		result := a.reg(a.thread, "flags.a")
		a.x86Set(in, result, op.fn, x, y)
		x, y = memmodel.R(result), memmodel.K(0)
	}
	a.setFlags(x, y)
	return nil
}

func x86Arithmetic(a *asm, op *x86Op, in *x86Instr) error {
	return a.x86Modify(in, op.fn, in.src)
}

func x86Unary(a *asm, op *x86Op, in *x86Instr) error {
	operand := memmodel.K(1)
	if op.fn == memmodel.FnXor {
		operand = memmodel.K(-1)
	}
	return a.x86Modify(in, op.fn, x86Operand{kind: x86Imm, a: operand})
}

// x86Modify emits dst = fn(dst, src) and sets the flags by the result. In memory it is one atomic step if it is locked, and
// a read and a write of their own otherwise.
func (a *asm) x86Modify(in *x86Instr, fn memmodel.Fn, src x86Operand) error {
	if err := a.x86Writable(in); err != nil {
		return err
	}
	value := a.x86Value(in, src, "operand")
	if in.dst.kind == x86InReg {
		a.x86Set(in, in.dst.a.Reg, fn, in.dst.a, value)
		a.setFlags(in.dst.a, memmodel.K(0))
		return nil
	}
	old := a.reg(a.thread, "old")
	result := a.reg(a.thread, "result")
	if in.locked {
		a.x86Atomic(in, fn, value, old)
		a.x86Set(in, result, fn, memmodel.R(old), value)
	} else {
		a.x86Load(in, in.dst, old)
		a.x86Set(in, result, fn, memmodel.R(old), value)
		a.emit(memmodel.Instr{Op: memmodel.OpStore, Size: in.size, Signed: true, Dst: memmodel.NoReg, A: in.dst.a, B: in.dst.b, C: memmodel.R(result)})
	}
	a.setFlags(memmodel.R(result), memmodel.K(0))
	return nil
}

// x86Atomic emits a locked read-modify-write of the destination.
func (a *asm) x86Atomic(in *x86Instr, fn memmodel.Fn, value memmodel.Operand, old memmodel.Reg) {
	a.emit(memmodel.Instr{Op: memmodel.OpRMW, Fn: fn, Size: in.size, Signed: true, Dst: old, A: in.dst.a, B: in.dst.b, C: value,
		Tags: x86Locked, WTags: x86Locked})
}

// x86MemoryLast puts the operand in memory last: files write exchanges both ways.
func (a *asm) x86MemoryLast(in *x86Instr) error {
	if in.src.kind == x86InMem {
		in.src, in.dst = in.dst, in.src
	}
	if in.dst.kind != x86InMem || in.src.kind != x86InReg {
		return a.errorf(in.at, "expected a register and an operand in memory")
	}
	return nil
}

// x86Exchange is locked in memory, whether it says so or not.
func x86Exchange(a *asm, _ *x86Op, in *x86Instr) error {
	if in.src.kind == x86InReg && in.dst.kind == x86InReg {
		old := a.reg(a.thread, "old")
		a.x86Set(in, old, memmodel.FnA, in.dst.a, memmodel.K(0))
		a.x86Set(in, in.dst.a.Reg, memmodel.FnA, in.src.a, memmodel.K(0))
		a.x86Set(in, in.src.a.Reg, memmodel.FnA, memmodel.R(old), memmodel.K(0))
		return nil
	}
	if err := a.x86MemoryLast(in); err != nil {
		return err
	}
	a.x86Atomic(in, memmodel.FnB, in.src.a, in.src.a.Reg)
	return nil
}

func x86ExchangeAdd(a *asm, _ *x86Op, in *x86Instr) error {
	if err := a.x86MemoryLast(in); err != nil {
		return err
	}
	if !in.locked {
		return a.errorf(in.at, "xadd without lock is not supported")
	}
	a.x86Atomic(in, memmodel.FnAdd, in.src.a, in.src.a.Reg)
	return nil
}

// x86CompareExchange compares memory with the accumulator: if they are equal, the register is stored. The accumulator
// becomes the old value in either case.
func x86CompareExchange(a *asm, _ *x86Op, in *x86Instr) error {
	if err := a.x86MemoryLast(in); err != nil {
		return err
	}
	if !in.locked {
		return a.errorf(in.at, "cmpxchg without lock is not supported")
	}
	accumulator := a.reg(a.thread, a.arch.regs[0])
	expected := a.reg(a.thread, "expected")
	a.x86Set(in, expected, memmodel.FnA, memmodel.R(accumulator), memmodel.K(0))
	a.emit(memmodel.Instr{Op: memmodel.OpCAS, Size: in.size, Signed: true, Dst: accumulator, A: in.dst.a, B: in.dst.b,
		C: in.src.a, D: memmodel.R(expected), Tags: x86Locked, WTags: x86Locked})
	a.setFlags(memmodel.R(accumulator), memmodel.R(expected))
	return nil
}

func x86Jump(a *asm, op *x86Op, in *x86Instr) error {
	x, y, err := a.readFlags(op.test, in.at)
	if err != nil {
		return err
	}
	return a.branchTo(op.test.fn, x, y)
}

func x86ConditionalMove(a *asm, op *x86Op, in *x86Instr) error {
	x, y, err := a.readFlags(op.test, in.at)
	if err != nil {
		return err
	}
	if in.dst.kind != x86InReg {
		return a.errorf(in.dst.at, "the destination must be a register")
	}
	value := a.x86Value(in, in.src, "operand")
	a.emit(memmodel.Instr{Op: memmodel.OpPick, Fn: op.test.fn, Size: in.size, Signed: true, Dst: in.dst.a.Reg, A: x, B: y, C: value, D: in.dst.a})
	return nil
}
