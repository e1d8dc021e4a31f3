package main

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// specials are cases beside publication. Names that start with "broken" are
// races.
var specials = map[string]func(){
	"relaxed accesses of one variable": func() {
		// Atomic accesses don't race with each other, whatever they order.
		var x uint64
		both(func() {
			for range 1000 {
				atomics.AddRelaxedUint64(&x, 1)
				atomics.StoreRelaxedUint64(&x, atomics.LoadRelaxedUint64(&x))
				atomics.CompareAndSwapRelaxedUint64(&x, 3, 4)
				bitops.SetBit(&x, 9)
			}
		})
	},
	"beside sync/atomic": func() {
		var (
			x uint64
			y atomics.Uint64
			b = make(bitops.Bitmap, 1)
		)
		both(func() {
			for range 1000 {
				atomic.AddUint64(&x, 1)
				atomics.AddRelaxedUint64(&x, 1)
				atomics.CompareAndSwapFullUint64(&x, 1, 2)
				bitops.SetBit(&x, 9)
				y.AddRelaxed(1)
				b.Set(3)
				atomic.AddUint64(&b[0], 1<<8)
			}
		})
	},
	"counter under a bit lock": func() {
		var (
			word  uint64
			count int
		)
		both(func() {
			for range 1000 {
				for bitops.TestAndSetBitLock(&word, 3) {
					runtime.Gosched()
				}
				count++
				bitops.ClearBitUnlock(&word, 3)
			}
		})
		if count != 2000 {
			fail("count", count)
		}
	},
	// A panic inside an operation must leave the detector as it was: not deaf
	// to the mutex here,
	"mutex after a nil operand": func() {
		panicInside()
		var (
			mu    sync.Mutex
			count int
		)
		both(func() {
			panicInside()
			for range 1000 {
				mu.Lock()
				count++
				mu.Unlock()
			}
		})
	},
	// nor deaf to a race here.
	"broken publication after a nil operand": func() {
		panicInside()
		for range 50 {
			handOff(publishers["broken StoreRelaxed"], consumers["broken LoadRelaxed"])
		}
	},
	// Two fences order nothing when they stand on the wrong sides.
	"broken fences the wrong way round": func() {
		for range 50 {
			handOff(publisher{number, func(s *shared) {
				atomics.StoreRelaxedUint64(&s.flag, 1)
				barrier.Release()
			}}, consumers["broken Acquire+LoadRelaxed"])
		}
	},
}

// both runs f in two goroutines.
func both(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(f)
	wg.Wait()
}

// panicInside makes one operation of each kind fail on a nil operand.
func panicInside() {
	for _, f := range []func(){
		func() { atomics.LoadRelaxedUint64(nil) },
		func() { atomics.LoadAcquireUint32(nil) },
		func() { atomics.StoreRelaxedInt64(nil, 1) },
		func() { atomics.StoreReleaseUintptr(nil, 1) },
		func() { atomics.StoreFullInt32(nil, 1) },
		func() { atomics.AddRelaxedUint64(nil, 1) },
		func() { atomics.AndAcquireUint64(nil, 1) },
		func() { atomics.XorReleaseUint64(nil, 1) },
		func() { atomics.SwapFullUint64(nil, 1) },
		func() { atomics.CompareAndSwapRelaxedUint64(nil, 1, 2) },
		func() { atomics.LoadRelaxedPointer[int](nil) },
		func() { atomics.StoreRelaxedPointer[int](nil, nil) },
		func() { atomics.SwapFullPointer[int](nil, nil) },
		func() { bitops.SetBit(nil, 1) },
		func() { bitops.TestAndSetBitLock(nil, 1) },
		func() { bitops.ClearBitUnlock(nil, 1) },
		func() { bitops.XorUnlockIsNegativeByte(nil, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					fail("a nil operand did not panic")
				}
			}()
			f()
		}()
	}
}
