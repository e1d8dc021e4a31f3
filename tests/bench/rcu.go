package main

import (
	"context"
	"time"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/rcu"
	"github.com/barriergen/barriergen/tests/bench/measure"
)

// cell is what readers look at. A writer spoils it after a grace period, so that a reader that was not waited for is
// noticed.
type cell struct {
	_ [128]byte
	v uint64
	_ [128]byte
}

const good = 8

// published is the pointer that readers follow.
type published struct {
	_ [128]byte
	p atomics.Pointer[cell]
	_ [128]byte
}

func newPublished() *published {
	p := new(published)
	p.p.StoreRelease(&cell{v: good})
	return p
}

// see is the body of every reader: load the pointer, load what it points to, compare.
func (p *published) see() {
	if p.p.LoadAcquire().v != good {
		panic("a reader saw an object after its grace period")
	}
}

// write replaces the object, waits for the readers of the old one, and uses it again.
func (p *published) write(stop *measure.Stop, synchronize func()) (n int) {
	spare := new(cell)
	for ; !stop.Now(); n++ {
		spare.v = good
		old := p.p.SwapRelease(spare)
		synchronize()
		old.v = 0
		spare = old
	}
	return n
}

// The readers. Each loop is spelled out: through an interface or a type argument the calls would not be inlined.

//go:noinline
func readFenced(p *published, r *rcu.FencedReader, stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		r.ReadLock()
		p.see()
		r.ReadUnlock()
	}
	return n
}

// A fence at each end of the section, as in the published comparison.
//
//go:noinline
func readTwoFences(p *published, r *rcu.FencedReader, stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		r.ReadLock()
		p.see()
		barrier.Full()
		r.ReadUnlock()
	}
	return n
}

// liburcu's reader has a third one, before it looks for an updater that sleeps.
//
//go:noinline
func readThreeFences(p *published, r *rcu.FencedReader, stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		r.ReadLock()
		p.see()
		barrier.Full()
		r.ReadUnlock()
		barrier.Full()
	}
	return n
}

//go:noinline
func readMembarrier(p *published, r *rcu.MembarrierReader, stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		r.ReadLock()
		p.see()
		r.ReadUnlock()
	}
	return n
}

// hasMembarrier is what a reader with a run-time check tests at every place of a fence. It is written at start.
var hasMembarrier bool

// check is a fence of such a reader.
func check() {
	if !hasMembarrier {
		barrier.Full()
	}
}

//go:noinline
func readChecked(p *published, r *rcu.MembarrierReader, stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		r.ReadLock()
		check()
		p.see()
		check()
		r.ReadUnlock()
		check()
	}
	return n
}

// quiescentEvery is how many sections a reader of that flavour has between two announcements, as in liburcu's own benchmark.
const quiescentEvery = 1024

//go:noinline
func readQuiescent(p *published, r *rcu.QuiescentReader, stop *measure.Stop) (n int) {
	for ; !stop.Now(); n++ {
		r.ReadLock()
		p.see()
		r.ReadUnlock()
		if n%quiescentEvery == 0 {
			r.Quiescent()
		}
	}
	return n
}

// undecided is a reader that knows nothing of a fallback: the flavour's instructions without what decides at run time
// whether it has a fence to execute.
type undecided struct {
	word   uint64
	period *uint64
	_      [128 - 16]byte
}

func (r *undecided) ReadLock() {
	if r.word != 1 {
		r.mustNotNest()
		return
	}
	r.word = *r.period
	barrier.Compiler()
}

func (r *undecided) ReadUnlock() {
	if int64(r.word) >= 0 {
		r.mustNotNest()
		return
	}
	atomics.StoreReleaseUint64(&r.word, 1)
}

// mustNotNest has a receiver so that the loops have the same length.
//
//go:noinline
func (r *undecided) mustNotNest() { panic("nested") }

//go:noinline
func loopUndecided(p *published, r *undecided, n int) {
	for range n {
		r.ReadLock()
		p.see()
		r.ReadUnlock()
	}
}

//go:noinline
func loopMembarrier(p *published, r *rcu.MembarrierReader, n int) {
	for range n {
		r.ReadLock()
		p.see()
		r.ReadUnlock()
	}
}

//go:noinline
func loopChecked(p *published, r *rcu.MembarrierReader, n int) {
	for range n {
		r.ReadLock()
		check()
		p.see()
		check()
		r.ReadUnlock()
		check()
	}
}

//go:noinline
func loopFenced(p *published, r *rcu.FencedReader, n int) {
	for range n {
		r.ReadLock()
		p.see()
		r.ReadUnlock()
	}
}

//go:noinline
func loopTwoFences(p *published, r *rcu.FencedReader, n int) {
	for range n {
		r.ReadLock()
		p.see()
		barrier.Full()
		r.ReadUnlock()
	}
}

// shares splits the processors as the published run did: six readers and two writers on eight, at least one of each.
func shares(cpus int) (readers, writers int) {
	writers = max(1, cpus/4)
	return max(1, cpus-writers), writers
}

// readersAndWriters makes a side of the number of readers and writers that fits the machine. Each run has a domain of its
// own; newDomain returns what makes a reader, and what writers wait with.
func readersAndWriters(name string, newDomain func(*published) (reader func() (read measure.Worker, leave func()), synchronize func())) measure.Side {
	return measure.Side{Name: name, Run: func(_ context.Context, length time.Duration) (measure.Sample, error) {
		p := newPublished()
		newReader, synchronize := newDomain(p)
		readers, writers := shares(len(measure.CPUs))
		var workers []measure.Worker
		for range readers {
			read, leave := newReader()
			workers = append(workers, func(stop *measure.Stop) int {
				defer leave()
				return read(stop)
			})
		}
		for range writers {
			workers = append(workers, func(stop *measure.Stop) int { return p.write(stop, synchronize) })
		}
		counts, took, disturbed := measure.Together(length, workers...)
		s := measure.Sample{Values: make([]float64, 2), Disturbed: disturbed}
		for i, n := range counts {
			metric := 0
			if i >= readers {
				metric = 1
			}
			s.Values[metric] += float64(n) / took.Seconds()
		}
		return s, nil
	}}
}

func fencedSide(name string, read func(*published, *rcu.FencedReader, *measure.Stop) int) measure.Side {
	return readersAndWriters(name, func(p *published) (func() (measure.Worker, func()), func()) {
		d := rcu.NewFenced()
		return func() (measure.Worker, func()) {
			r := d.Register()
			return func(stop *measure.Stop) int { return read(p, r, stop) }, r.Unregister
		}, d.Synchronize
	})
}

func membarrierSide(name string, read func(*published, *rcu.MembarrierReader, *measure.Stop) int) measure.Side {
	return readersAndWriters(name, func(p *published) (func() (measure.Worker, func()), func()) {
		d := rcu.NewMembarrier()
		return func() (measure.Worker, func()) {
			r := d.Register()
			return func(stop *measure.Stop) int { return read(p, r, stop) }, r.Unregister
		}, d.Synchronize
	})
}

func quiescentSide(name string) measure.Side {
	return readersAndWriters(name, func(p *published) (func() (measure.Worker, func()), func()) {
		d := rcu.NewQuiescent()
		return func() (measure.Worker, func()) {
			r := d.Register()
			return func(stop *measure.Stop) int { return readQuiescent(p, r, stop) }, r.Unregister
		}, d.Synchronize
	})
}
