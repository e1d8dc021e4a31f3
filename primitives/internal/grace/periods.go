package grace

import (
	"sync"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// Cookie names a grace period, by the value that the sequence has when it is over.
type Cookie uint64

// Periods runs grace periods one at a time. Callers that arrive while one runs share the next one.
type Periods struct {
	seq atomics.Uint64 // even: none runs. Odd: one runs, or was ended by a panic.
	mu  sync.Mutex
}

// Snapshot returns the first grace period that begins after the call. What the caller has done before is ordered before
// everything that this period looks at, whoever runs it:
//
//	Snapshot: W data; full; R seq = s       run: W seq = s+1; full; R readers
//
// A Snapshot that does not see seq = s+1 has its fence before the period's.
func (p *Periods) Snapshot() Cookie {
	barrier.Full()
	return Cookie((p.seq.LoadRelaxed() + 3) &^ 1)
}

// Done reports whether the period is over. If so, everything that it waited for is ordered before what follows.
func (p *Periods) Done(c Cookie) bool { return int64(p.seq.LoadAcquire()-uint64(c)) >= 0 }

// Run returns when the period is over. It runs it, unless others did; period has to begin with a full fence.
func (p *Periods) Run(c Cookie, period func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.Done(c) {
		s := p.seq.LoadRelaxed() &^ 1
		p.seq.StoreRelaxed(s + 1)
		period()
		p.seq.StoreRelease(s + 2)
	}
}
