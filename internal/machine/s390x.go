package machine

import (
	"sync"

	asm "golang.org/x/arch/s390x/s390xasm"
)

// s390x has memory operands everywhere. An instruction with a base register that stands in no group here
// is Unknown.
var s390xShapes = sync.OnceValue(func() map[asm.Op]shape {
	return shapes(
		// An address, a shift count or a hint.
		ops(0, 0, asm.LA, asm.LAY, asm.SLL, asm.SLLK, asm.SLLG, asm.SRL, asm.SRLK, asm.SRLG, asm.SLA, asm.SLAK,
			asm.SLAG, asm.SRA, asm.SRAK, asm.SRAG, asm.RLL, asm.RLLG, asm.SLDL, asm.SRDL, asm.SLDA, asm.SRDA, asm.PFD,
			asm.VLVG, asm.VLGV, asm.VESL, asm.VESRA, asm.VESRL, asm.VERLL),
		ops(Load, 1, asm.LB, asm.LGB, asm.LLC, asm.LLGC, asm.IC, asm.ICY, asm.TM, asm.TMY, asm.CLI, asm.CLIY, asm.VLEB),
		ops(Load, 2, asm.LH, asm.LHY, asm.LGH, asm.LLH, asm.LLGH, asm.LRVH, asm.AH, asm.AHY, asm.SH, asm.SHY, asm.CH,
			asm.CHY, asm.CGH, asm.MH, asm.MHY, asm.CLHHSI, asm.CHHSI, asm.VLEH),
		ops(Load, 4, asm.L, asm.LY, asm.LGF, asm.LLGF, asm.LT, asm.LTGF, asm.LRV, asm.LE, asm.LEY, asm.A, asm.AY,
			asm.AGF, asm.AL, asm.ALY, asm.ALGF, asm.S, asm.SY, asm.SGF, asm.SL, asm.SLY, asm.SLGF, asm.N, asm.NY, asm.O,
			asm.OY, asm.X, asm.XY, asm.MS, asm.MSY, asm.MSGF, asm.ML, asm.C, asm.CY, asm.CGF, asm.CL, asm.CLY, asm.CLGF,
			asm.CHSI, asm.CLFHSI, asm.LOC, asm.AEB, asm.SEB, asm.MEEB, asm.DEB, asm.CEB, asm.LFPC, asm.VLEF, asm.VLLEZ),
		ops(Load, 8, asm.LG, asm.LTG, asm.LRVG, asm.LD, asm.LDY, asm.AG, asm.ALG, asm.ALCG, asm.SG, asm.SLG, asm.SLBG,
			asm.NG, asm.OG, asm.XG, asm.MSG, asm.MLG, asm.DSG, asm.DLG, asm.CG, asm.CLG, asm.CGHSI, asm.CLGHSI, asm.LOCG,
			asm.ADB, asm.SDB, asm.MDB, asm.DDB, asm.CDB, asm.VLEG),
		ops(Load, 16, asm.VL, asm.VLL, asm.VLBB, asm.VLM, asm.LPQ),
		ops(Store, 1, asm.STC, asm.STCY, asm.MVI, asm.MVIY, asm.VSTEB),
		ops(Store, 2, asm.STH, asm.STHY, asm.MVHHI, asm.STRVH, asm.VSTEH),
		ops(Store, 4, asm.ST, asm.STY, asm.MVHI, asm.STRV, asm.STE, asm.STEY, asm.STOC, asm.STFPC, asm.VSTEF),
		ops(Store, 8, asm.STG, asm.MVGHI, asm.STRVG, asm.STD, asm.STDY, asm.STOCG, asm.STCK, asm.STCKE, asm.STCKF,
			asm.VSTEG),
		ops(Store, 16, asm.VST, asm.VSTL, asm.VSTM, asm.STPQ),
		ops(Load|Store, 1, asm.NI, asm.NIY, asm.OI, asm.OIY, asm.XI, asm.XIY),
		ops(Load|Store, 4, asm.ASI, asm.ALSI),
		ops(Load|Store, 8, asm.AGSI, asm.ALGSI),
		ops(Load|Store|Atomic, 4, asm.CS, asm.CSY, asm.LAA, asm.LAAL, asm.LAN, asm.LAO, asm.LAX),
		ops(Load|Store|Atomic, 8, asm.CSG, asm.CDS, asm.CDSY, asm.LAAG, asm.LAALG, asm.LANG, asm.LAOG, asm.LAXG),
		ops(Load|Store|Atomic, 16, asm.CDSG),
	)
})

// Storage to storage, with the length in the instruction.
var s390xStorage = sync.OnceValue(func() map[asm.Op][2]Kind {
	return map[asm.Op][2]Kind{
		asm.MVC: {Store, Load}, asm.MVCIN: {Store, Load}, asm.CLC: {Load, Load},
		asm.XC: {Load | Store, Load}, asm.NC: {Load | Store, Load}, asm.OC: {Load | Store, Load},
	}
})

// Loads and stores relative to the program counter.
var s390xGlobals = sync.OnceValue(func() map[asm.Op]shape {
	return shapes(
		ops(Load, 2, asm.LHRL, asm.LGHRL, asm.LLHRL, asm.LLGHRL, asm.CHRL, asm.CGHRL, asm.CLHRL, asm.CLGHRL),
		ops(Load, 4, asm.LRL, asm.LGFRL, asm.LLGFRL, asm.CRL, asm.CGFRL, asm.CLRL, asm.CLGFRL),
		ops(Load, 8, asm.LGRL, asm.CGRL, asm.CLGRL),
		ops(Store, 2, asm.STHRL),
		ops(Store, 4, asm.STRL),
		ops(Store, 8, asm.STGRL),
	)
})

// Load and store multiple: one access per register.
var s390xMultiple = sync.OnceValue(func() map[asm.Op]shape {
	return shapes(
		ops(Load, 4, asm.LM, asm.LMY),
		ops(Load, 8, asm.LMG),
		ops(Store, 4, asm.STM, asm.STMY),
		ops(Store, 8, asm.STMG),
	)
})

var s390xKinds = sync.OnceValue(func() map[asm.Op]Kind {
	return map[asm.Op]Kind{
		asm.BRAS: Call, asm.BRASL: Call, asm.BASR: Call, asm.BAS: Call,
		asm.BRC: Jump, asm.BRCL: Jump, asm.BCR: Jump, asm.BC: Jump,
		asm.CRJ: Jump | Cond, asm.CGRJ: Jump | Cond, asm.CIJ: Jump | Cond, asm.CGIJ: Jump | Cond,
		asm.CLRJ: Jump | Cond, asm.CLGRJ: Jump | Cond, asm.CLIJ: Jump | Cond, asm.CLGIJ: Jump | Cond,
		asm.BRCT: Jump | Cond, asm.BRCTG: Jump | Cond, asm.BRXLE: Jump | Cond, asm.BRXH: Jump | Cond,
		asm.EX: Unknown, asm.EXRL: Unknown, // runs another instruction, changed
	}
})

func decodeS390X(a *arch, code []byte, pc uint64, names symbolizer) Inst {
	if short := 6 - len(code); short > 0 { // the decoder does not expect code to end within an instruction
		code = append(code[:len(code):len(code)], make([]byte, short)...)
	}
	x, err := asm.Decode(code)
	if err != nil || x.Op == 0 {
		return Inst{Kind: s390xUndecoded(code), Code: code[:max(x.Len, a.step)]}
	}
	in := Inst{Code: code[:x.Len], Text: asm.GoSyntax(x, pc, names), Kind: s390xKinds()[x.Op]}
	if s, ok := s390xGlobals()[x.Op]; ok {
		in.Mem = append(in.Mem, Access{Kind: s.kind, Base: Global, Width: s.width})
		return in
	}
	if in.Kind&(Call|Jump) != 0 {
		s390xBranch(x, pc, &in)
		return in
	}
	at := a.s390xOperands(x)
	multiple, isMultiple := s390xMultiple()[x.Op]
	storage, isStorage := s390xStorage()[x.Op]
	s, known := s390xShapes()[x.Op]
	switch {
	case isMultiple:
		first, last := x.Args[0].(asm.Reg), x.Args[1].(asm.Reg)
		for i := range int(last-first)&15 + 1 {
			m := at[0]
			m.Kind, m.Width, m.Disp = multiple.kind, multiple.width, m.Disp+int64(i*multiple.width)
			in.Mem = append(in.Mem, m)
		}
	case isStorage:
		for i, m := range at {
			m.Kind = storage[i]
			in.Mem = append(in.Mem, m)
		}
	case len(at) > 0 && !known:
		in.Kind |= Unknown
	case s.kind != 0:
		m := at[0]
		m.Kind, m.Width = s.kind&(Load|Store), s.width
		in.Kind |= s.kind &^ (Load | Store)
		in.Mem = append(in.Mem, m)
		if dest, ok := x.Args[0].(asm.Reg); ok && a.nilCheck(m, int(dest-asm.R0)) {
			in.Kind |= NilCheck
		}
	}
	return in
}

// s390xUndecoded knows the all-zero halfword that Go puts where control can't come.
func s390xUndecoded(code []byte) Kind {
	if len(code) >= 2 && code[0] == 0 && code[1] == 0 {
		return Trap
	}
	return Unknown
}

// s390xOperands collects the memory operands, each a displacement, perhaps an index or a length, and a base.
func (a *arch) s390xOperands(x asm.Inst) []Access {
	var out []Access
	var disp int64
	var indexed bool
	width := 0
	for _, arg := range x.Args {
		switch arg := arg.(type) {
		case asm.Disp12:
			disp = int64(arg)
		case asm.Disp20:
			disp = signed(uint32(arg), 20)
		case asm.Index:
			indexed = arg != 0
		case asm.Len:
			width = int(arg) + 1 // the instruction holds the length less one
		case asm.Base:
			m := a.mem(0, width, int(arg), disp)
			m.Indexed = indexed
			if arg == 0 {
				m.Base = Global
			}
			out = append(out, m)
			indexed = false
		}
	}
	return out
}

// s390xBranch reads the condition mask: 15 is always, 0 is never. A never-taken branch to no register is
// a no-op or, with all conditions set, Go's fence.
func s390xBranch(x asm.Inst, pc uint64, in *Inst) {
	if mask, ok := x.Args[0].(asm.Mask); ok && in.Kind == Jump {
		to, _ := x.Args[1].(asm.Reg)
		switch {
		case x.Op == asm.BCR && to == asm.R0 && mask >= 14:
			in.Kind = Fence
		case mask == 0 || x.Op == asm.BCR && to == asm.R0:
			in.Kind = Nop
		case x.Op == asm.BCR && to == asm.R14:
			in.Kind = Return
		}
		if mask != 15 && in.Kind&(Jump|Return) != 0 {
			in.Kind |= Cond
		}
	}
	for _, arg := range x.Args {
		offset, ok := int64(0), true
		switch arg := arg.(type) {
		case asm.RegIm12:
			offset = signed(uint32(arg), 12)
		case asm.RegIm16:
			offset = int64(int16(arg))
		case asm.RegIm24:
			offset = signed(uint32(arg), 24)
		case asm.RegIm32:
			offset = int64(int32(arg))
		default:
			ok = false
		}
		if ok {
			in.Target = pc + uint64(2*offset)
		}
	}
}
