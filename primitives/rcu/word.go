package rcu

import (
	"math"
	"sync"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// A reader's word tells updaters where the reader is.
//
//	0          not registered
//	idle       outside of any section; ReadLock may go the short way
//	negative   in one section; ReadUnlock may go the short way
//	others     what goes the long way: nested sections, and a reader that has to execute its own fence
//
// From the low end: bit 0 is idle; bit 1 fenced, the reader that executes its own fence; bits 4 to 11 the depth of nested
// sections, 0 if the sign says that it is one; bits 12 to 62 the number of the grace period that ran last when the
// outermost section began; the sign is active.
//
// Sections nest, so ReadLock has to look at its word anyhow. The same test also answers whether there is a fence to execute
// and whether the reader is registered.
//
// The number does not wrap: 51 bits last for seven years at a grace period every 100 ns. That is why one wait is enough
// where a phase bit needs two: a reader that took its number long ago and stores it only now has one that is too
// small, and is waited for, instead of a phase that has come round again.
const (
	idle       uint64 = 1 << 0
	fenced     uint64 = 1 << 1
	depthOne   uint64 = 1 << 4
	depthMask  uint64 = 1<<12 - depthOne
	numberOne  uint64 = 1 << 12
	numberMask uint64 = math.MaxInt64 - (numberOne - 1)
	active     uint64 = 1 << 63
)

// before reports whether w is in a section that may have begun before the grace period of that number.
func before(w, number uint64) bool {
	return (int64(w) < 0 || w&depthMask != 0) && w&numberMask < number&numberMask
}

// reader is what readers of all kinds consist of. It fills cache lines of its own. Its word is written by its goroutine
// only, which therefore reads it as a plain variable.
type reader struct {
	word   uint64  // read by updaters
	period *uint64 // active | number: what word becomes in a section
	domain *Domain
	debug  debug
	_      [128 - 24 - unsafe.Sizeof(debug{})]byte
}

// lockSlow is ReadLock where the word is not idle. Inlined, it would keep its caller from being so.
//
//go:noinline
func (r *reader) lockSlow() {
	switch w := r.word; {
	case w == 0:
		panic("rcu: ReadLock of a reader that is not registered: get one from Register")
	case w == fenced:
		atomics.StoreFullUint64(&r.word, atomics.LoadRelaxedUint64(r.period)&numberMask|fenced|depthOne)
	case int64(w) < 0:
		atomics.StoreRelaxedUint64(&r.word, w&^active+2*depthOne)
	case w&depthMask == depthMask:
		panic("rcu: ReadLock nested 256 deep: a ReadUnlock is missing")
	default:
		atomics.StoreRelaxedUint64(&r.word, w+depthOne)
	}
}

// unlockSlow is ReadUnlock where the word is not negative. Inlined, it would keep its caller from being so.
//
//go:noinline
func (r *reader) unlockSlow() {
	switch w := r.word; {
	case w == 0:
		panic("rcu: ReadUnlock of a reader that is not registered: get one from Register")
	case w&depthMask == 0:
		panic("rcu: ReadUnlock without ReadLock")
	case w&(depthMask|fenced) == 2*depthOne:
		atomics.StoreRelaxedUint64(&r.word, w-2*depthOne|active)
	case w&(depthMask|fenced) == depthOne|fenced:
		atomics.StoreReleaseUint64(&r.word, fenced)
	default:
		atomics.StoreRelaxedUint64(&r.word, w-depthOne)
	}
}

// mustBeOutside panics if the reader is in a section, or not registered.
func (r *reader) mustBeOutside(what string) {
	switch w := r.word; {
	case w == 0:
		panic("rcu: " + what + " of a reader that is not registered: get one from Register")
	case int64(w) < 0 || w&depthMask != 0:
		panic("rcu: " + what + " inside the reader's own read-side section")
	}
}

func (r *reader) unregister() {
	r.mustBeOutside("Unregister")
	atomics.StoreReleaseUint64(&r.word, 0)
	r.domain.readers.remove(r)
}

func (r *reader) synchronize() {
	r.mustBeOutside("Synchronize")
	r.domain.Synchronize()
}

// registry is the set of readers. Its lists are never changed, so that whoever has one may go through it without the lock.
type registry struct {
	mu   sync.Mutex
	list []*reader
}

func (g *registry) add(r *reader) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = append(g.list[:len(g.list):len(g.list)], r)
}

func (g *registry) remove(r *reader) {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept := make([]*reader, 0, len(g.list))
	for _, other := range g.list {
		if other != r {
			kept = append(kept, other)
		}
	}
	g.list = kept
}

// readers are those that are registered. One that comes later sees what the caller has done, because it takes the lock
// later.
func (g *registry) readers() []*reader {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.list
}
