package postedintr

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// Descriptor is a posted-interrupt descriptor of 64 bytes, as processors and I/O memory management units of Intel's read
// and write it:
//
//	bits       bytes    name    what
//	0-255      0-31     PIR     one request bit per interrupt vector
//	256        32       ON      a notification is outstanding
//	257        32       SN      notifications are suppressed
//	272-279    34       NV      the vector of the notification interrupt
//	288-319    36-39    NDST    the destination: an x2APIC identifier, or an xAPIC one in bits 8-15
//
// The other bits are zero. It must lie at an address that is a multiple of 64, which New sees to; Go aligns no type to
// more than 8. The layout is that of a little-endian machine.
//
// Source: Intel SDM vol. 3C, "Posted-Interrupt Processing" and the table of the descriptor's format; Intel VT-d
// specification, "Posted Interrupt Descriptor", for SN, NV and NDST.
type Descriptor struct {
	_       [0]atomic.Uint64 // 8-byte alignment, also where that of a uint64 is 4
	pir     [4]uint64
	control uint64
	_       [3]uint64
}

// Vectors is the number of interrupt vectors of a processor, and of request bits.
const Vectors = 256

// The fields of the control word, bits 256 to 319 of the descriptor.
const (
	onBit     = 0
	snBit     = 1
	nvShift   = 16
	ndstShift = 32

	on        = uint64(1) << onBit
	sn        = uint64(1) << snBit
	addressee = uint64(0xff)<<nvShift | uint64(0xffffffff)<<ndstShift
)

// alignment is what the processor asks of a descriptor's address.
const alignment = 64

// New returns a descriptor at an address that is a multiple of 64, without requests.
func New() *Descriptor {
	memory := make([]byte, unsafe.Sizeof(Descriptor{})+alignment-1)
	gap := -uintptr(unsafe.Pointer(&memory[0])) & (alignment - 1)
	return At(unsafe.Pointer(&memory[gap]))
}

// At returns the descriptor in the 64 bytes at p, such as a page that a hypervisor shares. They must stay where they are
// for as long as the descriptor is in use. It panics if p is not a multiple of 64.
func At(p unsafe.Pointer) *Descriptor {
	if uintptr(p)%alignment != 0 {
		panic(fmt.Sprintf("postedintr: a descriptor at %#x: its address must be a multiple of %d", uintptr(p), alignment))
	}
	return (*Descriptor)(p)
}

// Post requests an interrupt, and reports whether the caller must send the notification: the interrupt that
// Notification names, or whatever else wakes the receiver. Any number of senders may call it. What a sender did before
// Post is visible to the receiver once Sync has given it the request.
//
// It is a read-modify-write if the request was there already or a notification is outstanding or suppressed, else two.
// As the hardware does for interrupts that are not urgent, it leaves ON alone while SN is set.
func (d *Descriptor) Post(vector uint8) (notify bool) {
	if bitops.TestAndSetBit(&d.pir[vector/64], uint(vector)%64) {
		return false // who set it has notified, or is about to
	}
	// The bit is set before this is read, in full order: against it the receiver clears ON, or SN, and then reads the bits.
	// So either the receiver sees the bit, or this sees the flag cleared.
	for {
		c := atomics.LoadRelaxedUint64(&d.control)
		if c&(on|sn) != 0 {
			return false
		}
		if atomics.CompareAndSwapRelaxedUint64(&d.control, c, c|on) {
			return true
		}
	}
}

// Sync moves all requests into irr, bit by bit next to what is there, and reports whether there were any. It is for one
// receiver at a time. While no notification is outstanding it is a load and a branch, inlined, without any atomic operation.
func (d *Descriptor) Sync(irr *[Vectors / 64]uint64) bool {
	// sync/atomic's load is more than is needed, LDAR on arm64, but the inliner's budget has room for it.
	return atomic.LoadUint64(&d.control)&on != 0 && d.collect(irr)
}

//go:noinline
func (d *Descriptor) collect(irr *[Vectors / 64]uint64) bool {
	clearFlag(&d.control, onBit)
	return drain(d.pir[:], irr[:])
}

// drain moves the bits of from into into and reports whether there were any.
func drain(from, into []uint64) bool {
	var any uint64
	for i := range from {
		if atomics.LoadRelaxedUint64(&from[i]) != 0 { // spares the words without requests the exchange
			w := atomics.SwapAcquireUint64(&from[i], 0)
			into[i] |= w
			any |= w
		}
	}
	return any != 0
}

// Suppress sets SN: senders request without notifying until Resume, as for a virtual processor that is not running.
func (d *Descriptor) Suppress() { bitops.SetBit(&d.control, snBit) }

// Resume clears SN and reports whether requests came while it was set; then ON is set, and Sync finds them. It is for the
// receiver.
func (d *Descriptor) Resume() bool {
	clearFlag(&d.control, snBit)
	for i := range d.pir {
		if atomics.LoadRelaxedUint64(&d.pir[i]) != 0 {
			bitops.SetBit(&d.control, onBit)
			return true
		}
	}
	return false
}

// Outstanding reports whether ON is set: a notification was sent, and Sync has not been called since. It orders nothing.
func (d *Descriptor) Outstanding() bool { return bitops.TestBit(&d.control, onBit) }

// Suppressed reports whether SN is set. It orders nothing.
func (d *Descriptor) Suppressed() bool { return bitops.TestBit(&d.control, snBit) }

// SetNotification sets NV and NDST in one step: the vector of the notification interrupt and the processor it goes to.
func (d *Descriptor) SetNotification(vector uint8, destination uint32) {
	to := uint64(vector)<<nvShift | uint64(destination)<<ndstShift
	for {
		c := atomics.LoadRelaxedUint64(&d.control)
		if atomics.CompareAndSwapFullUint64(&d.control, c, c&^addressee|to) {
			return
		}
	}
}

// Notification returns NV and NDST as they were at one time.
func (d *Descriptor) Notification() (vector uint8, destination uint32) {
	c := atomics.LoadAcquireUint64(&d.control)
	return uint8(c >> nvShift), uint32(c >> ndstShift)
}
