//go:build race || barrier_conservative || !(amd64 || arm64)

package srcu

import "github.com/barriergen/barriergen/primitives/atomics"

// ReadLock enters a section and returns what ReadUnlock has to be given. Sections nest and overlap freely.
func (r *FastReader) ReadLock() int {
	r.debug.use()
	i := atomics.LoadRelaxedUint64(r.index)
	if i > 1 {
		return r.lockSlow()
	}
	atomics.StoreRelaxedUint64(&r.count[i], r.count[i]+1) // the fence is executed by the updater's call
	return int(i)
}
