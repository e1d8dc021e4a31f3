package algorithms

import (
	"runtime"
	"sync"
	"testing"

	"github.com/barriergen/barriergen/primitives/spinlock"
	"github.com/stretchr/testify/require"
)

// weakMP are the weakenings of a hand-off by a store and a load: nothing of it is left on amd64, where a plain store and
// a plain load keep the order.
func weakMP(word string, v string) []weakening {
	return []weakening{
		{from: "StoreRelease " + word + " " + v, to: "StoreRelaxed " + word + " " + v, same: "amd64"},
		{from: "w = LoadAcquire " + word, to: "w = LoadRelaxed " + word, same: "amd64"},
	}
}

// lse is why a fence that the build has to have is not needed on the CPU.
var lse = map[string]string{"arm64 v8.0": "the CPU has LSE, and a successful LDADDAL or CASAL is full; the build does not know it"}

func TestSpinlockProofs(t *testing.T) {
	check(t, []proof{
		{
			name:    "ticket hand-off, what the holder wrote",
			init:    "next=1",
			threads: []string{"StoreRelaxed data 1; StoreRelease owner 1", "n = AddRelaxed next 1; w = LoadAcquire owner; r = LoadRelaxed data"},
			never:   `1:w=1 /\ 1:r=0`,
			weaker:  weakMP("owner", "1"),
		},
		{
			name:    "ticket hand-off, what the holder read",
			init:    "next=1",
			threads: []string{"r = LoadRelaxed data; StoreRelease owner 1", "n = AddRelaxed next 1; w = LoadAcquire owner; StoreRelaxed data 1"},
			never:   `1:w=1 /\ 0:r=1`,
			weaker:  weakMP("owner", "1"),
		},
		{
			// What orders TryLock is the load of the number called; the compare-and-swap need not.
			name:    "ticket TryLock",
			init:    "next=1",
			threads: []string{"StoreRelaxed data 1; StoreRelease owner 1", "w = LoadAcquire owner; c = CompareAndSwapRelaxed next 1 2; r = LoadRelaxed data"},
			never:   `1:w=1 /\ 1:c=1 /\ 1:r=0`,
			weaker:  weakMP("owner", "1"),
		},
		{
			// The load that spins stands between the read-modify-write and the fence.
			name: "ticket, a full fence behind Lock",
			threads: []string{"StoreRelaxed x 1; n = AddAcquire next 1; w = LoadAcquire owner; AfterAtomic; r = LoadRelaxed y",
				"StoreRelaxed y 1; Full; r = LoadRelaxed x"},
			never: `0:r=0 /\ 1:r=0`,
			weaker: []weakening{
				{from: "AfterAtomic", to: "", same: "amd64"},
				{from: "Full", to: ""},
			},
		},
		{
			name: "queued AfterSpinlock",
			threads: []string{"StoreRelaxed x 1; c = CompareAndSwapAcquire word 0 1; AfterAtomic; r = LoadRelaxed y",
				"StoreRelaxed y 1; Full; r = LoadRelaxed x"},
			never:  `0:r=0 /\ 1:r=0 /\ 0:c=0`,
			weaker: []weakening{{from: "AfterAtomic", to: "", same: "amd64"}},
		},
		{
			// What the lock knows of its read-modify-write leaves nothing of the fence with LSE.
			name: "MCS AfterSpinlock",
			threads: []string{"StoreRelaxed x 1; s = SwapAcquire tail 1; AfterSyncAtomic; r = LoadRelaxed y",
				"StoreRelaxed y 1; Full; r = LoadRelaxed x"},
			never:   `0:r=0 /\ 1:r=0`,
			emitted: true,
			weaker:  []weakening{{from: "AfterSyncAtomic", to: "", same: "amd64 v1, arm64 v8.1", why: lse}},
		},
		{
			name: "ticket AfterSpinlock",
			threads: []string{"StoreRelaxed x 1; n = AddAcquire next 1; w = LoadAcquire owner; AfterSyncAtomic; r = LoadRelaxed y",
				"StoreRelaxed y 1; Full; r = LoadRelaxed x"},
			never:   `0:r=0 /\ 1:r=0`,
			emitted: true,
			weaker: []weakening{{from: "AfterSyncAtomic", to: "", same: "amd64 v1, arm64 v8.1", why: map[string]string{
				"arm64 v8.0":     lse["arm64 v8.0"],
				"arm64 old v8.0": "the load that spins is LDAR, which STLXR comes before",
			}}},
		},
		{
			// A word with the flag in it: that both are read-modify-writes of one word is all that it takes.
			name:    "parking flag in the lock word",
			threads: []string{"h = AddRelaxed head 2", "o = OrRelaxed head 1"},
			never:   `0:h=2 /\ 1:o=0`, // not told of a parked waiter, and the waiter not told that it is its turn
		},
		{
			// What it would take with a flag of its own: two full fences, one of them in Unlock.
			name:    "parking flag in another word",
			threads: []string{"StoreRelease head 2; Full; f = LoadRelaxed flag", "StoreRelaxed flag 1; Full; o = LoadRelaxed head"},
			never:   `0:f=0 /\ 1:o=0`,
			weaker:  []weakening{{from: "Full", to: ""}},
		},
		{
			name:    "parking hand-off to who is about to park",
			threads: []string{"StoreRelaxed data 1; h = AddRelease head 2", "o = OrAcquire head 1; r = LoadRelaxed data"},
			never:   `1:o=2 /\ 1:r=0`,
			weaker: []weakening{
				{from: "h = AddRelease head 2", to: "h = AddRelaxed head 2", same: "amd64"},
				{from: "o = OrAcquire head 1", to: "o = OrRelaxed head 1", same: "amd64"},
			},
		},
		{
			// Clearing the flag does not break the chain from the Unlock to the Lock that reads the cleared word.
			name: "parking hand-off through clearSlowpath",
			init: "head=1",
			threads: []string{"StoreRelaxed data 1; h = AddRelease head 2", "a = AndRelaxed head -2",
				"w = LoadAcquire head; r = LoadRelaxed data"},
			never: `1:a=3 /\ 2:w=2 /\ 2:r=0`,
			weaker: []weakening{
				{from: "h = AddRelease head 2", to: "h = AddRelaxed head 2", same: "amd64"},
				{from: "w = LoadAcquire head", to: "w = LoadRelaxed head", same: "amd64"},
			},
		},
		{
			name:    "MCS hand-off to a waiter",
			init:    "state=1",
			threads: []string{"StoreRelaxed data 1; StoreRelease state 2", "w = LoadAcquire state; r = LoadRelaxed data"},
			never:   `1:w=2 /\ 1:r=0`,
			weaker:  weakMP("state", "2"),
		},
		{
			name:    "MCS hand-off through an empty queue",
			init:    "tail=1",
			threads: []string{"StoreRelaxed data 1; c = CompareAndSwapRelease tail 1 0", "s = SwapAcquire tail 2; r = LoadRelaxed data"},
			never:   `0:c=1 /\ 1:s=0 /\ 1:r=0`,
			weaker: []weakening{
				{from: "c = CompareAndSwapRelease tail 1 0", to: "c = CompareAndSwapRelaxed tail 1 0", same: "amd64"},
				{from: "s = SwapAcquire tail 2", to: "s = SwapRelaxed tail 2", same: "amd64"},
			},
		},
		{
			// A node is made ready before the next waiter finds it and links itself.
			name: "MCS node is ready before it is found",
			init: "next=9",
			threads: []string{"StoreRelaxed next 0; s = SwapRelease tail 1",
				"s = SwapRelaxed tail 2; StoreRelease next 2"},
			never: `1:s=1 /\ [next]=0`,
			weaker: []weakening{
				{from: "s = SwapRelease tail 1", to: "s = SwapRelaxed tail 1", same: "amd64"},
				{from: "StoreRelease next 2", to: "StoreRelaxed next 2", same: "amd64"},
			},
		},
		{
			// The waiter says that it waits before it is found, and so is not granted the lock too early. The holder's load of
			// the link can be relaxed: the release store behind it orders it.
			name: "MCS waiter waits before it is found",
			threads: []string{"l = LoadRelaxed link; StoreRelease state 2",
				"StoreRelaxed state 1; StoreRelease link 1"},
			never: `0:l=1 /\ [state]=1`,
			weaker: []weakening{
				{from: "StoreRelease link 1", to: "StoreRelaxed link 1", same: "amd64"},
				{from: "StoreRelease state 2", to: "StoreRelaxed state 2", same: "amd64"},
			},
		},
		{
			name:    "queued hand-off to who finds the word free",
			init:    "word=1",
			threads: []string{"StoreRelaxed data 1; u = AddRelease word -1", "c = CompareAndSwapAcquire word 0 1; r = LoadRelaxed data"},
			never:   `1:c=0 /\ 1:r=0`,
			weaker: []weakening{
				{from: "u = AddRelease word -1", to: "u = AddRelaxed word -1", same: "amd64"},
				{from: "c = CompareAndSwapAcquire word 0 1", to: "c = CompareAndSwapRelaxed word 0 1", same: "amd64"},
			},
		},
		{
			name: "queued hand-off to the pending one",
			init: "word=257",
			threads: []string{"StoreRelaxed data 1; u = AddRelease word -1",
				"w = LoadAcquire word; a = AddRelaxed word -255; r = LoadRelaxed data"},
			never: `1:w=256 /\ 1:r=0`,
			weaker: []weakening{
				{from: "u = AddRelease word -1", to: "u = AddRelaxed word -1", same: "amd64"},
				{from: "w = LoadAcquire word", to: "w = LoadRelaxed word", same: "amd64"},
			},
		},
		{
			// Who leaves the queue takes the lock before the next one looks at the word.
			name: "queued, first in the queue",
			init: "word=1024",
			threads: []string{"a = AddRelaxed word 1; StoreRelease granted 1",
				"w = LoadAcquire granted; f = LoadAcquire word"},
			never:  `1:w=1 /\ 1:f=1024`,
			weaker: weakMP("granted", "1"),
		},
		{
			// The chunk of a node is found by who finds the node's index.
			name: "queued, a node of a new chunk",
			threads: []string{"StoreRelease chunk 1; StoreRelease next 7",
				"w = LoadAcquire next; k = LoadAcquire chunk"},
			never:  `1:w=7 /\ 1:k=0`,
			weaker: weakMP("next", "7"),
		},
	})
}

// A kind is one kind of lock.
type kind struct {
	name string
	make func() (handle func() handle)
}

// A handle is what one goroutine uses a lock by.
type handle struct {
	lock, unlock, after func()
	try                 func() bool
}

type locker interface {
	sync.Locker
	TryLock() bool
	AfterSpinlock()
}

func ofLocker(name string, make func() locker) kind {
	return kind{name, func() func() handle {
		l := make()
		return func() handle { return handle{l.Lock, l.Unlock, l.AfterSpinlock, l.TryLock} }
	}}
}

var kinds = []kind{
	ofLocker("Ticket", func() locker { return new(spinlock.Ticket) }),
	ofLocker("Parking", func() locker { return new(spinlock.Parking) }),
	ofLocker("Queued", func() locker { return new(spinlock.Queued) }),
	{"MCS", func() func() handle {
		l := new(spinlock.MCS)
		return func() handle {
			n := new(spinlock.MCSNode)
			return handle{func() { l.Lock(n) }, func() { l.Unlock(n) }, l.AfterSpinlock, func() bool { return l.TryLock(n) }}
		}
	}},
}

func eachKind(t *testing.T, f func(t *testing.T, k kind)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

// One goroutine at a time is inside, and sees what those before it did. Some give their processor away inside, so that
// others spin for long, or park.
func TestSpinlockExcludes(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		onProcs(t, func(t *testing.T, procs int) {
			for _, goroutines := range []int{2, procs + 3} {
				handle := k.make()
				var plain [3]int // the race detector looks on
				each := *ops / 32 / goroutines
				together(goroutines, func(i int) {
					h := handle()
					for n := range each {
						if n%8 == 7 {
							for !h.try() {
								runtime.Gosched()
							}
						} else {
							h.lock()
						}
						h.after()
						plain[0]++
						if n%64 == i%64 {
							runtime.Gosched()
						}
						plain[1]++
						plain[2]++
						bad := plain[0] != plain[1] || plain[1] != plain[2]
						h.unlock()
						if bad {
							panic("two goroutines are inside")
						}
					}
				})
				require.Equal(t, each*goroutines, plain[0])
			}
		})
	})
}

// The holder sleeps until a waiter waits for good: who parks is woken, each time.
func TestParkingLosesNoWakeUp(t *testing.T) {
	onProcs(t, func(t *testing.T, procs int) {
		var l spinlock.Parking
		count := 0
		goroutines := procs + 4
		each := *ops / 4 / goroutines
		together(goroutines, func(int) {
			for n := range each {
				l.Lock()
				count++
				if n%4 == 0 {
					runtime.Gosched() // the others draw numbers and park
				}
				l.Unlock()
			}
		})
		require.Equal(t, each*goroutines, count)
		require.True(t, l.TryLock(), "after everybody is served the lock is free")
		l.Unlock()
	})
}

// Two goroutines take turns through two locks each, so that one of them always waits: a wake-up that is lost ends the
// exchange.
func TestParkingPingPong(t *testing.T) {
	onProcs(t, func(t *testing.T, procs int) {
		var locks [2]spinlock.Parking
		turns := 0
		locks[1].Lock()
		together(2, func(i int) {
			for range *ops / 8 {
				locks[i].Lock()
				turns++
				locks[1-i].Unlock() // not by who locked it, which these locks don't mind
			}
		})
		require.Equal(t, *ops/8*2, turns)
	})
}

func TestTryLock(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		handle := k.make()
		a, b := handle(), handle()
		require.True(t, a.try())
		require.False(t, b.try())
		a.unlock()
		require.True(t, b.try())
		b.unlock()
		b.lock()
		require.False(t, a.try())
		b.unlock()
	})
}

// Lock and Unlock allocate nothing; the records of those who park and the nodes of those who queue are used again.
func TestSpinlockAllocates(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		handle := k.make()
		h := handle()
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			h.lock()
			h.after()
			h.unlock()
			h.try()
			h.unlock()
		}))
		const goroutines, each = 4, 200
		contend := func() {
			together(goroutines, func(int) {
				h := handle()
				for range each {
					h.lock()
					runtime.Gosched()
					h.unlock()
				}
			})
		}
		contend()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		contend()
		runtime.ReadMemStats(&after)
		require.Less(t, after.Mallocs-before.Mallocs, uint64(goroutines*each/8), "in %d operations, goroutines included", goroutines*each)
	})
}

func TestSpinlockMisuse(t *testing.T) {
	t.Run("Queued, unlocked twice", func(t *testing.T) {
		var l spinlock.Queued
		l.Lock()
		l.Unlock()
		require.PanicsWithValue(t, "spinlock: Unlock of a Queued that is not locked; each Unlock needs a Lock before it", l.Unlock)
	})
	const once = "spinlock: this lock was unlocked once more than it was locked; each Unlock needs a Lock before it"
	t.Run("Ticket, unlocked twice", func(t *testing.T) {
		var l spinlock.Ticket
		l.Lock()
		l.Unlock()
		l.Unlock()
		require.False(t, l.TryLock())
		require.PanicsWithValue(t, once, l.Lock)
	})
	t.Run("Parking, unlocked twice", func(t *testing.T) {
		var l spinlock.Parking
		l.Lock()
		l.Unlock()
		l.Unlock()
		require.False(t, l.TryLock())
		require.PanicsWithValue(t, once, l.Lock)
	})
	t.Run("MCS", func(t *testing.T) {
		var a, b spinlock.MCS
		var n spinlock.MCSNode
		require.PanicsWithValue(t, "spinlock: Unlock of an MCS with a node that holds none; give it the node of its Lock", func() { a.Unlock(&n) })
		a.Lock(&n)
		const inUse = "spinlock: this MCSNode is in use; each lock that is held needs a node of its own"
		require.PanicsWithValue(t, inUse, func() { b.Lock(&n) })
		require.PanicsWithValue(t, inUse, func() { b.TryLock(&n) })
		require.PanicsWithValue(t, "spinlock: Unlock of an MCS that is not locked; the node holds another one", func() { b.Unlock(&n) })
		a.Unlock(&n)
		require.True(t, b.TryLock(&n))
	})
}
