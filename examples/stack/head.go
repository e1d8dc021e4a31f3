//go:build barriergen

package stack

import (
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// pop takes the first buffer off the list, 0 if there is none. It is not done if others were faster each time.
func pop(head atomics.Uint128, arena unsafe.Pointer) (off uint64, done bool) {
	old := head.Load()
	for range tries {
		if old.Lo == 0 {
			return 0, true
		}
		// It may be another's by now, and not hold an offset; then the head has changed.
		next := atomics.LoadRelaxedUint64((*uint64)(unsafe.Add(arena, old.Lo)))
		seen, swapped := head.CompareAndSwap(old, atomics.Pair{Lo: next, Hi: old.Hi + 1})
		if swapped {
			return old.Lo, true
		}
		old = seen
	}
	return 0, false
}

// push puts the buffer at off, whose first word is next, in front of the list. It is not done if others were faster each time.
func push(head atomics.Uint128, next *uint64, off uint64) (done bool) {
	old := head.Load()
	for range tries {
		atomics.StoreRelaxedUint64(next, old.Lo)
		seen, swapped := head.CompareAndSwap(old, atomics.Pair{Lo: off, Hi: old.Hi + 1})
		if swapped {
			return true
		}
		old = seen
	}
	return false
}
