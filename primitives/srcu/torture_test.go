package srcu

import (
	"errors"
	"flag"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/barriergen/barriergen/primitives/internal/torture"
	"github.com/barriergen/barriergen/primitives/membarrier"
)

var campaign = flag.Duration("srcu.torture", 2*time.Second, "how long to torture, all configurations together")

type flavour struct {
	name   string
	domain *Domain
	reader func() torture.Reader
}

func withoutKernel() *Domain {
	return newDomain(errors.New("a kernel without it"), func() { panic("asked a kernel without it") })
}

func flavours() []flavour {
	fenced, fast, fallback, mixed := New(), New(), withoutKernel(), New()
	shared := New() // one shard for everybody
	shared.shards, shared.shift = shared.shards[:1], 64
	var turn atomic.Int32
	ofDomain := func(d *Domain) func() torture.Reader {
		return func() torture.Reader { return &tortured{lock: d.ReadLock, unlock: d.ReadUnlock} }
	}
	ofFast := func(d *Domain) func() torture.Reader {
		return func() torture.Reader {
			r := d.RegisterFast()
			return &tortured{lock: r.ReadLock, unlock: r.ReadUnlock, close: r.Unregister}
		}
	}
	return []flavour{
		{"fenced", fenced, ofDomain(fenced)},
		{"shared", shared, ofDomain(shared)},
		{"fast", fast, ofFast(fast)},
		{"fallback", fallback, ofFast(fallback)},
		{"mixed", mixed, func() torture.Reader {
			if turn.Add(1)%2 == 0 {
				return ofFast(mixed)()
			}
			return ofDomain(mixed)()
		}},
	}
}

// tortured keeps the indices of the sections that it is in.
type tortured struct {
	lock   func() int
	unlock func(int)
	close  func()
	held   []int
}

func (t *tortured) Lock() { t.held = append(t.held, t.lock()) }

// Unlock ends the section that began first: sections need not nest.
func (t *tortured) Unlock() {
	t.unlock(t.held[0])
	t.held = append(t.held[:0], t.held[1:]...)
}

func (t *tortured) Pause() { runtime.Gosched() }

func (t *tortured) Close() {
	if t.close != nil {
		t.close()
	}
}

// configuration is what torture needs to know of a flavour.
func configuration(f flavour) torture.Config {
	polled := func(done func()) {
		for c := f.domain.StartPoll(); !f.domain.Poll(c); {
			runtime.Gosched()
		}
		done()
	}
	return torture.Config{Name: f.name, NewReader: f.reader, Barrier: f.domain.Barrier,
		Wait: []func(func()){
			func(done func()) { f.domain.Synchronize(); done() },
			func(done func()) { f.domain.SynchronizeExpedited(); done() },
			f.domain.Call,
			polled,
		}}
}

func TestTorture(t *testing.T) {
	var all []torture.Config
	for _, f := range flavours() {
		all = append(all, configuration(f))
	}
	torture.Test(t, all, *campaign)
}

func TestMain(m *testing.M) { torture.Main(m) }

// All of it on a kernel that refuses the call.
func TestWithoutTheCall(t *testing.T) {
	if !torture.Without() {
		torture.RunWithout(t, "^TestWithoutTheCall$|^TestTorture$/^(fast|mixed)$", "-srcu.torture", (*campaign / 2).String())
		return
	}
	d := New()
	if err := d.Fallback(); !errors.Is(err, membarrier.ErrNotSupported) {
		t.Errorf("the fallback's reason is %v", err)
	}
	if r := d.RegisterFast(); r.index != long {
		t.Error("the reader does not execute its own fence")
	}
}
