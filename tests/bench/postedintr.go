package main

import (
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
	"github.com/barriergen/barriergen/primitives/postedintr"
)

// descriptor is the memory of a posted-interrupt descriptor: requests, and control, whose bit 0 is ON.
type descriptor struct {
	pir     [4]uint64
	control uint64
	_       [3]uint64
}

// newDescriptor returns memory at an address that is a multiple of 64.
func newDescriptor() *descriptor { return (*descriptor)(unsafe.Pointer(postedintr.New())) }

// post puts requests in and sets ON, as if they had come from elsewhere.
func (d *descriptor) post(requests *[4]uint64) {
	d.pir = *requests
	d.control |= 1
}

// unconditional is Sync without looking first: ON is cleared and every word of requests is exchanged.
func (d *descriptor) unconditional(irr *[4]uint64) bool {
	bitops.ClearBit(&d.control, 0)
	barrier.AfterAtomic()
	var found uint64
	for i := range d.pir {
		w := atomics.SwapAcquireUint64(&d.pir[i], 0)
		irr[i] |= w
		found |= w
	}
	return found != 0
}

//go:noinline
func syncIdle(d *descriptor, n int) (found int) {
	p := postedintr.At(unsafe.Pointer(d))
	var irr [4]uint64
	for range n {
		if p.Sync(&irr) {
			found++
		}
	}
	return found
}

// clearIdle clears ON whether it is set or not, and looks at the requests only if it was: one atomic operation an entry.
//
//go:noinline
func clearIdle(d *descriptor, n int) (found int) {
	for range n {
		bitops.ClearBit(&d.control, 0)
		barrier.AfterAtomic()
		if d.pir[0]|d.pir[1]|d.pir[2]|d.pir[3] != 0 {
			found++
		}
	}
	return found
}

//go:noinline
func unconditionalIdle(d *descriptor, n int) (found int) {
	var irr [4]uint64
	for range n {
		if d.unconditional(&irr) {
			found++
		}
	}
	return found
}

//go:noinline
func syncPosted(d *descriptor, requests *[4]uint64, n int) {
	p := postedintr.At(unsafe.Pointer(d))
	var irr [4]uint64
	for range n {
		d.post(requests)
		if !p.Sync(&irr) {
			panic("postedintr: a request was lost")
		}
	}
}

//go:noinline
func unconditionalPosted(d *descriptor, requests *[4]uint64, n int) {
	var irr [4]uint64
	for range n {
		d.post(requests)
		if !d.unconditional(&irr) {
			panic("a request was lost")
		}
	}
}
