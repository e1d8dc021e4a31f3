// Package assembly has fences of its own.
package assembly

import "sync/atomic"

var (
	x, y int
	flag uint32
)

// full is MFENCE, or DMB ISH.
func full()

// storeStore is nothing, or DMB ISHST.
func storeStore()

func twice() {
	x = 1
	full()
	full() // want `assembly.full is redundant on amd64 and arm64: assembly.full on line \d+ orders already`
	y = x
}

func behindAdd() {
	atomic.AddUint32(&flag, 1)
	full() // want `assembly.full is redundant on amd64 and arm64 with GOARM64=v8.1: atomic.AddUint32 on line \d+ orders already; needed on arm64 with GOARM64=v8.0`
	y = x
}

func release() {
	y = x
	storeStore() // want `assembly.storeStore is redundant on arm64 for the accesses seen here: atomic.StoreUint32 on line \d+ orders already \(it is needed if later writes`
	atomic.StoreUint32(&flag, 1)
}

func needed() int {
	x = 1
	full()
	return y
}

func silenced() {
	full()
	full() //nolint:redundantfence // measured so
	y = x
}

func silencedInVain() {
	x = 1
	full() //nolint:redundantfence // want `nolint`
	y = x
}
