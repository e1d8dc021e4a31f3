//go:build !race

package membarrier

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// line is a variable with a cache line of its own.
type line struct {
	v atomics.Uint64
	_ [120]byte
}

// buffering is store buffering, many times over in one run: each side counts up its own variable and looks at the other's.
// In a round in which one side has not seen the other's count, the other must see this one's.
type buffering[F Fences] struct {
	x, y line
	busy [16]line
}

// light runs the side that runs often, and keeps what it saw at each of its counts.
func (b *buffering[F]) light(seen []uint64, fence bool) {
	for i := range seen {
		for k := range b.busy { // the store below is late
			b.busy[k].v.StoreRelaxed(uint64(i))
		}
		b.x.v.StoreRelaxed(uint64(i + 1))
		if fence {
			Light[F]()
		} else {
			barrier.Compiler()
		}
		seen[i] = b.y.v.LoadRelaxed()
	}
}

// heavy runs the other side until the light one has ended.
func (b *buffering[F]) heavy(ended *atomic.Bool, fence bool) (seen []uint64) {
	for i := 0; !ended.Load(); i++ {
		for k := range b.busy {
			b.busy[k].v.StoreRelaxed(uint64(i))
		}
		b.y.v.StoreRelaxed(uint64(i + 1))
		if fence {
			Heavy[F]()
		} else {
			barrier.Full()
		}
		seen = append(seen, b.x.v.LoadRelaxed())
	}
	return seen
}

// missed counts the rounds of the heavy side that have a partner such that neither saw the other.
func (b *buffering[F]) missed(lights int, fence bool) (n int) {
	l := make([]uint64, lights)
	var ended atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer ended.Store(true)
		b.light(l, fence)
	})
	h := b.heavy(&ended, fence)
	wg.Wait()
	for j, saw := range h {
		// The light side's count saw+1 was not seen; that round must have seen y = j+1.
		if int(saw) < len(l) && l[saw] < uint64(j+1) {
			n++
		}
	}
	return n
}

// How often the sides are set on each other, for how many rounds. On a busy machine two processors are rarely free at once.
const (
	tries  = 20
	rounds = 500_000
)

func TestAsymmetricFences(t *testing.T) {
	if err := Register(); err != nil {
		t.Skipf("no asymmetric fences here: %v", err)
	}
	for range tries {
		if n := new(buffering[Asymmetric]).missed(rounds, true); n != 0 {
			t.Fatalf("%d rounds in which neither side saw the other", n)
		}
	}
}

func TestSymmetricFences(t *testing.T) {
	for range tries {
		if n := new(buffering[Symmetric]).missed(rounds, true); n != 0 {
			t.Fatalf("%d rounds in which neither side saw the other", n)
		}
	}
}

// The harness sees what it is to see: a light side without fence against a fence of the heavy side's own.
func TestStoreBufferingHappens(t *testing.T) {
	if runtime.GOARCH != "amd64" || runtime.NumCPU() < 2 {
		t.Skip("wants two CPUs of amd64, and no emulator")
	}
	for began := time.Now(); time.Since(began) < 20*time.Second; {
		if new(buffering[Asymmetric]).missed(rounds, false) != 0 {
			return
		}
	}
	t.Skip("store buffering did not show, two processors are not free at once: the tests above say little here and now")
}
