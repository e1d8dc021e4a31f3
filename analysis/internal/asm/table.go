package asm

import (
	"fmt"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/amd64"
	"github.com/barriergen/barriergen/arch/arm64"
	"github.com/barriergen/barriergen/contract"
)

// EffectKind says how much is known of what an instruction does to memory.
type EffectKind uint8

// The kinds of effect.
const (
	Nothing EffectKind = iota // registers only, or the function's own frame
	Known                     // one of Variants
	Opaque                    // anything
)

// Effect is what an instruction does to memory.
type Effect struct {
	Kind EffectKind
	// Variants are what it may turn out to be: a compare-and-swap that writes or does not. The first is success.
	Variants []contract.Step
	// Private reports that its own accesses concern nobody else: they are on the stack.
	Private bool
	// Fence reports that it is there for its orders only: it can be deleted, and registers and shared memory stay as they are.
	Fence bool
	Cost  int
	// Exclusive is the half of an exclusive pair that this is.
	Exclusive Exclusive
	Traits    Trait
}

// Exclusive is a half of an exclusive pair.
type Exclusive uint8

// The halves.
const (
	NotExclusive Exclusive = iota
	ExclusiveLoad
	ExclusiveStore
)

// targets are the architectures whose instructions are known.
var targets = map[string]*arch.Target{"amd64": amd64.Target, "arm64": arm64.Target}

// Architectures lists the GOARCHes whose instructions are known.
var Architectures = []string{"amd64", "arm64"}

// Target returns the machine of a GOARCH whose instructions are known.
func Target(goarch string) (*arch.Target, bool) {
	t, ok := targets[goarch]
	return t, ok
}

// form distinguishes instructions of one name: by where the memory operand stands, or by the option of a fence.
type form struct {
	name   string
	place  byte // 'l' memory first, 's' memory last, 'm' anywhere else, '-' none
	option int64
}

// tables holds, for each architecture, the instructions that its target's candidates are made of.
var tables = sync.OnceValue(func() map[string]map[form]*arch.Op {
	out := map[string]map[form]*arch.Op{}
	for name, t := range targets {
		ops := map[form]*arch.Op{}
		for _, l := range t.Levels {
			for _, cs := range l.Candidates() {
				for _, c := range cs {
					for _, seq := range c.Variants() {
						for _, in := range seq.Flat() {
							if len(in.Events)+len(in.Orders) > 0 {
								ops[formOf(in)] = in.Op
							}
						}
					}
				}
			}
		}
		out[name] = ops
	}
	return out
})

func formOf(in arch.Inst) form {
	f := form{name: in.Name, place: '-'}
	for i, a := range in.Args {
		switch {
		case a.Mem && i == len(in.Args)-1:
			f.place = 's'
		case a.Mem && i == 0:
			f.place = 'l'
		case a.Mem:
			f.place = 'm'
		case a.Imm && len(in.Args) == 1:
			f.option = a.N
		}
	}
	return f
}

// step finds an instruction in the tables; it panics if a table has lost it.
func step(goarch, name string, place byte, option int64) *arch.Op {
	op := tables()[goarch][form{name, place, option}]
	if op == nil {
		panic(fmt.Sprintf("asm: no instruction %s, form %c, in the table of %s", name, place, goarch))
	}
	return op
}

// entry is an instruction that the targets' tables lack, because nothing is generated with it.
type entry struct {
	names  string // separated by spaces; a * stands for any ending
	like   string // the instruction of the table that it orders like, where there is one
	option int64
	own    *contract.Step // else its own events and orders
	traits Trait
	effect EffectKind
}

// Sources: Intel SDM vol. 2 and vol. 3A 9.2 and 9.3, AMD APM vol. 3; Arm ARM DDI 0487 C6.2 and B2.3.
var entries = map[string][]entry{
	"amd64": {
		{names: "RDTSC RDTSCP RDPMC CPUID SERIALIZE", traits: Timestamp, effect: Opaque},
		{names: "RDMSR WRMSR IN* OUT* INVD INVLPG INVPCID WBINVD WBNOINVD SWAPGS LGDT LIDT LTR HLT MONITOR MWAIT UMONITOR UMWAIT TPAUSE", traits: System, effect: Opaque},
		{names: "MOVNT* VMOVNT* MASKMOV* VMASKMOVDQU MOVDIR* ENQCMD* CLFLUSH* CLWB CLZERO CLDEMOTE", traits: NonTemporal, effect: Opaque},
		{names: "BYTE WORD LONG QUAD", traits: Encoded, effect: Opaque},
		{names: "XACQUIRE XRELEASE XBEGIN XEND XABORT XTEST", traits: Elision, effect: Opaque},
		{names: "PREFETCH* LEA* NOP* CLD STD CLC STC CMC CLTS CDQ CQO CWD CBW VZEROUPPER VZEROALL PAUSE EMMS ENDBR* PCALIGN FUNCDATA PCDATA CDQE CWDE LAHF SAHF", effect: Nothing},
		// Loads that zero, extend or convert, and those of vectors, are plain.
		{names: "MOVBLZX MOVBLSX MOVBQZX MOVBQSX MOVBWZX MOVBWSX MOVWLZX MOVWLSX MOVWQZX MOVWQSX MOVLQZX MOVLQSX MOVOU MOVOA MOVUPS MOVUPD MOVAPS MOVAPD MOVSS MOVSD MOVW " +
			"VMOVDQU VMOVDQA VMOVUPS VMOVUPD VMOVAPS VMOVAPD", like: "MOV"},
	},
	"arm64": {
		{names: "MRS MSR TLBI DC IC AT SYS SYSL ERET WFI WFE SEV SEVL SVC HVC SMC HINT", traits: System, effect: Opaque},
		{names: "ISB", traits: System | Completes, effect: Opaque},
		{names: "WORD", traits: Encoded, effect: Opaque},
		{names: "PRFM PRFUM NOOP NOP YIELD BTI* PCALIGN FUNCDATA PCDATA CLREX ADRP ADR", effect: Nothing},
		// Plain accesses besides MOVD and MOVW, and the relaxed exclusives of two registers.
		{names: "MOVB MOVBU MOVH MOVHU MOVW MOVWU LDP LDPW LDPSW STP STPW FMOVD FMOVS FMOVQ FLDPD FLDPS FLDPQ FSTPD FSTPS FSTPQ", like: "MOV"},
		{names: "LDXP LDXPW", like: "LDXR"},
		{names: "STXP STXPW", like: "STXR"},
		{names: "CASP", like: "CAS"}, // the only form that the assembler has is relaxed
		// A DMB orders what the DSB of the same option does.
		{names: "DMB", option: 0xf, like: "DSB"},
		{names: "DMB", option: 0xd, like: "DSB"},
		{names: "DMB", option: 0xe, like: "DSB"},
		{names: "DSB", option: 0xb, like: "DMB"},
		{names: "DSB", option: 0x9, like: "DMB"},
		{names: "DSB", option: 0xa, like: "DMB"},
	},
}

// implicit are amd64 instructions that access memory which no operand shows.
var implicit = []string{"MOVSB", "MOVSW", "MOVSL", "MOVSQ", "STOS*", "LODS*", "CMPSB", "CMPSW", "CMPSL", "CMPSQ", "SCAS*", "XLAT", "REP", "REPN", "SYSCALL", "SYSENTER",
	"SYSRET", "INT", "ENTER", "LEAVE"}

// lookup finds an entry of the own table.
func lookup(goarch, name string, option int64) *entry {
	list := entries[goarch]
	for i := range list {
		if list[i].option != 0 && list[i].option != option {
			continue
		}
		for n := range strings.FieldsSeq(list[i].names) {
			if matches(n, name) {
				return &list[i]
			}
		}
	}
	return nil
}

func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if matches(p, name) {
			return true
		}
	}
	return false
}

// Exchange is amd64's exchange with memory.
func Exchange() *arch.Op { return step("amd64", "XCHG", 's', 0) }
