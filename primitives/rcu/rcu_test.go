package rcu

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// anyReader is what the readers of all flavours have in common.
type anyReader interface {
	ReadLock()
	ReadUnlock()
	Synchronize()
	Unregister()
}

func withoutKernel() *Membarrier {
	return newMembarrier(errors.New("a kernel without it"), func() { panic("asked a kernel without it") })
}

// counted are the flavours whose sections are counted in every build.
func counted() map[string]struct {
	domain   *Domain
	register func() anyReader
} {
	fenced, memb, fallback := NewFenced(), NewMembarrier(), withoutKernel()
	return map[string]struct {
		domain   *Domain
		register func() anyReader
	}{
		"fenced":     {&fenced.Domain, func() anyReader { return fenced.Register() }},
		"membarrier": {&memb.Domain, func() anyReader { return memb.Register() }},
		"fallback":   {&fallback.Domain, func() anyReader { return fallback.Register() }},
	}
}

// mustPanic calls f and returns what it panics with.
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

func TestSynchronizeWaitsForSectionsFromBefore(t *testing.T) {
	for name, c := range counted() {
		t.Run(name, func(t *testing.T) {
			r := c.register()
			defer r.Unregister()
			for depth := 1; depth <= 4; depth++ {
				for range depth {
					r.ReadLock()
				}
				waits, end := blocks(c.domain.Synchronize)
				if !waits {
					t.Fatalf("depth %d: Synchronize did not wait", depth)
				}
				for range depth - 1 {
					r.ReadUnlock()
				}
				later := c.register() // begins after Synchronize was called: nobody waits for it
				later.ReadLock()
				r.ReadUnlock()
				end()
				later.ReadUnlock()
				later.Unregister()
			}
			if waits, _ := blocks(r.Synchronize); waits {
				t.Fatal("Synchronize waits for nobody")
			}
		})
	}
}

// Between two unlocks of a nested section it is still one section.
func TestSynchronizeWaitsForTheOuterSection(t *testing.T) {
	for name, c := range counted() {
		t.Run(name, func(t *testing.T) {
			r := c.register()
			r.ReadLock()
			for range 3 {
				r.ReadLock()
				r.ReadUnlock()
			}
			waits, end := blocks(c.domain.Synchronize)
			if !waits {
				t.Fatal("Synchronize did not wait")
			}
			r.ReadLock()
			r.ReadUnlock()
			r.ReadUnlock()
			end()
			r.Unregister()
		})
	}
}

// A section that begins while a grace period waits does not prolong it, and the next one waits for it.
func TestNumbers(t *testing.T) {
	for name, c := range counted() {
		t.Run(name, func(t *testing.T) {
			old, young := c.register(), c.register()
			old.ReadLock()
			waits, end := blocks(c.domain.Synchronize)
			if !waits {
				t.Fatal("the first grace period does not wait")
			}
			young.ReadLock()
			old.ReadUnlock()
			end()
			waits, end = blocks(c.domain.Synchronize)
			if !waits {
				t.Fatal("the second grace period does not wait")
			}
			young.ReadUnlock()
			end()
		})
	}
}

func TestQuiescent(t *testing.T) {
	d := NewQuiescent()
	r := d.Register()
	waits, end := blocks(d.Synchronize)
	if !waits {
		t.Fatal("nobody waits for a reader that is online")
	}
	r.ReadLock()
	r.ReadUnlock()
	r.Quiescent()
	end()
	r.Quiescent() // says nothing new
	waits, end = blocks(d.Synchronize)
	if !waits {
		t.Fatal("what a reader said before the grace period counts")
	}
	r.Offline()
	end()
	if waits, _ := blocks(d.Synchronize); waits {
		t.Fatal("Synchronize waits for a reader that is offline")
	}
	r.Online()
	if waits, _ := blocks(r.Synchronize); waits {
		t.Fatal("the reader's own Synchronize waits for it")
	}
	waits, end = blocks(d.Synchronize)
	if !waits {
		t.Fatal("the reader's own Synchronize left it offline")
	}
	r.Unregister()
	end()
}

func TestMisuse(t *testing.T) {
	for name, c := range counted() {
		t.Run(name, func(t *testing.T) {
			r := c.register()
			mustPanic(t, "ReadUnlock without ReadLock", r.ReadUnlock)
			r.ReadLock()
			mustPanic(t, "Synchronize inside the reader's own read-side section", r.Synchronize)
			mustPanic(t, "Unregister inside the reader's own read-side section", r.Unregister)
			r.ReadLock()
			mustPanic(t, "Synchronize inside the reader's own read-side section", r.Synchronize)
			r.ReadUnlock()
			r.ReadUnlock()
			mustPanic(t, "ReadUnlock without ReadLock", r.ReadUnlock)
			mustPanic(t, "256 deep", func() {
				for range 300 {
					r.ReadLock()
				}
			})
			for range 255 {
				r.ReadUnlock()
			}
			r.Unregister()
			mustPanic(t, "ReadLock of a reader that is not registered", r.ReadLock)
			mustPanic(t, "ReadUnlock of a reader that is not registered", r.ReadUnlock)
			mustPanic(t, "Unregister of a reader that is not registered", r.Unregister)
			mustPanic(t, "Synchronize of a reader that is not registered", r.Synchronize)
		})
	}
	mustPanic(t, "ReadLock of a reader that is not registered", new(FencedReader).ReadLock)
	mustPanic(t, "ReadLock of a reader that is not registered", new(MembarrierReader).ReadLock)
	mustPanic(t, "ReadUnlock of a reader that is not registered", new(MembarrierReader).ReadUnlock)
	mustPanic(t, "nil in place of a function", func() { NewFenced().Defer(nil) })

	q := NewQuiescent().Register()
	mustPanic(t, "Online of a reader that is not offline", q.Online)
	q.Offline()
	mustPanic(t, "Offline of a reader that is not online", q.Offline)
	mustPanic(t, "Quiescent of a reader that is not online", q.Quiescent)
	q.Online()
	q.Unregister()
	mustPanic(t, "Online of a reader that is not offline", q.Online)
	mustPanic(t, "Synchronize of a reader that is not registered", q.Synchronize)
	if unsafe.Sizeof(debug{}) == 0 { // not a build for the race detector: its sections are not counted
		return
	}
	q = NewQuiescent().Register()
	mustPanic(t, "ReadUnlock without ReadLock", q.ReadUnlock)
	q.ReadLock()
	for what, f := range map[string]func(){"Quiescent": q.Quiescent, "Offline": q.Offline, "Synchronize": q.Synchronize, "Unregister": q.Unregister} {
		mustPanic(t, what+" inside the reader's own read-side section", f)
	}
}

func TestFallback(t *testing.T) {
	d := withoutKernel()
	if err := d.Fallback(); err == nil {
		t.Error("the fallback does not say so")
	}
	r := d.Register()
	r.ReadLock()
	if w := r.word; w&fenced == 0 {
		t.Errorf("word %#x: the reader does not execute its own fence", w)
	}
	r.ReadUnlock()
	d.Synchronize()

	memb := NewMembarrier()
	if err := memb.Fallback(); err != nil {
		t.Skipf("no membarrier here: %v", err)
	}
	if w := memb.Register().word; w != idle {
		t.Errorf("word %#x: the reader goes the long way", w)
	}
}

// A grace period of the membarrier flavour asks the kernel once, whatever it finds.
func TestOneCallForEachGracePeriod(t *testing.T) {
	calls := 0
	d := newMembarrier(nil, func() { calls++ })
	d.Register()
	for i := range 3 {
		d.Synchronize()
		if calls != i+1 {
			t.Errorf("%d calls in %d grace periods", calls, i+1)
		}
	}
}

func TestDefer(t *testing.T) {
	for name, c := range counted() {
		t.Run(name, func(t *testing.T) {
			r := c.register()
			r.ReadLock()
			var ran atomic.Int32
			c.domain.Defer(func() { ran.Add(1) })
			waits, end := blocks(c.domain.Barrier)
			if !waits || ran.Load() != 0 {
				t.Fatal("a deferred function ran during a section")
			}
			r.ReadUnlock()
			end()
			if ran.Load() != 1 {
				t.Fatal("Barrier returned before the function ran")
			}
			r.Unregister()
		})
	}
}

func TestReadersFillTheirOwnCacheLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(reader{}) != 128 {
		t.Errorf("a reader has %d bytes", unsafe.Sizeof(reader{}))
	}
	d := NewFenced()
	for range 100 {
		if p := uintptr(unsafe.Pointer(d.Register())); p%64 != 0 {
			t.Fatalf("a reader at %#x shares a cache line", p)
		}
	}
	if o := unsafe.Offsetof(d.period); o%8 != 0 {
		t.Errorf("period at offset %d", o)
	}
}

func TestReadSideDoesNotAllocate(t *testing.T) {
	for name, c := range counted() {
		r := c.register()
		if n := testing.AllocsPerRun(100, func() {
			r.ReadLock()
			r.ReadLock()
			r.ReadUnlock()
			r.ReadUnlock()
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	q := NewQuiescent().Register()
	if n := testing.AllocsPerRun(100, func() {
		q.ReadLock()
		q.ReadUnlock()
		q.Quiescent()
		q.Offline()
		q.Online()
	}); n != 0 {
		t.Errorf("quiescent: %v allocations", n)
	}
}

func TestRegisterWhileSynchronizing(t *testing.T) {
	d := NewMembarrier()
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			d.Synchronize()
		}
	})
	for range 4 {
		wg.Go(func() {
			for range 200 {
				r := d.Register()
				r.ReadLock()
				runtime.Gosched()
				r.ReadUnlock()
				r.Unregister()
			}
		})
	}
	time.Sleep(time.Millisecond)
	stop.Store(true)
	wg.Wait()
	if n := len(d.readers.readers()); n != 0 {
		t.Errorf("%d readers are left", n)
	}
}
