// Package x86form builds amd64 instructions by mnemonic, checked against avo's instruction forms.
package x86form

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// Inst builds an instruction. avo rejects operands that no form of it takes; what CMPXCHG reads and writes without naming
// it, avo does not know and Inst adds, so that avo's register allocator keeps its hands off.
func Inst(mnemonic string, ops ...operand.Op) (*ir.Instruction, error) {
	build, ok := forms[mnemonic]
	if !ok {
		return nil, fmt.Errorf("no form of %s is known", mnemonic)
	}
	in, err := build(ops)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mnemonic, err)
	}
	for _, r := range implicit[mnemonic] {
		in.Inputs, in.Outputs = append(in.Inputs, r), append(in.Outputs, r)
	}
	return in, nil
}

var implicit = map[string][]operand.Op{"CMPXCHGL": {reg.EAX}, "CMPXCHGQ": {reg.RAX}, "CMPXCHG16B": {reg.RAX, reg.RDX, reg.RBX, reg.RCX}}

type form func([]operand.Op) (*ir.Instruction, error)

func none(f func() (*ir.Instruction, error)) form {
	return func(ops []operand.Op) (*ir.Instruction, error) { return f() }
}

func one(f func(a operand.Op) (*ir.Instruction, error)) form {
	return func(ops []operand.Op) (*ir.Instruction, error) { return f(ops[0]) }
}

func two(f func(a, b operand.Op) (*ir.Instruction, error)) form {
	return func(ops []operand.Op) (*ir.Instruction, error) { return f(ops[0], ops[1]) }
}

var forms = map[string]form{
	"MFENCE": none(x86.MFENCE), "LFENCE": none(x86.LFENCE), "SFENCE": none(x86.SFENCE), "PAUSE": none(x86.PAUSE),
	"MOVB": two(x86.MOVB), "MOVL": two(x86.MOVL), "MOVQ": two(x86.MOVQ),
	"ADDL": two(x86.ADDL), "ADDQ": two(x86.ADDQ), "ANDL": two(x86.ANDL), "ANDQ": two(x86.ANDQ),
	"ORL": two(x86.ORL), "ORQ": two(x86.ORQ), "XORB": two(x86.XORB), "XORL": two(x86.XORL), "XORQ": two(x86.XORQ),
	"XADDL": two(x86.XADDL), "XADDQ": two(x86.XADDQ), "XCHGL": two(x86.XCHGL), "XCHGQ": two(x86.XCHGQ),
	"CMPXCHGL": two(x86.CMPXCHGL), "CMPXCHGQ": two(x86.CMPXCHGQ), "CMPXCHG16B": one(x86.CMPXCHG16B),
	"BTSL": two(x86.BTSL), "BTSQ": two(x86.BTSQ), "BTRL": two(x86.BTRL), "BTRQ": two(x86.BTRQ), "BTCL": two(x86.BTCL), "BTCQ": two(x86.BTCQ),
	"SHRB": two(x86.SHRB), "JNE": one(x86.JNE), "SETEQ": one(x86.SETEQ), "SETCS": one(x86.SETCS), "SETMI": one(x86.SETMI),
}
