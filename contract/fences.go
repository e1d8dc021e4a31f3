package contract

// Orders that several rows share.
var (
	full    = []Order{{Across, All, All, Strong, Normal}}
	read    = []Order{{Across, FenceReads, Reads, Local, Normal}}
	write   = []Order{{Across, Writes, Writes, Local, Normal}}
	acquire = []Order{{Across, FenceReads, All, Local, Normal}}
	release = []Order{{Across, All, Writes, ACumulative, Normal}}
)

// in moves orders to another domain.
func in(d Domain, orders []Order) []Order {
	out := make([]Order, len(orders))
	for i, o := range orders {
		o.Domain = d
		out[i] = o
	}
	return out
}

const (
	membarriers = "Linux 6.10 Documentation/memory-barriers.txt"
	atomicT     = "Linux 6.10 Documentation/atomic_t.txt"
	bitopsTxt   = "Linux 6.10 Documentation/atomic_bitops.txt"
	lkmm        = "Linux 6.10 tools/memory-model"
)

// fences are the primitives that access nothing. One row each; the order of rows is the order everywhere.
var fences = []Primitive{
	{Name: "Full", Kernel: "smp_mb", Orders: full,
		Doc:     "orders all earlier loads and stores before all later ones, and is cumulative: the only fence that orders a store before a later load.",
		Pitfall: "It is for normal memory: it neither orders device accesses nor waits for a TLB invalidation.",
		Source:  membarriers + "; " + lkmm},
	{Name: "Acquire", Kernel: "", Orders: acquire,
		Doc:     "orders earlier loads before all later loads and stores.",
		Pitfall: "Earlier stores are not ordered against anything, nor is the load inside a read-modify-write whose result is dropped.",
		Source:  "ISO C11 7.17.4 atomic_thread_fence(memory_order_acquire); Concurrency Kit ck_pr_fence_acquire"},
	{Name: "Release", Kernel: "", Orders: release,
		Doc:     "orders all earlier loads and stores before later stores.",
		Pitfall: "An earlier store may still pass a later load. On arm64 a store fence (DMB ISHST) is too weak for it: earlier loads must be ordered as well.",
		Source:  "ISO C11 7.17.4 atomic_thread_fence(memory_order_release); Concurrency Kit ck_pr_fence_release"},
	{Name: "Read", Kernel: "smp_rmb", Orders: read,
		Doc:     "orders earlier loads before later loads.",
		Pitfall: "The load inside a read-modify-write whose result is dropped is not ordered, nor are stores.",
		Source:  membarriers + "; " + lkmm},
	{Name: "Write", Kernel: "smp_wmb", Orders: write,
		Doc:     "orders earlier stores before later stores.",
		Pitfall: "It is not a release: an earlier load may still be satisfied after a later store.",
		Source:  membarriers + "; " + lkmm},
	{Name: "Compiler", Kernel: "barrier", Orders: nil,
		Doc:     "keeps the compiler from moving, merging or dropping memory accesses across it, and orders nothing in the machine.",
		Pitfall: "It is enough between a goroutine's own thread and a signal handler or a peer that issues the fence for both; between two CPUs it is not.",
		Source:  membarriers},
	{Name: "BeforeAtomic", Kernel: "smp_mb__before_atomic", Binds: NextRMW,
		Orders: []Order{{Before, All, RMWWrites, Strong, Normal}, {Across, All, All, Strong, Normal}},
		Doc:    "makes the read-modify-write directly after it order all earlier accesses before itself and before everything later.",
		Pitfall: "It orders nothing beside a plain atomic load, store or bit test, and an access between it and the read-modify-write " +
			"is not ordered.",
		Source: atomicT + "; " + lkmm},
	{Name: "AfterAtomic", Kernel: "smp_mb__after_atomic", Binds: LastRMW,
		Orders: []Order{{After, RMWReads | RMWWrites, All, Strong, Normal}, {Across, All, All, Strong, Normal}},
		Doc:    "makes the read-modify-write directly before it order itself and all earlier accesses before everything later.",
		Pitfall: "It orders nothing after a plain atomic store, even on amd64, nor after a compare-and-swap that failed; earlier accesses are not " +
			"ordered against the read-modify-write itself, nor is an access between the two.",
		Source: atomicT + "; " + lkmm},
	{Name: "AfterSyncAtomic", Kernel: "", Binds: LastSyncRMW,
		Orders:  []Order{{After, RMWReads | RMWWrites, All, Strong, Normal}, {Across, All, All, Strong, Normal}},
		Doc:     "is AfterAtomic for a read-modify-write of sync/atomic that wrote.",
		Pitfall: "Only directly after a sync/atomic Add, And, Or, Swap or a CompareAndSwap that returned true.",
		Source:  "Arm ARM DDI 0487 B2.3 (barrier-ordered-before); cmd/compile/internal/ssa/_gen/ARM64.rules"},
	{Name: "AfterSpinlock", Kernel: "smp_mb__after_spinlock", Binds: LastLock,
		Orders:  []Order{{After, RMWReads | RMWWrites, All, Strong, Normal}, {Across, All, All, Strong, Normal}},
		Doc:     "makes the lock acquisition directly before it a full fence.",
		Pitfall: "Without it a store before the lock may still pass a load inside the critical section.",
		Source:  membarriers + "; Linux 6.10 include/linux/spinlock.h"},
	{Name: "AfterUnlockLock", Kernel: "smp_mb__after_unlock_lock", Binds: LastUnlock,
		Orders:  full,
		Doc:     "makes an unlock followed by a lock acquisition, together, a full fence.",
		Pitfall: "It belongs directly after the lock acquisition; unlock and lock must be of the same CPU or of the same lock.",
		Source:  membarriers + "; Linux 6.10 include/linux/rcupdate.h"},
	{Name: "AfterSRCUReadUnlock", Kernel: "smp_mb__after_srcu_read_unlock", Binds: LastSRCU,
		Orders: []Order{{After, RMWReads | RMWWrites, All, Strong, Normal}, {Across, All, All, Strong, Normal}},
		Doc:    "makes the SRCU read unlock directly before it order itself and everything earlier before everything later.",
		Pitfall: "It is empty only because ReadUnlock of an srcu.Domain is a full read-modify-write; ReadUnlock of an srcu.FastReader is a " +
			"release store, and the fence behind it is its AfterReadUnlock.",
		Source: "Linux 6.10 include/linux/srcu.h"},
	{Name: "AcquireAfterControlDependency", Kernel: "smp_acquire__after_ctrl_dep", Binds: LastBranch,
		Orders: []Order{{After, PlainRead, All, Local, Normal}},
		Doc: "turns the control dependency of a conditional branch into acquire order: the load that decided the branch is ordered " +
			"before all later accesses.",
		Pitfall: "The branch must exist in machine code: a condition that the compiler can decide, or turn into a conditional move, gives nothing.",
		Source:  membarriers + "; " + lkmm},

	{Name: "MandatoryFull", Kernel: "mb", Orders: in(Device, full),
		Doc:     "is Full for device memory too: memory-mapped I/O, write-combining memory and non-temporal stores.",
		Pitfall: "It costs several times Full; between CPUs use Full.",
		Source:  membarriers},
	{Name: "MandatoryRead", Kernel: "rmb", Orders: in(Device, read),
		Doc:     "is Read for device memory too.",
		Pitfall: "Between CPUs use Read, which is free on amd64.",
		Source:  membarriers},
	{Name: "MandatoryWrite", Kernel: "wmb", Orders: in(Device, write),
		Doc:     "is Write for device memory too: it also orders write-combining and non-temporal stores.",
		Pitfall: "Between CPUs use Write, which is free on amd64.",
		Source:  membarriers},
	{Name: "DMAFull", Kernel: "dma_mb", Orders: in(DMA, full),
		Doc:     "is Full towards cache-coherent devices that share normal memory with the CPU.",
		Pitfall: "It does not order memory-mapped I/O, such as a doorbell write.",
		Source:  membarriers},
	{Name: "DMARead", Kernel: "dma_rmb", Orders: in(DMA, read),
		Doc:     "is Read towards cache-coherent devices: a descriptor's owner bit before its contents.",
		Pitfall: "It does not order memory-mapped I/O.",
		Source:  membarriers},
	{Name: "DMAWrite", Kernel: "dma_wmb", Orders: in(DMA, write),
		Doc:     "is Write towards cache-coherent devices: a descriptor's contents before its owner bit.",
		Pitfall: "It does not order memory-mapped I/O, such as a doorbell write.",
		Source:  membarriers},
	{Name: "VirtFull", Kernel: "virt_mb", Orders: full,
		Doc:     "is Full towards a host or another guest.",
		Pitfall: "The kernel may elide Full on one CPU and never this one; here they are the same.",
		Source:  membarriers},
	{Name: "VirtRead", Kernel: "virt_rmb", Orders: read,
		Doc:     "is Read towards a host or another guest.",
		Pitfall: "The kernel may elide Read on one CPU and never this one; here they are the same.",
		Source:  membarriers},
	{Name: "VirtWrite", Kernel: "virt_wmb", Orders: write,
		Doc:     "is Write towards a host or another guest.",
		Pitfall: "The kernel may elide Write on one CPU and never this one; here they are the same.",
		Source:  membarriers},
}
