// Package light is compiled, and its machine code looked at.
package light

import "github.com/barriergen/barriergen/primitives/membarrier"

type side[F membarrier.Fences] struct{ mine, other int }

func (s *side[F]) Loop(n int) (sum int) {
	for range n {
		s.mine = 1
		membarrier.Light[F]()
		sum += s.other
	}
	return sum
}

var (
	_ = (*side[membarrier.Asymmetric]).Loop
	_ = (*side[membarrier.Symmetric]).Loop
)
