// Package uring is the two rings of io_uring, in the memory that the kernel maps: one of submissions, one of completions. It
// makes no system call; the program that set the rings up does:
//
//	ring, err := uring.At(rings, entries, &params) // the two mappings, and what io_uring_setup said
//	ring.Push(uring.SQE{Opcode: nop, UserData: 1})
//	if ring.Submit() {
//		enter(fd, wakeUp) // the kernel's thread sleeps
//	}
//	c, ok := ring.Pop()
//
// Poller is the other side, the one that the kernel's polling thread is: for tests, and for a server in user space that is
// spoken to in the same way. The rings that New makes need no kernel.
//
// # The race between submitting and falling asleep
//
// Submit writes the tail and then reads whether the poller sleeps; the poller says that it sleeps and then reads the tail
// once more. This is store buffering: without a full fence on both sides a submission stays unseen, and the poller asleep.
// Both sequences are in wakeup.go; this file was made by hand, zwakeup_* by
//
//	go generate ./examples/uring
//
// # What becomes of them
//
// As barriergen fuse -report counts them: calls of assembly functions, fences, and the instructions in all that access or
// order memory.
//
//	function  architecture  calls   fences  instructions
//	publish   amd64         0       1       3             stays Go: an inlined full fence is cheaper than a call
//	publish   arm64         1       1       3             stays Go: it is one call as it is
//	doze      amd64         0       0       2             stays Go: LOCK OR, and AfterAtomic is nothing
//	doze      arm64         1       1 -> 0  3 -> 2        LDORAL, and AfterAtomic is nothing behind it
//
// So nothing is gained on amd64, and on arm64 a fence of the poller. All else is inlined on both: a load is LDAR on arm64, the
// store of an index STLR.
//
// Source: Linux 6.10 include/uapi/linux/io_uring.h for layout and numbers, io_uring/sqpoll.c for what the thread does.
package uring

import (
	"fmt"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
)

//go:generate go run github.com/barriergen/barriergen/cmd/barriergen fuse

// SQE is a submission.
type SQE struct {
	Opcode, Flags uint8
	IOPrio        uint16
	FD            int32
	Off, Addr     uint64
	Len, OpFlags  uint32
	UserData      uint64
	_             [3]uint64
}

// CQE is a completion.
type CQE struct {
	UserData uint64
	Res      int32
	Flags    uint32
}

// SQOffsets says where in the mapping the ring of submissions has what.
type SQOffsets struct {
	Head, Tail, RingMask, RingEntries, Flags, Dropped, Array, _ uint32
	_                                                           uint64
}

// CQOffsets says where in the mapping the ring of completions has what.
type CQOffsets struct {
	Head, Tail, RingMask, RingEntries, Overflow, CQEs, Flags, _ uint32
	_                                                           uint64
}

// Params is what io_uring_setup takes and fills in.
type Params struct {
	SQEntries, CQEntries, Flags, SQThreadCPU, SQThreadIdle, Features, WQFD uint32
	_                                                                      [3]uint32
	SQ                                                                     SQOffsets
	CQ                                                                     CQOffsets
}

// SingleMmap is the feature that both rings are in one mapping.
const SingleMmap = 1 << 0

// needWakeup is the submission ring's flag that the poller sleeps.
const needWakeup = 1 << 0

// shared is what both sides see.
type shared struct {
	sqHead, sqTail, sqFlags *uint32
	array                   []uint32 // which entry of sqes is next
	sqes                    []SQE
	cqHead, cqTail          *uint32
	cqes                    []CQE
}

// at checks that everything lies in the mappings, since what the parameters say becomes addresses.
func at(rings, entries []byte, p *Params) (s shared, err error) {
	if p.Features&SingleMmap == 0 {
		return s, fmt.Errorf("uring: the rings are in two mappings: a kernel from 5.4 on has them in one")
	}
	for _, n := range []uint32{p.SQEntries, p.CQEntries} {
		if n == 0 || n&(n-1) != 0 {
			return s, fmt.Errorf("uring: a ring of %d entries: it must be a power of two", n)
		}
	}
	place := func(memory []byte, off, n uint32, size uintptr) (q unsafe.Pointer) {
		if end := uint64(off) + uint64(n)*uint64(size); err == nil && (end > uint64(len(memory)) || uintptr(unsafe.Pointer(&memory[off]))%min(size, 8) != 0) {
			err = fmt.Errorf("uring: %d entries of %d bytes at offset %d of %d bytes: they must lie within, at a multiple of their size", n, size, off, len(memory))
		}
		if err != nil {
			return nil
		}
		return unsafe.Pointer(&memory[off])
	}
	word := func(off uint32) *uint32 { return (*uint32)(place(rings, off, 1, 4)) }
	s = shared{
		sqHead: word(p.SQ.Head), sqTail: word(p.SQ.Tail), sqFlags: word(p.SQ.Flags),
		cqHead: word(p.CQ.Head), cqTail: word(p.CQ.Tail),
	}
	array, cqes := place(rings, p.SQ.Array, p.SQEntries, 4), place(rings, p.CQ.CQEs, p.CQEntries, unsafe.Sizeof(CQE{}))
	sqes := place(entries, 0, p.SQEntries, unsafe.Sizeof(SQE{}))
	if err != nil {
		return shared{}, err
	}
	s.array, s.cqes, s.sqes = unsafe.Slice((*uint32)(array), p.SQEntries), unsafe.Slice((*CQE)(cqes), p.CQEntries), unsafe.Slice((*SQE)(sqes), p.SQEntries)
	return s, nil
}

// Ring is a program's side, for one goroutine at a time.
type Ring struct {
	shared
	tail uint32 // of submissions, before they are published
	head uint32 // of completions
}

// At returns the program's side of rings that io_uring_setup made: rings is the mapping at offset 0, entries the one at
// IORING_OFF_SQES, p what it filled in.
func At(rings, entries []byte, p *Params) (*Ring, error) {
	s, err := at(rings, entries, p)
	if err != nil {
		return nil, err
	}
	for i := range s.array {
		s.array[i] = uint32(i)
	}
	return &Ring{shared: s, tail: atomics.LoadRelaxedUint32(s.sqTail), head: atomics.LoadRelaxedUint32(s.cqHead)}, nil
}

// New returns both sides of rings without a kernel, for n submissions, a power of two, and twice as many completions.
func New(n uint32) (*Ring, *Poller, error) {
	p := &Params{SQEntries: n, CQEntries: 2 * n, Features: SingleMmap,
		SQ: SQOffsets{Head: 0, Tail: 64, Flags: 128, Array: 320},
		CQ: CQOffsets{Head: 192, Tail: 256, CQEs: 320 + (4*n+15)/16*16}}
	bytes := func(n uint32) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(&make([]uint64, n/8+1)[0])), n)
	}
	rings, entries := bytes(p.CQ.CQEs+p.CQEntries*uint32(unsafe.Sizeof(CQE{}))), bytes(n*uint32(unsafe.Sizeof(SQE{})))
	r, err := At(rings, entries, p)
	if err != nil {
		return nil, nil, err
	}
	return r, &Poller{shared: r.shared}, nil
}

// Push adds a submission and reports whether there was room. The poller sees it after Submit.
func (r *Ring) Push(e SQE) bool {
	if r.tail-atomics.LoadAcquireUint32(r.sqHead) == uint32(len(r.sqes)) { // the entry was read before it is written again
		return false
	}
	r.sqes[r.tail&uint32(len(r.sqes)-1)] = e
	r.tail++
	return true
}

// Submit lets the poller see what was pushed, and reports whether it sleeps and has to be woken.
func (r *Ring) Submit() (wake bool) { return publish(r.sqTail, r.sqFlags, r.tail)&needWakeup != 0 }

// Pop removes a completion and reports whether there was one.
func (r *Ring) Pop() (c CQE, ok bool) {
	if r.head == atomics.LoadAcquireUint32(r.cqTail) { // the entry was written before it is read
		return c, false
	}
	c = r.cqes[r.head&uint32(len(r.cqes)-1)]
	r.head++
	atomics.StoreReleaseUint32(r.cqHead, r.head)
	return c, true
}

// Poller is the other side, for one goroutine at a time.
type Poller struct {
	shared
	head uint32 // of submissions
	tail uint32 // of completions
}

// Pop removes a submission and reports whether there was one.
func (p *Poller) Pop() (e SQE, ok bool) {
	if p.head == atomics.LoadAcquireUint32(p.sqTail) {
		return e, false
	}
	e = p.sqes[p.array[p.head&uint32(len(p.array)-1)]&uint32(len(p.sqes)-1)]
	p.head++
	atomics.StoreReleaseUint32(p.sqHead, p.head)
	return e, true
}

// Push adds a completion and reports whether there was room.
func (p *Poller) Push(c CQE) bool {
	if p.tail-atomics.LoadAcquireUint32(p.cqHead) == uint32(len(p.cqes)) {
		return false
	}
	p.cqes[p.tail&uint32(len(p.cqes)-1)] = c
	p.tail++
	atomics.StoreReleaseUint32(p.cqTail, p.tail)
	return true
}

// Doze says that the poller sleeps, and reports whether it may: not if there are submissions. Whoever submits wakes it
// from then on. It calls Wake before it goes on, in both cases.
func (p *Poller) Doze() (sleep bool) { return doze(p.sqFlags, p.sqTail) == p.head }

// Wake says that the poller looks by itself.
func (p *Poller) Wake() { atomics.AndRelaxedUint32(p.sqFlags, ^uint32(needWakeup)) }
