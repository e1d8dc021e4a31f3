// Package virtq is a split virtqueue in which each side notifies the other only when that side asked for it, by event
// indexes. A driver adds buffers and publishes them, and sleeps when it has nothing to do:
//
//	driver, device := q.Driver(), q.Device()
//
//	driver.Add(head)
//	if driver.Publish() {
//		kick() // whatever wakes the device
//	}
//	...
//	for !driver.Arm() { // asks for a notification, and looks once more
//		<-interrupt
//	}
//	done, ok := driver.Take()
//
// The device does the same in the other direction. A device that is a real one, with a bell register in its own memory, gets
// its buffers by PublishTo.
//
// # The race between publishing and falling asleep
//
// One side writes its index and then reads how far the other wants to be left alone; the other writes that and then reads
// the index once more. This is store buffering: without a full fence on both sides both may read the old value, and then
// one sleeps and nobody wakes it. The two sequences, and the one for a device, are in notify.go and are made into one
// function each where that is cheaper. This file was made by hand, znotify_* by
//
//	go generate ./examples/virtq
//
// # What becomes of them
//
// As barriergen fuse -report counts them: calls of assembly functions, fences, and the instructions in all that access or
// order memory.
//
//	function       architecture  calls   fences  instructions
//	publish        amd64         0       1       3             stays Go: an inlined full fence is cheaper than a call
//	publish        arm64         2 -> 1  2 -> 1  4 -> 3        Release and the store are STLR
//	arm            amd64         0       1       3             stays Go
//	arm            arm64         2 -> 1  2 -> 1  4 -> 3        the load and Acquire are LDAR
//	publishDevice  amd64         3 -> 1  3 -> 2  6 -> 5        SFENCE before the bell: MFENCE did that
//	publishDevice  arm64         4 -> 1  4 -> 2  7 -> 5        DSB ST before the bell: DSB SY did that; and STLR
//
// On amd64 publishDevice gains less than a tenth: MFENCE, which must stay, is nine tenths of it. Who writes publish with
// StoreRelease, and arm with LoadAcquire, gets by hand on arm64 what fusing finds here, and then it gains nothing more. For
// publishDevice there is no such spelling.
//
// Source: Virtual I/O Device (VIRTIO) Version 1.2, 2.7 "Split Virtqueues", 2.7.10 "Available Buffer Notification Suppression",
// 4.2.2 "MMIO Device Register Layout".
package virtq

import (
	"fmt"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
)

//go:generate go run github.com/barriergen/barriergen/cmd/barriergen fuse

// Descriptor is an element of the descriptor table.
type Descriptor struct {
	Addr        uint64
	Len         uint32
	Flags, Next uint16
}

// Used is an element of the used ring: a chain that the device is done with, and how many bytes it wrote.
type Used struct{ ID, Len uint32 }

// Queue is a virtqueue in memory that both sides see. The layout is that of a little-endian machine.
//
// An index and the flags before it, which are zero where event indexes are in use, are accessed as one word of 32 bits, so
// that they need no operations on 16 bits; an event index and the padding behind it too.
type Queue struct {
	Descriptors           []Descriptor
	available, used       *uint32 // flags, and the index in the upper half
	availableRing         []uint16
	usedRing              []Used
	usedEvent, availEvent *uint32 // in the lower half
}

// Bytes is how much memory a queue of n descriptors takes.
func Bytes(n int) int { return usedAt(n) + 4 + 8*n + 4 }

func availableAt(n int) int { return 16 * n }
func usedAt(n int) int      { return availableAt(n) + 4 + 2*n + 4 } // the event index is padded to a word

// New returns an empty queue of n descriptors in memory of its own.
func New(n int) *Queue {
	size(n)
	return At(unsafe.Pointer(&make([]uint64, Bytes(n)/8+1)[0]), n)
}

// At returns the queue of n descriptors that lies at p, which must be a multiple of 16, or of 8 for memory that no device
// reads, and have room for Bytes(n). An empty queue is zeros.
func At(p unsafe.Pointer, n int) *Queue {
	size(n)
	if uintptr(p)%8 != 0 {
		panic(fmt.Sprintf("virtq: a queue at %#x: its address must be a multiple of 16", uintptr(p)))
	}
	word := func(off int) *uint32 { return (*uint32)(unsafe.Add(p, off)) }
	available, used := availableAt(n), usedAt(n)
	return &Queue{
		Descriptors:   unsafe.Slice((*Descriptor)(p), n),
		available:     word(available),
		availableRing: unsafe.Slice((*uint16)(unsafe.Add(p, available+4)), n),
		usedEvent:     word(available + 4 + 2*n),
		used:          word(used),
		usedRing:      unsafe.Slice((*Used)(unsafe.Add(p, used+4)), n),
		availEvent:    word(used + 4 + 8*n),
	}
}

func size(n int) {
	if n < 2 || n > 32768 || n&(n-1) != 0 {
		panic(fmt.Sprintf("virtq: a queue of %d descriptors: it must be a power of two from 2 to 32768", n))
	}
}

// producer is one side's view of a ring that it fills.
type producer struct {
	index, event    *uint32
	published, next uint16
}

func (p *producer) publish() bool {
	old := p.published
	p.published = p.next
	return publish(p.index, p.event, old, p.next)
}

// consumer is one side's view of a ring that it empties.
type consumer struct {
	index, event *uint32
	next, seen   uint16
}

func (c *consumer) ready() bool {
	if c.next == c.seen {
		c.seen = uint16(atomics.LoadAcquireUint32(c.index) >> 16) // before the elements are read
	}
	return c.next != c.seen
}

func (c *consumer) arm() bool {
	c.seen = arm(c.event, c.index, c.next)
	return c.next != c.seen
}

// Driver is the driver's side of a queue, for one goroutine at a time.
type Driver struct {
	q         *Queue
	available producer
	used      consumer
}

// Driver returns the driver's side of an empty queue.
func (q *Queue) Driver() *Driver {
	return &Driver{q: q, available: producer{index: q.available, event: q.availEvent}, used: consumer{index: q.used, event: q.usedEvent}}
}

// Add puts the chain of descriptors that begins with head into the ring, and reports whether there was room. The device sees it
// after Publish.
func (d *Driver) Add(head uint16) bool {
	n := len(d.q.availableRing)
	if int(d.available.next-d.used.next) == n {
		return false
	}
	d.q.availableRing[int(d.available.next)&(n-1)] = head
	d.available.next++
	return true
}

// Publish lets the device see what was added, and reports whether it wants to be notified.
func (d *Driver) Publish() (notify bool) { return d.available.publish() }

// PublishTo is Publish for a device that is no program on another processor (VIRTIO_F_ORDER_PLATFORM), and notifies it: it
// writes the number of the queue to bell, the QueueNotify register.
func (d *Driver) PublishTo(bell *uint32, queue uint16) {
	old := d.available.published
	d.available.published = d.available.next
	publishDevice(d.available.index, d.available.event, old, d.available.next, bell, uint32(queue))
}

// Take returns a chain that the device is done with, if there is one.
func (d *Driver) Take() (u Used, ok bool) {
	if !d.used.ready() {
		return u, false
	}
	u = d.q.usedRing[int(d.used.next)&(len(d.q.usedRing)-1)]
	d.used.next++
	return u, true
}

// Arm asks for a notification when the device is done with more, and reports whether it is already: if not, the caller
// may sleep.
func (d *Driver) Arm() (more bool) { return d.used.arm() }

// Device is the device's side of a queue, for one goroutine at a time.
type Device struct {
	q         *Queue
	available consumer
	used      producer
}

// Device returns the device's side of an empty queue.
func (q *Queue) Device() *Device {
	return &Device{q: q, available: consumer{index: q.available, event: q.availEvent}, used: producer{index: q.used, event: q.usedEvent}}
}

// Take returns the head of a chain that the driver published, if there is one. A device that does not trust its driver checks it.
func (d *Device) Take() (head uint16, ok bool) {
	if !d.available.ready() {
		return 0, false
	}
	head = d.q.availableRing[int(d.available.next)&(len(d.q.availableRing)-1)]
	d.available.next++
	return head, true
}

// Add gives a chain back; the driver sees it after Publish.
func (d *Device) Add(u Used) {
	d.q.usedRing[int(d.used.next)&(len(d.q.usedRing)-1)] = u
	d.used.next++
}

// Publish lets the driver see what was given back, and reports whether it wants to be notified.
func (d *Device) Publish() (notify bool) { return d.used.publish() }

// Arm asks for a notification when the driver publishes more, and reports whether it has: if not, the caller may sleep.
func (d *Device) Arm() (more bool) { return d.available.arm() }
