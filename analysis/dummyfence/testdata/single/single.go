// Package single has one dummy, the only use of sync/atomic.
package single

import (
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/bitops"
)

var x, y int

func full(bits *uint64) int {
	bitops.SetBit(bits, 1)
	var local uint32
	atomic.SwapUint32(&local, 0) // want `does nothing but order`
	return y
}
