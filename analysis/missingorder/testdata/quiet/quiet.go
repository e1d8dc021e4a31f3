// Package quiet has what looks like a missing order and is none.
package quiet

import (
	"sync"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// ring is right: each side reads its own index without order.
type ring struct {
	head, tail atomics.Uint64
	slots      [8]int
}

func (r *ring) push(v int) bool {
	tail := r.tail.LoadRelaxed()
	if tail-r.head.LoadAcquire() == 8 {
		return false
	}
	r.slots[tail&7] = v
	r.tail.StoreRelease(tail + 1)
	return true
}

func (r *ring) pop() (v int, ok bool) {
	head := r.head.LoadRelaxed()
	if r.tail.LoadAcquire() == head {
		return 0, false
	}
	v, r.slots[head&7] = r.slots[head&7], 0
	r.head.StoreRelease(head + 1)
	return v, true
}

// locked has a lock.
type locked struct {
	mu   sync.Mutex
	a, b uint32
}

func (l *locked) one() uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	atomics.StoreRelaxedUint32(&l.a, 1)
	return atomics.LoadRelaxedUint32(&l.b)
}

func (l *locked) two() uint32 {
	atomics.StoreRelaxedUint32(&l.b, 1)
	barrier.Full()
	return atomics.LoadRelaxedUint32(&l.a)
}

// counted has a counter that orders nothing and need not.
type counted struct {
	count, limit uint32
	data         int
}

func (c *counted) add() bool {
	c.data = 1
	return atomics.AddRelaxedUint32(&c.count, 1) > c.limit
}

func (c *counted) get() int {
	barrier.Acquire()
	return c.data
}

// light leaves the fence to the other side, on purpose.
type light struct{ a, b uint32 }

func (l *light) reader() uint32 {
	atomics.StoreRelaxedUint32(&l.a, 1)
	barrier.Compiler()
	return atomics.LoadRelaxedUint32(&l.b)
}

func (l *light) writer() uint32 {
	atomics.StoreRelaxedUint32(&l.b, 1)
	barrier.Full()
	return atomics.LoadRelaxedUint32(&l.a)
}

func shared() *light {
	l := &light{}
	atomics.StoreRelaxedUint32(&l.a, 1)
	if atomics.LoadRelaxedUint32(&l.b) == 0 {
		return nil
	}
	return l
}

// looped reads on the next round.
type looped struct{ busy, tail uint64 }

func (l *looped) run() {
	for atomics.LoadAcquireUint64(&l.tail) != 0 {
		bitops.ClearBit(&l.busy, 0)
	}
}

// consumer owns the head, and reads it without order in one function, while another writes it.
type consumer struct {
	head  atomics.Uint64
	slots [8]int
}

func (c *consumer) next() int {
	head := c.head.LoadRelaxed()
	v := c.slots[head&7]
	c.head.StoreRelease(head + 1)
	return v
}

func (c *consumer) drop() {
	c.slots[0] = 0
	c.head.StoreRelease(1)
}

// prepared sets up what a constructor gave it.
func prepared() *light {
	l := newLight()
	atomics.StoreRelaxedUint32(&l.a, 1)
	if atomics.LoadRelaxedUint32(&l.b) == 0 {
		return nil
	}
	return l
}

func newLight() *light { return &light{} }

// spun waits without order, and then looks again with it.
type spun struct {
	flag uint32
	data int
}

func (s *spun) publish() {
	s.data = 1
	atomics.StoreReleaseUint32(&s.flag, 1)
}

func (s *spun) get() int {
	for atomics.LoadRelaxedUint32(&s.flag) == 0 {
	}
	if atomics.LoadAcquireUint32(&s.flag) == 1 {
		return s.data
	}
	return 0
}

// tree replaces its root by a compare-and-swap, which is full because most are: nothing says that it is for the look at done.
type tree struct {
	root, done uint32
}

func (t *tree) begin() bool {
	if atomics.CompareAndSwapFullUint32(&t.root, 0, 1) {
		return atomics.LoadAcquireUint32(&t.done) == 1
	}
	return false
}

func (t *tree) finish() uint32 {
	atomics.StoreReleaseUint32(&t.done, 1)
	return atomics.LoadAcquireUint32(&t.root)
}

// chain fills a bucket that is in no table yet by plain stores: everywhere else its fields are written atomically.
type chain struct{ key, value uint32 }

func (c *chain) put() {
	atomics.StoreReleaseUint32(&c.value, 1)
	atomics.StoreReleaseUint32(&c.key, 1)
}

func (c *chain) get() uint32 {
	if atomics.LoadAcquireUint32(&c.value) == 0 {
		return 0
	}
	return atomics.LoadAcquireUint32(&c.key)
}

func (c *chain) fill() {
	c.key = 1
	c.value = 1
}

func (c *chain) refill() {
	c.key = 1
	atomics.StoreRelaxedUint32(&c.value, 1)
}

func (c *chain) fenced() uint32 {
	atomics.StoreRelaxedUint32(&c.value, 0)
	barrier.Full()
	return atomics.LoadRelaxedUint32(&c.key)
}

func (c *chain) reuse() {
	c.key = 2
	c.value |= 1
}

// word has operations as methods. Where they are called says which variable it is; in themselves they say nothing.
type word struct {
	_ [0]func()
	v uint32
}

func (w *word) load() uint32 { return atomics.LoadRelaxedUint32(&w.v) }

func (w *word) store(v uint32) { atomics.StoreRelaxedUint32(&w.v, v) }

type words struct{ a, b, c, d word }

func (w *words) fenced() uint32 {
	w.a.store(1)
	barrier.Full()
	return w.b.load()
}

func (w *words) unrelated() uint32 {
	w.c.store(1)
	return w.d.load()
}

// links is freed by who has it for itself: its length is written atomically otherwise.
type links struct {
	write  int
	length uint32
}

func (l *links) grow() { atomics.AddReleaseUint32(&l.length, 1) }

func (l *links) last() int {
	if atomics.LoadAcquireUint32(&l.length) == 0 {
		return 0
	}
	return l.write
}

func (l *links) free() {
	l.write = 0
	l.length = 0
}

// file has functions that are called with the lock held only.
type file struct {
	mu        sync.Mutex
	first, at uint32
}

func (f *file) add() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.addLocked()
}

func (f *file) replace() {
	f.mu.Lock()
	f.dropLocked()
	f.addLocked()
	f.mu.Unlock()
}

func (f *file) dropLocked() { f.addLocked() }

func (f *file) addLocked() {
	atomics.StoreRelaxedUint32(&f.at, 1)
	atomics.StoreRelaxedUint32(&f.first, 1)
}

func (f *file) look() uint32 {
	if atomics.LoadAcquireUint32(&f.first) == 0 {
		return 0
	}
	return atomics.LoadRelaxedUint32(&f.at)
}
