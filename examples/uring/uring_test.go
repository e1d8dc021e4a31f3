package uring

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// A poller that sleeps whenever it may: a wake-up that is lost would stop it.
func TestNothingIsLost(t *testing.T) {
	requests := uint64(200_000)
	enough := time.Now().Add(2 * time.Second) // for the race detector, or a busy machine
	r, p, err := New(1)                       // no later submission mends what was lost
	if err != nil {
		t.Fatal(err)
	}
	var wake, stop atomic.Bool
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			if e, ok := p.Pop(); ok {
				for !p.Push(CQE{UserData: e.UserData, Res: int32(e.Len)}) {
					runtime.Gosched()
				}
				continue
			}
			if p.Doze() {
				// It keeps its processor, so that the two sides run into each other: a channel would let them take turns.
				for n := 1; !wake.Swap(false); n++ {
					if stop.Load() {
						return
					}
					if n%100 == 0 {
						runtime.Gosched()
					}
				}
			}
			p.Wake()
		}
	}()
	woken, idle := 0, 0
	for sent, done := uint64(0), uint64(0); done < requests; {
		if sent < requests && r.Push(SQE{UserData: sent, Len: uint32(sent * 3)}) {
			sent++
			if r.Submit() {
				woken++
				wake.Store(true)
			}
		}
		c, ok := r.Pop()
		if !ok {
			if idle++; idle%100 == 0 {
				runtime.Gosched()
			}
			continue
		}
		if c.UserData != done || c.Res != int32(done*3) {
			t.Fatalf("got %+v, want %d", c, done)
		}
		if done++; done%1000 == 0 && time.Now().After(enough) {
			requests = sent
		}
	}
	stop.Store(true)
	<-stopped
	t.Logf("%d requests, %d times woken", requests, woken)
}

func TestFlag(t *testing.T) {
	r, p, err := New(2)
	if err != nil {
		t.Fatal(err)
	}
	if r.Submit() || !p.Doze() || !r.Submit() {
		t.Error("asleep and not woken")
	}
	p.Wake()
	if !r.Push(SQE{}) || !r.Push(SQE{}) || r.Push(SQE{}) || r.Submit() || p.Doze() {
		t.Error("a submission is overlooked")
	}
}

// Sizes and offsets are the kernel's.
func TestLayout(t *testing.T) {
	for name, got := range map[string][2]uintptr{
		"SQE":       {unsafe.Sizeof(SQE{}), 64},
		"user_data": {unsafe.Offsetof(SQE{}.UserData), 32},
		"len":       {unsafe.Offsetof(SQE{}.Len), 24},
		"CQE":       {unsafe.Sizeof(CQE{}), 16},
		"SQOffsets": {unsafe.Sizeof(SQOffsets{}), 40},
		"array":     {unsafe.Offsetof(SQOffsets{}.Array), 24},
		"CQOffsets": {unsafe.Sizeof(CQOffsets{}), 40},
		"cqes":      {unsafe.Offsetof(CQOffsets{}.CQEs), 20},
		"Params":    {unsafe.Sizeof(Params{}), 120},
		"sq_off":    {unsafe.Offsetof(Params{}.SQ), 40},
		"cq_off":    {unsafe.Offsetof(Params{}.CQ), 80},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %d, want %d", name, got[0], got[1])
		}
	}
}

// Parameters that point outside the mappings are refused.
func TestMistakes(t *testing.T) {
	good := Params{SQEntries: 2, CQEntries: 2, Features: SingleMmap, SQ: SQOffsets{Tail: 4, Flags: 8, Array: 12}, CQ: CQOffsets{Head: 20, Tail: 24, CQEs: 32}}
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&make([]uint64, 24)[0])), 192)
	rings, entries := memory[:64], memory[64:]
	if _, err := At(rings, entries, &good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(p *Params){
		"two mappings": func(p *Params) { p.Features = 0 },
		"no power":     func(p *Params) { p.SQEntries = 3 },
		"no entries":   func(p *Params) { p.CQEntries = 0 },
		"far":          func(p *Params) { p.SQ.Tail = 1 << 31 },
		"at the end":   func(p *Params) { p.CQ.Head = 61 },
		"too many":     func(p *Params) { p.CQEntries = 4 },
		"too few":      func(p *Params) { p.SQEntries = 4 },
		"misaligned":   func(p *Params) { p.SQ.Flags = 9 },
	} {
		p := good
		change(&p)
		if _, err := At(rings, entries, &p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, _, err := New(3); err == nil {
		t.Error("no error")
	}
}
