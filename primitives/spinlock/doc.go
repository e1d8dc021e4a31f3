// Package spinlock holds locks that are taken in the order of arrival: Ticket for a few words that are written often and
// briefly, Parking if waiters should sleep, MCS and Queued if many processors want the same lock.
//
// # When sync.Mutex is the better choice
//
// Nearly always. A goroutine that loses its processor keeps its place in the queue, and the lock stands still until it
// runs again; a sync.Mutex goes to whoever runs. With more goroutines at a lock than processors every hand-over waits for the
// scheduler: locks that hand over in order form convoys. Measured with go1.26 on two cores of an AMD EPYC (Zen 5) with
// little else to do, an increment under the lock, in nanoseconds each, medians:
//
//	goroutines           1        2             8
//	sync.Mutex         4.6      6.3            11
//	Ticket             2.2       36  1600 to 2800
//	Parking            4.5       71          1200
//	Queued             4.6       76          3000
//	MCS            8 to 12       70          2700
//
// With other programs on the same two cores the last figure was 26000 for a Ticket, 1000 for a Parking and 5 for a
// sync.Mutex.
//
// What they are for: a Ticket without contention costs half of a sync.Mutex, since its Unlock is a plain store; no
// waiter starves; and who waits is served in order. Hold them for a few instructions, never across a call that may
// block, and not in more goroutines than there are processors.
//
// Waiters spin with PAUSE on amd64 and YIELD on arm64 and give the processor away once in 64 rounds, so that they make
// progress with GOMAXPROCS=1, without asynchronous preemption, and on wasm.
//
// # Order
//
// Lock and a TryLock that succeeds are acquire, Unlock is release, as spin_lock and spin_unlock in the Linux kernel: a store
// before Lock may still pass a load behind it. AfterSpinlock, directly behind Lock, makes it a full fence.
//
// # How Parking unlocks with one instruction
//
// The number that is called and the flag that says whether anybody is parked are in one word, and both change it by
// read-modify-writes. Unlock adds to the number and learns the flag from the same instruction; while it is clear, that
// is all that Unlock does. A waiter sets the flag, and learns from the same instruction whether its number was called.
// Changes of one word happen in one order that all processors agree on. If the waiter's comes first, Unlock sees the
// flag; if Unlock's comes first, the waiter sees its number and does not park. No fence takes part, and no
// time-out. Unlock and the waiter then meet at a mutex: the waiter holds it from before it sets the flag until it is
// listed, so that the Unlock that sees the flag finds it.
//
// With a plain store in Unlock and a flag of its own it would be the store-buffering shape instead, which takes a full
// fence behind that store, dearer than the read-modify-write, or a fence that waiters force on everybody, such as
// sys_membarrier, which not every system has; that would save the 2.3 nanoseconds between Parking and Ticket above.
//
// The flag is cleared again as soon as nobody is parked. Source: paravirtual ticket locks in the Linux kernel, which
// came to keep the flag in the word that Unlock changes (commit d6abfdb20223).
package spinlock
