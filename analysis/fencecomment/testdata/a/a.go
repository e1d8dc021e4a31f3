// Package a has fences with and without comments.
package a

import (
	"sync/atomic"

	b "github.com/barriergen/barriergen/primitives/barrier"
)

var x, y int32

func said() {
	x = 1
	b.Full() // pairs with the one in the reader
	y = 1
	// Pairs with the read fence of the reader,
	// which is in another package.
	b.Write()
	/* pairs with the acquire load */
	b.Release()
	atomic.StoreInt32(&x, 1)
}

func unsaid() {
	// want +5 `b.Full without a comment: what does it pair with\?`
	// want +7 `b.Read without a comment`
	// want +9 `b.AfterSyncAtomic without a comment`

	x = 1
	b.Full()
	y = 1

	b.Read() //nolint:other

	atomic.AddInt32(&x, 1)
	b.AfterSyncAtomic()
}

func silenced() {
	b.Full() //nolint:fencecomment
	// want +2 `//nolint:fencecomment has no effect`

	x = 1 //nolint:fencecomment
}

// rmb orders reads.
func rmb() { b.Read() }

func wmb() {
	// want +2 `b.Write without a comment`

	b.Write()
}
