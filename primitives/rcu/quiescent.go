package rcu

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Quiescent is the flavour whose sections cost nothing at all: instead of saying when a section begins and ends, a reader
// says now and then that it is in none. A grace period lasts until every reader that is online has said so.
type Quiescent struct{ Domain }

// NewQuiescent returns a domain without readers.
func NewQuiescent() *Quiescent {
	d := new(Quiescent)
	d.init(barrier.Full)
	return d
}

// QuiescentReader is a reader of a Quiescent domain, for one goroutine at a time. While it is online it holds up every grace
// period until it calls Quiescent or Offline: it has to be offline to block, and to call anything of the domain that waits.
type QuiescentReader reader

// Register adds a reader. It is online.
func (d *Quiescent) Register() *QuiescentReader {
	r := new(reader)
	d.register(r, idle)
	q := (*QuiescentReader)(r)
	q.Online()
	return q
}

// ReadLock begins a read-side section. It is no instruction: it keeps the compiler from moving accesses out of the
// section. Under the race detector it is counted, so that mistakes panic.
func (r *QuiescentReader) ReadLock() {
	r.debug.lock()
	barrier.Compiler()
}

// ReadUnlock ends the section. It is no instruction either.
func (r *QuiescentReader) ReadUnlock() {
	barrier.Compiler()
	r.debug.unlock()
}

// Quiescent says that the reader is in no section. It orders everything earlier before what follows any grace period that
// it ends. With none under way, it is two loads.
func (r *QuiescentReader) Quiescent() {
	r.debug.outside("Quiescent")
	if number := atomics.LoadAcquireUint64(r.period); number != r.word {
		(*reader)(r).announce(number)
	}
}

// announce stores the number that the reader has seen. It needs no full fence: an updater waits for a reader that is online
// until it finds a number that the reader can only have got after the updater's fence, however old the word that it looks
// at.
func (r *reader) announce(number uint64) {
	if int64(r.word) >= 0 {
		panic("rcu: Quiescent of a reader that is not online")
	}
	atomics.StoreReleaseUint64(&r.word, number)
}

// Offline says that the reader is in no section and will enter none until Online.
func (r *QuiescentReader) Offline() {
	r.debug.outside("Offline")
	if int64(r.word) >= 0 {
		panic("rcu: Offline of a reader that is not online")
	}
	atomics.StoreReleaseUint64(&r.word, idle)
}

// Online ends Offline. It is a full fence.
func (r *QuiescentReader) Online() {
	r.debug.use()
	if r.word != idle {
		panic("rcu: Online of a reader that is not offline")
	}
	atomics.StoreFullUint64(&r.word, atomics.LoadRelaxedUint64(r.period))
}

// Synchronize is that of the domain. The reader is offline meanwhile.
func (r *QuiescentReader) Synchronize() {
	r.debug.outside("Synchronize")
	if int64(r.word) < 0 {
		r.Offline()
		defer r.Online()
	}
	(*reader)(r).synchronize()
}

// Unregister ends the use of r.
func (r *QuiescentReader) Unregister() {
	r.debug.outside("Unregister")
	if int64(r.word) < 0 {
		r.Offline()
	}
	(*reader)(r).unregister()
}
