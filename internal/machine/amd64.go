package machine

import (
	"sync"

	asm "golang.org/x/arch/x86/x86asm"
)

// On amd64 nearly every instruction may have a memory operand: as its first operand it is read and
// written, as any other it is read. The table holds the exceptions.
var amd64First = sync.OnceValue(func() map[asm.Op]shape {
	return shapes(
		ops(Store, 0, asm.MOV, asm.MOVSS, asm.MOVSD_XMM, asm.MOVUPS, asm.MOVUPD, asm.MOVAPS, asm.MOVAPD, asm.MOVDQU,
			asm.MOVDQA, asm.MOVD, asm.MOVQ, asm.MOVLPS, asm.MOVLPD, asm.MOVHPS, asm.MOVHPD, asm.MOVNTI, asm.MOVNTDQ,
			asm.MOVNTPS, asm.MOVNTPD, asm.MOVBE, asm.POP, asm.MOVSB, asm.MOVSW, asm.MOVSD, asm.MOVSQ, asm.STOSB,
			asm.STOSW, asm.STOSD, asm.STOSQ, asm.SETA, asm.SETAE, asm.SETB, asm.SETBE, asm.SETE, asm.SETG, asm.SETGE,
			asm.SETL, asm.SETLE, asm.SETNE, asm.SETNO, asm.SETNP, asm.SETNS, asm.SETO, asm.SETP, asm.SETS, asm.FSTP,
			asm.FST, asm.FNSTCW, asm.FNSTENV, asm.STMXCSR, asm.EXTRACTPS, asm.PEXTRB, asm.PEXTRW, asm.PEXTRD, asm.PEXTRQ),
		ops(Load, 0, asm.CMP, asm.TEST, asm.BT, asm.PUSH, asm.MUL, asm.DIV, asm.IDIV, asm.CALL, asm.JMP, asm.CMPSB,
			asm.CMPSW, asm.CMPSD, asm.CMPSQ, asm.SCASB, asm.SCASW, asm.SCASD, asm.SCASQ, asm.FLD, asm.FLDCW, asm.FLDENV,
			asm.LDMXCSR),
		ops(0, 0, asm.NOP, asm.LEA, asm.PREFETCHNTA, asm.PREFETCHT0, asm.PREFETCHT1, asm.PREFETCHT2, asm.PREFETCHW,
			asm.CLFLUSH),
	)
})

var amd64Kinds = sync.OnceValue(func() map[asm.Op]Kind {
	return map[asm.Op]Kind{
		asm.MFENCE: Fence, asm.LFENCE: Fence, asm.SFENCE: Fence,
		asm.CALL: Call, asm.JMP: Jump, asm.RET: Return, asm.NOP: Nop, asm.INT: Trap, asm.UD2: Trap,
		asm.JA: Jump | Cond, asm.JAE: Jump | Cond, asm.JB: Jump | Cond, asm.JBE: Jump | Cond,
		asm.JE: Jump | Cond, asm.JG: Jump | Cond, asm.JGE: Jump | Cond, asm.JL: Jump | Cond,
		asm.JLE: Jump | Cond, asm.JNE: Jump | Cond, asm.JNO: Jump | Cond, asm.JNP: Jump | Cond,
		asm.JNS: Jump | Cond, asm.JO: Jump | Cond, asm.JP: Jump | Cond, asm.JS: Jump | Cond,
		asm.JCXZ: Jump | Cond, asm.JECXZ: Jump | Cond, asm.JRCXZ: Jump | Cond, asm.LOOP: Jump | Cond,
	}
})

func decodeAMD64(a *arch, code []byte, pc uint64, names symbolizer) Inst {
	x, err := asm.Decode(code, 64)
	if err != nil || x.Len == 0 || x.Op == 0 {
		return Inst{Kind: Unknown}
	}
	in := Inst{Code: code[:x.Len], Text: asm.GoSyntax(x, pc, asm.SymLookup(names)), Kind: amd64Kinds()[x.Op]}
	if x.Op == asm.XCHG && x.Args[0] == x.Args[1] {
		in.Kind |= Nop
	}
	for _, p := range x.Prefix {
		if p&0xff == asm.PrefixLOCK && p&asm.PrefixIgnored == 0 {
			in.Kind |= Atomic
		}
	}
	for i, arg := range x.Args {
		switch arg := arg.(type) {
		case asm.Rel:
			in.Target = pc + uint64(x.Len) + uint64(int64(arg))
		case asm.Mem:
			kind := amd64MemKind(x.Op, i)
			if kind == 0 {
				break
			}
			m := a.amd64Mem(kind, x.MemBytes, arg)
			in.Mem = append(in.Mem, m)
			if x.Op == asm.XCHG {
				in.Kind |= Atomic // a swap with memory locks the bus without being told to
			}
			if x.Op == asm.TEST && x.Args[1] == asm.AL && m == (Access{Kind: Load, Width: 1}) {
				in.Kind |= NilCheck
			}
		}
	}
	// The implicit slot of a push or pop; an explicit memory operand keeps its place before it.
	switch x.Op {
	case asm.PUSH:
		in.Mem = append(in.Mem, Access{Kind: Store, Base: Stack, Width: 8})
	case asm.POP:
		in.Mem = append([]Access{{Kind: Load, Base: Stack, Width: 8}}, in.Mem...)
	}
	return in
}

func amd64MemKind(op asm.Op, arg int) Kind {
	s, exception := amd64First()[op]
	switch {
	case exception && s.kind == 0:
		return 0
	case op == asm.XCHG || op == asm.XADD:
		return Load | Store
	case arg > 0:
		return Load
	case exception:
		return s.kind
	}
	return Load | Store
}

func (a *arch) amd64Mem(kind Kind, width int, arg asm.Mem) Access {
	reg := -1
	if arg.Base >= asm.RAX && arg.Base <= asm.R15 {
		reg = int(arg.Base - asm.RAX)
	}
	m := a.mem(kind, width, reg, arg.Disp)
	m.Indexed = arg.Index != 0
	if reg < 0 && !m.Indexed {
		m.Base = Global
	}
	// Thread-local storage, where the goroutine pointer is kept, is reached through a segment.
	if arg.Segment == asm.FS || arg.Segment == asm.GS {
		m.Base = Goroutine
	}
	return m
}
