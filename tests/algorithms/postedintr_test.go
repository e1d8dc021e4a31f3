package algorithms

import (
	"testing"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/postedintr"
	"github.com/stretchr/testify/require"
)

func TestPostedInterruptProofs(t *testing.T) {
	fullSet := map[string]string{"amd64": "the bit operation without a result is a locked instruction too"}
	check(t, []proof{
		{
			// The sender sees ON set and does not notify, and the receiver has not seen the request.
			name: "posted interrupt, clearing ON",
			init: "control=1",
			threads: []string{"b = TestAndSetBit pir 0; c = LoadRelaxed control",
				"ClearBit control 0; AfterAtomic; r = LoadRelaxed pir"},
			never: `0:b=0 /\ 0:c=1 /\ 1:r=0`,
			weaker: []weakening{
				{from: "AfterAtomic", to: "", same: "amd64"},
				{from: "b = TestAndSetBit pir 0", to: "b = OrRelaxed pir 1", same: "amd64"},
				{from: "ClearBit control 0", to: "StoreRelaxed control 0", // beside a store AfterAtomic orders nothing
					why: map[string]string{"arm64": "AfterAtomic is DMB ISH, which does not depend on what comes before it"}},
			},
		},
		{
			// The same with KVM's test-and-set in place of the load.
			name: "posted interrupt, clearing ON against test-and-set",
			init: "control=1",
			threads: []string{"b = TestAndSetBit pir 0; c = TestAndSetBit control 0",
				"ClearBit control 0; AfterAtomic; r = LoadRelaxed pir"},
			never:  `0:b=0 /\ 0:c=1 /\ 1:r=0`,
			weaker: []weakening{{from: "AfterAtomic", to: "", same: "amd64"}},
		},
		{
			// A virtual processor runs again and looks for what came while notifications were suppressed.
			name: "posted interrupt, clearing SN",
			init: "control=2",
			threads: []string{"b = TestAndSetBit pir 0; c = LoadRelaxed control",
				"ClearBit control 1; AfterAtomic; r = LoadRelaxed pir"},
			never:  `0:b=0 /\ 0:c=2 /\ 1:r=0`,
			weaker: []weakening{{from: "AfterAtomic", to: "", same: "amd64"}},
		},
		{
			// What the first sender wrote is there for the receiver.
			name: "posted interrupt, data of the sender",
			threads: []string{"StoreRelaxed data 1; b = TestAndSetBit pir 0",
				"w = SwapAcquire pir 0; r = LoadRelaxed data"},
			never: `1:w=1 /\ 1:r=0`,
			weaker: []weakening{
				{from: "b = TestAndSetBit pir 0", to: "SetBit pir 0", why: fullSet},
				{from: "w = SwapAcquire pir 0", to: "w = SwapRelaxed pir 0", same: "amd64"},
			},
		},
		{
			// So is what a sender wrote that found the bit set and went away: the read-modify-write is in full order also when
			// the bit does not change.
			name: "posted interrupt, data of a later sender",
			init: "pir=1",
			threads: []string{"StoreRelaxed data 1; b = TestAndSetBit pir 0",
				"w = SwapAcquire pir 0; r = LoadRelaxed data"},
			never: `0:b=1 /\ 1:w=1 /\ 1:r=0`,
			weaker: []weakening{
				{from: "b = TestAndSetBit pir 0", to: "b = LoadRelaxed pir"}, // look first, to save the operation
				{from: "w = SwapAcquire pir 0", to: "w = SwapRelaxed pir 0", same: "amd64"},
			},
		},
		{
			// Who is notified finds the request, and ON.
			name: "posted interrupt, the request before ON",
			threads: []string{"b = TestAndSetBit pir 0; c = CompareAndSwapRelaxed control 0 1",
				"o = LoadRelaxed control; ClearBit control 0; AfterAtomic; r = LoadRelaxed pir"},
			never:  `1:o=1 /\ 1:r=0`,
			weaker: []weakening{{from: "b = TestAndSetBit pir 0", to: "b = OrRelaxed pir 1", same: "amd64"}},
		},
		{
			name: "mailbox, clearing the flag",
			init: "on=1",
			threads: []string{"b = TestAndSetBit bits 0; c = LoadRelaxed on",
				"StoreFull on 0; r = LoadRelaxed bits"},
			never: `0:b=0 /\ 0:c=1 /\ 1:r=0`,
			weaker: []weakening{
				{from: "StoreFull on 0", to: "StoreRelaxed on 0"},
				{from: "StoreFull on 0", to: "StoreRelease on 0"},
				{from: "b = TestAndSetBit bits 0", to: "b = OrRelaxed bits 1", same: "amd64"},
			},
		},
		{
			name: "mailbox, clearing the flag against the exchange",
			init: "on=1",
			threads: []string{"b = TestAndSetBit bits 0; c = SwapRelaxed on 1",
				"StoreFull on 0; r = LoadRelaxed bits"},
			never:  `0:b=0 /\ 0:c=1 /\ 1:r=0`,
			weaker: []weakening{{from: "StoreFull on 0", to: "StoreRelaxed on 0"}},
		},
	})
}

// bytes is a descriptor as the hardware sees it.
func bytes(d *postedintr.Descriptor) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(d)), unsafe.Sizeof(*d))
}

// The layout, bit by bit, in memory.
func TestDescriptorLayout(t *testing.T) {
	d := postedintr.New()
	require.Equal(t, uintptr(64), unsafe.Sizeof(*d))
	require.Zero(t, uintptr(unsafe.Pointer(d))%64)
	for vector := range postedintr.Vectors {
		d := postedintr.New()
		require.True(t, d.Post(uint8(vector)))
		want := make([]byte, 64)
		want[vector/8] = 1 << (vector % 8)
		want[32] = 1 // ON
		require.Equal(t, want, bytes(d), "vector %d", vector)
	}
	d.SetNotification(0xf2, 0xdeadbeef)
	d.Suppress()
	want := make([]byte, 64)
	want[32] = 2 // SN
	want[34] = 0xf2
	want[36], want[37], want[38], want[39] = 0xef, 0xbe, 0xad, 0xde
	require.Equal(t, want, bytes(d))
	vector, destination := d.Notification()
	require.Equal(t, uint8(0xf2), vector)
	require.Equal(t, uint32(0xdeadbeef), destination)
	d.SetNotification(1, 2)
	require.True(t, d.Suppressed(), "the address changed and nothing else")
}

func TestDescriptorAt(t *testing.T) {
	memory := make([]byte, 256)
	gap := -uintptr(unsafe.Pointer(&memory[0])) & 63
	require.NotPanics(t, func() { postedintr.At(unsafe.Pointer(&memory[gap+64])) })
	for _, off := range []uintptr{1, 8, 32, 63} {
		require.Panics(t, func() { postedintr.At(unsafe.Pointer(&memory[gap+off])) })
	}
}

func TestDescriptor(t *testing.T) {
	d := postedintr.New()
	var irr [4]uint64
	require.False(t, d.Sync(&irr), "nothing was requested")
	require.True(t, d.Post(3))
	require.True(t, d.Outstanding())
	require.False(t, d.Post(3), "the request is there")
	require.False(t, d.Post(200), "a notification is outstanding")
	irr[1] = 1
	require.True(t, d.Sync(&irr))
	require.Equal(t, [4]uint64{1 << 3, 1, 0, 1 << (200 - 192)}, irr)
	require.False(t, d.Outstanding())
	require.False(t, d.Sync(&irr))

	d.Suppress()
	require.False(t, d.Post(7), "notifications are suppressed")
	require.False(t, d.Outstanding())
	require.False(t, d.Sync(&irr))
	require.True(t, d.Resume(), "a request came meanwhile")
	require.True(t, d.Sync(&irr))
	require.Equal(t, uint64(1<<3|1<<7), irr[0])
	d.Suppress()
	require.False(t, d.Resume())
	require.True(t, d.Post(7))
	irr = [4]uint64{}
	require.True(t, d.Sync(&irr), "ON alone")
	require.False(t, d.Sync(&irr))
}

// poster is what a Descriptor and a Mailbox have in common.
type poster struct {
	name string
	make func(wake func()) (post func(bit uint), sync func(into *[4]uint64) bool)
}

var posters = []poster{
	{"Descriptor", func(wake func()) (func(uint), func(*[4]uint64) bool) {
		d := postedintr.New()
		return func(bit uint) {
			if d.Post(uint8(bit)) {
				wake()
			}
		}, d.Sync
	}},
	{"Mailbox", func(wake func()) (func(uint), func(*[4]uint64) bool) {
		m := postedintr.NewMailbox(4, wake)
		return m.Post, func(into *[4]uint64) bool { return m.Sync(into[:]) }
	}},
}

// Senders post, in rounds: nobody posts again before the receiver, which sleeps until it is notified, has got it from
// all. So no later post makes up for a notification that was lost: it ends the test.
func TestPostedInterruptsLoseNone(t *testing.T) {
	for _, p := range posters {
		t.Run(p.name, func(t *testing.T) {
			onProcs(t, func(t *testing.T, procs int) {
				for _, senders := range []int{2, procs + 1} {
					lossless(p, senders, *ops/16/senders)
				}
			})
		})
	}
}

// lossless has each sender post in a number of rounds.
func lossless(p poster, senders, rounds int) {
	woken := make(chan struct{}, 1)
	post, sync := p.make(func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	data := make([]int, senders) // the race detector looks on
	next := make([]chan struct{}, senders)
	for i := range next {
		next[i] = make(chan struct{}, 1)
	}
	bit := func(i int) uint { return uint(i*61) % 256 } // in all words
	together(senders+1, func(i int) {
		if i < senders {
			for n := range rounds {
				data[i] = n
				post(bit(i))
				<-next[i]
			}
			return
		}
		for n := range rounds {
			for received := 0; received < senders; {
				<-woken
				var got [4]uint64
				for sync(&got) {
					for s := range senders {
						if got[bit(s)/64]&(1<<(bit(s)%64)) == 0 {
							continue
						}
						if data[s] != n {
							panic("the request came before what its sender wrote")
						}
						received++
					}
					got = [4]uint64{}
				}
			}
			for _, c := range next {
				c <- struct{}{}
			}
		}
	})
}

// A sender that finds its bit set has still handed over what it wrote.
func TestMailboxCountsEverything(t *testing.T) {
	onProcs(t, func(t *testing.T, procs int) {
		woken := make(chan struct{}, 1)
		m := postedintr.NewMailbox(2, func() {
			select {
			case woken <- struct{}{}:
			default:
			}
		})
		const senders = 4
		each := *ops / 4 / senders
		var posted [senders]atomics.Uint64
		together(senders+1, func(i int) {
			if i < senders {
				for n := range each {
					posted[i].StoreRelaxed(uint64(n + 1))
					m.Post(127)
				}
				return
			}
			for sum := uint64(0); sum < uint64(senders*each); {
				<-woken
				var got [2]uint64
				if !m.Sync(got[:]) {
					continue // the bit went with the wake-up before
				}
				if got != [2]uint64{0, 1 << 63} {
					panic("a bit that nobody posted")
				}
				sum = 0
				for s := range posted {
					sum += posted[s].LoadRelaxed()
				}
			}
		})
	})
}

func TestMailboxMisuse(t *testing.T) {
	require.Panics(t, func() { postedintr.NewMailbox(0, func() {}) })
	require.Panics(t, func() { postedintr.NewMailbox(1, nil) })
	woken := 0
	m := postedintr.NewMailbox(2, func() { woken++ })
	require.Panics(t, func() { m.Post(128) })
	m.Post(127)
	m.Post(127)
	m.Post(0)
	require.Equal(t, 1, woken)
	require.Panics(t, func() { m.Sync(make([]uint64, 1)) })
	got := make([]uint64, 2)
	require.True(t, m.Sync(got), "nothing was taken by the call that was refused")
	require.Equal(t, []uint64{1, 1 << 63}, got)
	m.Post(5)
	require.Equal(t, 2, woken)
}

func TestPostedInterruptsAllocateNothing(t *testing.T) {
	for _, p := range posters {
		post, sync := p.make(func() {})
		var irr [4]uint64
		require.Zero(t, testing.AllocsPerRun(100, func() {
			post(9)
			sync(&irr)
		}), p.name)
	}
}
