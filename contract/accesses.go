package contract

import "strings"

// Orders of single accesses.
var (
	acquireLoad  = []Order{{After, PlainRead, All, Local, Normal}}
	releaseStore = []Order{{Before, All, PlainWrite, ACumulative, Normal}}
	storeFull    = []Order{{After, PlainWrite, All, Strong, Normal}, {Across, All, All, Strong, Normal}}

	acquireRMW = []Order{{After, RMWReads, All, Local, Normal}}
	releaseRMW = []Order{{Before, All, RMWWrites, ACumulative, Normal}}
	// An order into the write half is an order into the whole: a later write of another CPU that the read half misses
	// comes after the write half in coherence order. An order out of the read half alone is weaker, so both are demanded.
	fullRMW = []Order{{Before, All, RMWWrites, Strong, Normal}, {After, RMWReads | RMWWrites, All, Strong, Normal},
		{Across, All, All, Strong, Normal}}
)

// suffix is one of the four orders that every read-modify-write comes in.
type suffix struct {
	name, kernel string
	orders       []Order
	doc, pitfall string
}

var suffixes = []suffix{
	{"Relaxed", "_relaxed", nil, "It orders nothing.", "Not even a later access that depends on the result being tested is ordered, unless it is a store in that branch."},
	{"Acquire", "_acquire", acquireRMW, "Its load is ordered before all later accesses.",
		"Its store is not: a later store may become visible before it. Earlier accesses are not ordered."},
	{"Release", "_release", releaseRMW, "All earlier accesses are ordered before its store.",
		"Later accesses may rise above it: a release and a later load are not ordered."},
	{"Full", "", fullRMW, "It orders all earlier accesses before itself, and itself and them before all later accesses.", ""},
}

type modify struct {
	op           Op
	name, kernel string // kernel: with % where the suffix goes
	result       Result
	doc          string
}

var modifications = []modify{
	{Add, "Add", "atomic_add_return%", NewValue, "adds v and returns the new value, in one atomic step."},
	{And, "And", "atomic_fetch_and%", OldValue, "replaces the value by its bitwise AND with v and returns the old value, in one atomic step."},
	{Or, "Or", "atomic_fetch_or%", OldValue, "replaces the value by its bitwise OR with v and returns the old value, in one atomic step."},
	{Xor, "Xor", "atomic_fetch_xor%", OldValue, "replaces the value by its bitwise XOR with v and returns the old value, in one atomic step."},
	{Swap, "Swap", "xchg%", OldValue, "stores v and returns the old value, in one atomic step."},
	{CompareAndSwap, "CompareAndSwap", "try_cmpxchg%", Success,
		"stores new if the value is old, in one atomic step, and reports whether it did."},
}

// failing is the pitfall that all conditional operations share.
const failing = "When it returns false it has written nothing and orders nothing."

func accesses() []Primitive {
	rows := []Primitive{
		{Name: "LoadRelaxed", Kernel: "READ_ONCE", Op: Load, Result: OldValue,
			Doc:     "loads the value in one access, which the compiler neither merges nor repeats. It orders nothing.",
			Pitfall: "If the result is not used the load may vanish: to load for the side effect, from a device register, use assembly.",
			Source:  membarriers},
		{Name: "LoadAcquire", Kernel: "smp_load_acquire", Op: Load, Result: OldValue, Orders: acquireLoad,
			Doc: "loads the value and orders that load before all later accesses.",
			Pitfall: "Nothing that came earlier is ordered: an earlier store may sink below it. If the result is not used the load, and with it the order, " +
				"may vanish.",
			Source: membarriers + "; " + lkmm},
		{Name: "StoreRelaxed", Kernel: "WRITE_ONCE", Op: Store, Result: NoResult,
			Doc:     "stores the value in one access, which the compiler neither merges nor drops. It orders nothing.",
			Pitfall: "It publishes nothing: use StoreRelease to publish what was written before.",
			Source:  membarriers},
		{Name: "StoreRelease", Kernel: "smp_store_release", Op: Store, Result: NoResult, Orders: releaseStore,
			Doc:     "orders all earlier accesses before this store of the value.",
			Pitfall: "Later accesses may rise above it: a release store and a later load are not ordered; use StoreFull there.",
			Source:  membarriers + "; " + lkmm},
		{Name: "StoreFull", Kernel: "smp_store_mb", Op: Store, Result: NoResult, Orders: storeFull,
			Doc:     "stores the value, and then orders that store and everything earlier before all later accesses.",
			Pitfall: "Earlier accesses are not ordered before the store itself: it does not publish, StoreRelease does, at a fraction of the cost.",
			Source:  membarriers},
	}
	for _, m := range modifications {
		for _, s := range suffixes {
			p := Primitive{Name: m.name + s.name, Kernel: strings.Replace(m.kernel, "%", s.kernel, 1), Op: m.op, Result: m.result, Orders: s.orders,
				Doc: m.doc + " " + s.doc, Pitfall: s.pitfall, Source: atomicT + "; " + lkmm}
			if m.op.Conditional() {
				p.Pitfall = strings.TrimSpace(failing + " " + s.pitfall)
			}
			rows = append(rows, p)
		}
	}
	rows = append(rows,
		Primitive{Name: "CondLoadRelaxed", Kernel: "smp_cond_load_relaxed", Op: WaitLoad, Result: OldValue,
			Doc:     "loads the value until cond holds for it, and returns it. It orders nothing.",
			Pitfall: "It spins, yielding the processor within a bounded count; where the wait may be long, block instead.",
			Source:  membarriers},
		Primitive{Name: "CondLoadAcquire", Kernel: "smp_cond_load_acquire", Op: WaitLoad, Result: OldValue, Orders: acquireLoad,
			Doc: "loads the value until cond holds for it, and returns it; the last load is ordered before all later accesses.",
			Pitfall: "The condition runs before the order is given: it must not follow a pointer that it is passed. It spins, yielding the processor within a bounded " +
				"count; where the wait may be long, block instead.",
			Source: membarriers},
	)
	for i := range rows {
		rows[i].Family, rows[i].Operand = Atomics, Word
	}
	return append(rows, Primitive{Name: "CompareAndSwap128", Kernel: "cmpxchg128", Family: Atomics, Op: CompareAndSwap2, Operand: Wide,
		Result: Observed, Orders: fullRMW,
		Doc: "stores new in the 16-byte cell if it holds old, in one atomic step; it returns what it saw and whether it stored. " +
			"When it stores it is ordered as a full read-modify-write.",
		Pitfall: failing + " A cell must be aligned to 16 bytes, which no Go type is: create it with NewUint128 or vouch for its memory with Uint128At.",
		Source:  atomicT + "; Intel SDM vol. 2A CMPXCHG16B; Arm ARM DDI 0487 C6.2 CASP, LDXP, STXP"})
}
