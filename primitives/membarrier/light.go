//go:build !race

package membarrier

import "github.com/barriergen/barriergen/primitives/barrier"

func light() { barrier.Compiler() }
