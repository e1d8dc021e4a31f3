// Package stack keeps the free buffers of an arena, for any number of goroutines, without a lock:
//
//	s := stack.New(64, 1000) // 1000 buffers of 64 bytes
//	buf, ok := s.Pop()
//	s.Push(buf)
//
// # The cell of 16 bytes
//
// A free buffer's first word names the next one. Pop reads it and then swings the head, if the head is still what it was: by then
// others may have taken the buffer, and given it back over another one. So the head is the buffer's name and a count of the changes, in one
// compare-and-swap of 16 bytes. The two functions are in head.go; this file was made by hand, zhead_* by
//
//	go generate ./examples/stack
//
// # What becomes of them
//
// As barriergen fuse -report counts them: calls of assembly functions, fences, and the instructions in all that access or
// order memory.
//
//	function  architecture  calls   fences  instructions
//	pop       amd64         2 -> 1  0       3             both operations on the head are calls, and their values go through memory
//	pop       arm64         2 -> 1  0       3             the same
//	push      amd64         2 -> 1  0       3             the same
//	push      arm64         2 -> 1  0       3             the same
//
// The operations stay what they are, and nothing is ordered that was not. What goes is the way of four words to each call and of
// three back: BENCHMARKS.md has what that is worth on amd64.
//
// Source: R. Kent Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986, with the count of the
// IBM System/370 Principles of Operation, appendix A, "Free-Pool Manipulation".
package stack

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
)

//go:generate go run github.com/barriergen/barriergen/cmd/barriergen fuse

// tries bounds the loops in pop and push: assembly can't be preempted.
const tries = 16

// Stack has the free buffers of an arena. It must not be copied.
type Stack struct {
	head  atomics.Uint128 // the offset of the first free buffer, 0 if there is none, and how often it changed
	arena []uint64        // the first 8 bytes are no buffer's
	size  int
}

// New returns the stack of n free buffers of size bytes, a multiple of 8.
func New(size, n int) *Stack {
	if size <= 0 || size%8 != 0 || n < 0 {
		panic(fmt.Sprintf("stack: %d buffers of %d bytes: the size must be a positive multiple of 8", n, size))
	}
	s := &Stack{head: atomics.NewUint128(atomics.Pair{}), arena: make([]uint64, 1+n*(size/8)), size: size}
	for i := n - 1; i >= 0; i-- {
		s.put(uint64(8 + i*size))
	}
	return s
}

// Pop takes a buffer, which is ordered after all that was done to it before it was pushed. It is not ok if none is free.
func (s *Stack) Pop() (buffer []byte, ok bool) {
	for {
		off, done := pop(s.head, unsafe.Pointer(&s.arena[0]))
		switch {
		case !done: // others were faster each time
			runtime.Gosched()
		case off == 0:
			return nil, false
		default:
			return unsafe.Slice((*byte)(unsafe.Pointer(&s.arena[off/8])), s.size), true
		}
	}
}

// Push gives a buffer back that Pop returned, and that its user has done with.
func (s *Stack) Push(buffer []byte) {
	off := uintptr(unsafe.Pointer(unsafe.SliceData(buffer))) - uintptr(unsafe.Pointer(&s.arena[0]))
	if len(buffer) != s.size || off >= uintptr(len(s.arena)*8) || (off-8)%uintptr(s.size) != 0 {
		panic("stack: Push of what is no buffer of this stack")
	}
	s.put(uint64(off))
}

func (s *Stack) put(off uint64) {
	for !push(s.head, &s.arena[off/8], off) {
		runtime.Gosched()
	}
}
