// Package bare does not use the primitives: they may not be at hand, and no fix is offered.
package bare

import "sync/atomic"

var v atomic.Int32

func fence() {
	v.Add(0) // want `v.Add\(0\) does nothing but order`
}

func unused() {
	v.Add(1) //nolint:dummyfence // want `//nolint:dummyfence has no effect: dummyfence reports nothing there`
}
