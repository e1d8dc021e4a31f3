//go:build !race && !barrier_conservative && (amd64 || arm64)

package srcu

import "runtime"

// ReadLock enters a section and returns what ReadUnlock has to be given. Sections nest and overlap freely.
//
// On amd64: a load and a compare of the index, and an increment of the count. With a fence of the reader's own it is a call.
//
// Aligned 64-bit accesses before a compiler barrier are what relaxed operations are here. They are written out because
// the inliner's budget leaves no room for more: it is used up to the last point.
func (r *FastReader) ReadLock() (i int) {
	i = int(*r.index)
	if i > 1 {
		return r.lockSlow()
	}
	r.count[i]++
	runtime.KeepAlive(nil) // the fence is executed by the updater's call
	return
}
