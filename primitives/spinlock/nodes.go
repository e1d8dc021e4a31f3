package spinlock

import (
	"math/bits"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// queueNode is a place in the queue of a Queued, which knows it by its index in the pool, from 1.
type queueNode struct {
	next    atomics.Uint32 // the index of who waits behind this one; it writes it
	granted atomics.Uint32 // this one is first in the queue
	used    atomics.Uint32
	_       cpu.CacheLinePad
}

// The pool is a list of chunks, each twice as large as the one before; a chunk is never given back.
const (
	chunkBits  = 6                          // of the first
	chunkCount = 32 - tailShift - chunkBits // so that every index fits above tailShift
	probes     = 4                          // nodes that are tried in each chunk
)

var (
	firstChunk [1 << chunkBits]queueNode
	chunks     [chunkCount]atomics.Pointer[queueNode]
	growing    sync.Mutex // of the chunks behind the first
)

func init() { chunks[0].StoreRelaxed(&firstChunk[0]) }

// nodeAt is the node of a chunk, which is not nil.
func nodeAt(chunk *queueNode, i uint32) *queueNode {
	return (*queueNode)(unsafe.Add(unsafe.Pointer(chunk), uintptr(i)*unsafe.Sizeof(queueNode{})))
}

// node is the node with an index.
func node(index uint32) *queueNode {
	at := index - 1 + 1<<chunkBits // the chunk's size is its top bit
	k := bits.Len32(at) - 1
	return nodeAt(chunks[k-chunkBits].LoadAcquire(), at-1<<k)
}

// takeNode returns a free node and its index. It starts to look at a place that depends on the goroutine's stack, so
// that a goroutine finds the node that it used last, and that its processor may still have in its cache.
func takeNode() (uint32, *queueNode) {
	var local byte
	return takeNodeNear(uint32(uintptr(unsafe.Pointer(&local))>>11) * 0x9E3779B1 >> 8)
}

// takeNodeNear looks at a few places from start on in each chunk, and makes the next chunk if they are all taken.
func takeNodeNear(start uint32) (uint32, *queueNode) {
	for {
		for k := range chunks {
			chunk := chunks[k].LoadAcquire()
			if chunk == nil {
				grow(k)
				break
			}
			size := uint32(1) << (chunkBits + k)
			for i := range uint32(probes) {
				at := (start + i) & (size - 1)
				n := nodeAt(chunk, at)
				if n.used.LoadRelaxed() == 0 && n.used.CompareAndSwapAcquire(0, 1) {
					return size - 1<<chunkBits + at + 1, n
				}
			}
		}
		runtime.Gosched()
	}
}

// grow adds chunk k unless somebody else did.
func grow(k int) {
	growing.Lock()
	defer growing.Unlock()
	if chunks[k].LoadRelaxed() == nil {
		chunks[k].StoreRelease(&make([]queueNode, 1<<(chunkBits+k))[0])
	}
}
