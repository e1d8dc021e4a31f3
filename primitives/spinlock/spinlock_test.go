package spinlock

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// until waits for something that others do.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !cond(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// Who waits is served in the order of arrival. Each lock shows that somebody has arrived by another value in the word
// that they arrive at.
func TestOrderOfArrival(t *testing.T) {
	var (
		ticket  Ticket
		parking Parking
		queued  Queued
		mcs     MCS
	)
	const goroutines = 20
	nodes := make([]MCSNode, goroutines+1)
	for _, test := range []struct {
		name         string
		lock, unlock func(i int)
		arrivals     func() uint64
	}{
		{"Ticket", func(int) { ticket.Lock() }, func(int) { ticket.Unlock() }, func() uint64 { return uint64(atomic.LoadUint32(&ticket.next)) }},
		{"Parking", func(int) { parking.Lock() }, func(int) { parking.Unlock() }, func() uint64 { return uint64(atomic.LoadUint32(&parking.next)) }},
		{"Queued", func(int) { queued.Lock() }, func(int) { queued.Unlock() }, func() uint64 { return uint64(atomics.LoadRelaxedUint32(&queued.word)) }},
		{"MCS", func(i int) { mcs.Lock(&nodes[i]) }, func(i int) { mcs.Unlock(&nodes[i]) }, func() uint64 { return uint64(uintptr(unsafe.Pointer(mcs.tail.Load()))) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.lock(goroutines)
			var order []int
			var all sync.WaitGroup
			for i := range goroutines {
				before := test.arrivals()
				all.Go(func() {
					test.lock(i)
					order = append(order, i)
					test.unlock(i)
				})
				until(t, "somebody arrives", func() bool { return test.arrivals() != before })
			}
			test.unlock(goroutines)
			all.Wait()
			want := make([]int, goroutines)
			for i := range want {
				want[i] = i
			}
			if !slices.Equal(order, want) {
				t.Errorf("served in the order %v", order)
			}
		})
	}
}

// listed returns the tickets that are parked.
func (l *Parking) listed() (out []uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := l.first; w != nil; w = w.next {
		out = append(out, w.ticket)
	}
	return out
}

// Waiters park, in whatever order, and are listed in the order of their numbers; while any is the flag is set. The last
// Unlock that wakes somebody clears it.
func TestParkedAreServed(t *testing.T) {
	var l Parking
	l.head, l.next = ^uint32(0)-7, ^uint32(0)-7 // the numbers begin again at 0 on the way
	const waiters = 12
	l.Lock()
	var all sync.WaitGroup
	for range waiters {
		all.Go(func() {
			l.Lock()
			l.Unlock()
		})
	}
	until(t, "all are parked", func() bool { return len(l.listed()) == waiters })
	for i, ticket := range l.listed() {
		if want := ^uint32(0) - 7 + uint32(i+1)*step; ticket != want {
			t.Errorf("place %d has the ticket %d, not %d", i, ticket, want)
		}
	}
	if l.head&parked == 0 {
		t.Error("somebody is parked and the flag is not set")
	}
	l.Unlock()
	all.Wait()
	until(t, "the flag is cleared", func() bool { return atomic.LoadUint32(&l.head) == l.next })
	records := 0
	for w := l.free; w != nil; w = w.next {
		records++
	}
	if records == 0 || records > waiters || l.first != nil {
		t.Errorf("%d records are free and %v is listed", records, l.first)
	}
}

// A waiter whose turn comes while it prepares to park does not park.
func TestTurnComesBeforeParking(t *testing.T) {
	var l Parking
	l.Lock()
	mine := atomic.AddUint32(&l.next, step) - step
	l.Unlock() // nobody is parked: it wakes nobody
	if w := l.park(mine); w != nil {
		t.Fatal("the waiter parks although it is its turn")
	}
	if l.head&parked != 0 {
		t.Error("nobody is parked and the flag is set")
	}
	l.Unlock()
	if !l.TryLock() {
		t.Error("the lock is free and TryLock fails")
	}
}

// Unlock meets a waiter that has queued and has not said so yet: it waits, and leaves the queue as it is.
func TestWaiterIsNotLinkedYet(t *testing.T) {
	var l MCS
	var holder, waiter MCSNode
	l.Lock(&holder)
	waiter.enter()
	prev := l.tail.Swap(&waiter)
	done := make(chan bool)
	go func() {
		l.Unlock(&holder)
		close(done)
	}()
	select {
	case <-done:
		t.Fatal("the lock was given to nobody")
	case <-time.After(10 * time.Millisecond):
	}
	if prev != &holder || l.tail.Load() != &waiter {
		t.Error("the waiter is not the last in the queue any more")
	}
	prev.next.StoreRelease(&waiter)
	<-done
	if waiter.state.LoadAcquire() != granted {
		t.Error("the waiter was not given the lock")
	}
	l.Unlock(&waiter)
	if l.tail.Load() != nil {
		t.Error("nobody waits and the queue is not empty")
	}
}

// Every index names one node, and the pool grows when its places are taken.
func TestNodes(t *testing.T) {
	const many = 5 << chunkBits
	seen := map[*queueNode]bool{}
	var taken []*queueNode
	random := rand.New(rand.NewPCG(1, 2))
	for range many {
		index, n := takeNodeNear(random.Uint32())
		if index == 0 || index >= 1<<(32-tailShift) {
			t.Fatalf("index %d does not fit the word", index)
		}
		if node(index) != n {
			t.Fatalf("index %d names another node", index)
		}
		if seen[n] {
			t.Fatal("a node was given out twice")
		}
		seen[n] = true
		taken = append(taken, n)
	}
	if chunks[6].LoadRelaxed() != nil {
		t.Errorf("%d nodes take more than %d places", many, 1<<(chunkBits+6))
	}
	for _, n := range taken {
		n.used.StoreRelease(0)
	}
	if last := uint32(1)<<(32-tailShift) - 1<<chunkBits; last != (1<<chunkBits)*(1<<chunkCount-1) {
		t.Errorf("the chunks hold %d nodes", last)
	}
}

// The layouts that the documentation states.
func TestSizes(t *testing.T) {
	if size := unsafe.Sizeof(Ticket{}); size != 8 {
		t.Errorf("a Ticket has %d bytes", size)
	}
	if size := unsafe.Sizeof(Queued{}); size != 4 {
		t.Errorf("a Queued has %d bytes", size)
	}
}
