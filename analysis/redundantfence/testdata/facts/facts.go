package facts

import (
	"github.com/barriergen/barriergen/analysis/redundantfence/testdata/lib"
	"github.com/barriergen/barriergen/primitives/barrier"
)

var (
	n    uint64
	x, y int
)

func fences() {
	x = 1
	lib.Fence()
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: lib.Fence on line \d+ orders already`
	y = x
	barrier.Full()
	lib.Fence() // want `lib.Fence is redundant on amd64 and arm64: barrier.Full on line \d+ orders already`
}

func sometimes(c bool) {
	lib.Sometimes(c)
	barrier.Full()
	y = x
}

func counted() {
	lib.Count(&n)
	barrier.Full() // want `barrier.Full is redundant on amd64`
}
