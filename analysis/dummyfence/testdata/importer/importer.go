// Package importer calls a fence by name only.
package importer

import "github.com/barriergen/barriergen/analysis/dummyfence/testdata/named"

func both() {
	named.MemoryBarrier() // want `named.MemoryBarrier is no fence: runtime.KeepAlive stops the compiler only`
	named.LoadFence()     //nolint:dummyfence,redundantfence // theirs
	named.MemFence()
}
