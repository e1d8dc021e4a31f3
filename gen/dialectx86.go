package gen

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/gen/x86form"
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
	return x86form.Inst(in.Mnemonic(width), ops...)
}

func (x86Dialect) load(from operand.Mem, to arch.Role, width int) (*ir.Instruction, error) {
	return x86form.Inst("MOV"+x86Suffix[width], from, x86Reg(x86Regs[to], width))
}

func (x86Dialect) store(from arch.Role, to operand.Mem, width int) (*ir.Instruction, error) {
	return x86form.Inst("MOV"+x86Suffix[width], x86Reg(x86Regs[from], width), to)
}

var x86Suffix = map[int]string{8: "B", 32: "L", 64: "Q"}
