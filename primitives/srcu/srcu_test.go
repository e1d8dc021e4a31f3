package srcu

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// section is one way to be a reader.
type section struct {
	domain *Domain
	lock   func() int
	unlock func(int)
}

func ways() map[string]section {
	fenced, fast, fallback := New(), New(), withoutKernel()
	r, f := fast.RegisterFast(), fallback.RegisterFast()
	return map[string]section{
		"fenced":   {fenced, fenced.ReadLock, fenced.ReadUnlock},
		"fast":     {fast, r.ReadLock, r.ReadUnlock},
		"fallback": {fallback, f.ReadLock, f.ReadUnlock},
	}
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	f()
}

// blocks reports whether f is still running after a while, and returns a function that waits for its end.
func blocks(f func()) (bool, func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return false, func() {}
	case <-time.After(20 * time.Millisecond):
		return true, func() { <-done }
	}
}

func TestSynchronizeWaits(t *testing.T) {
	for name, s := range ways() {
		t.Run(name, func(t *testing.T) {
			for what, synchronize := range map[string]func(){
				"Synchronize": s.domain.Synchronize, "SynchronizeExpedited": s.domain.SynchronizeExpedited,
				"StartPoll": func() {
					for c := s.domain.StartPoll(); !s.domain.Poll(c); {
						time.Sleep(100 * time.Microsecond)
					}
				},
			} {
				synchronize()
				for range 3 { // the index is another one each time
					i, j := s.lock(), s.lock()
					waits, end := blocks(synchronize)
					if !waits {
						t.Fatalf("%s did not wait", what)
					}
					s.unlock(i)
					k := s.lock() // another section, which nobody waits for
					s.unlock(j)
					end()
					s.unlock(k)
				}
			}
		})
	}
}

// Readers that are never all outside at the same time: only the turn of the index lets a grace period end.
func TestSynchronizeEndsThoughSectionsOverlap(t *testing.T) {
	for name, s := range ways() {
		t.Run(name, func(t *testing.T) {
			var stop atomic.Bool
			stopped := make(chan struct{})
			began := make(chan struct{})
			go func() {
				defer close(stopped)
				i := s.lock()
				close(began)
				for !stop.Load() {
					j := s.lock()
					s.unlock(i)
					i = j
					runtime.Gosched()
				}
				s.unlock(i)
			}()
			<-began
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range 5 {
					s.domain.Synchronize()
				}
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Error("Synchronize waits for sections that began later")
			}
			stop.Store(true)
			<-stopped
			<-done
		})
	}
}

func TestAnotherGoroutineMayUnlock(t *testing.T) {
	d := New()
	indices := make(chan int)
	for range 50 {
		go func() { indices <- d.ReadLock() }()
		d.ReadUnlock(<-indices)
	}
	if waits, _ := blocks(d.Synchronize); waits {
		t.Error("a section is left")
	}
}

// Sections of one domain in those of another: only updaters of the same domain wait, also inside of the other's section.
func TestNestedDomains(t *testing.T) {
	a, b := New(), New()
	i := a.ReadLock()
	j := b.ReadLock()
	b.ReadUnlock(j)
	b.Synchronize()
	waits, end := blocks(a.Synchronize)
	if !waits {
		t.Error("the outer domain's Synchronize did not wait")
	}
	a.ReadUnlock(i)
	end()
}

func TestMisuse(t *testing.T) {
	d := New()
	for _, i := range []int{-1, 2 * len(d.shards), 1 << 30} {
		mustPanic(t, "can't have returned", func() { d.ReadUnlock(i) })
	}
	i := d.ReadLock()
	mustPanic(t, "no section has", func() { d.ReadUnlock(i ^ 1) })
	d.ReadUnlock(i)
	mustPanic(t, "no section has", func() { d.ReadUnlock(i) })
	if waits, _ := blocks(d.Synchronize); waits {
		t.Error("a panic changed a count")
	}

	for name, d := range map[string]*Domain{"fast": New(), "fallback": withoutKernel()} {
		t.Run(name, func(t *testing.T) {
			r := d.RegisterFast()
			i := r.ReadLock()
			for _, wrong := range []int{-1, 2, i ^ 1} {
				mustPanic(t, "holds no section for", func() { r.ReadUnlock(wrong) })
			}
			mustPanic(t, "Synchronize inside the reader's own section", r.Synchronize)
			mustPanic(t, "Unregister inside the reader's own section", r.Unregister)
			r.ReadUnlock(i)
			mustPanic(t, "holds no section for", func() { r.ReadUnlock(i) })
			r.Synchronize()
			r.Unregister()
			mustPanic(t, "ReadLock of a reader that is not registered", func() { r.ReadLock() })
			mustPanic(t, "holds no section for", func() { r.ReadUnlock(0) })
			mustPanic(t, "Unregister of a reader that is not registered", r.Unregister)
			mustPanic(t, "Synchronize of a reader that is not registered", r.Synchronize)
		})
	}
}

// What the idle path asks of the kernel, and that it takes no detour.
func TestIdle(t *testing.T) {
	heavy := 0
	d := newDomain(nil, func() { heavy++ })
	d.Synchronize()
	d.SynchronizeExpedited()
	if heavy != 0 {
		t.Errorf("%d calls without a fast reader", heavy)
	}
	r := d.RegisterFast()
	d.Synchronize()
	d.SynchronizeExpedited()
	if heavy != 2 {
		t.Errorf("%d calls in two grace periods", heavy)
	}
	r.Unregister()
	d.Synchronize()
	if heavy != 2 {
		t.Error("a call without a fast reader")
	}
	if s := d.periods.Snapshot(); s != 2 {
		t.Errorf("an idle domain ran a grace period: sequence %d", s)
	}
	if n := testing.AllocsPerRun(100, d.Synchronize); n != 0 {
		t.Errorf("an idle Synchronize allocates %v times", n)
	}
}

// An expedited caller that finds a grace period asleep wakes it.
func TestExpeditedDoesNotSleep(t *testing.T) {
	d := New()
	i := d.ReadLock()
	waits, end := blocks(d.Synchronize) // sleeps by now, up to a millisecond at a time
	if !waits {
		t.Fatal("Synchronize did not wait")
	}
	waits, endExpedited := blocks(d.SynchronizeExpedited)
	if !waits {
		t.Fatal("SynchronizeExpedited did not wait")
	}
	if d.hurry.LoadAcquire() != 1 {
		t.Error("nobody knows of the hurry")
	}
	d.ReadUnlock(i)
	end()
	endExpedited()
	if d.hurry.LoadAcquire() != 0 {
		t.Error("the hurry stays")
	}
}

func TestCall(t *testing.T) {
	for name, s := range ways() {
		t.Run(name, func(t *testing.T) {
			i := s.lock()
			var ran atomic.Int32
			s.domain.Call(func() { ran.Add(1) })
			if !s.domain.TryCall(func() { ran.Add(1) }) {
				t.Error("no room")
			}
			waits, end := blocks(s.domain.Barrier)
			if !waits || ran.Load() != 0 {
				t.Fatal("a function ran during a section")
			}
			s.unlock(i)
			end()
			if ran.Load() != 2 {
				t.Fatal("Barrier returned before the functions ran")
			}
		})
	}
}

func TestPoll(t *testing.T) {
	d := New()
	i := d.ReadLock()
	c := d.StartPoll() // in a section: it does not wait
	time.Sleep(5 * time.Millisecond)
	if d.Poll(c) {
		t.Error("the grace period is over with a section from before")
	}
	d.ReadUnlock(i)
	for !d.Poll(c) {
		runtime.Gosched()
	}
	later := d.StartPoll()
	for !d.Poll(later) {
		runtime.Gosched()
	}
	if !d.Poll(c) {
		t.Error("a grace period that was over is not any more")
	}
}

func TestCacheLines(t *testing.T) {
	if unsafe.Sizeof(pair{}) != 128 || unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(FastReader{}) != 128 {
		t.Errorf("sizes %d and %d", unsafe.Sizeof(pair{}), unsafe.Sizeof(FastReader{}))
	}
	d := New()
	for range 100 {
		if p := uintptr(unsafe.Pointer(d.RegisterFast())); p%64 != 0 {
			t.Fatalf("a reader at %#x shares a cache line", p)
		}
	}
	if p := uintptr(unsafe.Pointer(&d.shards[0])); p%64 != 0 {
		t.Errorf("shards at %#x share cache lines", p)
	}
	if o := unsafe.Offsetof(d.index); o%8 != 0 {
		t.Errorf("index at offset %d", o)
	}
}

// Goroutines spread over the shards.
func TestShards(t *testing.T) {
	d := New()
	hold, held := make(chan struct{}), make(chan int)
	for range 64 {
		go func() {
			i := d.ReadLock()
			held <- i
			<-hold
			d.ReadUnlock(i)
		}()
	}
	used := map[int]bool{}
	for range 64 {
		used[<-held>>1] = true
	}
	close(hold)
	if len(used) < len(d.shards)/2 {
		t.Errorf("64 goroutines use %d of %d shards", len(used), len(d.shards))
	}
}

func TestReadSideDoesNotAllocate(t *testing.T) {
	for name, s := range ways() {
		if n := testing.AllocsPerRun(100, func() { s.unlock(s.lock()) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
