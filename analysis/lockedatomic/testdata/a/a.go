// Package a has atomic variables below locks.
package a

import (
	"sync"
	"sync/atomic"
)

type breaker struct {
	mu, other sync.RWMutex
	successes int32
	state     int32
	open      int64
	shared    int64
	typed     atomic.Int64
	address   int32
	helped    int32
	early     int32
	Exported  int32
	written   int32
	once      int32
	released  int32
	either    int32
	maybe     int32
	either2   int32
	maybe2    int32
	maybe3    int32
	maybe4    int32
}

func newBreaker() *breaker {
	b := &breaker{state: 1}
	b.successes = 3
	atomic.StoreInt32(&b.helped, 1)
	return b
}

func (b *breaker) succeed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current() == 1 {
		atomic.AddInt32(&b.successes, 1)         // want `every access to successes holds mu: it need not be atomic`
		if atomic.LoadInt32(&b.successes) >= 2 { // want `every access to successes holds mu`
			atomic.StoreInt32((*int32)(&b.state), 1) // read without the lock
		}
	}
	b.typed.Store(1) // want `every access to typed holds mu`
	atomic.StoreInt32(&b.address, 1)
	b.help()
	atomic.StoreInt32(&b.Exported, 1)
	atomic.AddInt32(&b.written, 1)
	atomic.StoreInt32(&b.once, 1)
	atomic.AddInt32(&b.released, 1)
	atomic.AddInt32(&b.either, 1)
	atomic.AddInt32(&b.maybe, 1)
	atomic.AddInt32(&b.either2, 1)
	atomic.AddInt32(&b.maybe2, 1)
}

func (b *breaker) reset() {
	b.mu.Lock()
	atomic.StoreInt32(&b.successes, 0) // want `every access to successes holds mu`
	atomic.AddInt32(&b.early, 1)
	b.mu.Unlock()
	atomic.AddInt32(&b.early, 1)
	b.mu.RLock()
	_ = b.typed.Load() // want `every access to typed holds mu`
	_ = atomic.LoadInt32(&b.Exported)
	atomic.AddInt32(&b.written, 1) // a shared lock
	b.mu.RUnlock()
	use(&b.address)
}

func use(*int32) {}

func (b *breaker) help() { atomic.StoreInt32(&b.helped, 1) }

func (b *breaker) current() int32 { return atomic.LoadInt32(&b.state) }

func (b *breaker) opened() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open > 0 {
		return
	}
	atomic.StoreInt64(&b.open, 1) // want `every access to open holds mu, except reads that hold other: if they took it too, it need not be atomic`
	atomic.StoreInt64(&b.shared, 1)
}

func (b *breaker) status() int64 {
	b.other.Lock()
	defer b.other.Unlock()
	return atomic.LoadInt64(&b.open) + // want `every access to open holds mu, except reads that hold other`
		b.shared // plain, and under another lock: a race, not ours
}

func (b *breaker) branches(x bool) {
	b.mu.Lock()
	if x {
		b.mu.Unlock()
		return
	}
	atomic.AddInt32(&b.successes, 1) // want `every access to successes holds mu`
	b.release()
	atomic.AddInt32(&b.released, 1)
}

func (b *breaker) release() { b.mu.Unlock() }

func (b *breaker) merged(x bool) {
	if x {
		b.mu.Lock()
	} else {
		b.mu.RLock()
	}
	atomic.AddInt32(&b.either, 1)
	if x {
		b.mu.Unlock()
	}
	atomic.AddInt32(&b.maybe, 1)
}

func (b *breaker) merged3(x bool) {
	b.mu.Lock()
	if x {
		b.mu.Unlock()
	} else {
		println()
	}
	atomic.AddInt32(&b.maybe, 1)
}

func (b *breaker) merged4(x bool) {
	b.mu.Lock()
	if x {
		println()
	} else {
		b.mu.Unlock()
	}
	atomic.AddInt32(&b.maybe3, 1)
}

func (b *breaker) merged5(x bool) {
	b.mu.Lock()
	if x {
		b.mu.Unlock()
	} else {
		println()
	}
	atomic.AddInt32(&b.maybe4, 1)
}

func (b *breaker) others() {
	b.mu.Lock()
	atomic.AddInt32(&b.maybe3, 1)
	atomic.AddInt32(&b.maybe4, 1)
	b.mu.Unlock()
}

func (b *breaker) merged2(x bool) {
	if x {
		b.mu.RLock()
	} else {
		b.mu.Lock()
	}
	atomic.AddInt32(&b.either2, 1)
	if x {
		println()
	} else {
		b.mu.Unlock()
	}
	atomic.AddInt32(&b.maybe2, 1)
	if x {
		b.mu.Lock()
	}
	atomic.AddInt32(&b.maybe2, 1)
}

func two(a, b *breaker) {
	a.mu.Lock()
	atomic.AddInt32(&b.early, 1)
	a.mu.Unlock()
}

var (
	global     sync.Mutex
	count      int32
	registered atomic.Bool
)

func counts() {
	global.Lock()
	atomic.AddInt32(&count, 1) // want `every access to count holds global`
	atomic.AddInt32(&count, 1) // want `every access to count holds global`
	registered.Store(true)
	global.Unlock()
}

func isRegistered() bool { return registered.Load() }

// bucket has readers without a lock.
type bucket struct {
	mu   sync.Mutex
	meta uint64
}

func (b *bucket) set(v uint64) {
	b.mu.Lock()
	atomic.StoreUint64(&b.meta, b.meta|v)
	b.mu.Unlock()
}

func (b *bucket) get() uint64 { return atomic.LoadUint64(&b.meta) }

// node is changed below the lock of its parent and read below its own.
type node struct {
	mu     sync.Mutex
	parent *node
	dead   atomic.Bool
}

func (n *node) remove() {
	n.parent.mu.Lock()
	n.dead.Store(true)
	n.parent.mu.Unlock()
}

func (n *node) isDead() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dead.Load()
}

// shards has a lock that is a slice of locks.
type shards struct {
	locks many
	n     int32
}

type many []sync.Mutex

func (m many) Lock()   { m[0].Lock() }
func (m many) Unlock() { m[0].Unlock() }

func (s *shards) add() {
	s.locks.Lock()
	use2(s)
	atomic.AddInt32(&s.n, 1) // want `every access to n holds locks`
	atomic.LoadInt32(&s.n)   // want `every access to n holds locks`
	s.locks.Unlock()
}

func use2(s *shards) {
	mu := new(sync.Mutex)
	mu.Lock()
	mu.Unlock()
}

// outer has its lock beside a struct that has one as well.
type outer struct {
	mu    sync.Mutex
	inner inner
	far   *inner
}

type inner struct {
	mu   sync.Mutex
	near int32
	both int32
	away int32
}

func (o *outer) add() {
	o.mu.Lock()
	defer o.mu.Unlock()
	atomic.AddInt32(&o.inner.near, 1) // want `every access to near holds mu`
	atomic.AddInt32(&o.inner.near, 1) // want `every access to near holds mu`
	atomic.AddInt32(&o.inner.both, 1)
	atomic.AddInt32(&o.far.away, 1)
	atomic.AddInt32(&o.far.away, 1)
}

func (i *inner) add() {
	i.mu.Lock()
	defer i.mu.Unlock()
	atomic.AddInt32(&i.both, 1)
}
