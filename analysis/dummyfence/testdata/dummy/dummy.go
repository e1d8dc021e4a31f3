// Package dummy has operations that are used as fences.
package dummy

import (
	"sync/atomic"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
)

var (
	x, y   int
	word   int32
	bits   uint32
	typed  atomic.Int64
	ptr    atomic.Pointer[int]
	shared atomics.Uint32
)

const free = 0

func add() int {
	x = 1
	atomic.AddInt32(&word, 0) // want `atomic.AddInt32\(&word, 0\) does nothing but order: it is a full fence on amd64 and arm64 v8.1 and no fence on arm64 v8.0 and other architectures; barrier.Full is one on all`
	return y
}

func methods() {
	typed.Add(free)                               // want `typed.Add\(free\) does nothing but order`
	typed.Or(0)                                   // want `typed.Or\(0\) does nothing but order`
	typed.And(^0)                                 // want `typed.And\(\^0\) does nothing but order`
	_ = atomic.AndUint32(&bits, 1<<32-1)          // want `does nothing but order`
	atomic.CompareAndSwapInt32(&word, free, free) // want `atomic.CompareAndSwapInt32\(&word, free, free\) does nothing but order: it is a full fence on amd64 and no fence on arm64 v8.0, arm64 v8.1 and other architectures`
	atomic.AndUint32(&bits, 1<<31-1)
	typed.And(1)
	typed.Add(1)
}

func uncommented() {
	// want +2 `typed.Add\(0\) does nothing but`

	typed.Add(0)

	_ = typed.Load()
	typed.Load()

	// want +3 `SwapUint32`

	var local uint32
	atomic.SwapUint32(&local, 0)
}

func swapped() int {
	x = 1
	var local uint32
	atomic.SwapUint32(&local, 0) // want `atomic.SwapUint32\(&local, 0\) does nothing but order: it is a full fence on amd64 and arm64 v8.1`
	return y
}

func stored() int {
	local := int32(0)
	x = 1
	atomic.StoreInt32(&local, 1) // want `it is a full fence on amd64 and no fence on arm64 v8.0, arm64 v8.1 and other architectures`
	return y
}

func storedAndLoaded() int {
	var local atomic.Int32
	x = 1
	local.Store(0) // want `local.Store\(0\); local.Load\(\) does nothing but order: it is a full fence on amd64, arm64 v8.0 and arm64 v8.1 and no fence on other architectures`
	_ = local.Load()
	return y
}

func explained() int {
	x = 1
	// an operation of this kind never becomes nothing
	var dummy uint32
	atomic.SwapUint32(&dummy, 0) // want `atomic.SwapUint32\(&dummy, 0\) does nothing but order`
	return y
}

func apart() int {
	var local atomic.Int32
	local.Store(0) // want `local.Store\(0\) does nothing but order`
	x = 1
	local.Swap(1) // want `local.Swap\(1\) does nothing but order`
	return y
}

func loaded() int {
	x = 1
	// acts as a memory barrier
	atomic.LoadInt32(&word) // want `atomic.LoadInt32\(&word\) is used as a fence: it is no fence on any architecture`
	return y
}

func reads(state *atomic.Uint32) bool {
	return state.CompareAndSwap(uint32(free), uint32(free)) || // want `state.CompareAndSwap\(uint32\(free\), uint32\(free\)\) writes back what it has read: state.Load\(\) == uint32\(free\) does the same, and writes nothing`
		atomic.AddInt32(&word, 0) == 3 || // want `atomic.LoadInt32\(&word\) does the same`
		ptr.CompareAndSwap(nil, nil) // want `ptr.Load\(\) == nil does the same`
}

func next() int32 { word++; return word }

func silent(p *int, fn func(*uint32)) bool {
	atomic.LoadInt32(&word) // faults early if the page is gone
	atomic.LoadInt32(&word)
	typed.Add(0) //nolint:dummyfence // measured
	typed.Add(0) // so that the page is ours
	atomic.AddInt32((*int32)(nil), 0)
	(*atomic.Int32)(nil).Add(0)
	var escapes unsafe.Pointer
	atomic.StorePointer(&escapes, unsafe.Pointer(p))
	var seen uint32
	atomic.StoreUint32(&seen, 1)
	fn(&seen)
	// memory barrier: keeps the compiler from optimizing the zeroing away
	var zeroed uint32
	atomic.StoreUint32(&zeroed, 0)
	atomic.AddInt32(&word, 0) // a barrier against dead store elimination
	var captured uint32
	go func() { atomic.StoreUint32(&captured, 1) }()
	pointer := &typed
	pointer.Store(1)
	var used uint32
	atomic.StoreUint32(&used, 1)
	return atomic.CompareAndSwapInt32(&word, next(), next()) || atomic.LoadUint32(&used) == 1 || shared.LoadRelaxed() == 1
}

func parameter(p int32) { atomic.StoreInt32(&p, 1) }
