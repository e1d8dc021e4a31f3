// Package generic is the target for every GOARCH without one of its own, and for builds without assembly: correct, if not
// minimal, on the weakest machine that Go runs on.
//
// It takes sync/atomic for no more than it is on all of them: a load is an acquire, a store a release, a
// read-modify-write both (on ppc64, and on riscv64 for compare-and-swap, it is not full). Every stronger order is that
// machine's full fence, one instruction of assembly in a function of its own.
package generic

import (
	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

var (
	across = func(d contract.Domain) []contract.Order {
		return []contract.Order{{Side: contract.Across, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: d}}
	}
	acquire = contract.Order{Side: contract.After, From: contract.Reads, To: contract.All, Domain: contract.Normal}
	release = contract.Order{Side: contract.Before, From: contract.All, To: contract.Writes, Strength: contract.ACumulative, Domain: contract.Normal}

	// The instructions of whatever machine it is.
	fullFence   = &arch.Op{Name: "full fence", Step: contract.Step{Orders: across(contract.Normal)}, Cost: 20}
	deviceFence = &arch.Op{Name: "device fence", Step: contract.Step{Orders: across(contract.Everywhere)}, Cost: 60}
	acquireLoad = &arch.Op{Name: "acquire load", Cost: 2, Step: contract.Step{Events: []contract.Classes{contract.AcquireRead},
		Orders: []contract.Order{acquire}}}
	releaseStore = &arch.Op{Name: "release store", Cost: 2, Step: contract.Step{Events: []contract.Classes{contract.ReleaseWrite},
		Orders: []contract.Order{release}}}
	weakest = &arch.Op{Name: "acquire-release RMW", Cost: 20, Step: contract.Step{
		Events: []contract.Classes{contract.RMWAcquireRead, contract.RMWReleaseWrite}, Orders: []contract.Order{acquire, release}}}

	fence  = statement("fullFence()", fullFence)
	device = statement("deviceFence()", deviceFence)
	load   = statement("r := atomic.Load$T($p)", acquireLoad)
	store  = statement("atomic.Store$T($p, $v)", releaseStore)
	clear  = statement("atomic.Store$T($p, atomic.Load$T($p)&$v)", acquireLoad, releaseStore)
)

// statement is a Go statement that carries the compiler's memory state.
func statement(text string, ops ...*arch.Op) *arch.Op {
	s := &arch.Op{Name: "sync/atomic", Go: text, Carries: true}
	for _, op := range ops {
		s.Machine = append(s.Machine, arch.Inst{Op: op})
	}
	return s
}

// rmw is a read-modify-write of sync/atomic.
func rmw(text string) *arch.Op { return statement(text, weakest) }

func seq(ops ...*arch.Op) arch.Candidate {
	c := arch.Candidate{Form: arch.Inline}
	for _, op := range ops {
		c.Code = append(c.Code, arch.Inst{Op: op})
	}
	return c
}

// modify is an operation as it is, and between two fences.
func modify(text string) []arch.Candidate {
	op := rmw(text)
	return []arch.Candidate{seq(op), seq(fence, op, fence)}
}

// Target is the fallback.
var Target = &arch.Target{
	Name:       "generic",
	Doc:        "Every other GOARCH, and the purego build: sync/atomic and, for more, the machine's full fence. wasm has one thread: nothing is needed there.",
	FreeDoc:    "is taken to order nothing",
	WeakestRMW: weakest,
	CostSource: "ranked, not measured: only the order matters here",
	Levels: []arch.Level{{
		Name:     "any",
		Doc:      "any setting",
		SyncLoad: acquireLoad, SyncStore: releaseStore, SyncRMW: []*arch.Op{weakest},
		Candidates: arch.Lazily(func() arch.Candidates {
			return arch.Candidates{
				contract.Fence:           {seq(arch.Barrier), seq(fence), seq(device)},
				contract.Load:            {seq(load)},
				contract.WaitLoad:        {seq(load)},
				contract.Store:           {seq(store), seq(store, fence)},
				contract.Add:             modify("r := atomic.Add$T($p, $v)"),
				contract.And:             modify("r := atomic.And$T($p, $v)"),
				contract.Or:              modify("r := atomic.Or$T($p, $v)"),
				contract.Xor:             modify(arch.XorLoop),
				contract.Swap:            modify("r := atomic.Swap$T($p, $v)"),
				contract.CompareAndSwap:  modify("r := atomic.CompareAndSwap$T($p, $old, $new)"),
				contract.LockBit:         modify("r := atomic.Or$T($p, $v)"),
				contract.UnlockBit:       {seq(clear)},
				contract.UnlockXorByte:   modify(arch.XorLoop),
				contract.CompareAndSwap2: {seq(fence, rmw("$locked"), fence)},
			}
		}),
	}},
}
