package rcu

import (
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/barriergen/barriergen/primitives/internal/torture"
	"github.com/barriergen/barriergen/primitives/membarrier"
)

var campaign = flag.Duration("rcu.torture", 2*time.Second, "how long to torture, all configurations together")

type flavour struct {
	name   string
	domain *Domain
	reader func() torture.Reader
}

func flavours() []flavour {
	fenced := NewFenced()
	memb := NewMembarrier()
	fallback := newMembarrier(errors.New("a kernel without it"), func() { panic("asked a kernel without it") })
	quiescent, offline := NewQuiescent(), NewQuiescent()
	return []flavour{
		{"fenced", &fenced.Domain, func() torture.Reader { return fencedTorture{fenced.Register()} }},
		{"membarrier", &memb.Domain, func() torture.Reader { return membarrierTorture{memb.Register()} }},
		{"fallback", &fallback.Domain, func() torture.Reader { return membarrierTorture{fallback.Register()} }},
		{"quiescent", &quiescent.Domain, func() torture.Reader { return &quiescentTorture{r: quiescent.Register()} }},
		{"offline", &offline.Domain, func() torture.Reader {
			r := offline.Register()
			r.Offline()
			return &offlineTorture{r: r}
		}},
	}
}

type fencedTorture struct{ r *FencedReader }

func (t fencedTorture) Lock()   { t.r.ReadLock() }
func (t fencedTorture) Unlock() { t.r.ReadUnlock() }
func (t fencedTorture) Pause()  {}
func (t fencedTorture) Close()  { t.r.Unregister() }

type membarrierTorture struct{ r *MembarrierReader }

func (t membarrierTorture) Lock()   { t.r.ReadLock() }
func (t membarrierTorture) Unlock() { t.r.ReadUnlock() }
func (t membarrierTorture) Pause()  {}
func (t membarrierTorture) Close()  { t.r.Unregister() }

type quiescentTorture struct {
	r      *QuiescentReader
	pauses int
}

func (t *quiescentTorture) Lock()   { t.r.ReadLock() }
func (t *quiescentTorture) Unlock() { t.r.ReadUnlock() }
func (t *quiescentTorture) Close()  { t.r.Unregister() }
func (t *quiescentTorture) Pause() {
	if t.pauses++; t.pauses%4 == 0 {
		t.r.Offline()
		time.Sleep(time.Microsecond)
		t.r.Online()
	}
	t.r.Quiescent()
}

// offlineTorture is offline outside of sections.
type offlineTorture struct {
	r     *QuiescentReader
	depth int
}

func (t *offlineTorture) Lock() {
	if t.depth == 0 {
		t.r.Online()
	}
	t.depth++
	t.r.ReadLock()
}

func (t *offlineTorture) Unlock() {
	t.r.ReadUnlock()
	if t.depth--; t.depth == 0 {
		t.r.Offline()
	}
}

func (t *offlineTorture) Pause() {}
func (t *offlineTorture) Close() { t.r.Unregister() }

// configuration is what torture needs to know of a flavour.
func configuration(f flavour) torture.Config {
	return torture.Config{Name: f.name, NewReader: f.reader, Barrier: f.domain.Barrier,
		Wait: []func(func()){
			func(done func()) { f.domain.Synchronize(); done() },
			func(done func()) { f.domain.Synchronize(); done() },
			f.domain.Defer,
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
		torture.RunWithout(t, "^TestWithoutTheCall$|^TestTorture$/^membarrier$", "-rcu.torture", (*campaign / 2).String())
		return
	}
	d := NewMembarrier()
	if err := d.Fallback(); !errors.Is(err, membarrier.ErrNotSupported) {
		t.Errorf("the fallback's reason is %v", err)
	}
	if w := d.Register().word; w != fenced {
		t.Errorf("word %#x: the reader does not execute its own fence", w)
	}
}
