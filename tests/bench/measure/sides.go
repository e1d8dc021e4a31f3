package measure

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Loop is a side that does something n times, on one processor. Its figure is nanoseconds per operation.
func Loop(name string, f func(n int)) Side {
	return Counted(name, func(n int) ([]time.Duration, bool) {
		var took time.Duration
		disturbed := Pinned(0, func() {
			began := time.Now()
			f(n)
			took = time.Since(began)
		})
		return []time.Duration{took}, disturbed
	})
}

// Counted is a side that does something n times and says itself how long it took, or several parts of it. Its figures are
// nanoseconds per operation.
func Counted(name string, run func(n int) (took []time.Duration, disturbed bool)) Side {
	n := 0
	return Side{Name: name, Run: func(_ context.Context, length time.Duration) (Sample, error) {
		if n == 0 {
			n = calibrate(run, length)
		}
		took, disturbed := run(n)
		s := Sample{Disturbed: disturbed}
		for _, t := range took {
			s.Values = append(s.Values, float64(t)/float64(n))
		}
		return s, nil
	}}
}

// calibrate finds how many operations take about as long as asked. A run that the machine interrupted looks slow, so the
// quickest of a few counts.
func calibrate(run func(n int) ([]time.Duration, bool), length time.Duration) int {
	once := func(n int) (sum time.Duration) {
		took, _ := run(n)
		for _, t := range took {
			sum += t
		}
		return sum
	}
	for n := 1000; ; n *= 2 {
		took := once(n)
		for try := 0; try < 4 && took < length; try++ {
			took = min(took, once(n))
		}
		if took >= length/4 || n > 1<<30 {
			return max(1, int(float64(n)*float64(length)/float64(max(took, 1))))
		}
	}
}

// Stop tells workers to stop. It has its cache lines to itself.
type Stop struct {
	_   [128]byte
	now atomic.Bool
	_   [128]byte
}

// Now reports whether to stop. It is inlined: a load.
func (s *Stop) Now() bool { return s.now.Load() }

// Set tells them.
func (s *Stop) Set() { s.now.Store(true) }

// Worker does something until stop says so, and returns how often it did.
type Worker func(stop *Stop) (count int)

// Together runs workers at the same time for about length, each on a thread and, as far as there are enough, a processor
// of its own. It returns what they counted, and the time between their common start and the stop.
func Together(length time.Duration, workers ...Worker) (counts []int, took time.Duration, disturbed bool) {
	var (
		stop        Stop
		start       = make(chan struct{})
		ready, done sync.WaitGroup
		lost        atomic.Int64
	)
	counts = make([]int, len(workers))
	for i, w := range workers {
		ready.Add(1)
		done.Go(func() {
			lost.Add(pinned(i, func() {
				ready.Done()
				<-start
				counts[i] = w(&stop)
			}))
		})
	}
	ready.Wait()
	began := time.Now()
	close(start)
	time.Sleep(length)
	took = time.Since(began)
	stop.Set()
	done.Wait()
	return counts, took, lost.Load() > 1 // one is the stop, which has to run somewhere
}

// Latency is what LatencyOf yields.
var Latency = []Metric{
	{"median", "ns"}, {"99 %", "ns"}, {"longest", "ns"}, {"throughput", "calls a second"},
}

// Latencies gives the figures of Latency for calls that took so long, one after the other.
func Latencies(calls []time.Duration) []float64 {
	if len(calls) == 0 {
		return make([]float64, len(Latency))
	}
	ns := make([]float64, len(calls))
	sum := 0.0
	for i, c := range calls {
		ns[i] = float64(c)
		sum += ns[i]
	}
	slices.Sort(ns)
	return []float64{Quantile(ns, 0.5), Quantile(ns, 0.99), ns[len(ns)-1], float64(len(ns)) * 1e9 / max(sum, 1)}
}

// Pinned runs f on a thread of its own on the processor with that number, counted among those that the process may use and
// wrapping around. It reports whether the thread lost its processor to another one meanwhile.
func Pinned(cpu int, f func()) (disturbed bool) { return pinned(cpu, f) > 0 }

// pinned counts how often.
func pinned(cpu int, f func()) int64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer pin(cpu)()
	before := switches()
	f()
	return switches() - before
}
