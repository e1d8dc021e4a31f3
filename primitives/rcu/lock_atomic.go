//go:build race || !(amd64 || arm64)

package rcu

import "github.com/barriergen/barriergen/primitives/atomics"

// ReadLock enters a read-side section. Sections nest, 255 deep. It orders everything earlier, and the entry, before
// everything later.
func (r *FencedReader) ReadLock() {
	r.debug.use()
	if r.word != idle {
		(*reader)(r).lockSlow()
		return
	}
	atomics.StoreFullUint64(&r.word, atomics.LoadRelaxedUint64(r.period))
}

// ReadLock enters a read-side section. Sections nest, 255 deep.
func (r *MembarrierReader) ReadLock() {
	r.debug.use()
	if r.word != idle {
		(*reader)(r).lockSlow()
		return
	}
	atomics.StoreRelaxedUint64(&r.word, atomics.LoadRelaxedUint64(r.period)) // the fence is executed by the updater's call
}
