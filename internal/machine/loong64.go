package machine

import (
	"slices"
	"strings"
	"sync"

	asm "golang.org/x/arch/loong64/loong64asm"
)

var loong64Shapes = sync.OnceValue(func() map[asm.Op]shape {
	return shapes(
		ops(Load, 1, asm.LD_B, asm.LD_BU, asm.LDX_B, asm.LDX_BU),
		ops(Load, 2, asm.LD_H, asm.LD_HU, asm.LDX_H, asm.LDX_HU),
		ops(Load, 4, asm.LD_W, asm.LD_WU, asm.LDX_W, asm.LDX_WU, asm.LDPTR_W, asm.FLD_S, asm.FLDX_S),
		ops(Load, 8, asm.LD_D, asm.LDX_D, asm.LDPTR_D, asm.FLD_D, asm.FLDX_D),
		ops(Store, 1, asm.ST_B, asm.STX_B),
		ops(Store, 2, asm.ST_H, asm.STX_H),
		ops(Store, 4, asm.ST_W, asm.STX_W, asm.STPTR_W, asm.FST_S, asm.FSTX_S),
		ops(Store, 8, asm.ST_D, asm.STX_D, asm.STPTR_D, asm.FST_D, asm.FSTX_D),
		ops(Load|Atomic|Exclusive, 4, asm.LL_W),
		ops(Load|Atomic|Exclusive, 8, asm.LL_D),
		ops(Load|Atomic|Exclusive|Acquire, 4, asm.LLACQ_W),
		ops(Load|Atomic|Exclusive|Acquire, 8, asm.LLACQ_D),
		ops(Store|Atomic|Exclusive, 4, asm.SC_W),
		ops(Store|Atomic|Exclusive, 8, asm.SC_D),
		ops(Store|Atomic|Exclusive, 16, asm.SC_Q),
		ops(Store|Atomic|Exclusive|Release, 4, asm.SCREL_W),
		ops(Store|Atomic|Exclusive|Release, 8, asm.SCREL_D),
	)
})

var loong64Kinds = sync.OnceValue(func() map[asm.Op]Kind {
	return map[asm.Op]Kind{
		asm.DBAR: Fence, asm.BREAK: Trap, asm.B: Jump, asm.BL: Call,
		asm.BEQ: Jump | Cond, asm.BNE: Jump | Cond, asm.BLT: Jump | Cond, asm.BGE: Jump | Cond,
		asm.BLTU: Jump | Cond, asm.BGEU: Jump | Cond, asm.BEQZ: Jump | Cond, asm.BNEZ: Jump | Cond,
		asm.BCEQZ: Jump | Cond, asm.BCNEZ: Jump | Cond,
	}
})

const loong64Nop = 0x03400000 // ANDI R0, R0, 0

func decodeLOONG64(a *arch, code []byte, pc uint64, names symbolizer) Inst {
	x, err := asm.Decode(code)
	if err != nil || x.Op == 0 {
		return a.loong64Vector(code)
	}
	in := Inst{Code: code[:4], Text: asm.GoSyntax(x, pc, names), Kind: loong64Kinds()[x.Op]}
	for _, arg := range x.Args {
		if off, ok := arg.(asm.OffsetSimm); ok {
			in.Target = pc + uint64(int64(off.Imm))
		}
	}
	s, known := loong64Shapes()[x.Op]
	switch {
	case x.Enc == loong64Nop:
		in.Kind |= Nop
	case x.Op == asm.JIRL:
		in.Kind, in.Target = loong64Indirect(x), 0
	case known:
		m := a.loong64Mem(x, s)
		in.Kind |= s.kind &^ (Load | Store)
		in.Mem = append(in.Mem, m)
		if dest, ok := x.Args[0].(asm.Reg); ok && a.nilCheck(m, int(dest-asm.R0)) {
			in.Kind |= NilCheck
		}
	case x.Op >= asm.AMADD_B && x.Op <= asm.AMXOR_W:
		a.loong64AMO(x, &in)
	case slices.ContainsFunc(loong64Bounded, func(r [2]asm.Op) bool { return x.Op >= r[0] && x.Op <= r[1] }):
		in.Kind |= Unknown
	}
	return in
}

// x/arch has no vector instructions; Go copies and clears small objects with these.
var loong64Vectors = sync.OnceValue(func() map[uint32]shape {
	return map[uint32]shape{
		0x2c0: {kind: Load, width: 16}, 0x2c4: {kind: Store, width: 16}, // VLD, VST
		0x2c8: {kind: Load, width: 32}, 0x2cc: {kind: Store, width: 32}, // XVLD, XVST
	}
})

func (a *arch) loong64Vector(code []byte) Inst {
	if len(code) < 4 {
		return Inst{Kind: Unknown}
	}
	w := a.order.Uint32(code)
	s, ok := loong64Vectors()[w>>20&^3]
	switch {
	case w>>27 == 0xe: // vector arithmetic
		return Inst{}
	case !ok:
		return Inst{Kind: Unknown}
	}
	return Inst{Mem: []Access{a.mem(s.kind, s.width, int(w>>5&31), signed(w>>10, 12))}}
}

// Loads and stores with a bounds check of their own, and device accesses: nothing that Go emits.
var loong64Bounded = [][2]asm.Op{
	{asm.FLDGT_D, asm.FLDLE_S}, {asm.FSTGT_D, asm.FSTLE_S},
	{asm.IOCSRRD_B, asm.IOCSRWR_W}, {asm.LDGT_B, asm.LDLE_W}, {asm.STGT_B, asm.STLE_W},
}

func loong64Indirect(x asm.Inst) Kind {
	switch {
	case x.Args[0] != asm.R0:
		return Call
	case x.Args[1] == asm.R1:
		return Return
	}
	return Jump
}

func (a *arch) loong64Mem(x asm.Inst, s shape) Access {
	m := a.mem(s.kind, s.width, int(x.Args[1].(asm.Reg)-asm.R0), 0)
	switch third := x.Args[2].(type) {
	case asm.Simm16:
		m.Disp = int64(third.Imm)
	case asm.Simm32:
		m.Disp = int64(third.Imm)
	case asm.Reg:
		m.Indexed = s.kind&Exclusive == 0
	}
	return m
}

// loong64AMO reads the width from the name's last letters; the _DB forms are barriers on both sides.
func (a *arch) loong64AMO(x asm.Inst, in *Inst) {
	name := x.Op.String()
	width := 4
	switch suffix := name[len(name)-2:]; {
	case suffix == ".B":
		width = 1
	case suffix == ".H":
		width = 2
	case suffix == ".D" || suffix == "DU":
		width = 8
	}
	in.Mem = append(in.Mem, a.mem(Load|Store, width, int(x.Args[2].(asm.Reg)-asm.R0), 0))
	in.Kind |= Atomic
	full := strings.Contains(name, "_DB")
	in.order(full, full)
	if x.Args[0] == asm.R0 {
		in.Kind |= NoResult
	}
}
