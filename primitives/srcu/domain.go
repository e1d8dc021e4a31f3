package srcu

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/internal/grace"
	"github.com/barriergen/barriergen/primitives/membarrier"
)

// pair is one counter for each value of the index, on cache lines of its own.
type pair struct {
	count [2]uint64
	_     [128 - 16]byte
}

// maxShards bounds what an idle Synchronize has to look at.
const maxShards = 64

// Domain is a set of sections and the grace periods that wait for them. Use New.
type Domain struct {
	shards []pair // a power of two
	shift  uint   // of a hash, to be an index of shards
	fast   registry
	heavy  func() // full, and the fast readers' fences
	err    error

	_     [128]byte
	_     [0]atomic.Uint64 // alignment
	index uint64           // 0 or 1: read by every ReadLock
	_     [128]byte

	periods grace.Periods
	queue   grace.Queue
	driver  driver
	hurry   atomics.Uint64 // how many expedited callers wait
	kick    chan struct{}  // one of them has come
}

// New returns a domain without readers.
func New() *Domain { return newDomain(membarrier.Register(), membarrier.Heavy[membarrier.Asymmetric]) }

func newDomain(err error, heavy func()) *Domain {
	n := 1
	for n < 2*runtime.NumCPU() && n < maxShards {
		n *= 2
	}
	d := &Domain{
		shards: make([]pair, n),
		shift:  uint(64 - bits.TrailingZeros(uint(n))),
		heavy:  heavy,
		err:    err,
		kick:   make(chan struct{}, 1),
	}
	if err != nil {
		d.heavy = membarrier.Heavy[membarrier.Symmetric]
	}
	d.queue.Synchronize = d.Synchronize
	return d
}

// Fallback returns nil if the kernel executes the fast readers' fences, and otherwise why it does not: they then execute
// them themselves.
func (d *Domain) Fallback() error { return d.err }

// ReadLock enters a section and returns what ReadUnlock has to be given. It is a full fence. Sections nest and overlap
// freely, of one domain or of several.
func (d *Domain) ReadLock() int {
	var here byte
	// Goroutines run on stacks of 2 KiB and more; multiplying spreads their addresses over the high bits.
	shard := uint64(uintptr(unsafe.Pointer(&here))>>11) * 0x9e3779b97f4a7c15 >> d.shift
	column := atomics.LoadRelaxedUint64(&d.index)
	atomics.AddFullUint64(&d.shards[shard].count[column&1], 1)
	return int(shard<<1 | column&1)
}

// ReadUnlock leaves the section that ReadLock returned i for; another goroutine may do so. It is a full fence.
func (d *Domain) ReadUnlock(i int) {
	if uint(i)>>1 >= uint(len(d.shards)) {
		panic("srcu: ReadUnlock of an index that ReadLock of this domain can't have returned")
	}
	c := &d.shards[i>>1].count[i&1]
	if int64(atomics.AddFullUint64(c, ^uint64(0))) < 0 {
		atomics.AddFullUint64(c, 1)
		panic("srcu: ReadUnlock of an index that no section has: it was given back already, or is another domain's")
	}
}

// Synchronize waits for a grace period: it returns when every section that had begun before the call has ended. What such a
// section did comes before what follows; a section that begins later sees what the caller did before the call. It is a full
// fence. Callers at the same time share grace periods. If no reader is in a section it returns at once; otherwise it waits
// by looking, then by letting other goroutines run, then by sleeping for up to a millisecond at a time.
//
// It must not be called in a section of the same domain.
func (d *Domain) Synchronize() {
	if d.idle() {
		return
	}
	d.periods.Run(d.periods.Snapshot(), d.period)
}

// SynchronizeExpedited is Synchronize in a hurry: it, and the grace period that it may find under way, does not sleep
// before some milliseconds have passed. It costs a processor meanwhile.
func (d *Domain) SynchronizeExpedited() {
	if d.idle() {
		return
	}
	d.hurry.AddFull(1)
	defer d.hurry.AddFull(^uint64(0))
	select {
	case d.kick <- struct{}{}:
	default:
	}
	d.periods.Run(d.periods.Snapshot(), d.period)
}

// fence is the updaters' side of the fences between a reader's count and what it reads. It returns the fast readers that
// there are. One that comes later takes the registry's lock after this did, and so sees what the caller did.
func (d *Domain) fence() []*FastReader {
	fast := d.fast.list()
	if len(fast) == 0 {
		barrier.Full()
	} else {
		d.heavy()
	}
	return fast
}

// glances is how often idle looks at a counter before it calls the domain busy. Short sections end meanwhile.
const glances = 100

// idle is a grace period that needs neither waiting nor others: a fence, and each counter seen at zero.
func (d *Domain) idle() bool {
	fast := d.fence()
	n := 0
	for column := range 2 {
		for i := range d.shards {
			for atomics.LoadAcquireUint64(&d.shards[i].count[column]) != 0 {
				if n++; n > glances {
					return false
				}
			}
		}
		for _, r := range fast {
			for atomics.LoadAcquireUint64(&r.count[column]) != 0 {
				if n++; n > glances {
					return false
				}
			}
		}
	}
	return true
}

// period is a grace period, one at a time.
func (d *Domain) period() {
	fast := d.fence()
	old := atomics.LoadRelaxedUint64(&d.index)
	d.drain(fast, old^1)
	atomics.StoreRelaxedUint64(&d.index, old^1)
	d.drain(fast, old)
}

// drain sees each counter of the column at zero once. What the sections did comes before what follows.
func (d *Domain) drain(fast []*FastReader, column uint64) {
	hurry := func() bool { return d.hurry.LoadRelaxed() != 0 }
	wait := func(c *uint64) {
		b := grace.Backoff{Hurry: hurry, Kick: d.kick}
		for atomics.LoadAcquireUint64(c) != 0 {
			b.Pause()
		}
	}
	for i := range d.shards {
		wait(&d.shards[i].count[column])
	}
	for _, r := range fast {
		wait(&r.count[column])
	}
}

// Call has f called after a grace period that begins after the call, in a goroutine of the domain. At most 4096 functions
// wait; when there are as many, the caller waits for a grace period and runs them. Therefore it must not be called in a
// section of the same domain, nor with a lock that a function takes; TryCall may be.
func (d *Domain) Call(f func()) { d.queue.Add(f) }

// TryCall is Call where the caller can't wait: it reports whether there was room for f.
func (d *Domain) TryCall(f func()) bool { return d.queue.TryAdd(f) }

// Barrier returns when every function that was given to Call before has returned. It must not be called in a section of the
// same domain, or in such a function.
func (d *Domain) Barrier() { d.queue.Barrier() }
