package grace

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestPeriods(t *testing.T) {
	var p Periods
	ran := 0
	c := p.Snapshot()
	if p.Done(c) {
		t.Error("a period that never ran is over")
	}
	p.Run(c, func() {
		ran++
		during := p.Snapshot()
		if during != c+2 {
			t.Errorf("during a period the next one is %d, want %d", during, c+2)
		}
		if p.Done(c) {
			t.Error("a period that runs is over")
		}
	})
	p.Run(c, func() { ran++ })
	if ran != 1 || !p.Done(c) || p.Done(p.Snapshot()) {
		t.Errorf("ran %d times, done %v", ran, p.Done(c))
	}
}

// A period during which somebody arrived does not count for them.
func TestPeriodsAreNotSharedTooEarly(t *testing.T) {
	var p Periods
	var running, finish sync.WaitGroup
	running.Add(1)
	finish.Add(1)
	go p.Run(p.Snapshot(), func() {
		running.Done()
		finish.Wait()
	})
	running.Wait()
	c := p.Snapshot()
	var own atomic.Int32
	var callers sync.WaitGroup
	for range 5 { // who arrives during the first shares the second
		callers.Go(func() { p.Run(c, func() { own.Add(1) }) })
	}
	time.Sleep(5 * time.Millisecond)
	finish.Done()
	callers.Wait()
	if own.Load() != 1 {
		t.Errorf("five callers ran %d periods", own.Load())
	}
}

func TestPeriodThatPanics(t *testing.T) {
	var p Periods
	c := p.Snapshot()
	func() {
		defer func() { recover() }()
		p.Run(c, func() { panic("misuse") })
	}()
	if p.Done(c) {
		t.Error("a period that panicked is over")
	}
	for _, c := range []Cookie{c, p.Snapshot()} {
		p.Run(c, func() {})
		if !p.Done(c) {
			t.Errorf("%d is not over", c)
		}
	}
}

func TestQueueOrder(t *testing.T) {
	var mu sync.Mutex
	var log []string
	note := func(s string) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, s)
		}
	}
	var q Queue
	synchronize := note("synchronize")
	first := make(chan struct{})
	q.Synchronize = func() { <-first; synchronize() }
	q.Add(note("a"))
	q.Add(note("b"))
	close(first)
	q.Barrier()
	mu.Lock()
	defer mu.Unlock()
	if i := slices.Index(log, "a"); i < 1 || slices.Index(log, "b") < i || log[0] != "synchronize" {
		t.Errorf("%q", log)
	}
}

// A full queue makes the caller wait for a grace period, and run what was waiting; nothing is lost, and a function may add
// others.
func TestBackpressure(t *testing.T) {
	var q Queue
	gate := make(chan struct{})
	var periods, ran atomic.Int32
	q.Synchronize = func() {
		if periods.Add(1) == 1 {
			<-gate // the worker's
		}
	}
	f := func() { ran.Add(1) }
	q.Add(f)
	for periods.Load() == 0 { // until the worker has taken that one
		runtime.Gosched()
	}
	for i := range Limit {
		if !q.TryAdd(f) {
			t.Fatalf("full at %d", i)
		}
	}
	if q.TryAdd(f) {
		t.Fatal("more than the limit")
	}
	q.Add(func() { q.Add(f) }) // runs Limit functions itself
	if ran.Load() != Limit || periods.Load() < 2 {
		t.Errorf("%d functions ran in %d periods", ran.Load(), periods.Load())
	}
	close(gate)
	q.Barrier()
	q.Barrier() // for what the last function added
	if ran.Load() != Limit+2 {
		t.Errorf("%d functions ran, want %d", ran.Load(), Limit+2)
	}
}

// The worker ends when there is nothing to do, and another one takes over.
func TestWorkerEnds(t *testing.T) {
	q := Queue{Synchronize: func() {}}
	for range 3 {
		q.Add(func() {})
		q.Barrier()
		for working := true; working; {
			q.mu.Lock()
			working = q.working
			q.mu.Unlock()
			runtime.Gosched()
		}
	}
}

func TestBackoff(t *testing.T) {
	for _, procs := range []int{1, 2} {
		old := runtime.GOMAXPROCS(procs)
		var done atomic.Bool
		go done.Store(true)
		var b Backoff
		for !done.Load() {
			b.Pause()
		}
		runtime.GOMAXPROCS(old)
	}
	kick := make(chan struct{}, 1)
	b := Backoff{Kick: kick}
	for b.sleep == 0 {
		b.Pause()
	}
	kick <- struct{}{}
	for range 20 { // one of them is kicked
		b.Pause()
	}
	if len(kick) != 0 {
		t.Error("a kick did not end a sleep")
	}

	eager := Backoff{Hurry: func() bool { return true }}
	for range looks + eagerYields - 1 {
		eager.Pause()
	}
	if eager.sleep != 0 {
		t.Error("an eager wait slept too early")
	}
	eager.Pause()
	if eager.sleep == 0 {
		t.Error("an eager wait never sleeps")
	}
}

// Barrier waits for functions that wait for their grace period too.
func TestBarrierWaitsForABatchUnderWay(t *testing.T) {
	var q Queue
	began, gate := make(chan struct{}), make(chan struct{})
	q.Synchronize = func() {
		close(began)
		<-gate
	}
	var ran atomic.Bool
	q.Add(func() { ran.Store(true) })
	<-began
	over := make(chan bool)
	go func() {
		q.Barrier()
		over <- ran.Load()
	}()
	select {
	case <-over:
		t.Fatal("Barrier did not wait")
	case <-time.After(10 * time.Millisecond):
	}
	close(gate)
	if !<-over {
		t.Error("Barrier returned before the function ran")
	}
}
