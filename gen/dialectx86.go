package gen

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/barriergen/barriergen/arch"
)

// x86Dialect spells amd64 through avo's constructors, which reject operands that no form of the instruction takes.
type x86Dialect struct{}

// x86Regs: what CMPXCHG and CMPXCHG16B fix is fixed here for all.
var x86Regs = map[arch.Role]reg.GPPhysical{
	arch.Addr: reg.RDI, arch.Val: reg.RSI, arch.Old: reg.RAX, arch.New: reg.RCX, arch.Tmp: reg.RDX, arch.Result: reg.R8,
	arch.OldLo: reg.RAX, arch.OldHi: reg.RDX, arch.SeenLo: reg.RAX, arch.SeenHi: reg.RDX, arch.NewLo: reg.RBX, arch.NewHi: reg.RCX,
}

func x86Reg(r reg.GPPhysical, width int) operand.Op {
	switch width {
	case 8:
		return r.As8()
	case 32:
		return r.As32()
	}
	return r.As64()
}

func x86Arg(a arch.Arg, width int, label func(int) operand.Op) operand.Op {
	switch {
	case a.Jump:
		return label(int(a.N))
	case a.Imm && a.N >= 0 && a.N < 128:
		return operand.U8(a.N)
	case a.Imm:
		return operand.I32(a.N)
	case a.Mem && a.Role == arch.StackP:
		return operand.Mem{Base: reg.StackPointer, Disp: int(a.N)}
	case a.Mem:
		return operand.Mem{Base: x86Regs[a.Role], Disp: int(a.N)}
	}
	return x86Reg(x86Regs[a.Role], width)
}

func (x86Dialect) inst(in arch.Inst, width int, label func(int) operand.Op) (*ir.Instruction, error) {
	if in.Prefix {
		return raw(in.Mnemonic(width)), nil
	}
	if in.Suffix == nil {
		width = 8 // SETcc
	}
	var ops []operand.Op
	for _, a := range in.Args {
		ops = append(ops, x86Arg(a, width, label))
	}
	return x86Inst(in.Mnemonic(width), ops...)
}

func (x86Dialect) load(from operand.Mem, to arch.Role, width int) (*ir.Instruction, error) {
	return x86Inst("MOV"+x86Suffix[width], from, x86Reg(x86Regs[to], width))
}

func (x86Dialect) store(from arch.Role, to operand.Mem, width int) (*ir.Instruction, error) {
	return x86Inst("MOV"+x86Suffix[width], x86Reg(x86Regs[from], width), to)
}

var x86Suffix = map[int]string{8: "B", 32: "L", 64: "Q"}

// x86Inst builds an instruction through avo.
func x86Inst(mnemonic string, ops ...operand.Op) (*ir.Instruction, error) {
	form, ok := x86Forms[mnemonic]
	if !ok {
		return nil, fmt.Errorf("no form of %s is known", mnemonic)
	}
	in, err := form(ops)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mnemonic, err)
	}
	return in, nil
}

type x86Form func([]operand.Op) (*ir.Instruction, error)

func none(f func() (*ir.Instruction, error)) x86Form {
	return func(ops []operand.Op) (*ir.Instruction, error) { return f() }
}

func one(f func(a operand.Op) (*ir.Instruction, error)) x86Form {
	return func(ops []operand.Op) (*ir.Instruction, error) { return f(ops[0]) }
}

func two(f func(a, b operand.Op) (*ir.Instruction, error)) x86Form {
	return func(ops []operand.Op) (*ir.Instruction, error) { return f(ops[0], ops[1]) }
}

var x86Forms = map[string]x86Form{
	"MFENCE": none(x86.MFENCE), "LFENCE": none(x86.LFENCE), "SFENCE": none(x86.SFENCE), "PAUSE": none(x86.PAUSE),
	"MOVB": two(x86.MOVB), "MOVL": two(x86.MOVL), "MOVQ": two(x86.MOVQ),
	"ADDL": two(x86.ADDL), "ADDQ": two(x86.ADDQ), "ANDL": two(x86.ANDL), "ANDQ": two(x86.ANDQ),
	"ORL": two(x86.ORL), "ORQ": two(x86.ORQ), "XORB": two(x86.XORB), "XORL": two(x86.XORL), "XORQ": two(x86.XORQ),
	"XADDL": two(x86.XADDL), "XADDQ": two(x86.XADDQ), "XCHGL": two(x86.XCHGL), "XCHGQ": two(x86.XCHGQ),
	"CMPXCHGL": two(x86.CMPXCHGL), "CMPXCHGQ": two(x86.CMPXCHGQ), "CMPXCHG16B": one(x86.CMPXCHG16B),
	"BTSL": two(x86.BTSL), "BTSQ": two(x86.BTSQ), "BTRL": two(x86.BTRL), "BTRQ": two(x86.BTRQ), "BTCL": two(x86.BTCL), "BTCQ": two(x86.BTCQ),
	"SHRB": two(x86.SHRB), "JNE": one(x86.JNE), "SETEQ": one(x86.SETEQ), "SETCS": one(x86.SETCS), "SETMI": one(x86.SETMI),
}
