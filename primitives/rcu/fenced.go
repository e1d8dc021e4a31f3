package rcu

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Fenced is the flavour in which readers execute a full fence of their own when they enter a section. It works everywhere,
// and its grace periods are the cheapest.
type Fenced struct{ Domain }

// NewFenced returns a domain without readers.
func NewFenced() *Fenced {
	d := new(Fenced)
	d.init(barrier.Full)
	return d
}

// FencedReader is a reader of a Fenced domain, for one goroutine at a time.
type FencedReader reader

// Register adds a reader.
func (d *Fenced) Register() *FencedReader {
	r := new(reader)
	d.register(r, idle)
	return (*FencedReader)(r)
}

// Unregister ends the use of r. It panics if r is in a section.
func (r *FencedReader) Unregister() { (*reader)(r).unregister() }

// Synchronize is that of the domain, and panics if r is in a section.
func (r *FencedReader) Synchronize() { (*reader)(r).synchronize() }

// ReadUnlock leaves the section. It orders everything earlier before the exit: a release.
func (r *FencedReader) ReadUnlock() {
	if int64(r.word) >= 0 {
		(*reader)(r).unlockSlow()
		return
	}
	atomics.StoreReleaseUint64(&r.word, idle)
}
