package machine

import (
	"bytes"
	"sync"

	asm "golang.org/x/arch/riscv64/riscv64asm"
)

// The atomic instructions are few families with four orderings each, so their bits are read instead.
var riscv64Shapes = sync.OnceValue(func() map[asm.Op]shape {
	return shapes(
		ops(Load, 1, asm.LB, asm.LBU),
		ops(Load, 2, asm.LH, asm.LHU, asm.FLH),
		ops(Load, 4, asm.LW, asm.LWU, asm.FLW),
		ops(Load, 8, asm.LD, asm.FLD),
		ops(Load, 16, asm.FLQ),
		ops(Store, 1, asm.SB),
		ops(Store, 2, asm.SH, asm.FSH),
		ops(Store, 4, asm.SW, asm.FSW),
		ops(Store, 8, asm.SD, asm.FSD),
		ops(Store, 16, asm.FSQ),
	)
})

var riscv64Kinds = sync.OnceValue(func() map[asm.Op]Kind {
	return map[asm.Op]Kind{
		asm.FENCE: Fence, asm.EBREAK: Trap,
		asm.BEQ: Jump | Cond, asm.BNE: Jump | Cond, asm.BLT: Jump | Cond,
		asm.BGE: Jump | Cond, asm.BLTU: Jump | Cond, asm.BGEU: Jump | Cond,
	}
})

const (
	riscv64AMO     = 0x2f // major opcode of all atomic instructions
	riscv64VLoad   = 0x07 // shared by vector and floating-point loads
	riscv64VStore  = 0x27
	riscv64NopWord = 0x00000013
	riscv64NopHalf = 0x0001
)

func decodeRISCV64(a *arch, code []byte, pc uint64, names symbolizer) Inst {
	x, err := asm.Decode(code)
	if err != nil || x.Op == 0 {
		return Inst{Kind: Unknown}
	}
	in := Inst{Code: code[:x.Len], Text: asm.GoSyntax(x, pc, names, bytes.NewReader(nil)), Kind: riscv64Kinds()[x.Op]}
	s, plain := riscv64Shapes()[x.Op]
	major := x.Enc & 0x7f
	switch {
	case x.Enc == riscv64NopWord || x.Enc == riscv64NopHalf:
		in.Kind |= Nop
	case x.Len == 4 && major == riscv64AMO:
		a.riscv64Atomic(x.Enc, &in)
	case x.Op == asm.JAL:
		in.Kind |= riscv64Link(x.Args[0])
		in.Target = pc + uint64(int64(x.Args[1].(asm.Simm).Imm))
	case x.Op == asm.JALR:
		in.Kind |= riscv64Link(x.Args[0])
		if in.Kind == Jump && x.Args[1].(asm.RegOffset).OfsReg == asm.X1 {
			in.Kind = Return
		}
	case in.Kind.Has(Jump):
		in.Target = pc + uint64(int64(x.Args[2].(asm.Simm).Imm))
	case plain:
		at := x.Args[1].(asm.RegOffset)
		m := a.mem(s.kind, s.width, int(at.OfsReg-asm.X0), int64(at.Ofs.Imm))
		in.Mem = append(in.Mem, m)
		if dest, ok := x.Args[0].(asm.Reg); ok && a.nilCheck(m, int(dest-asm.X0)) {
			in.Kind |= NilCheck
		}
	case x.Len == 4 && (major == riscv64VLoad || major == riscv64VStore):
		in.Kind |= Unknown
	}
	return in
}

func (a *arch) riscv64Atomic(w uint32, in *Inst) {
	kind, function := Load|Store, w>>27
	switch function {
	case 2:
		kind = Load
		in.Kind |= Exclusive
	case 3:
		kind = Store
		in.Kind |= Exclusive
	}
	in.Mem = append(in.Mem, a.mem(kind, 1<<(w>>12&7), int(w>>15&31), 0))
	in.Kind |= Atomic
	in.order(w>>26&1 == 1, w>>25&1 == 1)
	if w>>7&31 == 0 && function != 3 {
		in.Kind |= NoResult
	}
}

// riscv64Link tells a call from a jump by whether the return address is kept.
func riscv64Link(rd asm.Arg) Kind {
	if rd == asm.X0 {
		return Jump
	}
	return Call
}
