package rcu

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/membarrier"
)

// Membarrier is the flavour whose readers execute no fence: each grace period has the kernel do it for them, with one
// membarrier call. Where the kernel can't, readers execute their own; Fallback tells.
type Membarrier struct {
	Domain
	err error
}

// NewMembarrier returns a domain without readers, and registers the process for the call.
func NewMembarrier() *Membarrier {
	return newMembarrier(membarrier.Register(), membarrier.Heavy[membarrier.Asymmetric])
}

func newMembarrier(err error, heavy func()) *Membarrier {
	d := &Membarrier{err: err}
	if err != nil {
		heavy = membarrier.Heavy[membarrier.Symmetric]
	}
	d.init(heavy)
	return d
}

// Fallback returns nil if the kernel executes the readers' fences, and otherwise why it does not: readers then execute them
// themselves, and cost what those of Fenced do and a call.
func (d *Membarrier) Fallback() error { return d.err }

// MembarrierReader is a reader of a Membarrier domain, for one goroutine at a time.
type MembarrierReader reader

// Register adds a reader.
func (d *Membarrier) Register() *MembarrierReader {
	r, word := new(reader), idle
	if d.err != nil {
		word = fenced
	}
	d.register(r, word)
	return (*MembarrierReader)(r)
}

// Unregister ends the use of r. It panics if r is in a section.
func (r *MembarrierReader) Unregister() { (*reader)(r).unregister() }

// Synchronize is that of the domain, and panics if r is in a section.
func (r *MembarrierReader) Synchronize() { (*reader)(r).synchronize() }

// ReadUnlock leaves the section. It orders everything earlier before the exit: a release.
func (r *MembarrierReader) ReadUnlock() {
	if int64(r.word) >= 0 {
		(*reader)(r).unlockSlow()
		return
	}
	atomics.StoreReleaseUint64(&r.word, idle)
}
