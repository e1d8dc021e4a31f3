//go:build race

package membarrier

import (
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/racesync"
)

// light tells the race detector what a Heavy elsewhere makes of it.
func light() {
	racesync.AcquireFence()
	barrier.Compiler()
	racesync.ReleaseFence()
}
