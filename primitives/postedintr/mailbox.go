package postedintr

import (
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/cpu"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// Mailbox is what a Descriptor is, for goroutines: any number of senders post numbers to one receiver, which is
// woken once for all that came since it last looked. A number that is posted again before it was received counts once.
type Mailbox struct {
	wake func()
	bits bitops.Bitmap
	_    cpu.CacheLinePad
	on   uint32 // woken, and has not looked since
	_    cpu.CacheLinePad
}

// NewMailbox returns an empty mailbox for the numbers below 64·words. wake is called by Post, in the goroutine of the
// sender, when the receiver has to look; it must not block. A channel with room for one element does it:
//
//	woken := make(chan struct{}, 1)
//	m := postedintr.NewMailbox(4, func() {
//		select {
//		case woken <- struct{}{}:
//		default:
//		}
//	})
func NewMailbox(words int, wake func()) *Mailbox {
	if words < 1 || wake == nil {
		panic(fmt.Sprintf("postedintr: a mailbox of %d words, wake function given: %t; it needs at least one word and the function", words, wake != nil))
	}
	return &Mailbox{wake: wake, bits: make(bitops.Bitmap, words)}
}

// Post sets a bit for the receiver, and wakes it unless that has been done and it has not looked since. What a sender did
// before Post is visible to the receiver once Sync has given it the bit. It panics if bit is not below 64·words.
//
// It is a read-modify-write if the bit was set already or the receiver is woken, else two and the wake-up.
func (m *Mailbox) Post(bit uint) {
	if m.bits.TestAndSet(bit) {
		return // who set it has woken the receiver, or is about to
	}
	// See Descriptor.Post.
	if atomics.LoadRelaxedUint32(&m.on) == 0 && atomics.SwapRelaxedUint32(&m.on, 1) == 0 {
		m.wake()
	}
}

// Sync moves all bits that are set into into, next to what is there, and reports whether there were any. It is for one
// receiver at a time. While the receiver has not been woken it is a load and a branch, inlined, without any atomic
// operation. It panics if into has fewer words than the mailbox.
func (m *Mailbox) Sync(into []uint64) bool {
	return atomic.LoadUint32(&m.on) != 0 && m.collect(into) // see Descriptor.Sync
}

//go:noinline
func (m *Mailbox) collect(into []uint64) bool {
	if len(into) < len(m.bits) { // before anything is taken
		panic(fmt.Sprintf("postedintr: Sync into %d words; the mailbox has %d", len(into), len(m.bits)))
	}
	// Nobody else clears the flag, so a store does, but a full fence has to follow: a bit that is set behind the reads
	// comes with a wake-up of its own.
	atomics.StoreFullUint32(&m.on, 0)
	return drain(m.bits, into)
}
