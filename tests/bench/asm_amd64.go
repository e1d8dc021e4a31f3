package main

import "github.com/barriergen/barriergen/tests/bench/measure"

func callNothing()
func callMFENCE()
func callLockedAdd()

//go:noescape
func callStore(p *uint64, v uint64)

//go:noescape
func callTestAndSetBit(p *uint64, n uint) bool

//go:noinline
func mfence(n int) {
	for range n {
		callMFENCE()
	}
}

//go:noinline
func calledLockedAdd(n int) {
	for range n {
		callLockedAdd()
	}
}

//go:noinline
func calledStore(p *uint64, n int) {
	for i := range n {
		callStore(p, uint64(i))
	}
}

//go:noinline
func calledTestAndSetBit(p *uint64, n int) (set int) {
	for i := range n {
		if callTestAndSetBit(p, uint(i)) {
			set++
		}
	}
	return set
}

//go:noinline
func calledNothing(n int) {
	for range n {
		callNothing()
	}
}

// assembly compares with instructions that Go code reaches by a call only.
func assembly() ([]measure.Side, []measure.Comparison) {
	p := &operand.v
	return []measure.Side{
			measure.Loop("called MFENCE", mfence),
			measure.Loop("called LOCK ADDL", calledLockedAdd),
			measure.Loop("called store", func(n int) { calledStore(p, n) }),
			measure.Loop("called LOCK BTSQ", func(n int) { calledTestAndSetBit(p, n) }),
			measure.Loop("empty call", calledNothing),
		}, []measure.Comparison{
			{Name: "StoreRelease / called store", Over: "StoreRelease", Under: "called store", Note: "To be below 1: the call costs more than the store."},
			{Name: "called MFENCE / Full", Over: "called MFENCE", Under: "Full", Goal: measure.AtLeast(4), Note: lockedNote},
			{Name: "Full / called LOCK ADDL", Over: "Full", Under: "called LOCK ADDL", Note: "To be about 1 or below."},
			{Name: "TestAndSetBit / called LOCK BTSQ", Over: "TestAndSetBit", Under: "called LOCK BTSQ"},
			{Name: "empty call / empty loop", Over: "empty call", Under: "empty loop"},
		}
}
