package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/barriergen/barriergen/primitives/spinlock"
	"github.com/barriergen/barriergen/tests/bench/measure"
	"github.com/barriergen/barriergen/tests/bench/peer"
)

const ticketSource = "Linux kernel mailing list, 2015, paravirtual ticket locks with a one-instruction unlock"

// halvesRows are Lock and Unlock apart.
func halvesRows(peers *peer.Set) measure.Experiment {
	tickets, parking, queued := new([lockCount]spinlock.Ticket), new([lockCount]spinlock.Parking), new([lockCount]spinlock.Queued)
	return measure.Experiment{
		Name: "Lock and Unlock of free locks, each in a loop",
		About: fmt.Sprintf("%d locks are taken one after the other and then given back. Ticket unlocks with one plain store; Parking, whose waiters may sleep, with a "+
			"read-modify-write that also tells whether anybody does: the general path. The published figures are one paravirtual lock before and after its "+
			"unlock became one inlined instruction again.", lockCount),
		Metrics: []measure.Metric{{Name: "Lock", Unit: "ns"}, {Name: "Unlock", Unit: "ns"}},
		Length:  loopLength, Patience: patience,
		Sides: []measure.Side{
			halves("Ticket", func() { lockTickets(tickets) }, func() { unlockTickets(tickets) }),
			halves("Parking", func() { lockParking(parking) }, func() { unlockParking(parking) }),
			halves("Queued", func() { lockQueued(queued) }, func() { unlockQueued(queued) }),
			peers.Side("ck_spinlock_ticket", peer.Lock, "halves"),
		},
		Comparisons: []measure.Comparison{
			{
				Name: "Unlock: the general path / one instruction", Metric: 1, Over: "Parking", Under: "Ticket",
				Published: &measure.Published{Over: 24, Under: 22, Unit: "cycles", Source: ticketSource},
			},
			{
				Name: "Lock: the general path / one instruction", Over: "Parking", Under: "Ticket",
				Published: &measure.Published{Over: 48, Under: 45, Unit: "cycles", Source: ticketSource},
				Note:      "Both draw their number with one locked instruction.",
			},
			{Name: "Unlock: Ticket / ck_spinlock_ticket", Metric: 1, Over: "Ticket", Under: "ck_spinlock_ticket"},
			{Name: "Lock: Ticket / ck_spinlock_ticket", Over: "Ticket", Under: "ck_spinlock_ticket"},
		},
	}
}

// lockRows are locks under so many threads.
func lockRows(peers *peer.Set, threads int) measure.Experiment {
	c := func(name, kind string) measure.Side {
		return peers.Side(name, peer.Lock, kind, strconv.Itoa(threads))
	}
	e := measure.Experiment{
		Name: fmt.Sprintf("Locks under %d thread(s)", threads),
		About: "An increment under the lock, again and again, each thread on a processor of its own. " +
			"Locks that serve in order have to pass the cache line at every increment; sync.Mutex and a compare-and-swap lock may keep it.",
		Metrics: measure.NsPerOp, Length: 10 * time.Millisecond, Patience: 5,
		Sides: []measure.Side{
			contended("Ticket", threads, underTicket),
			contended("Parking", threads, underParking),
			contended("Queued", threads, underQueued),
			contended("MCS", threads, underMCS),
			contended("sync.Mutex", threads, underMutex),
			c("ck_spinlock_ticket", "ticket"),
			c("ck_spinlock_mcs", "mcs"),
		},
	}
	for _, pair := range [][3]string{
		{"Ticket", "sync.Mutex", "ck_spinlock_ticket"}, {"Queued", "sync.Mutex", "ck_spinlock_mcs"}, {"MCS", "sync.Mutex", "ck_spinlock_mcs"}, {"Parking", "sync.Mutex", "ck_spinlock_ticket"},
	} {
		for _, under := range pair[1:] {
			e.Comparisons = append(e.Comparisons, measure.Comparison{Name: fmt.Sprintf("%s / %s, %d thread(s)", pair[0], under, threads), Over: pair[0], Under: under})
		}
	}
	return e
}
