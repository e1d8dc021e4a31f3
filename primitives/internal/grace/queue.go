package grace

import "sync"

// Limit is how many functions may wait for a grace period.
const Limit = 4096

// Queue runs functions after a grace period that began after they were added, in a goroutine that exists while there are
// any.
type Queue struct {
	// Synchronize waits for a grace period. It is set before first use.
	Synchronize func()

	mu      sync.Mutex
	open    *batch
	running map[*batch]struct{}
	working bool
}

// batch is a number of functions that share a grace period.
type batch struct {
	funcs []func()
	done  chan struct{}
}

// Add adds f. If the queue is full, the caller waits for a grace period and runs what was waiting.
func (q *Queue) Add(f func()) {
	for !q.TryAdd(f) {
		q.mu.Lock()
		b := q.take()
		q.mu.Unlock()
		if b != nil {
			q.run(b)
		}
	}
}

// TryAdd adds f unless the queue is full, and reports whether it did.
func (q *Queue) TryAdd(f func()) bool {
	if f == nil {
		panic("nil in place of a function to run after a grace period")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = &batch{done: make(chan struct{})}
	}
	if len(q.open.funcs) == Limit {
		return false
	}
	q.open.funcs = append(q.open.funcs, f)
	if !q.working {
		q.working = true
		go q.work()
	}
	return true
}

// Barrier returns when every function that was added before has returned.
func (q *Queue) Barrier() {
	q.mu.Lock()
	var wait []*batch
	for b := range q.running {
		wait = append(wait, b)
	}
	if q.open != nil {
		wait = append(wait, q.open)
	}
	q.mu.Unlock()
	for _, b := range wait {
		<-b.done
	}
}

func (q *Queue) work() {
	for {
		q.mu.Lock()
		b := q.take()
		q.working = b != nil
		q.mu.Unlock()
		if b == nil {
			return
		}
		q.run(b)
	}
}

// take closes the open batch, if there is one, for the caller to run. q is locked.
func (q *Queue) take() *batch {
	b := q.open
	if b != nil {
		q.open = nil
		if q.running == nil {
			q.running = make(map[*batch]struct{})
		}
		q.running[b] = struct{}{}
	}
	return b
}

func (q *Queue) run(b *batch) {
	q.Synchronize()
	for i, f := range b.funcs {
		b.funcs[i] = nil
		f()
	}
	q.mu.Lock()
	delete(q.running, b)
	q.mu.Unlock()
	close(b.done)
}
