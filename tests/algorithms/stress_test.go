package algorithms

import (
	"flag"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

// ops is what each stress test does in all.
var ops = flag.Int("ops", 50_000, "operations of each stress test, over its settings; 100000000 for a campaign")

// onProcs runs f with 1, 2, 4 and 8 processors, as subtests.
func onProcs(t *testing.T, f func(t *testing.T, procs int)) {
	for _, procs := range []int{1, 2, 4, 8} {
		t.Run([]string{1: "1 processor", 2: "2 processors", 4: "4 processors", 8: "8 processors"}[procs], func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			f(t, procs)
		})
	}
}

// together runs f in n goroutines and ends the process with their stacks if they don't end: a lost wake-up, or a lock
// that is never given back, is a wait without end.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	limit := time.Minute + time.Duration(*ops)*20*time.Microsecond
	select {
	case <-done:
	case <-time.After(limit):
		debug.SetTraceback("all")
		panic("no end after " + limit.String() + ": somebody waits for what never comes")
	}
}
