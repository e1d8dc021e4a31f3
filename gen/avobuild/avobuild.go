// Package avobuild puts barriers into avo programs for amd64: the same sequences that barriergen generates, with your
// registers.
//
//	TEXT("publish", NOSPLIT, "func(p *uint64, v uint64)")
//	p, v := Load(Param("p"), GP64()), Load(Param("v"), GP64())
//	err := avobuild.Emit(avobuild.Global, "StoreRelease", 64, p, v)
//	RET()
//
// With a build.Context of your own, pass it in place of Global.
package avobuild

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/amd64"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen"
	"github.com/barriergen/barriergen/gen/x86form"
)

// Builder is what a sequence is appended to; *build.Context of avo is one.
type Builder interface {
	Instruction(*ir.Instruction)
	Label(string)
}

// Emit appends the sequence of a primitive at a width of 32 or 64 bits (any width for a fence, 64 for bits). The operands
// are those of the header macro, in its order, which barriergen explain prints: first addr, a memory operand or a register
// that holds an address; then registers of the width; a result that is a truth value is a register of 8 bits. Registers
// that an instruction ties (AX in a compare-and-swap) are not operands: load them before. An error says which operand is
// wrong, and then nothing was appended.
func Emit(b Builder, primitive string, width int, operands ...operand.Op) error {
	p, ok := contract.Lookup(primitive)
	if !ok {
		return &gen.UnknownError{What: "primitive", Name: primitive, Near: gen.Nearest(primitive)}
	}
	m, err := macro(p, width)
	if err != nil {
		return err
	}
	if len(operands) != len(m.Params) {
		return fmt.Errorf("%s at %d bits takes %d operands (%s), not %d", primitive, width, len(m.Params), strings.Join(m.Params, ", "), len(operands))
	}
	given := map[arch.Role]operand.Op{}
	for i, name := range m.Params {
		given[arch.Role(name)] = operands[i]
	}
	seq := m.Lowering.Code
	nodes := make([]*ir.Instruction, len(seq))
	loop := unique(primitive)
	target := -1
	for i, in := range seq {
		if in.Go != "" {
			return nil // empty
		}
		ops := make([]operand.Op, len(in.Args))
		for j, a := range in.Args {
			if a.Jump {
				target = int(a.N)
			}
			if ops[j], err = spell(a, width, given, loop); err != nil {
				return fmt.Errorf("%s: %w", primitive, err)
			}
		}
		if in.Prefix {
			nodes[i] = &ir.Instruction{Opcode: in.Name}
			continue
		}
		if nodes[i], err = x86form.Inst(in.Mnemonic(widthOf(m, width)), ops...); err != nil {
			return fmt.Errorf("%s: %w", primitive, err)
		}
	}
	for i, n := range nodes {
		if i == target {
			b.Label(loop)
		}
		b.Instruction(n)
	}
	return nil
}

func macro(p contract.Primitive, width int) (gen.Macro, error) {
	ms, err := gen.Macros(amd64.Target, &amd64.Target.Levels[0], p)
	if err != nil {
		return gen.Macro{}, err
	}
	i := 0
	if len(ms) > 1 { // words: 32 and 64 bits
		i = slices.Index([]int{32, 64}, width)
	}
	if i < 0 || len(ms) == 0 || p.Operand != contract.Word && p.Op != contract.Fence && width != 64 {
		return gen.Macro{}, fmt.Errorf("%s has no sequence of %d bits", p.Name, width)
	}
	return ms[i], nil
}

func widthOf(m gen.Macro, width int) int {
	if m.Lowering.Width != 0 {
		return m.Lowering.Width
	}
	return max(width, 32)
}

// spell is an operand of an instruction.
func spell(a arch.Arg, width int, given map[arch.Role]operand.Op, loop string) (operand.Op, error) {
	op := given[a.Role]
	switch {
	case a.Jump:
		return operand.LabelRef(loop), nil
	case a.Imm && a.N >= 0 && a.N < 128:
		return operand.U8(a.N), nil
	case a.Mem && a.Role == arch.StackP:
		return operand.Mem{Base: reg.StackPointer, Disp: int(a.N)}, nil
	case op == nil: // tied
		if width == 32 {
			return reg.EAX, nil
		}
		return reg.RAX, nil
	case a.Mem:
		switch addr := op.(type) {
		case operand.Mem:
			return addr, nil
		case reg.Register:
			return operand.Mem{Base: addr}, nil
		}
		return nil, fmt.Errorf("addr is %s, neither memory nor a register", op.Asm())
	}
	if _, ok := op.(reg.Register); !ok {
		return nil, fmt.Errorf("%s is %s, not a register", a.Role, op.Asm())
	}
	return op, nil
}

// unique is a label that no other sequence of the program has. Programs run from the start every time, so the same program
// makes the same labels.
func unique(primitive string) string {
	labels++
	return fmt.Sprintf("%s_%d", strings.ToLower(primitive), labels)
}

var labels int

// Global is avo's global context, which programs use that import avo/build with a dot.
var Global Builder = global{}

type global struct{}

func (global) Instruction(i *ir.Instruction) { build.Instruction(i) }
func (global) Label(name string)             { build.Label(name) }
