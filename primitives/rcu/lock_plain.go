//go:build !race && (amd64 || arm64)

package rcu

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Aligned 64-bit accesses between compiler barriers are what relaxed operations are here. They are written out, with one
// barrier, because the inliner's budget leaves no room for two.

// ReadLock enters a read-side section. Sections nest, 255 deep. It orders everything earlier, and the entry, before
// everything later.
func (r *FencedReader) ReadLock() {
	if r.word != idle {
		(*reader)(r).lockSlow()
		return
	}
	atomics.StoreFullUint64(&r.word, *r.period)
}

// ReadLock enters a read-side section. Sections nest, 255 deep.
func (r *MembarrierReader) ReadLock() {
	if r.word != idle {
		(*reader)(r).lockSlow()
		return
	}
	r.word = *r.period
	barrier.Compiler() // the fence is executed by the updater's call
}
