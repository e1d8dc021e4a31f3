package membarrier_test

import (
	"fmt"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/membarrier"
)

// gate lets one goroutine in and out at next to no cost, and another close it.
type gate[F membarrier.Fences] struct {
	inside, closed atomics.Uint32
}

func (g *gate[F]) enter() bool {
	g.inside.StoreRelaxed(1)
	membarrier.Light[F]() // the store above, before the load below
	if g.closed.LoadAcquire() != 0 {
		g.leave()
		return false
	}
	return true
}

func (g *gate[F]) leave() { g.inside.StoreRelease(0) }

// close reports whether the gate was empty when it closed.
func (g *gate[F]) close() bool {
	g.closed.StoreRelease(1)
	membarrier.Heavy[F]() // either enter sees closed, or this sees inside
	return g.inside.LoadAcquire() == 0
}

func use[F membarrier.Fences]() {
	var g gate[F]
	fmt.Println(g.enter())
	g.leave()
	fmt.Println(g.close(), g.enter())
}

func Example() {
	if err := membarrier.Register(); err == nil {
		use[membarrier.Asymmetric]()
	} else {
		use[membarrier.Symmetric]() // err says why
	}
	// Output:
	// true
	// true false
}
