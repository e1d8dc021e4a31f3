// Program algorithmcode calls the fast paths of the algorithms, for a test to read their machine code: each in a function of its own, or as
// a method of a generic type.
package main

import (
	"github.com/barriergen/barriergen/primitives/postedintr"
	"github.com/barriergen/barriergen/primitives/ring"
	"github.com/barriergen/barriergen/primitives/seqlock"
	"github.com/barriergen/barriergen/primitives/spinlock"
)

//go:noinline
func ticketLock(l *spinlock.Ticket) { l.Lock() }

//go:noinline
func ticketUnlock(l *spinlock.Ticket) { l.Unlock() }

//go:noinline
func parkingLock(l *spinlock.Parking) { l.Lock() }

//go:noinline
func parkingUnlock(l *spinlock.Parking) { l.Unlock() }

//go:noinline
func queuedLock(l *spinlock.Queued) { l.Lock() }

//go:noinline
func queuedUnlock(l *spinlock.Queued) { l.Unlock() }

//go:noinline
func descriptorSync(d *postedintr.Descriptor, irr *[4]uint64) bool { return d.Sync(irr) }

//go:noinline
func mailboxSync(m *postedintr.Mailbox, into []uint64) bool { return m.Sync(into) }

//go:noinline
func seqlockRead(c *seqlock.Count, data *uint64) (uint64, bool) {
	begin := c.ReadBegin()
	v := *data // a test of the code alone; a program needs a relaxed load here
	return v, c.ReadRetry(begin)
}

//go:noinline
func seqlockWrite(c *seqlock.Count, data *uint64, v uint64) {
	c.WriteBegin()
	*data = v
	c.WriteEnd()
}

//go:noinline
func manyPop(r *ring.MPSC[uint64]) (uint64, bool) { return r.Pop() }

func main() {
	var (
		t   spinlock.Ticket
		p   spinlock.Parking
		q   spinlock.Queued
		c   seqlock.Count
		v   uint64
		irr [4]uint64
	)
	ticketLock(&t)
	ticketUnlock(&t)
	parkingLock(&p)
	parkingUnlock(&p)
	queuedLock(&q)
	queuedUnlock(&q)
	descriptorSync(postedintr.New(), &irr)
	mailboxSync(postedintr.NewMailbox(1, func() {}), irr[:])
	seqlockRead(&c, &v)
	seqlockWrite(&c, &v, 1)
	one, many := ring.NewSPSC[uint64](8), ring.NewMPSC[uint64](8)
	one.Push(1)
	one.Pop()
	many.Push(1)
	manyPop(many)
	var value seqlock.Value[[4]uint64]
	value.Store(irr)
	irr = value.Load()
}
