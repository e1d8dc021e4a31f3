// Package rcu is read-copy-update in user space: readers walk shared data without locks, and whoever removes something from
// it waits for a grace period before reusing it, until no reader can hold it any more.
//
//	var current atomics.Pointer[config]
//	domain := rcu.NewMembarrier()
//
//	// Each reading goroutine:
//	r := domain.Register()
//	defer r.Unregister()
//	r.ReadLock()
//	use(current.LoadAcquire()) // valid until ReadUnlock
//	r.ReadUnlock()
//
//	// An updater:
//	old := current.SwapRelease(next) // publish
//	domain.Synchronize()             // wait for the readers of old
//	recycle(old)
//
// Pointers are published with a release store or swap and read with an acquire load, as package atomics has them. Go's
// garbage collector keeps memory from being freed under a reader; a grace period is for what it does not manage: objects
// from a pool, memory of C, files and mappings that are to be closed.
//
// # Flavours
//
//	             ReadLock                        ReadUnlock               a grace period costs
//	Fenced       test, load, exchange (a fence)  test, release store      a fence
//	Membarrier   test, load, store               test, release store      a membarrier call: 1 µs idle, tens with busy peers
//	Quiescent    nothing                         nothing                  a fence; readers call Quiescent
//
// Readers are objects, since goroutines have no storage of their own, and one is for one goroutine at a time: it may be
// handed on, as any variable, with synchronisation. Each has its cache lines. Nothing on a read side allocates.
//
// A flavour that interrupts readers by a signal can't be had in Go without taking a signal away from the program: the
// runtime owns all handlers, and what os/signal delivers reaches some goroutine, not the thread that was interrupted.
// Membarrier does what that flavour did before the call existed, at less cost.
//
// # What is ordered
//
// Let a section and a grace period be given. Either the section is over when Synchronize returns, and everything in it
// comes before everything after Synchronize; or it began after Synchronize was called, and everything before the call comes
// before everything in it.
//
// ReadLock of Fenced and Membarrier compiles on amd64 to a compare of the reader's word, a load of the number of the grace
// period and an XCHG or a MOV of it to the word; ReadUnlock to a compare and a MOV. Both are inlined, on arm64 too, except
// for ReadLock of Fenced there, which calls DMB ISH. A nested section goes the long way, a call. The fallback of Membarrier
// does as well: the test that finds nested sections finds it, and costs nothing besides.
//
// Source: the algorithm is of the kind that liburcu describes (Desnoyers, McKenney, Stern, Dagenais, Walpole: User-Level
// Implementations of Read-Copy Update, 2012), with a number in place of the phase, and with a release store in place of the
// fence at the end of a section.
package rcu
