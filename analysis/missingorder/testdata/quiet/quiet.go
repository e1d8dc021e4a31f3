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
