package behaviour

import (
	"testing"
	"time"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
	"github.com/stretchr/testify/require"
)

// The tables call through function values, so the compiler never sees the
// bodies in their callers. Here the calls are direct: inlined, with constant
// operands and with results dropped, which selects other instructions.

func TestInlinedResultsDropped(t *testing.T) {
	var (
		i32 int32   = 10
		u32 uint32  = 10
		i64 int64   = 10
		u64 uint64  = 10
		ptr uintptr = 10
	)
	atomics.AddRelaxedInt32(&i32, -11)
	atomics.AddFullUint32(&u32, ^uint32(10))
	atomics.AddAcquireInt64(&i64, -11)
	atomics.AddReleaseUint64(&u64, ^uint64(10))
	atomics.AddFullUintptr(&ptr, ^uintptr(10))
	require.Equal(t, int32(-1), i32)
	require.Equal(t, ^uint32(0), u32)
	require.Equal(t, int64(-1), i64)
	require.Equal(t, ^uint64(0), u64)
	require.Equal(t, ^uintptr(0), ptr)

	atomics.AndRelaxedInt32(&i32, 0x0F)
	atomics.AndFullUint32(&u32, 0x0F)
	atomics.AndAcquireInt64(&i64, 0x0F)
	atomics.AndReleaseUint64(&u64, 0x0F)
	atomics.AndFullUintptr(&ptr, 0x0F)
	atomics.OrFullInt32(&i32, 0x50)
	atomics.OrRelaxedUint32(&u32, 0x50)
	atomics.OrReleaseInt64(&i64, 0x50)
	atomics.OrAcquireUint64(&u64, 0x50)
	atomics.OrRelaxedUintptr(&ptr, 0x50)
	atomics.XorFullInt32(&i32, 0xFF)
	atomics.XorRelaxedUint32(&u32, 0xFF)
	atomics.XorReleaseInt64(&i64, 0xFF)
	atomics.XorAcquireUint64(&u64, 0xFF)
	atomics.XorRelaxedUintptr(&ptr, 0xFF)
	require.Equal(t, int32(0xA0), i32)
	require.Equal(t, uint32(0xA0), u32)
	require.Equal(t, int64(0xA0), i64)
	require.Equal(t, uint64(0xA0), u64)
	require.Equal(t, uintptr(0xA0), ptr)

	atomics.SwapRelaxedInt32(&i32, -5)
	atomics.SwapFullUint64(&u64, 1<<63)
	require.Equal(t, int32(-5), i32)
	require.Equal(t, uint64(1)<<63, u64)

	bitops.TestAndSetBit(&u64, 3)
	bitops.TestAndSetBitLock(&u64, 70)
	bitops.TestAndChangeBit(&u64, 0)
	bitops.TestAndClearBit(&u64, 63)
	bitops.XorUnlockIsNegativeByte(&u64, 1)
	require.Equal(t, uint64(1<<3|1<<6), u64)
}

// TestInlinedStoresInOrder reads back through each barrier what was written
// before it, in one function, where a compiler would love to forward, merge
// and drop.
func TestInlinedStoresInOrder(t *testing.T) {
	var plain, x, y uint64
	plain = 1
	barrier.Compiler()
	atomics.StoreRelaxedUint64(&x, plain+1)
	barrier.Write() //nolint:redundantfence // every barrier is wanted here
	plain = 3
	barrier.Release() //nolint:redundantfence // every barrier is wanted here
	atomics.StoreReleaseUint64(&y, atomics.LoadRelaxedUint64(&x)+plain)
	barrier.Full()
	require.Equal(t, []uint64{3, 2, 5}, []uint64{plain, atomics.LoadAcquireUint64(&x), atomics.LoadRelaxedUint64(&y)})
}

// TestInlinedSpin waits in plain loops over inlined loads: a load that the
// compiler took out of its loop would wait for ever.
func TestInlinedSpin(t *testing.T) {
	var (
		u32  uint32
		u64  uint64
		p    *node
		done = make(chan *node)
	)
	go func() {
		for atomics.LoadRelaxedUint32(&u32) != 1 {
		}
		for atomics.LoadAcquireUint64(&u64)&2 == 0 {
		}
		for !bitops.TestBit(&u64, 40) {
		}
		for !bitops.TestBitAcquire(&u64, 41) {
		}
		for atomics.LoadRelaxedPointer(&p) == nil {
		}
		done <- atomics.LoadAcquirePointer(&p)
	}()
	n := new(node)
	time.Sleep(time.Millisecond)
	atomics.StoreRelaxedUint32(&u32, 1)
	time.Sleep(time.Millisecond)
	atomics.StoreReleaseUint64(&u64, 2)
	time.Sleep(time.Millisecond)
	bitops.SetBit(&u64, 40)
	time.Sleep(time.Millisecond)
	bitops.SetBit(&u64, 41)
	time.Sleep(time.Millisecond)
	atomics.StoreReleasePointer(&p, n)
	select {
	case got := <-done:
		require.Same(t, n, got)
	case <-time.After(20 * time.Second):
		require.Fail(t, "a spinning reader never saw the store")
	}
}
