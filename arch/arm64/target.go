package arm64

import (
	"slices"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

const callCost = 6

// statement is a Go statement and what the stock compiler makes of it.
func statement(text string, seq ...arch.Inst) *arch.Op {
	return &arch.Op{Name: "sync/atomic", Go: text, Carries: true, Machine: seq}
}

// Go statements, and what the stock compiler makes of them.
var (
	goLoad  = &arch.Op{Name: "load", Go: "r := $*p", Machine: arch.Seq{in(ldr, arch.M(arch.Addr), arch.R(arch.Old))}}
	goStore = &arch.Op{Name: "store", Go: "$*p = $v", Machine: arch.Seq{in(str, arch.R(arch.Val), arch.M(arch.Addr))}}

	syncLoad  = statement("r := atomic.Load$T($p)", in(ldar, arch.M(arch.Addr), arch.R(arch.Old)))
	syncStore = statement("atomic.Store$T($p, $v)", in(stlr, arch.R(arch.Val), arch.M(arch.Addr)))
	// The bit's word is loaded and stored back, in two accesses.
	syncClear = statement("atomic.Store$T($p, $*p&$v)", clearBit...)
	clearBit  = arch.Seq{in(ldr, arch.M(arch.Addr), arch.R(arch.Tmp)), in(and, arch.R(arch.Val), arch.R(arch.Tmp), arch.R(arch.Tmp)),
		in(stlr, arch.R(arch.Tmp), arch.M(arch.Addr))}

	// earlyExit leaves when the bit is set. Its load decides a failure only, so it has no part in what success orders.
	earlyExit = &arch.Op{Name: "early exit", Go: "if $*p&$v != 0 {\n\treturn true\n}", Cost: 3}

	goFence = &arch.Op{Name: "call of the fence function", Go: "fullFence()", Carries: true, Machine: arch.Seq{ish()}, Cost: callCost}
	// A swap with a variable that nobody shares.
	stackSwap = statement("var local uint32\natomic.SwapUint32(&local, 0)",
		in(amo("SWP", both), arch.R(arch.Tmp), arch.M(arch.StackP), arch.R(arch.Tmp)))
)

// sync are the candidates made of sync/atomic's own operation, as it is and with a fence behind it: the LSE form with both
// annotations if LSE is guaranteed, else that or an acquire-release exclusive pair, chosen at run time.
func sync(lse bool, text string, amo, exclusive arch.Seq) []arch.Candidate {
	one := func(tail ...arch.Inst) arch.Candidate {
		c := arch.Candidate{Form: arch.Inline, Code: append(arch.Seq{{Op: statement(text, amo...)}}, tail...)}
		if !lse {
			branched := statement(text, exclusive...)
			branched.Cost = 2
			c.Else = append(arch.Seq{{Op: branched}}, tail...)
		}
		return c
	}
	return []arch.Candidate{one(), one(arch.Inst{Op: goFence})}
}

// syncOperation is sync for an operation that sync/atomic has.
func syncOperation(lse bool, op contract.Op, text string) []arch.Candidate {
	o := operations[op]
	return sync(lse, text, o.lse(both), o.exclusive(acquire, release, nil))
}

// syncXor is sync for the one that it lacks: a loop around a compare-and-swap.
func syncXor(lse bool) []arch.Candidate {
	around := func(cas arch.Seq) arch.Seq {
		seq := arch.Seq{in(ldar, arch.M(arch.Addr), arch.R(arch.Old)), in(eor, arch.R(arch.Val), arch.R(arch.Old), arch.R(arch.New))}
		for _, i := range cas {
			i.Args = slices.Clone(i.Args)
			for j := range i.Args {
				if i.Args[j].Jump {
					i.Args[j].N += 2
				}
			}
			seq = append(seq, i)
		}
		return append(seq, in(bne, arch.To(0)))
	}
	return sync(lse, arch.XorLoop, around(casLSE(both)), around(casExclusive(acquire, release, nil)))
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

func candidates(lse bool) arch.Candidates {
	lock := syncOperation(lse, contract.Or, "r := atomic.Or$T($p, $v)")
	for i := range lock {
		lock[i].Code = append(arch.Seq{{Op: arch.Barrier}, {Op: earlyExit}}, lock[i].Code...)
		if lock[i].Else != nil {
			lock[i].Else = append(arch.Seq{{Op: arch.Barrier}, {Op: earlyExit}}, lock[i].Else...)
		}
		lock[i].Note = "A bit that is already set is found by a plain load: a failure orders nothing by contract."
	}
	out := arch.Candidates{
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
		contract.Add:  append(syncOperation(lse, contract.Add, "r := atomic.Add$T($p, $v)"), fetch(contract.Add, !lse)...),
		contract.And:  append(syncOperation(lse, contract.And, "r := atomic.And$T($p, $v)"), fetch(contract.And, !lse)...),
		contract.Or:   append(syncOperation(lse, contract.Or, "r := atomic.Or$T($p, $v)"), fetch(contract.Or, !lse)...),
		contract.Xor:  append(fetch(contract.Xor, !lse), syncXor(lse)...),
		contract.Swap: append(syncOperation(lse, contract.Swap, "r := atomic.Swap$T($p, $v)"), fetch(contract.Swap, !lse)...),
		contract.CompareAndSwap: append(sync(lse, "r := atomic.CompareAndSwap$T($p, $old, $new)", casLSE(both), casExclusive(acquire, release, nil)),
			exchange(!lse)...),
		contract.LockBit: append(lock, fetch(contract.Or, !lse)...),
		contract.UnlockBit: {
			inline(syncClear),
			asm("clearRelease", clearBit...),
		},
		contract.UnlockXorByte:   fetch(contract.Xor, !lse),
		contract.CompareAndSwap2: {exchange16(!lse)},
	}
	return out
}

// exclusivePair is LDAXR and STLXR as one step: acquire and release, and not full.
var exclusivePair = &arch.Op{Name: "LDAXR/STLXR", Step: contract.Step{
	Events: append(slices.Clone(exclusiveLoad(acquire).Events), exclusiveStore(release).Events...),
	Orders: append(slices.Clone(exclusiveLoad(acquire).Orders), exclusiveStore(release).Orders...)}}

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
			SyncLoad: ldar, SyncStore: stlr, SyncRMW: []*arch.Op{amo("LDADD", both), exclusivePair}, Candidates: arch.Lazily(func() arch.Candidates { return candidates(false) })},
		{Name: "v8.1", Doc: "GOARM64=v8.1 and above: LSE is guaranteed",
			SyncLoad: ldar, SyncStore: stlr, SyncRMW: []*arch.Op{amo("LDADD", both)}, Candidates: arch.Lazily(func() arch.Candidates { return candidates(true) })},
	},
}
