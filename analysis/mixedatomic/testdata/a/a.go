// Package a mixes plain and atomic accesses.
package a

import (
	"sync"
	"sync/atomic"
)

type server struct {
	mu     sync.Mutex
	closed int32
	count  int64
	opened int32
	tail   uint64
	fixed  int32
}

func newServer() *server {
	s := &server{closed: 1, fixed: 1}
	s.closed = 0
	return s
}

func (s *server) close() {
	atomic.StoreInt32(&s.closed, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	atomic.StoreInt32(&s.opened, 0)
}

func (s *server) closing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return atomic.LoadInt32(&s.closed) == 1 || atomic.LoadInt32(&s.closed) == 2 || atomic.CompareAndSwapInt32(&s.closed, 0, 3) ||
		atomic.CompareAndSwapInt32(&s.closed, 0, 4) || atomic.CompareAndSwapInt32(&s.closed, 0, 5) ||
		atomic.CompareAndSwapInt32(&s.closed, 0, 6) || atomic.CompareAndSwapInt32(&s.closed, 0, 7)
}

func (s *server) isClosed() bool {
	return s.closed == 1 // want `closed is read plainly here and atomically elsewhere`
}

func (s *server) open() {
	s.closed = 0 // want `closed is written plainly here and atomically elsewhere`
	func() {
		s.closed++ // want `closed is read plainly` `closed is written plainly`
	}()
	s.mu.Lock()
	if s.opened == 0 { // all writers hold the lock
		atomic.StoreInt64(&s.count, 1)
	}
	s.mu.Unlock()
}

func (s *server) isOpen() bool { return atomic.LoadInt32(&s.opened) == 1 }

func (s *server) push() {
	atomic.StoreUint64(&s.tail, s.tail+1) // its own
}

func (s *server) reset() { s.closed = 0 }

func (s *server) isFixed() bool { return s.fixed == 1 || atomic.LoadInt32(&s.fixed) == 2 } // nobody writes it

type copied struct {
	n int32
}

func (c *copied) add() { atomic.AddInt32(&c.n, 1) }

func snapshot(c *copied) int32 {
	d := copied{n: atomic.LoadInt32(&c.n)}
	return d.n
}

var count int32

func counts() { atomic.AddInt32(&count, 1) }

func counted() int32 {
	return count // want `count is read plainly`
}

type pair struct{ a, b int32 }

func (p *pair) store() int32 {
	atomic.StoreInt32(&p.a, 1)
	atomic.AddInt32(&p.a, 1)
	atomic.AddInt32(&p.a, 1)
	return atomic.AddInt32(&p.a, 1)
}

func whole(p, q *pair) {
	*p = *q
}

// window is changed below a lock and read without it.
type window struct {
	mu     sync.Mutex
	latest int32
	mostly int32
}

func (w *window) tick() {
	w.mu.Lock()
	w.latest++ // want `latest is written plainly`
	w.mu.Unlock()
}

func (w *window) bucket() int32 { return atomic.LoadInt32(&w.latest) }

// mostly plain: something else keeps the accesses apart.
func (w *window) add() { atomic.AddInt32(&w.mostly, 1) }

func (w *window) sum() int32 { return w.mostly + w.mostly }

func list() []pair { return []pair{{1, 2}, {3, 4}} }

// stats are plain in a client, below its lock, and atomic in a node.
type stats struct{ in int64 }

type client struct {
	mu sync.Mutex
	stats
}

func (c *client) add() {
	c.mu.Lock()
	c.in++
	c.mu.Unlock()
}

type node struct{ stats }

func (n *node) add() int64 {
	atomic.AddInt64(&n.in, 1)
	return atomic.LoadInt64(&n.in)
}

// The lock is in another part of the object than the variable.

type mutation struct{ mu sync.Mutex }

type lookup struct{ slots uint32 }

type shard struct {
	mutation
	lookup
}

func (s *shard) load() uint32 { return atomic.LoadUint32(&s.slots) }

func (s *shard) has(n uint32) bool {
	return atomic.LoadUint32(&s.slots) > n && atomic.LoadUint32(&s.slots) != 7 && atomic.LoadUint32(&s.slots) != 8
}

func (s *shard) rehash(n uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	atomic.StoreUint32(&s.slots, n)
}

func (s *shard) each(f func(uint32)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.slots {
		f(i)
	}
}

func (s *shard) unlocked(f func(uint32)) {
	for i := range s.slots { // want `slots is read plainly here and atomically elsewhere`
		f(i)
	}
}
