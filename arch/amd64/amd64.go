// Package amd64 is the amd64 target: what the machine orders for free, its instructions, and the candidates for each
// operation. Nothing changes between GOAMD64=v1 and v4: no level adds or removes an ordering instruction.
package amd64

import (
	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// everything is what a locked operation orders, in normal memory: it drains the store buffer, but does not wait for
// write-combining or non-temporal stores (Intel SDM vol. 3A 9.2.2, AMD APM vol. 2 7.4.2).
var everything = []contract.Order{
	{Side: contract.Before, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: contract.Normal},
	{Side: contract.After, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: contract.Normal},
}

var (
	access     = []contract.Classes{contract.PlainRead, contract.PlainWrite}
	modify     = []contract.Classes{contract.RMWRead, contract.RMWWrite}
	plainRead  = access[:1]
	plainWrite = access[1:]
)

// sized are the suffixes of an instruction that comes in several widths.
var sized = map[int]string{8: "B", 32: "L", 64: "Q"}

// The instructions.
var (
	lock    = &arch.Op{Name: "LOCK", Prefix: true, Step: contract.Step{Orders: everything}, Cost: 24}
	add     = &arch.Op{Name: "ADD", Suffix: sized, Step: contract.Step{Events: access}, Cost: 1}
	and     = &arch.Op{Name: "AND", Suffix: sized, Step: contract.Step{Events: access}, Cost: 1}
	or      = &arch.Op{Name: "OR", Suffix: sized, Step: contract.Step{Events: access}, Cost: 1}
	xor     = &arch.Op{Name: "XOR", Suffix: sized, Step: contract.Step{Events: access}, Cost: 1}
	xadd    = &arch.Op{Name: "XADD", Suffix: sized, Step: contract.Step{Events: access}, Cost: 1}
	cmpxchg = &arch.Op{Name: "CMPXCHG", Suffix: sized, Step: contract.Step{Events: access}, Cost: 1}
	cmpx16  = &arch.Op{Name: "CMPXCHG16B", Whole: true, Step: contract.Step{Events: access}, Cost: 8}
	bts     = &arch.Op{Name: "BTS", Suffix: sized, Step: contract.Step{Events: access}, Cost: 2}
	btr     = &arch.Op{Name: "BTR", Suffix: sized, Step: contract.Step{Events: access}, Cost: 2}
	btc     = &arch.Op{Name: "BTC", Suffix: sized, Step: contract.Step{Events: access}, Cost: 2}
	xchg    = &arch.Op{Name: "XCHG", Suffix: sized, Step: contract.Step{Events: modify, Orders: everything}, Cost: 25}
	load    = &arch.Op{Name: "MOV", Suffix: sized, Step: contract.Step{Events: plainRead}, Cost: 1}
	store   = &arch.Op{Name: "MOV", Suffix: sized, Step: contract.Step{Events: plainWrite}, Cost: 1}
	mfence  = &arch.Op{Name: "MFENCE", Step: fence(contract.All, contract.All), Cost: 104}
	lfence  = &arch.Op{Name: "LFENCE", Step: fence(contract.Reads, contract.Reads), Cost: 20}
	sfence  = &arch.Op{Name: "SFENCE", Step: fence(contract.Writes, contract.Writes), Cost: 20}

	// Between registers.
	move  = &arch.Op{Name: "MOV", Suffix: sized, Cost: 1}
	addr  = &arch.Op{Name: "ADD", Suffix: sized, Cost: 1}
	andr  = &arch.Op{Name: "AND", Suffix: sized, Cost: 1}
	orr   = &arch.Op{Name: "OR", Suffix: sized, Cost: 1}
	xorr  = &arch.Op{Name: "XOR", Suffix: sized, Cost: 1}
	shr   = &arch.Op{Name: "SHR", Suffix: sized, Cost: 1}
	jne   = &arch.Op{Name: "JNE"}
	seteq = &arch.Op{Name: "SETEQ"}
	setcs = &arch.Op{Name: "SETCS", Cost: 1}
	setmi = &arch.Op{Name: "SETMI", Cost: 1}
)

func fence(from, to contract.Classes) contract.Step {
	return contract.Step{Orders: []contract.Order{{Side: contract.Across, From: from, To: to, Strength: contract.Strong, Domain: contract.Everywhere}}}
}

// Go statements, and what the stock compiler makes of them.
var (
	goLoad  = &arch.Op{Name: "load", Go: "r := $*p", Machine: arch.Seq{in(load, arch.M(arch.Addr), arch.R(arch.Old))}}
	goStore = &arch.Op{Name: "store", Go: "$*p = $v", Machine: arch.Seq{in(store, arch.R(arch.Val), arch.M(arch.Addr))}}
	goClear = &arch.Op{Name: "clear", Go: "$*p &= $v", Machine: arch.Seq{in(and, arch.R(arch.Val), arch.M(arch.Addr))}}
	// A swap with a variable that nobody shares: it does not escape, and the compiler keeps it.
	goFence = sync("var local uint32\natomic.SwapUint32(&local, 0)", in(xchg, arch.R(arch.Tmp), arch.At(arch.StackP, 0)))
)

// sync is an operation of sync/atomic.
func sync(text string, seq ...arch.Inst) *arch.Op {
	return &arch.Op{Name: "sync/atomic", Go: text, Machine: seq, Carries: true}
}

// locked is the weakest read-modify-write that there is: XADD and the others are alike.
var locked = &arch.Op{Name: "LOCK", Step: contract.Step{Events: modify, Orders: everything}, Cost: lock.Cost}

var (
	exchange       = arch.Seq{in(move, arch.R(arch.Val), arch.R(arch.Old)), in(xchg, arch.R(arch.Old), arch.M(arch.Addr))}
	exchangeAdd    = arch.Seq{in(move, arch.R(arch.Val), arch.R(arch.Result)), in(lock), in(xadd, arch.R(arch.Result), arch.M(arch.Addr)), in(addr, arch.R(arch.Val), arch.R(arch.Result))}
	compareAndSwap = arch.Seq{in(lock), in(cmpxchg, arch.R(arch.New), arch.M(arch.Addr)), in(seteq, arch.R(arch.Result))}
	storeFull      = arch.Seq{in(move, arch.R(arch.Val), arch.R(arch.Tmp)), in(xchg, arch.R(arch.Tmp), arch.M(arch.Addr))}
)

// fetch is the loop that returns the old value: the instruction that does it in one step exists for ADD only.
func fetch(op *arch.Op) arch.Seq {
	return arch.Seq{
		in(load, arch.M(arch.Addr), arch.R(arch.Old)),
		in(move, arch.R(arch.Old), arch.R(arch.Tmp)),
		in(op, arch.R(arch.Val), arch.R(arch.Tmp)),
		in(lock), in(cmpxchg, arch.R(arch.Tmp), arch.M(arch.Addr)),
		in(jne, arch.To(1)),
	}
}

const r = "r := "

// between is plain Go between two compiler barriers.
func between(ops ...*arch.Op) arch.Candidate {
	seq := arch.Seq{{Op: arch.Barrier}}
	for _, op := range ops {
		seq = append(seq, arch.Inst{Op: op})
	}
	return arch.Candidate{Form: arch.Inline, Code: append(seq, arch.Inst{Op: arch.Barrier})}
}

func inline(op *arch.Op) arch.Candidate {
	return arch.Candidate{Form: arch.Inline, Code: arch.Seq{{Op: op}}}
}

func asm(name string, seq ...arch.Inst) arch.Candidate {
	return arch.Candidate{Name: name, Form: arch.Assembly, Code: seq}
}

func in(op *arch.Op, args ...arch.Arg) arch.Inst { return arch.Inst{Op: op, Args: args} }

// fetching is fetch in assembly.
func fetching(name string, op *arch.Op) arch.Candidate {
	c := asm(name, fetch(op)...)
	c.MacroOnly = true
	return c
}

// noResult is a locked operation that leaves the old value unknown.
func noResult(name string, op *arch.Op) arch.Candidate {
	c := asm(name, in(lock), in(op, arch.R(arch.Val), arch.M(arch.Addr)))
	c.NoResult = true
	return c
}

func bit(name string, op *arch.Op) arch.Candidate {
	c := asm(name, in(lock), in(op, arch.R(arch.Val), arch.M(arch.Addr)), in(setcs, arch.R(arch.Result)))
	c.BitNumber = true
	return c
}

// discarded is a sync/atomic operation that the compiler makes one locked instruction when nobody uses its result.
func discarded(text string, op *arch.Op) arch.Candidate {
	c := inline(sync(text, in(lock), in(op, arch.R(arch.Val), arch.M(arch.Addr))))
	c.NoResult = true
	c.Note = "The stock sync/atomic lowering is as good as any here, so it is used."
	return c
}

var storeSwap = arch.Candidate{Form: arch.Inline, NotPtr: "sync/atomic's pointer store is a call", Code: arch.Seq{{Op: sync("atomic.Store$T($p, $v)", storeFull...)}}}

// xorSign learns the old top bit of the byte from the new one and the mask's.
var xorSign = arch.Candidate{Name: "xorSign", Form: arch.Assembly, Width: 8, Code: arch.Seq{
	in(lock), in(xor, arch.R(arch.Val), arch.M(arch.Addr)),
	in(setmi, arch.R(arch.Result)),
	in(shr, arch.I(7), arch.R(arch.Val)), in(xorr, arch.R(arch.Val), arch.R(arch.Result)),
}}

// Target is amd64.
var Target = &arch.Target{
	Name: "amd64",
	Doc:  "x86-TSO: each CPU's stores wait in its store buffer, so a load may pass an earlier store; nothing else moves. GOAMD64 changes nothing.",
	Free: []contract.Order{
		{Side: contract.Across, From: contract.Reads, To: contract.All, Strength: contract.Strong, Domain: contract.Normal | contract.DMA},
		{Side: contract.Across, From: contract.Writes, To: contract.Writes, Strength: contract.Strong, Domain: contract.Normal | contract.DMA},
	},
	FreeDoc:         "orders every load before all later accesses and every store before later stores",
	MultiCopyAtomic: true,
	WeakestRMW:      locked,
	CallCost:        5,
	CostSource:      "medians of tests/bench on an AMD Zen 5 at about 4 GHz; LFENCE and SFENCE estimated",
	Levels: []arch.Level{{
		Name:     "v1",
		Doc:      "every GOAMD64",
		SyncLoad: load, SyncStore: xchg, SyncRMW: []*arch.Op{locked},
		Candidates: arch.Lazily(func() arch.Candidates {
			return arch.Candidates{
				contract.Fence: {
					inline(arch.Barrier),
					inline(goFence),
					asm("lockAdd", in(lock), in(add, arch.I(0), arch.At(arch.StackP, -8))),
					asm("lfence", in(lfence)),
					asm("sfence", in(sfence)),
					asm("mfence", in(mfence)),
				},
				contract.Load:     {between(goLoad), asm("load", in(load, arch.M(arch.Addr), arch.R(arch.Old)))},
				contract.WaitLoad: {between(goLoad)},
				contract.Store: {
					between(goStore),
					storeSwap,
					between(goStore, goFence),
					asm("store", in(store, arch.R(arch.Val), arch.M(arch.Addr))),
					asm("storeFull", storeFull...),
				},
				contract.Add: {inline(sync(r+"atomic.Add$T($p, $v)", exchangeAdd...)), asm("add", exchangeAdd...)},
				contract.And: {discarded("atomic.And$T($p, $v)", and), inline(sync(r+"atomic.And$T($p, $v)", fetch(andr)...)),
					noResult("and", and), bit("btr", btr), fetching("fetchAnd", andr)},
				contract.Or: {discarded("atomic.Or$T($p, $v)", or), inline(sync(r+"atomic.Or$T($p, $v)", fetch(orr)...)),
					noResult("or", or), bit("bts", bts), fetching("fetchOr", orr)},
				contract.Xor:            {inline(sync(arch.XorLoop, fetch(xorr)...)), noResult("xor", xor), bit("btc", btc), fetching("fetchXor", xorr)},
				contract.Swap:           {inline(sync(r+"atomic.Swap$T($p, $v)", exchange...)), asm("swap", exchange...)},
				contract.CompareAndSwap: {inline(sync(r+"atomic.CompareAndSwap$T($p, $old, $new)", compareAndSwap...)), asm("compareAndSwap", compareAndSwap...)},
				contract.LockBit:        {inline(sync(r+"atomic.Or$T($p, $v)", fetch(orr)...)), bit("bts", bts)},
				contract.UnlockBit: {
					between(goClear),
					asm("clear", in(and, arch.R(arch.Val), arch.M(arch.Addr))),
				},
				contract.UnlockXorByte:   {xorSign},
				contract.CompareAndSwap2: {asm("compareAndSwap128", in(lock), in(cmpx16, arch.M(arch.Addr)), in(seteq, arch.R(arch.Result)))},
			}
		}),
	}},
}
