package bitops_test

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/barriergen/barriergen/primitives/bitops"
)

// One bit of a word is a lock; the other bits stay free for use.
func ExampleTestAndSetBitLock() {
	const locked = 63
	var word uint64
	var count int
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for bitops.TestAndSetBitLock(&word, locked) {
				runtime.Gosched()
			}
			count++
			bitops.ClearBitUnlock(&word, locked)
		}()
	}
	wg.Wait()
	fmt.Println(count)
	// Output: 4
}

func ExampleBitmap() {
	free := make(bitops.Bitmap, 2)
	free.Set(70)
	fmt.Println(free.Len(), free.TestAndClear(70), free.Test(70))
	// Output: 128 true false
}
