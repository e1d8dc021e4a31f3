package gen

import (
	"slices"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// raceBody is a function's body under the race detector. The detector takes every sync/atomic operation for acquire and
// release, so the operations run with its eyes shut, and the contract's orders, and only those, are told to it: a release
// before, an acquire behind.
func (p *plan) raceBody(it item, low arch.Lowering) []string {
	prim := it.prim
	out := it.prologue()
	if prim.Op == contract.Fence {
		switch {
		case prim.Acquires() && prim.Releases():
			return append([]string{p.race("AcquireFence", "")}, append(code(it, low), p.race("ReleaseFence", ""))...)
		case prim.Acquires():
			return append(code(it, low), p.race("AcquireFence", ""))
		case prim.Releases():
			return append([]string{p.race("ReleaseFence", "")}, code(it, low)...)
		}
		return code(it, low)
	}
	addr := it.replacer("$*p").Replace("$p")
	full := slices.ContainsFunc(prim.Orders, func(o contract.Order) bool { return o.Side == contract.Across })
	if prim.Releases() && !(full && prim.Op == contract.Store) {
		out = append(out, p.race("Release", addr))
	}
	if full && prim.Op != contract.Store {
		out = append(out, p.race("ReleaseFence", ""))
	}
	var behind []string
	if prim.Acquires() && prim.Op != contract.Store {
		behind = append(behind, p.race("Acquire", addr))
	}
	if full {
		behind = append(behind, p.race("AcquireFence", ""))
	}
	if full && prim.Op == contract.Store {
		behind = append(behind, p.race("ReleaseFence", ""))
	}
	quiet := append(append([]string{"runtime.RaceDisable()"}, it.statements(low.Code)...), "runtime.RaceEnable()")
	// A nil operand must panic while the detector's eyes are open: nobody would open them again. The address is checked, and
	// nothing is read: a read would race with what others do atomically.
	out = append(out, "_ = &"+it.replacer("$*p").Replace("$*p"))
	if prim.Op == contract.WaitLoad {
		value := "r"
		if it.word.ptr {
			value = "(*E)(r)"
		}
		out = append(append(out, "for i := 0; ; i++ {"), quiet...)
		return append(append(append(out, "if cond("+value+") {"), behind...), "return "+value, "}", "spinWait(i)", "}")
	}
	out = append(out, quiet...)
	// What fails promises nothing.
	success := map[contract.Op]string{contract.CompareAndSwap: "r", contract.LockBit: "r&m == 0"}[prim.Op]
	if success != "" && len(behind) > 0 {
		behind = append(append([]string{"if " + success + " {"}, behind...), "}")
	}
	return append(append(out, behind...), it.result()...)
}

// code is the fence itself: the machine needs it under the race detector too.
func code(it item, low arch.Lowering) []string { return it.statements(low.Code) }

// race is a call of the annotation, in the package's own file or in the one shared among packages.
func (p *plan) race(name, addr string) string {
	args := "()"
	if addr != "" {
		args = "(unsafe.Pointer(" + addr + "))"
	}
	if p.RaceSync != "" {
		return "racesync." + name + args
	}
	return "race" + name + args
}
