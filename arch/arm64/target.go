package arm64

import (
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// Go statements, and what the stock compiler makes of them.
var (
	goLoad  = &arch.Op{Name: "load", Go: "r := $*p", Emits: "LDR (addr), old", Step: ldr.Step, Cost: ldr.Cost}
	goStore = &arch.Op{Name: "store", Go: "$*p = $v", Emits: "STR val, (addr)", Step: str.Step, Cost: str.Cost}

	syncLoad  = &arch.Op{Name: "sync/atomic", Go: "r := atomic.Load$T($p)", Emits: "LDAR (addr), old", Carries: true, Step: ldar.Step, Cost: ldar.Cost}
	syncStore = &arch.Op{Name: "sync/atomic", Go: "atomic.Store$T($p, $v)", Emits: "STLR val, (addr)", Carries: true, Step: stlr.Step, Cost: stlr.Cost}
	// The bit's word is loaded and stored back, in two accesses.
	syncClear = &arch.Op{Name: "sync/atomic", Go: "atomic.Store$T($p, $*p&$v)", Emits: "LDR (addr), tmp; AND; STLR tmp, (addr)", Carries: true,
		Cost: ldr.Cost + and.Cost + stlr.Cost,
		Step: contract.Step{Events: []contract.Classes{contract.PlainRead, contract.ReleaseWrite}, Orders: stlr.Orders}}

	// earlyExit leaves when the bit is set. Its load decides a failure only, so it has no part in what success orders.
	earlyExit = &arch.Op{Name: "early exit", Go: "if $*p&$v != 0 {\n\treturn true\n}", Emits: "LDR (addr), tmp; TST; BNE", Cost: 2}

	goFence = &arch.Op{Name: "call of the fence function", Go: "fullFence()", Emits: "CALL fullFence (DMB ISH)", Carries: true, Step: dmbISH.Step,
		Cost: dmbISH.Cost + callCost}
	// A swap with a variable that nobody shares.
	stackSwap = &arch.Op{Name: "swap with a stack variable", Go: "var local uint32\natomic.SwapUint32(&local, 0)", Emits: "SWPAL tmp, (stack), tmp", Carries: true,
		Step: dmbISH.Step, Cost: both.cost()}
)

const callCost = 6

// syncLSE and syncExclusive are what a read-modify-write of sync/atomic is: one of the two, chosen at run time unless LSE
// is guaranteed.
func syncLSE(text, emits string, extra int) *arch.Op {
	return &arch.Op{Name: "sync/atomic", Go: text, Emits: emits, Carries: true, Step: both.step(), Cost: both.cost() + extra}
}

func syncExclusive(text string, extra int) *arch.Op {
	return &arch.Op{Name: "sync/atomic", Go: text, Emits: "LDAXR/STLXR in a loop", Carries: true, Cost: 24 + 2 + extra,
		Step: contract.Step{Events: both.step().Events, Orders: both.step().Orders[:2]}}
}

const xorLoop = "r := atomic.Load$T($p)\nfor !atomic.CompareAndSwap$T($p, r, r^$v) {\n\tr = atomic.Load$T($p)\n}"

// sync are the candidates made of sync/atomic's own operation: as it is, and with a fence behind it.
func sync(lse bool, text, emits string) []arch.Candidate {
	extra := strings.Count(text, "\n") * 3 // a loop around it

	one := func(tail ...arch.Inst) arch.Candidate {
		c := arch.Candidate{Form: arch.Inline, Code: append(arch.Seq{{Op: syncLSE(text, emits, extra)}}, tail...)}
		if !lse {
			c.Else = append(arch.Seq{{Op: syncExclusive(text, extra)}}, tail...)
		}
		return c
	}
	return []arch.Candidate{one(), one(arch.Inst{Op: goFence})}
}

func between(op *arch.Op, notPtr string) arch.Candidate {
	return arch.Candidate{Form: arch.Inline, Code: arch.Seq{{Op: arch.Barrier}, {Op: op}, {Op: arch.Barrier}}, NotPtr: notPtr}
}

func inline(ops ...*arch.Op) arch.Candidate {
	c := arch.Candidate{Form: arch.Inline}
	for _, op := range ops {
		c.Code = append(c.Code, arch.Inst{Op: op})
	}
	return c
}

func asm(name string, seq ...arch.Inst) arch.Candidate {
	return arch.Candidate{Name: name, Form: arch.Assembly, Code: seq}
}

func fences(lse bool) []arch.Candidate {
	out := []arch.Candidate{
		inline(arch.Barrier),
		asm("fullFence", ish()),
		asm("dmbISHLD", in(dmbISHLD, option("ISHLD"))),
		asm("dmbISHST", in(dmbISHST, option("ISHST"))),
		asm("dmbISHLDST", in(dmbISHLD, option("ISHLD")), in(dmbISHST, option("ISHST"))),
		asm("dmbOSH", in(dmbOSH, option("OSH"))),
		asm("dmbOSHLD", in(dmbOSHLD, option("OSHLD"))),
		asm("dmbOSHST", in(dmbOSHST, option("OSHST"))),
		asm("dsbSY", in(dsbSY, option("SY"))),
		asm("dsbLD", in(dsbLD, option("LD"))),
		asm("dsbST", in(dsbST, option("ST"))),
	}
	if lse {
		out = append(out, inline(stackSwap))
	}
	return out
}

const garbage = "a plain pointer store needs the order that sync/atomic gives the write barrier"

func candidates(lse bool) map[contract.Op][]arch.Candidate {
	lock := sync(lse, "r := atomic.Or$T($p, $v)", "LDSETAL val, (addr), old")
	for i := range lock {
		lock[i].Code = append(arch.Seq{{Op: arch.Barrier}, {Op: earlyExit}}, lock[i].Code...)
		if lock[i].Else != nil {
			lock[i].Else = append(arch.Seq{{Op: arch.Barrier}, {Op: earlyExit}}, lock[i].Else...)
		}
		lock[i].Note = "A bit that is already set is found by a plain load: a failure orders nothing by contract."
	}
	out := map[contract.Op][]arch.Candidate{
		contract.Fence: fences(lse),
		contract.Load: {
			between(goLoad, ""), inline(syncLoad),
			asm("load", in(ldr, arch.M(arch.Addr), arch.R(arch.Old))),
			asm("loadAcquire", in(ldar, arch.M(arch.Addr), arch.R(arch.Old))),
		},
		contract.WaitLoad: {between(goLoad, ""), inline(syncLoad)},
		contract.Store: {
			between(goStore, garbage), inline(syncStore),
			asm("store", in(str, arch.R(arch.Val), arch.M(arch.Addr))),
			asm("storeRelease", in(stlr, arch.R(arch.Val), arch.M(arch.Addr))),
			asm("storeFull", in(str, arch.R(arch.Val), arch.M(arch.Addr)), ish()),
			inline(syncStore, goFence),
		},
		contract.Add:  append(sync(lse, "r := atomic.Add$T($p, $v)", "LDADDAL val, (addr), old; ADD"), fetch(contract.Add, !lse)...),
		contract.And:  append(sync(lse, "r := atomic.And$T($p, $v)", "MVN; LDCLRAL tmp, (addr), old"), fetch(contract.And, !lse)...),
		contract.Or:   append(sync(lse, "r := atomic.Or$T($p, $v)", "LDSETAL val, (addr), old"), fetch(contract.Or, !lse)...),
		contract.Xor:  append(fetch(contract.Xor, !lse), sync(lse, xorLoop, "LDAR; EOR; CASAL in a loop")...),
		contract.Swap: append(sync(lse, "r := atomic.Swap$T($p, $v)", "SWPAL val, (addr), old"), fetch(contract.Swap, !lse)...),
		contract.CompareAndSwap: append(sync(lse, "r := atomic.CompareAndSwap$T($p, $old, $new)", "CASAL old, (addr), new"),
			exchange(!lse)...),
		contract.LockBit: append(lock, fetch(contract.Or, !lse)...),
		contract.UnlockBit: {
			inline(syncClear),
			asm("clearRelease", in(ldr, arch.M(arch.Addr), arch.R(arch.Tmp)), in(and, arch.R(arch.Val), arch.R(arch.Tmp), arch.R(arch.Tmp)),
				in(stlr, arch.R(arch.Tmp), arch.M(arch.Addr))),
		},
		contract.UnlockXorByte:   fetch(contract.Xor, !lse),
		contract.CompareAndSwap2: {exchange16(!lse)},
	}
	return out
}

// Target is arm64.
var Target = &arch.Target{
	Name: "arm64",
	Doc: "Armv8, other-multi-copy atomic: ordinary accesses to different addresses are not ordered at all, a release store and a later acquire load are. " +
		"With GOARM64=v8.0,lse a build can't be told from v8.0 in Go files: assembly functions leave out the run-time check, and AfterSyncAtomic is a call of a function without a fence.",
	// Release consistency of LDAR and STLR is sequential among themselves (Arm ARM DDI 0487 B2.3.7).
	Free:            []contract.Order{order(contract.Across, contract.ReleaseWrite|contract.RMWReleaseWrite, contract.AcquireRead|contract.RMWAcquireRead)},
	FreeDoc:         "orders a release store before a later acquire load",
	MultiCopyAtomic: true,
	// The weakest that may stand next to a fence is a form without a result, such as STSET: its read half is not even
	// ordered by DMB LD.
	WeakestRMW: &arch.Op{Name: "STSET", Step: contract.Step{Events: []contract.Classes{contract.NoReturnRead, contract.RMWWrite}}},
	CallCost:   callCost,
	CostSource: "not measured here: no arm64 machine. An LSE operation at 15 and an exclusive pair at 20 to 22 cycles are what linux-arm-kernel reported " +
		"for Neoverse N1 (November 2025, 'Overhead of arm64 LSE per-CPU atomics?': 5.0 and 7.3 ns at 3 GHz); fences and annotations are ranked, not measured",
	Levels: []arch.Level{
		{Name: "v8.0", Doc: "GOARM64=v8.0: LSE is detected at run time",
			SyncRMW: []*arch.Op{syncLSE("", "*AL", 0), syncExclusive("", 0)}, Candidates: candidates(false)},
		{Name: "v8.1", Doc: "GOARM64=v8.1 and above: LSE is guaranteed",
			SyncRMW: []*arch.Op{syncLSE("", "*AL", 0)}, Candidates: candidates(true)},
	},
}
