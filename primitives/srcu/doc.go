// Package srcu is sleepable read-copy-update: each domain is a grace period of its own, readers may block inside a section,
// and only updaters of the same domain wait for them.
//
//	var current atomics.Pointer[table]
//	domain := srcu.New()
//
//	// Any goroutine:
//	i := domain.ReadLock()
//	use(current.LoadAcquire()) // may block
//	domain.ReadUnlock(i)
//
//	// An updater:
//	old := current.SwapRelease(next)
//	domain.Synchronize()
//	recycle(old)
//
// A goroutine that reads often registers a FastReader, which executes no fence: the updaters have the kernel do it, with one
// membarrier call for each grace period.
//
// # How it works
//
// A section is counted in one of two columns, which the domain's index chooses. The counters are spread over shards, by the
// stack that the caller runs on; two goroutines may share one, so a count is a read-modify-write. A FastReader has a pair
// of its own, which only it writes. ReadLock returns which counter it has used, and ReadUnlock takes it back from the very
// same one.
//
// A grace period looks, behind a full fence, at each counter until it has seen it at zero once. That is enough: the fence
// pairs with the one between a reader's count and what it reads, so that a section which the look misses sees what the
// updater has done before the call. Nothing else has to be ordered. The index serves progress only: when the column that
// new sections do not use has drained, the period turns the index over, so that the other column drains too, however many
// sections begin. A reader that read the index before and counts behind the turn is in a column that is waited for, or in
// one that has been seen at zero, and the fences care for it as for any other. (Counters that are incremented by one CPU
// and decremented by another have to be summed, and then a reader that loses its CPU in between does need two waits and
// fences around the turn.)
//
// # The fence after ReadUnlock
//
// ReadUnlock of a domain is a full read-modify-write: it orders everything earlier, and itself, before everything later. So
// [barrier.AfterSRCUReadUnlock] behind it is empty on every machine. ReadUnlock of a FastReader is a release store only;
// behind it the fence is real, and is called AfterReadUnlock.
//
// # Cost
//
// ReadLock and ReadUnlock of a domain are one locked instruction each on amd64, and the choice of a shard. Those of a
// FastReader are a few loads and one store, inlined. Synchronize on a domain without readers in a section is a fence and a
// look at each counter, tens of nanoseconds; with a FastReader registered, one membarrier call more. It uses no timer
// unless a reader stays in its section.
//
// Source: Linux 6.10 include/linux/srcu.h and kernel/rcu/srcutree.c for what a domain has to do; McKenney, Using RCU for
// sleepable readers.
package srcu
