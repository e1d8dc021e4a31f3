// Package ring holds bounded queues that do not block: SPSC between one producer and one consumer, MPSC between any
// number of producers and one consumer. Push says whether there was room, Pop whether there was an element; what to do
// otherwise is the caller's business.
//
// A Go channel is the better choice where a side should sleep while the other has nothing for it; a ring is, where both
// sides are busy, or where a side must not be stopped. postedintr.Mailbox can wake a consumer that sleeps.
//
// # What must be ordered, and what is often wrong
//
//   - The element before the index, or turn, that publishes it: a release store. sync/atomic's store does that too, by an
//     exchange on amd64; the release store is a plain move there.
//   - That index before the element, on the consumer's side: an acquire load. With a plain or relaxed load arm64 may read
//     the element first; on amd64 nobody notices, until the compiler moves it.
//   - The consumer's read of the element before the index that frees its slot: a release store, again. A producer that
//     meets a slot whose element is still being copied overwrites it.
//   - Positions have to be unsigned and to run on over the capacity, which must be a power of two: then they may wrap, and
//     full and empty differ.
//   - Each side's index needs a cache line of its own.
//   - A slot that keeps its element after Pop keeps alive what the element points to.
package ring

import "fmt"

// capacity is the least power of two that is at least n and at least minimum.
func capacity(n, minimum int) int {
	const most = 1 << 30
	if n < 1 || n > most {
		panic(fmt.Sprintf("ring: a ring for %d elements; it must be for at least 1 and at most %d", n, most))
	}
	size := minimum
	for size < n {
		size *= 2
	}
	return size
}

// The compiler exports what the methods inline only if it has inlined it here: without these instances a package that does
// not import atomics itself would get calls.
var (
	_ = (*SPSC[byte]).Push
	_ = (*SPSC[byte]).Pop
	_ = (*MPSC[byte]).Push
	_ = (*MPSC[byte]).Pop
)
