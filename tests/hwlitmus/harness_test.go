//go:build !race

package hwlitmus

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/barriergen/barriergen/primitives/atomics"
)

const (
	// cells is the number of independent instances per batch. They fit into
	// a second-level cache, so that what makes a store slow is the line's
	// being owned by the other core, not a miss to memory.
	cells = 512
	// burst is how many instances run between two meetings of the threads:
	// few enough that they stay side by side, enough to be cheap.
	burst = 128
	line  = 128 // two cache lines, since adjacent ones are fetched in pairs
)

// padded is a variable on a line of its own.
type padded struct {
	v uint64
	p *uint64
	_ [line - 16]byte
}

type cell struct {
	x, y, z0, z1 padded
}

// view is a cell as one thread sees it: a is the thread's first variable (x
// for P0, y for P1), b the other, z a third one that nobody else touches.
// So a symmetric test is one function. pa and pb are pointers beside a and b.
type view struct {
	a, b, z *uint64
	pa, pb  **uint64
}

// thread is the code of one thread; what it returns goes into the outcome.
type thread func(v *view) (uint64, uint64)

// outcome is what both threads returned and what memory holds at the end.
type outcome struct {
	p0, p1 [2]uint64
	x, y   uint64
}

type litmus struct {
	p0, p1 thread
	init   uint64 // of x and y
	weak   func(o outcome) bool
}

// control is store buffering without a fence. It runs in some of the cells
// beside a test that must never be weak: while it does not show, the threads
// did not run side by side, and the test's silence says nothing.
func control(v *view) (uint64, uint64) {
	atomics.StoreRelaxedUint64(v.a, 1<<40)
	return atomics.LoadRelaxedUint64(v.b), 0
}

func isControl(cell int) bool { return cell%4 == 3 }

// machine is two threads with their cells, ready to run batches.
type machine struct {
	cells   []cell
	views   [2][]view
	results [2][][2]uint64
	arrived [2]struct {
		n atomic.Uint64
		_ [line - 8]byte
	}
	test    litmus
	control bool
	batch   int
	stop    bool
	done    chan struct{}
}

func newMachine(test litmus) *machine {
	m := &machine{cells: make([]cell, cells), test: test, done: make(chan struct{})}
	for i := range m.views {
		m.views[i] = make([]view, cells)
		m.results[i] = make([][2]uint64, cells)
	}
	for i := range m.cells {
		c := &m.cells[i]
		m.views[0][i] = view{&c.x.v, &c.y.v, &c.z0.v, &c.x.p, &c.y.p}
		m.views[1][i] = view{&c.y.v, &c.x.v, &c.z1.v, &c.y.p, &c.x.p}
	}
	return m
}

// meet holds a thread until the other has come to the same point. It is
// built on sync/atomic, never on what is under test.
func (m *machine) meet(me int, count *uint64) {
	*count++
	m.arrived[me].n.Store(*count)
	for spins := 0; m.arrived[1-me].n.Load() < *count; spins++ {
		if spins > 20_000 {
			runtime.Gosched() // the other one may need this processor
		}
	}
}

// tally is how many instances ran, and how many outcomes were weak, of the
// test itself and of the control.
type tally struct{ ran, weak, control int }

// run executes whole batches for as long as more says so.
func run(test litmus, withControl bool, more func(tally) bool) tally {
	m := newMachine(test)
	m.control = withControl
	go m.second()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var (
		count uint64
		sum   tally
	)
	rng := uint64(time.Now().UnixNano()) | 1
	for more(sum) {
		m.oneBatch(0, &count, &rng)
		for i := range m.cells {
			c := &m.cells[i]
			o := outcome{m.results[0][i], m.results[1][i], c.x.v, c.y.v}
			switch {
			case withControl && isControl(i):
				if o.p0[0] == test.init && o.p1[0] == test.init {
					sum.control++
				}
				continue
			case test.weak(o):
				sum.weak++
			}
			sum.ran++
		}
		m.batch++
	}
	m.stop = true
	m.meet(0, &count)
	<-m.done
	return sum
}

func (m *machine) second() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(m.done)
	var count uint64
	rng := uint64(0x9E37_79B9_7F4A_7C15)
	for m.oneBatch(1, &count, &rng) {
	}
}

func (m *machine) oneBatch(me int, count, rng *uint64) bool {
	m.meet(me, count) // the previous batch is evaluated
	if m.stop {
		return false
	}
	// Who wrote a variable last owns its line: reading it is quick there and
	// writing it is slow for the other. In turn, each thread owns its b (slow
	// stores, quick loads: store buffering in almost every instance), its a,
	// or half of both.
	for i := range m.views[me] {
		v := &m.views[me][i]
		mine := v.b
		if turn := m.batch % 3; turn == 1 || turn == 2 && i%2 == 0 {
			mine = v.a
		}
		*mine, *v.z = m.test.init, 0
		*v.pa = nil
	}
	m.meet(me, count)
	p := m.test.p0
	if me == 1 {
		p = m.test.p1
	}
	views, results := m.views[me], m.results[me]
	for i := 0; i < cells; i += burst {
		*rng ^= *rng << 13
		*rng ^= *rng >> 7
		*rng ^= *rng << 17
		delay := *rng >> 32 & 63
		m.meet(me, count)
		for ; delay > 0; delay-- {
			runtime.KeepAlive(nil)
		}
		for k := i; k < i+burst; k++ {
			if m.control && isControl(k) {
				results[k][0], results[k][1] = control(&views[k])
				continue
			}
			results[k][0], results[k][1] = p(&views[k])
		}
	}
	m.meet(me, count) // both are through: the results may be read
	return true
}
