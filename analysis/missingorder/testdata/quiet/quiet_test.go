package quiet

import (
	"testing"

	"github.com/barriergen/barriergen/primitives/atomics"
)

func TestOneSide(t *testing.T) {
	l := shared()
	atomics.StoreRelaxedUint32(&l.a, 1)
	if atomics.LoadRelaxedUint32(&l.b) == 0 {
		t.Fatal()
	}
}
