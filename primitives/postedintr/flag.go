//go:build barriergen

package postedintr

import (
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// clearFlag clears a bit of the control word, before everything later: a request that is made behind what is read then comes
// with a notification of its own.
func clearFlag(control *uint64, bit uint) {
	bitops.ClearBit(control, bit)
	barrier.AfterAtomic()
}
