package open

import (
	"testing"

	"github.com/barriergen/barriergen/primitives/barrier"
)

func TestOpen(t *testing.T) {
	x = 1
	alsoInTest()
	n.AddFull(1)
	onlyTested()
	n.AddFull(1)
	helper()
}

// helper is called by a test, and only there.
func helper() {
	barrier.Full()
	y = x
}
