package main

import (
	"context"
	"sync"
	"time"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/srcu"
	"github.com/barriergen/barriergen/tests/bench/measure"
)

// The read-side path with what may follow it.

//go:noinline
func sections(d *srcu.Domain, n int) {
	for range n {
		d.ReadUnlock(d.ReadLock())
	}
}

//go:noinline
func sectionsThenAfter(d *srcu.Domain, n int) {
	for range n {
		d.ReadUnlock(d.ReadLock())
		barrier.AfterSRCUReadUnlock()
	}
}

//go:noinline
func sectionsThenFull(d *srcu.Domain, n int) {
	for range n {
		d.ReadUnlock(d.ReadLock())
		barrier.Full()
	}
}

//go:noinline
func fastSectionsThenAfter(r *srcu.FastReader, n int) {
	for range n {
		r.ReadUnlock(r.ReadLock())
		r.AfterReadUnlock()
	}
}

// spin passes time without touching memory.
func spin(rounds int) {
	for range rounds {
		barrier.Compiler()
	}
}

// load is what a reader does, again and again, in rounds of spin.
type load struct{ inside, outside int }

var (
	light = load{inside: 1000, outside: 10000}
	busy  = load{inside: 10000, outside: 1000}
)

// reader enters sections with pauses between.
func (l load) reader(d *srcu.Domain) measure.Worker {
	return func(stop *measure.Stop) (n int) {
		for ; !stop.Now(); n++ {
			i := d.ReadLock()
			spin(l.inside)
			d.ReadUnlock(i)
			spin(l.outside)
		}
		return n
	}
}

// fastReader is reader with one that executes no fence.
func (l load) fastReader(d *srcu.Domain) measure.Worker {
	r := d.RegisterFast()
	return func(stop *measure.Stop) (n int) {
		for ; !stop.Now(); n++ {
			i := r.ReadLock()
			spin(l.inside)
			r.ReadUnlock(i)
			spin(l.outside)
		}
		return n
	}
}

// latencyOf makes calls one after the other on the first processor, while the background, if there is one, runs on the
// second.
func latencyOf(name string, background measure.Worker, call func()) measure.Side {
	return measure.Side{Name: name, Run: func(_ context.Context, length time.Duration) (measure.Sample, error) {
		calls, disturbed := timeCalls(length, background, call)
		return measure.Sample{Values: measure.Latencies(calls), Disturbed: disturbed}, nil
	}}
}

// mostCalls bounds how many latencies a run keeps.
const mostCalls = 1 << 18

func timeCalls(length time.Duration, background measure.Worker, call func()) (calls []time.Duration, disturbed bool) {
	calls = make([]time.Duration, 0, mostCalls)
	workers := []measure.Worker{func(stop *measure.Stop) int {
		began := time.Now()
		for len(calls) == 0 || !stop.Now() && len(calls) < cap(calls) {
			call()
			ended := time.Now()
			calls = append(calls, ended.Sub(began))
			began = ended
		}
		return len(calls)
	}}
	if background != nil {
		workers = append(workers, background)
	}
	_, _, disturbed = measure.Together(length, workers...)
	return calls, disturbed
}

// timerShare makes calls as latencyOf does, and yields how many percent of them took as long as the shortest sleep, which is
// measured just before.
func timerShare(name string, background measure.Worker, call func()) measure.Side {
	return measure.Side{Name: name, Run: func(_ context.Context, length time.Duration) (measure.Sample, error) {
		sleeps, _ := timeCalls(length/10, nil, func() { time.Sleep(1) })
		shortest := time.Duration(measure.Latencies(sleeps)[0])
		calls, disturbed := timeCalls(length, background, call)
		slow := 0
		for _, c := range calls {
			if c >= shortest {
				slow++
			}
		}
		return measure.Sample{Values: []float64{100 * float64(slow) / float64(len(calls))}, Disturbed: disturbed}, nil
	}}
}

// bus is a list that readers walk under SRCU, and that is replaced to add to it.
type bus struct {
	mu      sync.Mutex
	domain  *srcu.Domain
	devices atomics.Pointer[[16]int]
}

// register replaces an entry and waits until no reader uses the old list.
func (b *bus) register(device int, wait func()) {
	b.mu.Lock()
	next := new([16]int)
	if old := b.devices.LoadAcquire(); old != nil {
		*next = *old
	}
	next[device%len(next)] = device
	b.devices.StoreRelease(next)
	b.mu.Unlock()
	wait()
}

const (
	registrations = 1000
	callers       = 50 // of the parallel runs
	fixedDelay    = time.Millisecond
)

// registering makes 1,000 registrations in a run, under light load, by so many goroutines. Its figures are the whole time
// and those of Latency.
func registering(name string, goroutines int, wait func(*srcu.Domain)) measure.Side {
	return measure.Side{Name: name, Run: func(context.Context, time.Duration) (measure.Sample, error) {
		b := &bus{domain: srcu.New()}
		calls := make([]time.Duration, registrations)
		var all time.Duration
		work := func(stop *measure.Stop) int {
			began := time.Now()
			var done sync.WaitGroup
			for g := range goroutines {
				done.Go(func() {
					for i := g; i < registrations; i += goroutines {
						from := time.Now()
						b.register(i, func() { wait(b.domain) })
						calls[i] = time.Since(from)
					}
				})
			}
			done.Wait()
			all = time.Since(began)
			return registrations
		}
		disturbed := untilDone(work, light.reader(b.domain))
		l := measure.Latencies(calls)
		l[3] = registrations / all.Seconds() // callers at the same time share grace periods
		return measure.Sample{Values: append([]float64{all.Seconds() * 1e3}, l...), Disturbed: disturbed}, nil
	}}
}

// untilDone runs work on the first processor, and the background on the second for as long.
func untilDone(work, background measure.Worker) (disturbed bool) {
	var stop measure.Stop
	var done sync.WaitGroup
	done.Go(func() { measure.Pinned(1, func() { background(&stop) }) })
	disturbed = measure.Pinned(0, func() { work(&stop) })
	stop.Set()
	done.Wait()
	return disturbed
}
