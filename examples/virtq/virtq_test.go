package virtq

import (
	"encoding/binary"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// bell is what one side sleeps on and the other rings. The sleeper keeps its processor, so that the two sides run into each
// other: a channel would let them take turns.
type bell struct{ rung atomic.Bool }

func (b *bell) ring() { b.rung.Store(true) }

// sleep returns false if it was stopped.
func (b *bell) sleep(stop *atomic.Bool) bool {
	for n := 1; !b.rung.Swap(false); n++ {
		if stop.Load() {
			return false
		}
		if n%100 == 0 {
			runtime.Gosched()
		}
	}
	return true
}

// A driver and a device that both sleep whenever they may: a lost notification would stop them. The indexes wrap.
func TestNothingIsLost(t *testing.T) {
	const n = 64
	requests := 200_000
	enough := time.Now().Add(2 * time.Second) // for the race detector, or a busy machine
	q := New(n)
	memory := make([]uint32, n) // what the descriptors describe
	var kick, interrupt bell
	var stop, never atomic.Bool
	kicks, interrupts := 0, 0
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		d := q.Device()
		for {
			head, ok := d.Take()
			if ok {
				chain := &q.Descriptors[head]
				memory[chain.Addr] *= 2
				d.Add(Used{ID: uint32(head), Len: chain.Len})
				if d.Publish() {
					interrupts++
					interrupt.ring()
				}
				continue
			}
			if !d.Arm() && !kick.sleep(&stop) {
				return
			}
		}
	}()

	d := q.Driver()
	var free []uint16
	for i := range n {
		free = append(free, uint16(i))
	}
	want := make([]uint32, n)
	for sent, done := 0, 0; done < requests; {
		for sent < requests && len(free) > 0 {
			head := free[len(free)-1]
			free = free[:len(free)-1]
			memory[head], want[head] = uint32(sent), 2*uint32(sent)
			q.Descriptors[head] = Descriptor{Addr: uint64(head), Len: uint32(sent)}
			if !d.Add(head) {
				t.Fatal("no room")
			}
			sent++
			if d.Publish() {
				kicks++
				kick.ring()
			}
		}
		for {
			u, ok := d.Take()
			if ok {
				if memory[u.ID] != want[u.ID] || u.Len != want[u.ID]/2 {
					t.Fatalf("request %d: got %d and %d, want %d", u.ID, memory[u.ID], u.Len, want[u.ID])
				}
				free = append(free, uint16(u.ID))
				if done++; done%1000 == 0 && time.Now().After(enough) {
					requests = sent
				}
				continue
			}
			if sent < requests && len(free) > 0 || done == requests || d.Arm() {
				break
			}
			interrupt.sleep(&never)
		}
	}
	stop.Store(true)
	<-stopped
	t.Logf("%d requests, %d kicks, %d interrupts", requests, kicks, interrupts)
}

// Who does not ask is not notified, and who asks is notified once.
func TestSuppression(t *testing.T) {
	q := New(4)
	driver, device := q.Driver(), q.Device()
	add := func(want bool) {
		t.Helper()
		if !driver.Add(0) {
			t.Fatal("no room")
		}
		if got := driver.Publish(); got != want {
			t.Errorf("notify: %t, want %t", got, want)
		}
	}
	add(true) // an empty queue asks for the first
	add(false)
	if device.Arm() != true {
		t.Error("nothing there")
	}
	add(false) // asked for the first, which is there
	for range 3 {
		if _, ok := device.Take(); !ok {
			t.Fatal("nothing there")
		}
	}
	if device.Arm() {
		t.Error("something there")
	}
	add(true)
	if driver.Add(0) {
		t.Error("room in a full queue")
	}
	if driver.Publish() {
		t.Error("notified of nothing")
	}
}

// A range that wraps holds the event index or does not.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		event, old, to uint16
		want           bool
	}{
		{65535, 65534, 0, true}, {65534, 65534, 0, true}, {65533, 65534, 0, false}, {0, 65534, 0, false},
		{5, 5, 6, true}, {6, 5, 6, false}, {4, 5, 6, false}, {7, 7, 7, false},
	} {
		index, event, bell := uint32(0), uint32(c.event), uint32(99)
		if got := publish(&index, &event, c.old, c.to); got != c.want || index != uint32(c.to)<<16 {
			t.Errorf("%v: %t, index %#x", c, got, index)
		}
		publishDevice(&index, &event, c.old, c.to, &bell, 3)
		if rung := bell == 3; rung != c.want || !rung && bell != 99 {
			t.Errorf("%v: bell %d", c, bell)
		}
	}
}

func TestPublishTo(t *testing.T) {
	q := New(2)
	d := q.Driver()
	d.Add(1)
	bell := ^uint32(0)
	d.PublishTo(&bell, 7)
	if head, ok := q.Device().Take(); bell != 7 || !ok || head != 1 {
		t.Error(bell, head, ok)
	}
}

// The bytes lie where the standard has them.
func TestLayout(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the layout is that of a little-endian machine")
	}
	const n = 4
	words := make([]uint64, Bytes(n)/8+1)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), Bytes(n))
	at := func(off int) uint16 { return binary.LittleEndian.Uint16(bytes[off:]) }
	q := At(unsafe.Pointer(&words[0]), n)
	driver, device := q.Driver(), q.Device()
	q.Descriptors[1] = Descriptor{Addr: 1 << 40, Len: 2, Flags: 3, Next: 4}
	driver.Add(0)
	driver.Add(3)
	driver.Publish()
	if binary.LittleEndian.Uint64(bytes[16:]) != 1<<40 || bytes[24] != 2 || at(28) != 3 || at(30) != 4 {
		t.Error("descriptors", bytes[:64])
	}
	if at(64) != 0 || at(66) != 2 || at(68) != 0 || at(70) != 3 {
		t.Error("available ring", bytes[64:76])
	}
	const used = 80 // the event index at 76 and its padding
	device.Take()
	device.Arm()
	device.Add(Used{ID: 3, Len: 9})
	device.Publish()
	if at(used) != 0 || at(used+2) != 1 || at(used+4) != 3 || at(used+8) != 9 || at(used+4+8*n) != 1 {
		t.Error("used ring", bytes[used:])
	}
	driver.Take()
	driver.Arm()
	if at(76) != 1 {
		t.Error("used event", bytes[76:80])
	}
}

func TestMistakes(t *testing.T) {
	for _, f := range []func(){func() { New(1) }, func() { New(6) }, func() { New(65536) }, func() { At(unsafe.Pointer(uintptr(unsafe.Pointer(&make([]uint64, 64)[0]))+4), 2) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}
