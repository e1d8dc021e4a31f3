package main

import "github.com/barriergen/barriergen/primitives/barrier"

// empties are the fences that amd64 needs no instruction for. The loops are
// spelled out because a call through a function value is no empty loop.
var empties = []struct {
	name string
	loop func(n int)
}{
	{"Compiler", func(n int) {
		for range n {
			barrier.Compiler()
		}
	}},
	{"Acquire", func(n int) {
		for range n {
			barrier.Acquire()
		}
	}},
	{"Release", func(n int) {
		for range n {
			barrier.Release()
		}
	}},
	{"Read", func(n int) {
		for range n {
			barrier.Read()
		}
	}},
	{"Write", func(n int) {
		for range n {
			barrier.Write()
		}
	}},
	{"BeforeAtomic", func(n int) {
		for range n {
			barrier.BeforeAtomic()
		}
	}},
	{"AfterAtomic", func(n int) {
		for range n {
			barrier.AfterAtomic()
		}
	}},
	{"AfterSyncAtomic", func(n int) {
		for range n {
			barrier.AfterSyncAtomic()
		}
	}},
	{"AfterSpinlock", func(n int) {
		for range n {
			barrier.AfterSpinlock()
		}
	}},
	{"AfterUnlockLock", func(n int) {
		for range n {
			barrier.AfterUnlockLock()
		}
	}},
	{"AcquireAfterControlDependency", func(n int) {
		for range n {
			barrier.AcquireAfterControlDependency()
		}
	}},
	{"DMARead", func(n int) {
		for range n {
			barrier.DMARead()
		}
	}},
	{"DMAWrite", func(n int) {
		for range n {
			barrier.DMAWrite()
		}
	}},
	{"VirtRead", func(n int) {
		for range n {
			barrier.VirtRead()
		}
	}},
	{"VirtWrite", func(n int) {
		for range n {
			barrier.VirtWrite()
		}
	}},
}
