// Package field has bugs that were found in the field, and what they became. Broken and mended use types of their own: what
// counts is what the package does to a type's fields.
package field

import (
	"sync"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// A bit is cleared and then somebody looks for waiters.

type refill struct{ flags, waiters uint64 }

func (r *refill) broken() bool {
	bitops.ClearBit(&r.flags, 0)
	return bitops.TestBit(&r.waiters, 0) // want `waiters may be read before bitops.ClearBit on line \d+ is visible: barrier.AfterAtomic is missing`
}

func (r *refill) unlocked() uint64 {
	bitops.ClearBitUnlock(&r.flags, 0)
	return atomics.LoadAcquireUint64(&r.waiters) // want `waiters may be read before bitops.ClearBitUnlock`
}

func (r *refill) mended() bool {
	bitops.ClearBit(&r.flags, 0)
	barrier.AfterAtomic()
	return bitops.TestBit(&r.waiters, 0)
}

func (r *refill) same() bool {
	bitops.ClearBit(&r.flags, 0)
	return bitops.TestBit(&r.flags, 1)
}

func (r *refill) another(s *refill) bool {
	bitops.ClearBit(&r.flags, 0)
	return bitops.TestBit(&s.waiters, 1)
}

// The same through a function of its own, as a posted-interrupt descriptor had it.

type descriptor struct {
	control uint64
	pending [4]uint64
}

func (d *descriptor) clear() { bitops.ClearBit(&d.control, 0) }

func (d *descriptor) broken() (found bool) {
	d.clear()
	for i := range d.pending {
		found = found || atomics.SwapAcquireUint64(&d.pending[i], 0) != 0 // want `pending may be read before bitops.ClearBit`
	}
	return found
}

func (d *descriptor) mended() (found bool) {
	d.clear()
	barrier.AfterAtomic()
	for i := range d.pending {
		found = found || atomics.LoadRelaxedUint64(&d.pending[i]) != 0
	}
	return found
}

// A bit lock is released by clearing the bit without order.

type xmit struct {
	lock uint64
	data int
}

func (x *xmit) take() int {
	if !bitops.TestAndSetBit(&x.lock, 0) {
		return x.data
	}
	return 0
}

func (x *xmit) release() {
	x.data = 1
	bitops.ClearBit(&x.lock, 0) // want `lock is written after data on line \d+ without order, but from line \d+ on they are read the other way round, in order: make it a release operation, or put barrier.Write before it`
}

type xmitMended struct {
	lock uint64
	data int
}

func (x *xmitMended) take() int {
	if !bitops.TestAndSetBit(&x.lock, 0) {
		return x.data
	}
	return 0
}

func (x *xmitMended) release() {
	x.data = 1
	bitops.ClearBitUnlock(&x.lock, 0)
}

// A compare-and-swap that fails is relied upon.

type work struct {
	flags uint32
	data  uint32
}

func (w *work) queue() bool {
	atomics.StoreRelaxedUint32(&w.data, 1)
	return atomics.CompareAndSwapFullUint32(&w.flags, 0, 1) // want `flags may be read before the write of data on line \d+ is visible, which line \d+ excludes for its side: barrier.Full is missing`
}

func (w *work) run() uint32 {
	atomics.AndRelaxedUint32(&w.flags, 0)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint32(&w.data)
}

type workMended struct {
	flags uint32
	data  uint32
}

func (w *workMended) queue() bool {
	atomics.StoreRelaxedUint32(&w.data, 1)
	return atomics.OrFullUint32(&w.flags, 1) == 0
}

func (w *workMended) retry() {
	atomics.StoreRelaxedUint32(&w.data, 1)
	for !atomics.CompareAndSwapFullUint32(&w.flags, 0, 1) {
	}
}

func (w *workMended) run() uint32 {
	atomics.AndRelaxedUint32(&w.flags, 0)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint32(&w.data)
}

// A flag is cleared by a plain store, and then the work is read.

type queue struct {
	pending uint32
	work    uint32
}

func (q *queue) add() bool {
	atomics.StoreRelaxedUint32(&q.work, 1)
	return atomics.OrFullUint32(&q.pending, 1) == 0
}

func (q *queue) broken() uint32 {
	q.pending = 0
	return atomics.LoadRelaxedUint32(&q.work) // want `work may be read before the write of pending on line \d+ is visible.*barrier.Full is missing`
}

type queueMended struct {
	pending uint32
	work    uint32
}

func (q *queueMended) add() bool {
	atomics.StoreRelaxedUint32(&q.work, 1)
	return atomics.OrFullUint32(&q.pending, 1) == 0
}

func (q *queueMended) mended() uint32 {
	atomics.StoreFullUint32(&q.pending, 0)
	return atomics.LoadRelaxedUint32(&q.work)
}

// Something is added to a list, and then getting a tag fails.

type tags struct {
	tag     uint64
	waiting uint32
}

func (t *tags) get() bool {
	atomics.StoreRelaxedUint32(&t.waiting, 1)
	return !bitops.TestAndSetBitLock(&t.tag, 0) // want `tag may be read before the write of waiting on line \d+ is visible`
}

func (t *tags) put() bool {
	bitops.ClearBitUnlock(&t.tag, 0)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint32(&t.waiting) != 0
}

// One side of two that look at each other's variable has the fence.

type stopped struct {
	list, flag uint64
}

func (s *stopped) insert() bool {
	atomics.StoreRelaxedUint64(&s.list, 1)
	barrier.Full()
	return bitops.TestBit(&s.flag, 0)
}

func (s *stopped) start() uint64 {
	atomics.AndRelaxedUint64(&s.flag, 0)
	return atomics.LoadRelaxedUint64(&s.list) // want `list may be read before the write of flag on line \d+ is visible, which line \d+ excludes for its side: barrier.AfterAtomic is missing`
}

// The same through a type of its own for the words.

type word struct {
	_ [0]func()
	v uint64
}

func (w *word) load() uint64 {
	return atomics.LoadRelaxedUint64(&w.v) // want `list may be read before the write of flag on line \d+ is visible, which line \d+ excludes for its side: barrier.Full is missing`
}

func (w *word) store(v uint64) { atomics.StoreRelaxedUint64(&w.v, v) }

type stoppedWords struct{ list, flag word }

func (s *stoppedWords) insert() uint64 {
	s.list.store(1)
	barrier.Full()
	return s.flag.load()
}

func (s *stoppedWords) start() uint64 {
	s.flag.store(1)
	return s.list.load()
}

// A flag is set by a store before going to sleep, and then the tail is read; or with a fence that does not order that.

type poll struct {
	wakeup, tail uint32
}

func (p *poll) submit() bool {
	p.tail++
	barrier.Full()
	return atomics.LoadRelaxedUint32(&p.wakeup) != 0
}

func (p *poll) sleep() uint32 {
	atomics.StoreRelaxedUint32(&p.wakeup, 1)
	return atomics.LoadRelaxedUint32(&p.tail) // want `tail may be read before the write of wakeup`
}

func (p *poll) wait() uint32 {
	atomics.StoreReleaseUint32(&p.wakeup, 1)
	barrier.Read()
	return atomics.LoadAcquireUint32(&p.tail) // want `tail may be read before the write of wakeup`
}

func (p *poll) mended() uint32 {
	atomics.StoreRelaxedUint32(&p.wakeup, 1)
	barrier.Full()
	return atomics.LoadRelaxedUint32(&p.tail)
}

func (p *poll) atomicOr() uint32 {
	atomics.OrRelaxedUint32(&p.wakeup, 1)
	barrier.AfterAtomic()
	return atomics.LoadRelaxedUint32(&p.tail)
}

func (p *poll) standard() uint32 {
	atomic.StoreUint32(&p.wakeup, 1)
	return atomic.LoadUint32(&p.tail)
}

// Data is published through a bit that is set and tested without order.

type buffer struct {
	state uint64
	data  int
}

func (b *buffer) finish() {
	b.data = 1
	bitops.SetBit(&b.state, 0) // want `data is written on line \d+ and published by a bit without order: put barrier.BeforeAtomic before it, and test it with acquire on line \d+`
}

func (b *buffer) get() int {
	if bitops.TestBit(&b.state, 0) {
		return b.data
	}
	return 0
}

type bufferMended struct {
	state uint64
	data  int
}

func (b *bufferMended) finish() {
	b.data = 1
	barrier.BeforeAtomic()
	bitops.SetBit(&b.state, 0)
}

func (b *bufferMended) get() int {
	if bitops.TestBitAcquire(&b.state, 0) {
		return b.data
	}
	return 0
}

// A lock is released by a relaxed addition.

type rwbase struct {
	readers int32
	data    int
}

func (r *rwbase) lock() int {
	for !atomics.CompareAndSwapAcquireInt32(&r.readers, 0, 1) {
	}
	return r.data
}

func (r *rwbase) unlock() {
	r.data++
	atomics.AddRelaxedInt32(&r.readers, -1) // want `readers is written after data on line \d+ without order`
}

type rwbaseMended struct {
	readers int32
	data    int
}

func (r *rwbaseMended) lock() int {
	for !atomics.CompareAndSwapAcquireInt32(&r.readers, 0, 1) {
	}
	return r.data
}

func (r *rwbaseMended) unlock() {
	r.data++
	atomics.AddReleaseInt32(&r.readers, -1)
}

// A count is dropped with release only, and then something is read.

type context struct {
	refs    int32
	waiting uint32
}

func (c *context) put() uint32 {
	atomics.AddReleaseInt32(&c.refs, -1)
	return atomics.LoadRelaxedUint32(&c.waiting) // want `waiting may be read before the write of refs on line \d+ is visible, which line \d+ excludes for its side: barrier.AfterAtomic is missing`
}

func (c *context) wait() int32 {
	atomics.StoreFullUint32(&c.waiting, 1)
	return atomics.LoadRelaxedInt32(&c.refs)
}

type contextMended struct {
	refs    int32
	waiting uint32
}

func (c *contextMended) put() uint32 {
	atomics.AddFullInt32(&c.refs, -1)
	return atomics.LoadRelaxedUint32(&c.waiting)
}

func (c *contextMended) wait() int32 {
	atomics.StoreFullUint32(&c.waiting, 1)
	return atomics.LoadRelaxedInt32(&c.refs)
}

// The reader of a ring has no read fence; or the writer publishes the index by a plain store.

type ring struct {
	index uint32
	slots [8]int
}

func (r *ring) push(v int) {
	r.slots[0] = v
	barrier.Write()
	atomics.StoreRelaxedUint32(&r.index, 1)
}

func (r *ring) broken() int {
	if atomics.LoadRelaxedUint32(&r.index) == 0 {
		return 0
	}
	return r.slots[0] // want `slots may be read before index on line \d+, but line \d+ writes index after it, in order: put barrier.Read between, or read index with acquire`
}

func (r *ring) once() int {
	if atomics.LoadRelaxedUint32(&r.index) == 0 {
		return 0
	}
	v := r.slots[0] // want `slots may be read before index on line \d+`
	return v + r.slots[1]
}

func (r *ring) mended() int {
	if atomics.LoadRelaxedUint32(&r.index) == 0 {
		return 0
	}
	barrier.Read()
	return r.slots[0]
}

type plainRing struct {
	index uint32
	slots [8]int
}

func (r *plainRing) push(v int) {
	r.slots[0] = v
	r.index++ // want `index is written after slots on line \d+ without order`
}

func (r *plainRing) pop() int {
	if atomics.LoadAcquireUint32(&r.index) == 0 {
		return 0
	}
	return r.slots[0]
}

// A sequence lock: the second look at the sequence needs a read fence before it, the first store a write fence behind it.

type sequence struct {
	seq  uint32
	data uint32
}

func (s *sequence) write(v uint32) {
	atomics.StoreRelaxedUint32(&s.seq, s.seq+1)
	barrier.Write()
	atomics.StoreRelaxedUint32(&s.data, v)
	atomics.StoreReleaseUint32(&s.seq, s.seq+1)
}

func (s *sequence) broken() (uint32, bool) {
	seq := atomics.LoadAcquireUint32(&s.seq)
	v := atomics.LoadRelaxedUint32(&s.data)
	return v, atomics.LoadAcquireUint32(&s.seq) == seq // want `seq may be read before data on line \d+, but line \d+ writes data after it, in order: put barrier.Read between`
}

func (s *sequence) mended() (uint32, bool) {
	seq := atomics.LoadAcquireUint32(&s.seq)
	v := atomics.LoadRelaxedUint32(&s.data)
	barrier.Read()
	return v, atomics.LoadRelaxedUint32(&s.seq) == seq
}

type sequenceWriter struct {
	seq  uint32
	data uint32
}

func (s *sequenceWriter) write(v uint32) {
	atomics.StoreReleaseUint32(&s.seq, 1)
	atomics.StoreRelaxedUint32(&s.data, v) // want `data is written after seq on line \d+ without order`
	atomics.StoreReleaseUint32(&s.seq, 2)
}

func (s *sequenceWriter) read() (uint32, bool) {
	seq := atomics.LoadAcquireUint32(&s.seq)
	v := atomics.LoadRelaxedUint32(&s.data)
	barrier.Read()
	return v, atomics.LoadRelaxedUint32(&s.seq) == seq
}

// One caller of two has the lock, or it is started without it.

type file struct {
	mu             sync.Mutex
	first, at      uint32
	start, started uint32
}

func (f *file) add() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.addLocked()
	go f.begin()
}

func (f *file) hurry() { f.addLocked() }

func (f *file) addLocked() {
	atomics.StoreRelaxedUint32(&f.at, 1)
	atomics.StoreRelaxedUint32(&f.first, 1) // want `first is written after at on line \d+ without order`
}

func (f *file) look() uint32 {
	if atomics.LoadAcquireUint32(&f.first) == 0 {
		return 0
	}
	return atomics.LoadRelaxedUint32(&f.at)
}

func (f *file) begin() {
	atomics.StoreRelaxedUint32(&f.start, 1)
	atomics.StoreRelaxedUint32(&f.started, 1) // want `started is written after start on line \d+ without order`
}

func (f *file) since() uint32 {
	if atomics.LoadAcquireUint32(&f.started) == 0 {
		return 0
	}
	return atomics.LoadRelaxedUint32(&f.start)
}

// Others may call it too.

type Log struct {
	mu        sync.Mutex
	first, at uint32
}

func (l *Log) add() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Append()
}

func (l *Log) Append() {
	atomics.StoreRelaxedUint32(&l.at, 1)
	atomics.StoreRelaxedUint32(&l.first, 1) // want `first is written after at on line \d+ without order`
}

func (l *Log) Look() uint32 {
	if atomics.LoadAcquireUint32(&l.first) == 0 {
		return 0
	}
	return atomics.LoadRelaxedUint32(&l.at)
}
