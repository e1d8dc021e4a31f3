package behaviour

import (
	"testing"

	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/stretchr/testify/require"
)

var fences = []struct {
	name string
	f    func()
}{
	{"Full", barrier.Full},
	{"Acquire", barrier.Acquire},
	{"Release", barrier.Release},
	{"Read", barrier.Read},
	{"Write", barrier.Write},
	{"Compiler", barrier.Compiler},
	{"BeforeAtomic", barrier.BeforeAtomic},
	{"AfterAtomic", barrier.AfterAtomic},
	{"AfterSyncAtomic", barrier.AfterSyncAtomic},
	{"AfterSpinlock", barrier.AfterSpinlock},
	{"AfterUnlockLock", barrier.AfterUnlockLock},
	{"AfterSRCUReadUnlock", barrier.AfterSRCUReadUnlock},
	{"AcquireAfterControlDependency", barrier.AcquireAfterControlDependency},
	{"MandatoryFull", barrier.MandatoryFull},
	{"MandatoryRead", barrier.MandatoryRead},
	{"MandatoryWrite", barrier.MandatoryWrite},
	{"DMAFull", barrier.DMAFull},
	{"DMARead", barrier.DMARead},
	{"DMAWrite", barrier.DMAWrite},
	{"VirtFull", barrier.VirtFull},
	{"VirtRead", barrier.VirtRead},
	{"VirtWrite", barrier.VirtWrite},
}

// TestFencesTouchNothing calls each fence in the middle of a computation
// whose values live in registers, on the stack and in memory, at many stack
// depths. A fence that is a LOCKed operation on the stack, or an assembly
// function with a wrong frame, shows as a changed value or a crash.
func TestFencesTouchNothing(t *testing.T) {
	for _, fence := range fences {
		t.Run(fence.name, func(t *testing.T) {
			require.Equal(t, descend(200, func() {}), descend(200, fence.f))
			require.Zero(t, testing.AllocsPerRun(10, fence.f))
		})
	}
}

//go:noinline
func descend(depth int, fence func()) uint64 {
	var frame [5]uint64
	a, b, c := uint64(depth), uint64(depth)*3, uint64(depth)*7
	for i := range frame {
		frame[i] = a ^ uint64(i)<<40
	}
	fence()
	if depth > 0 {
		a += descend(depth-1, fence)
	}
	fence()
	for _, v := range frame {
		b = b*31 + v
	}
	return a*1_000_003 ^ b<<1 ^ c
}
