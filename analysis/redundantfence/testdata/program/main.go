// The main function has a caller that is in no package.
package main

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

var (
	x, y int
	n    atomics.Uint64
)

func main() {
	barrier.Full()
	y = x
	if y == 0 {
		Again()
	}
}

// Again can be called by anybody.
func Again() {
	n.AddFull(1)
	main()
}
