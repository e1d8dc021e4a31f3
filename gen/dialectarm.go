package gen

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"

	"github.com/barriergen/barriergen/arch"
)

// armDialect spells arm64. avo knows amd64 only, so operands are text.
type armDialect struct{}

// armRegs: pairs are an even register and the one behind it, R18 and R26 to R30 have owners.
var armRegs = map[arch.Role]int{
	arch.Addr: 0, arch.Val: 1, arch.Old: 2, arch.New: 3, arch.Tmp: 4, arch.Result: 6, arch.Status: 8,
	arch.SeenLo: 2, arch.SeenHi: 3, arch.NewLo: 4, arch.NewHi: 5, arch.OldLo: 10, arch.OldHi: 7,
}

// text is an operand spelled out.
type text string

// Asm implements operand.Op.
func (t text) Asm() string { return string(t) }

func armReg(r arch.Role) string { return fmt.Sprintf("R%d", armRegs[r]) }

func armArg(a arch.Arg, label func(int) operand.Op) operand.Op {
	switch {
	case a.Jump:
		return label(int(a.N))
	case a.Imm:
		return text(fmt.Sprintf("$%#x", a.N))
	case a.Mem:
		return text("(" + armReg(a.Role) + ")")
	case a.Pair != "":
		return text("(" + armReg(a.Role) + ", " + armReg(a.Pair) + ")")
	}
	return text(armReg(a.Role))
}

func (armDialect) inst(in arch.Inst, width int, label func(int) operand.Op) (*ir.Instruction, error) {
	if in.Name == "CASPAL" {
		word, err := EncodeCASPAL(armRegs[in.Args[0].Role], armRegs[in.Args[0].Pair], armRegs[in.Args[1].Role],
			armRegs[in.Args[2].Role], armRegs[in.Args[2].Pair])
		return raw("WORD", text(fmt.Sprintf("$%#x", word))), err
	}
	mnemonic := in.Mnemonic(width)
	// A load of a word clears the upper half, a store does not care.
	if mnemonic == "MOVWU" && !in.Args[0].Mem {
		mnemonic = "MOVW"
	}
	var ops []operand.Op
	for _, a := range in.Args {
		ops = append(ops, armArg(a, label))
	}
	return raw(mnemonic, ops...), nil
}

func (armDialect) load(from operand.Mem, to arch.Role, width int) (*ir.Instruction, error) {
	return raw(map[int]string{8: "MOVBU", 32: "MOVWU", 64: "MOVD"}[width], from, text(armReg(to))), nil
}

func (armDialect) store(from arch.Role, to operand.Mem, width int) (*ir.Instruction, error) {
	return raw(map[int]string{8: "MOVB", 32: "MOVW", 64: "MOVD"}[width], text(armReg(from)), to), nil
}

// armDispatch jumps to a label on CPUs without LSE.
func armDispatch(label string) []*ir.Instruction {
	return []*ir.Instruction{
		raw("MOVBU", text("·hasLSE(SB)"), text("R9")),
		raw("CBZ", text("R9"), operand.LabelRef(label)),
	}
}

// EncodeCASPAL encodes CASPAL Xs, Xs+1, Xt, Xt+1, [Xn], which the assembler can't spell (Arm ARM DDI 0487 C6.2 CASP).
func EncodeCASPAL(s, s1, n, t, t1 int) (uint32, error) {
	if s%2 != 0 || t%2 != 0 || s1 != s+1 || t1 != t+1 {
		return 0, fmt.Errorf("CASPAL needs pairs of an even register and the next, not R%d R%d and R%d R%d", s, s1, t, t1)
	}
	return 0x4860fc00 | uint32(s)<<16 | uint32(n)<<5 | uint32(t), nil
}
