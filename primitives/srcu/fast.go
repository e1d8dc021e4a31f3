package srcu

import (
	"sync"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// FastReader is a reader that executes no fence. It is for one goroutine at a time, which may hand it on as any variable.
type FastReader struct {
	count  [2]uint64 // written by the reader only, which therefore reads it as a plain variable
	index  *uint64   // the domain's, or one that is out of range for a reader that goes the long way
	domain *Domain
	debug  debug
	_      [128 - 32 - unsafe.Sizeof(debug{})]byte
}

// long is an index that sends ReadLock the long way. The test that keeps the index in range finds it.
var long = &[]uint64{2}[0]

// RegisterFast adds a reader.
func (d *Domain) RegisterFast() *FastReader {
	r := &FastReader{index: long, domain: d}
	if d.err == nil {
		r.index = &d.index
	}
	d.fast.add(r)
	return r
}

// Unregister ends the use of r. It panics if r is in a section.
func (r *FastReader) Unregister() {
	r.mustBeOutside("Unregister")
	r.domain.fast.remove(r)
	r.index, r.domain = long, nil
}

// Synchronize is that of the domain, and panics if r is in a section.
func (r *FastReader) Synchronize() {
	r.mustBeOutside("Synchronize")
	r.domain.Synchronize()
}

func (r *FastReader) mustBeOutside(what string) {
	if r.domain == nil {
		panic("srcu: " + what + " of a reader that is not registered: get one from RegisterFast")
	}
	if r.count[0]|r.count[1] != 0 {
		panic("srcu: " + what + " inside the reader's own section")
	}
}

// ReadUnlock leaves the section that ReadLock returned i for. It orders everything earlier before the exit: a release.
//
// On amd64: compares, and a store.
func (r *FastReader) ReadUnlock(i int) {
	if uint(i) > 1 || r.count[i] == 0 {
		panic("srcu: ReadUnlock of an index that the reader holds no section for")
	}
	atomics.StoreReleaseUint64(&r.count[i], r.count[i]-1)
}

// lockSlow is ReadLock where the index is out of range.
//
//go:noinline
func (r *FastReader) lockSlow() int {
	if r.domain == nil {
		panic("srcu: ReadLock of a reader that is not registered: get one from RegisterFast")
	}
	i := atomics.LoadRelaxedUint64(&r.domain.index)
	atomics.StoreFullUint64(&r.count[i], r.count[i]+1)
	return int(i)
}

// AfterReadUnlock, directly behind ReadUnlock, orders it and everything earlier before everything later: what
// [barrier.AfterSRCUReadUnlock] is behind ReadUnlock of a domain, but not empty, since this ReadUnlock is no full fence.
func (r *FastReader) AfterReadUnlock() { barrier.Full() }

// registry is the set of fast readers. Its lists are never changed.
type registry struct {
	mu  sync.Mutex
	all []*FastReader
}

func (g *registry) add(r *FastReader) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all = append(g.all[:len(g.all):len(g.all)], r)
}

func (g *registry) remove(r *FastReader) {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept := make([]*FastReader, 0, len(g.all))
	for _, other := range g.all {
		if other != r {
			kept = append(kept, other)
		}
	}
	g.all = kept
}

func (g *registry) list() []*FastReader {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all
}
