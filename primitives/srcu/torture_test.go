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

func configurations(f flavour) []torture.Config {
	polled := func(done func()) {
		for c := f.domain.StartPoll(); !f.domain.Poll(c); {
			runtime.Gosched()
		}
		done()
	}
	base := torture.Config{Name: f.name, NewReader: f.reader, Barrier: f.domain.Barrier,
		Wait: []func(func()){
			func(done func()) { f.domain.Synchronize(); done() },
			func(done func()) { f.domain.SynchronizeExpedited(); done() },
			f.domain.Call,
			polled,
		}}
	set := func(readers, updaters, procs int, block, gc bool) torture.Config {
		c := base
		c.Readers, c.Updaters, c.Procs, c.Block, c.GC = readers, updaters, procs, block, gc
		return c
	}
	short := set(1, 1, 2, false, false)
	short.Wait = short.Wait[:1]
	return []torture.Config{
		short,
		set(2, 2, 1, true, false),
		set(3, 2, 2, true, true),
		set(6, 3, 8, true, false),
	}
}

func TestTorture(t *testing.T) {
	all := flavours()
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			cs := configurations(f)
			for _, c := range cs {
				c.Duration = *campaign / time.Duration(len(all)*(len(cs)+1))
				if !c.Block {
					c.Duration *= 2 // what lack of a fence needs to show
				}
				s := torture.Run(c)
				if s.Errors != 0 {
					t.Fatalf("%v: %d of %d sections: %s", c, s.Errors, s.Reads, s.Example)
				}
				if s.Reads == 0 || s.Updates == 0 {
					t.Errorf("%v: %d reads, %d updates: nothing was tried", c, s.Reads, s.Updates)
				}
				t.Logf("%v: %d reads, %d updates", c, s.Reads, s.Updates)
			}
		})
	}
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
