package main

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

func assembly() []comparison {
	p := &operand.v
	return []comparison{
		{
			name: "StoreRelease/called store", target: "below 1", a: loop("StoreRelease", func(n int) { storeRelease(p, n) }),
			b: loop("assembly call", func(n int) { calledStore(p, n) }),
		},
		{
			name: "MFENCE/Full", target: "at least 4", a: loop("MFENCE (called)", mfence), b: loop("Full", full),
			ok: func(r float64) bool { return r >= 4 },
		},
		{name: "Full/called LOCK ADDL", target: "at most 1", a: loop("Full", full), b: loop("LOCK ADDL $0,-8(SP)", calledLockedAdd)},
		{
			name: "TestAndSetBit/called LOCK BTSQ", a: loop("TestAndSetBit", func(n int) { testAndSetBit(p, n) }),
			b: loop("LOCK BTSQ", func(n int) { calledTestAndSetBit(p, n) }),
		},
		{name: "empty call/empty loop", a: loop("assembly call", calledNothing), b: loop("loop", emptyLoop)},
	}
}
