package cat

import "slices"

// tags are the names that front ends give to events; a model may use all of them, whatever the program is written for.
var tags = []string{
	// Arm: acquire, acquire (RCpc), release, exclusive, no return value, and the fences.
	"A", "Q", "L", "X", "NoRet", "ISB",
	"DMB.SY", "DMB.LD", "DMB.ST", "DMB.ISH", "DMB.ISHLD", "DMB.ISHST", "DMB.OSH", "DMB.OSHLD", "DMB.OSHST", "DMB.NSH", "DMB.NSHLD", "DMB.NSHST",
	"DSB.SY", "DSB.LD", "DSB.ST", "DSB.ISH", "DSB.ISHLD", "DSB.ISHST", "DSB.OSH", "DSB.OSHLD", "DSB.OSHST", "DSB.NSH", "DSB.NSHLD", "DSB.NSHST",
	// x86: fences, and the accesses of a locked instruction.
	"MFENCE", "LFENCE", "SFENCE", "LOCK",
	// RISC-V: acquire, release, both (consistent with RCsc), and the fences.
	"Acq", "Rel", "AcqRel",
	"Fence.rw.rw", "Fence.rw.r", "Fence.rw.w", "Fence.r.rw", "Fence.r.r", "Fence.r.w", "Fence.w.rw", "Fence.w.r", "Fence.w.w",
	"Fence.tso", "Fence.i",
	// The kernel's C.
	"Once", "Acquire", "Release", "Noreturn", "Mb", "Rmb", "Wmb", "Barrier", "Before-atomic", "After-atomic", "After-spinlock",
	"After-unlock-lock", "After-srcu-read-unlock", "Rcu-lock", "Rcu-unlock", "Sync-rcu", "Srcu-lock", "Srcu-unlock", "Sync-srcu",
	"LKR", "LKW", "UL", "RL", "RU", "LF", "Acquire-fence", "Release-fence", "Conditional", "Ctrl-acquire", "Atomic", "Srcu", "Plain",
}

func knownTag(name string) bool { return slices.Contains(tags, name) }
