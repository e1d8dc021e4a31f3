package asmfence

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/analysis/internal/asm/load"
	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// speaksOfMore matches names and comments that say that more than normal memory is ordered.
var speaksOfMore = regexp.MustCompile(`(?i)non-?\s?temporal|movnt|stream(ing)? store|write-?\s?combin|clflush|clwb|persist|pmem|nvm|door-?bell|mmio|memory-mapped|device|dma`)

// more are the traits of a function that a fence in it may serve, whatever the orders say.
const more = asm.Timestamp | asm.Speculation | asm.NonTemporal | asm.System | asm.Encoded | asm.Elision

// find is what a function has to report. With beyond, the package orders more than normal memory.
func find(fn *asm.Func, f *load.File, beyond bool) []load.Finding {
	out := lockedExchanges(fn, f)
	if fn.Traits&more != 0 || f.Arch == "amd64" && beyond {
		return out
	}
	redundant := fn.Removable(func(i int) contract.Domain { return observers(&fn.Instrs[i]) })
	for _, i := range redundant {
		out = append(out, load.Finding{Fn: fn, Offset: at(fn, i), End: fn.Instrs[i].End,
			Message: fmt.Sprintf("%s is redundant on %s: %s", spell(fn, i), f.Arch, because(fn, i, redundant)), Fix: deletion(fn, f, i)})
	}
	for i := range fn.Instrs {
		if !fn.Instrs[i].Effect.Fence || slices.Contains(redundant, i) {
			continue
		}
		if d, ok := forCallers(fn, f, i); ok {
			out = append(out, d)
		} else if d, ok := storeFence(fn, f, i); ok {
			out = append(out, d)
		}
	}
	return out
}

// observers are those towards whom a fence must not be missed. MFENCE is taken for a fence of normal memory, which is what it is used for
// where nothing speaks of more; every other fence for what it says.
func observers(in *asm.Instr) contract.Domain {
	if in.Op == "MFENCE" {
		return contract.Normal
	}
	var d contract.Domain
	for _, s := range in.Effect.Variants {
		for _, o := range s.Orders {
			d |= o.Domain
		}
	}
	return d
}

// at is the offset of an instruction with its prefix.
func at(fn *asm.Func, i int) int {
	if lock := fn.Instrs[i].Locked; lock >= 0 {
		return fn.Instrs[lock].Offset
	}
	return fn.Instrs[i].Offset
}

// spell is an instruction as a message names it.
func spell(fn *asm.Func, i int) string {
	in := &fn.Instrs[i]
	s := in.Op
	if in.Locked >= 0 {
		s = "LOCK " + s
	}
	if in.Effect.Fence || in.Op == "DSB" {
		var args []string
		for _, a := range in.Args {
			args = append(args, a.Text)
		}
		s = strings.TrimSpace(s + " " + strings.Join(args, ", "))
	}
	if in.Macro != "" {
		s += " (in " + in.Macro + ")"
	}
	return s
}

// because names what orders already.
func because(fn *asm.Func, i int, removed []int) string {
	here, _ := fn.File.Position(fn.Instrs[i].Offset)
	var names []string
	for _, k := range fn.Covering(i, observers(&fn.Instrs[i]), removed) {
		line, _ := fn.File.Position(fn.Instrs[k].Offset)
		where := fmt.Sprintf("on line %d", line)
		if line == here {
			where = "beside it"
		}
		names = append(names, spell(fn, k)+" "+where)
	}
	switch len(names) {
	case 0:
		return "it orders nothing that is not ordered anyway"
	case 1:
		return names[0] + " orders already"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " order already"
}

func ordersAnything(in *asm.Instr) bool {
	return slices.ContainsFunc(in.Effect.Variants, func(s contract.Step) bool { return len(s.Orders) > 0 })
}

// sides are the contracts of a fence for one side, and who would need it all the same.
var sides = []struct{ primitive, unless string }{
	{"Acquire", "it is needed if a caller relies on it for an earlier load of its own"},
	{"Release", "it is needed if a caller relies on it between accesses of its own"},
}

// forCallers finds an acquire fence behind an acquire load, or a release fence before a release store, that no access of the
// function itself needs.
func forCallers(fn *asm.Func, f *load.File, i int) (load.Finding, bool) {
	t, _ := asm.Target(f.Arch)
	in := &fn.Instrs[i]
	for _, s := range sides {
		p, _ := contract.Lookup(s.primitive)
		low := arch.Select(t, &t.Levels[0], p, arch.Use{Macro: true})
		if seq := low.Code.Steps(); len(seq) != 1 || !slices.Equal(seq[0].Orders, in.Effect.Variants[0].Orders) {
			continue // nothing on this machine, or another fence
		}
		by, ok := neighbour(fn, i, s.primitive == "Acquire")
		if ok && fn.OnlyForCallers(i, observers(in)) {
			line, _ := fn.File.Position(fn.Instrs[by].Offset)
			return load.Finding{Fn: fn, Offset: at(fn, i), End: in.End,
				Message: fmt.Sprintf("%s is redundant on %s for the accesses of %s: %s on line %d orders already (%s)",
					spell(fn, i), f.Arch, fn.Name, spell(fn, by), line, s.unless)}, true
		}
	}
	return load.Finding{}, false
}

// neighbour is the last access before a fence, which acquires, or the first behind it, which releases, with nothing between
// that accesses memory or is reached from elsewhere.
func neighbour(fn *asm.Func, i int, before bool) (int, bool) {
	for k := i; ; {
		if before {
			if len(fn.Instrs[k].Labels) > 0 {
				return 0, false
			}
			k--
		} else {
			k++
			if k < len(fn.Instrs) && len(fn.Instrs[k].Labels) > 0 {
				return 0, false
			}
		}
		if k < 0 || k >= len(fn.Instrs) {
			return 0, false
		}
		switch e := fn.Instrs[k].Effect; {
		case e.Kind == asm.Known && !e.Private:
			return k, ordersAnything(&fn.Instrs[k]) && !e.Fence
		case e.Kind != asm.Nothing:
			return 0, false
		}
	}
}

// lockedExchanges finds LOCK before an exchange with memory.
func lockedExchanges(fn *asm.Func, f *load.File) []load.Finding {
	var out []load.Finding
	for i := range fn.Instrs {
		in := &fn.Instrs[i]
		if f.Arch != "amd64" || in.Locked < 0 || !strings.HasPrefix(in.Op, "XCHG") || in.Effect.Kind != asm.Known || fn.Traits&(asm.Elision|asm.Encoded) != 0 {
			continue
		}
		out = append(out, load.Finding{Fn: fn, Offset: at(fn, i), End: fn.Instrs[in.Locked].End,
			Message: fmt.Sprintf("LOCK is redundant on amd64: %s with a memory operand is always locked", in.Op), Fix: deletion(fn, f, in.Locked)})
	}
	return out
}

var general = regexp.MustCompile(`^([A-D]X|[SD]I|BP|R([89]|1[0-3]|15))$`)

// storeFence finds a store from a register and then MFENCE, with no access between, where XCHG does.
func storeFence(fn *asm.Func, f *load.File, i int) (load.Finding, bool) {
	fence := &fn.Instrs[i]
	if fence.Op != "MFENCE" {
		return load.Finding{}, false
	}
	k := i
	for k >= 0 && (k == i || fn.Instrs[k].Effect.Kind == asm.Nothing && len(fn.Instrs[k].Next) == 1 && fn.Instrs[k].Next[0] == k+1) {
		if len(fn.Instrs[k].Labels) > 0 {
			return load.Finding{}, false
		}
		k--
	}
	if k < 0 {
		return load.Finding{}, false
	}
	store := &fn.Instrs[k]
	if store.Locked >= 0 || len(store.Op) != 4 || !strings.HasPrefix(store.Op, "MOV") || len(store.Args) != 2 || store.Args[1].Kind != asm.Memory ||
		store.Effect.Kind != asm.Known || !general.MatchString(store.Args[0].Text) {
		return load.Finding{}, false
	}
	exchange := asm.Exchange()
	if exchange.Cost >= store.Effect.Cost+fence.Effect.Cost || !fn.Kept(contract.Normal, false, func(n int, s contract.Step) contract.Step {
		switch n {
		case k:
			return exchange.Step
		case i:
			return contract.Step{}
		}
		return s
	}) {
		return load.Finding{}, false
	}
	name := "XCHG" + store.Op[3:]
	line, _ := fn.File.Position(store.Offset)
	return load.Finding{Fn: fn, Offset: fence.Offset, End: fence.End,
		Message: fmt.Sprintf("MFENCE behind %s on line %d: %s stores, is a full fence and costs less (it leaves the old value in %s)",
			store.Op, line, name, store.Args[0].Text), Fix: exchanged(fn, f, k, i, name)}, true
}
