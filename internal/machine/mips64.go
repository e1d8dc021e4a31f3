package machine

import (
	"fmt"
	"sync"
)

// x/arch has no MIPS decoder. This one knows what decides about memory and control flow: the major opcode,
// and below two of them a second field. The rest is arithmetic and is named by its word.
type mipsRow struct {
	name string
	shape
}

var mipsMajor = sync.OnceValue(func() map[uint32]mipsRow {
	return map[uint32]mipsRow{
		0x20: {"MOVB", shape{kind: Load, width: 1}}, 0x24: {"MOVBU", shape{kind: Load, width: 1}},
		0x21: {"MOVH", shape{kind: Load, width: 2}}, 0x25: {"MOVHU", shape{kind: Load, width: 2}},
		0x23: {"MOVW", shape{kind: Load, width: 4}}, 0x27: {"MOVWU", shape{kind: Load, width: 4}},
		0x37: {"MOVV", shape{kind: Load, width: 8}},
		0x31: {"MOVF", shape{kind: Load, width: 4}}, 0x35: {"MOVD", shape{kind: Load, width: 8}},
		0x28: {"MOVB", shape{kind: Store, width: 1}}, 0x29: {"MOVH", shape{kind: Store, width: 2}},
		0x2b: {"MOVW", shape{kind: Store, width: 4}}, 0x3f: {"MOVV", shape{kind: Store, width: 8}},
		0x39: {"MOVF", shape{kind: Store, width: 4}}, 0x3d: {"MOVD", shape{kind: Store, width: 8}},
		0x30: {"LL", shape{kind: Load | Atomic | Exclusive, width: 4}},
		0x34: {"LLV", shape{kind: Load | Atomic | Exclusive, width: 8}},
		0x38: {"SC", shape{kind: Store | Atomic | Exclusive, width: 4}},
		0x3c: {"SCV", shape{kind: Store | Atomic | Exclusive, width: 8}},
		// Unaligned halves, used only by assembly.
		0x22: {"MOVWL", shape{kind: Load, width: 4}}, 0x26: {"MOVWR", shape{kind: Load, width: 4}},
		0x1a: {"MOVVL", shape{kind: Load, width: 8}}, 0x1b: {"MOVVR", shape{kind: Load, width: 8}},
		0x2a: {"MOVWL", shape{kind: Store, width: 4}}, 0x2e: {"MOVWR", shape{kind: Store, width: 4}},
		0x2c: {"MOVVL", shape{kind: Store, width: 8}}, 0x2d: {"MOVVR", shape{kind: Store, width: 8}},

		mipsBEQ: {"BEQ", shape{kind: Jump | Cond}}, 0x05: {"BNE", shape{kind: Jump | Cond}},
		0x06: {"BLEZ", shape{kind: Jump | Cond}}, 0x07: {"BGTZ", shape{kind: Jump | Cond}},
		0x02: {"JMP", shape{kind: Jump}}, 0x03: {"JAL", shape{kind: Call}},
	}
})

var mipsSpecial = sync.OnceValue(func() map[uint32]mipsRow {
	return map[uint32]mipsRow{ // major opcode 0
		0x08: {"JMP", shape{kind: Jump}}, 0x09: {"JAL", shape{kind: Call}},
		0x0d: {"BREAK", shape{kind: Trap}}, 0x0f: {"SYNC", shape{kind: Fence}},
	}
})

var mipsRegimm = sync.OnceValue(func() map[uint32]mipsRow {
	return map[uint32]mipsRow{ // major opcode 1
		0x00: {"BLTZ", shape{kind: Jump | Cond}}, 0x01: {"BGEZ", shape{kind: Jump | Cond}},
		0x10: {"BLTZAL", shape{kind: Call}}, 0x11: {"BGEZAL", shape{kind: Call}},
	}
})

const (
	mipsDelayed = Jump | Call | Return
	mipsBEQ     = 0x04
	mipsCOP1    = 0x11
	mipsBC1     = 0x08 // branch on a floating-point condition
	mipsLink    = 31
)

func decodeMIPS64(a *arch, code []byte, pc uint64, _ symbolizer) Inst {
	if len(code) < 4 {
		return Inst{Kind: Unknown}
	}
	w := a.order.Uint32(code)
	rs, rt, imm := int(w>>21&31), int(w>>16&31), signed(w, 16)
	in := Inst{Code: code[:4]}

	row := mipsMajor()[w>>26]
	switch {
	case mipsNop(w):
		row = mipsRow{"NOP", shape{kind: Nop}}
	case w>>26 == 0:
		row = mipsSpecial()[w&63]
		if row.kind == Jump && rs == mipsLink {
			row = mipsRow{"RET", shape{kind: Return}}
		}
	case w>>26 == 1:
		row = mipsRegimm()[uint32(rt)]
	case w>>26 == mipsBEQ && rs == rt:
		row = mipsRow{"JMP", shape{kind: Jump}} // the relative form of an unconditional jump
	case w>>26 == mipsCOP1 && rs == mipsBC1:
		row = mipsRow{"BC1", shape{kind: Jump | Cond}}
	}
	if row.name == "" {
		return in
	}
	in.Kind = row.kind
	in.Text = row.name
	switch {
	case row.width > 0:
		m := a.mem(row.kind, row.width, rs, imm)
		in.Mem = append(in.Mem, m)
		if a.nilCheck(m, rt) {
			in.Kind |= NilCheck
		}
		operands := [2]string{fmt.Sprintf("R%d", rt), fmt.Sprintf("%d(R%d)", imm, rs)}
		if row.kind.Has(Load) {
			operands[0], operands[1] = operands[1], operands[0]
		}
		in.Text = fmt.Sprintf("%s %s, %s", row.name, operands[0], operands[1])
	case w>>26 == 2 || w>>26 == 3:
		in.Target = (pc+4)&^(1<<28-1) | uint64(w&(1<<26-1))<<2
	case row.kind&(Jump|Call) != 0 && w>>26 != 0:
		in.Target = pc + 4 + uint64(imm*4)
	}
	if in.Target != 0 {
		in.Text += fmt.Sprintf(" %#x", in.Target)
	}
	a.mips64Slot(code, &in)
	return in
}

// mips64Slot makes the delay slot part of its branch. Go leaves it empty; anything else there would run
// before the branch is taken, which the flow graph does not say.
func (a *arch) mips64Slot(code []byte, in *Inst) {
	if in.Kind&mipsDelayed == 0 {
		return
	}
	if len(code) >= 8 && mipsNop(a.order.Uint32(code[4:])) {
		in.Code = code[:8]
		return
	}
	in.Kind |= Unknown
}

// Go's no-op is NOR R0, R0, R0; the all-zero word is the manual's.
func mipsNop(w uint32) bool { return w == 0 || w == 0x27 }
