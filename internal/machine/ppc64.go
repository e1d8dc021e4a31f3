package machine

import (
	"sync"

	asm "golang.org/x/arch/ppc64/ppc64asm"
)

var ppc64Shapes = sync.OnceValue(func() map[asm.Op]shape {
	return shapes(
		ops(Load, 1, asm.LBZ, asm.LBZU, asm.LBZX, asm.LBZUX, asm.PLBZ, asm.LXSIBZX, asm.LXVRBX),
		ops(Load, 2, asm.LHZ, asm.LHZU, asm.LHZX, asm.LHZUX, asm.PLHZ, asm.LHA, asm.LHAU, asm.LHAX, asm.LHAUX,
			asm.PLHA, asm.LHBRX, asm.LXSIHZX, asm.LXVRHX),
		ops(Load, 4, asm.LWZ, asm.LWZU, asm.LWZX, asm.LWZUX, asm.PLWZ, asm.LWA, asm.LWAX, asm.LWAUX, asm.PLWA,
			asm.LWBRX, asm.LFS, asm.LFSU, asm.LFSX, asm.LFSUX, asm.PLFS, asm.LFIWAX, asm.LFIWZX, asm.LXSIWAX, asm.LXSIWZX,
			asm.LXSSPX, asm.LXSSP, asm.LXVWSX, asm.LXVRWX),
		ops(Load, 8, asm.LD, asm.LDU, asm.LDX, asm.LDUX, asm.PLD, asm.LDBRX, asm.LFD, asm.LFDU, asm.LFDX, asm.LFDUX,
			asm.PLFD, asm.LXSDX, asm.LXSD, asm.LXVDSX, asm.LXVRDX),
		ops(Load, 16, asm.LQ, asm.PLQ, asm.LVX, asm.LVXL, asm.LXV, asm.LXVX, asm.LXVD2X, asm.LXVW4X, asm.LXVH8X,
			asm.LXVB16X, asm.LXVL, asm.LXVLL, asm.PLXV, asm.LVEBX, asm.LVEHX, asm.LVEWX),
		ops(Load, 32, asm.LXVP, asm.LXVPX, asm.PLXVP),
		ops(Store, 1, asm.STB, asm.STBU, asm.STBX, asm.STBUX, asm.PSTB, asm.STXSIBX),
		ops(Store, 2, asm.STH, asm.STHU, asm.STHX, asm.STHUX, asm.PSTH, asm.STHBRX, asm.STXSIHX),
		ops(Store, 4, asm.STW, asm.STWU, asm.STWX, asm.STWUX, asm.PSTW, asm.STWBRX, asm.STFS, asm.STFSU, asm.STFSX,
			asm.STFSUX, asm.PSTFS, asm.STFIWX, asm.STXSIWX, asm.STXSSPX, asm.STXSSP),
		ops(Store, 8, asm.STD, asm.STDU, asm.STDX, asm.STDUX, asm.PSTD, asm.STDBRX, asm.STFD, asm.STFDU, asm.STFDX,
			asm.STFDUX, asm.PSTFD, asm.STXSDX, asm.STXSD),
		ops(Store, 16, asm.STQ, asm.PSTQ, asm.STVX, asm.STVXL, asm.STXV, asm.STXVX, asm.STXVD2X, asm.STXVW4X,
			asm.STXVH8X, asm.STXVB16X, asm.STXVL, asm.STXVLL, asm.PSTXV, asm.STVEBX, asm.STVEHX, asm.STVEWX),
		ops(Store, 32, asm.STXVP, asm.STXVPX, asm.PSTXVP),
		ops(Load|Atomic|Exclusive, 1, asm.LBARX),
		ops(Load|Atomic|Exclusive, 2, asm.LHARX),
		ops(Load|Atomic|Exclusive, 4, asm.LWARX),
		ops(Load|Atomic|Exclusive, 8, asm.LDARX),
		ops(Load|Atomic|Exclusive, 16, asm.LQARX),
		ops(Store|Atomic|Exclusive, 1, asm.STBCXCC),
		ops(Store|Atomic|Exclusive, 2, asm.STHCXCC),
		ops(Store|Atomic|Exclusive, 4, asm.STWCXCC),
		ops(Store|Atomic|Exclusive, 8, asm.STDCXCC),
		ops(Store|Atomic|Exclusive, 16, asm.STQCXCC),
		ops(Load|Store|Atomic, 4, asm.LWAT),
		ops(Load|Store|Atomic, 8, asm.LDAT),
		ops(Store|Atomic, 4, asm.STWAT),
		ops(Store|Atomic, 8, asm.STDAT),
		ops(Unknown, 0, asm.LMW, asm.LSWI, asm.LSWX, asm.STMW, asm.STSWI, asm.STSWX),
	)
})

// ISYNC orders no memory by itself; behind a branch on a loaded value it makes an acquire.
var ppc64Kinds = sync.OnceValue(func() map[asm.Op]Kind {
	return map[asm.Op]Kind{
		asm.SYNC: Fence, asm.EIEIO: Fence, asm.ISYNC: Fence,
		asm.B: Jump, asm.BL: Call, asm.BC: Jump | Cond, asm.BCL: Call | Cond,
		asm.BCCTR: Jump, asm.BCCTRL: Call, asm.BCLR: Return, asm.BCLRL: Call,
		asm.TW: Trap, asm.TD: Trap, asm.NOP: Nop, asm.PNOP: Nop,
	}
})

const (
	ppc64NopWord = 0x60000000 // ORI R0, R0, 0
	ppc64Always  = 20         // branch-option field of an unconditional branch
)

func decodePPC64(a *arch, code []byte, pc uint64, names symbolizer) Inst {
	x, err := asm.Decode(code, a.order)
	switch {
	case len(code) >= 4 && x.Enc == 0:
		return Inst{Code: code[:4], Kind: Trap}
	case err != nil || x.Op == 0:
		return Inst{Kind: Unknown}
	}
	in := Inst{Code: code[:x.Len], Text: asm.GoSyntax(x, pc, names), Kind: ppc64Kinds()[x.Op]}
	if x.Enc == ppc64NopWord {
		in.Kind |= Nop
	}
	if in.Kind&(Jump|Return) != 0 && x.Op != asm.B && x.Enc>>21&20 != ppc64Always {
		in.Kind |= Cond
	}
	for _, arg := range x.Args {
		if rel, ok := arg.(asm.PCRel); ok {
			in.Target = pc + uint64(int64(rel))
		}
	}
	if s, ok := ppc64Shapes()[x.Op]; ok {
		in.Kind |= s.kind &^ (Load | Store)
		if s.width > 0 {
			m := a.ppc64Mem(x, s)
			in.Mem = append(in.Mem, m)
			if dest, ok := x.Args[0].(asm.Reg); ok && a.nilCheck(m, int(dest-asm.R0)) {
				in.Kind |= NilCheck
			}
		}
	}
	return in
}

// ppc64Mem reads the address: displacement and register, or two registers, of which the first is nothing
// when it is R0.
func (a *arch) ppc64Mem(x asm.Inst, s shape) Access {
	ra, rb := int(x.Enc>>16&31), int(x.Enc>>11&31)
	for i, arg := range x.Args[:5] {
		if off, ok := arg.(asm.Offset); ok {
			return a.mem(s.kind, s.width, int(x.Args[i+1].(asm.Reg)-asm.R0), int64(off))
		}
	}
	if ra == 0 {
		return a.mem(s.kind, s.width, rb, 0)
	}
	m := a.mem(s.kind, s.width, ra, 0)
	m.Indexed = rb != 0
	return m
}
