package gen

import (
	"fmt"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// doc is a function's comment: what is ordered against what, what it costs where, and the source. All of it comes from
// the table and from what was selected.
func (pl *plan) doc(it item, brief bool) string {
	p := it.prim
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", it.name(), p.Doc)
	if it.method && p.Operand == contract.Bit {
		b.WriteString(" It panics if n is not below b.Len().")
	} else if p.Operand == contract.Bit {
		b.WriteString(" n is taken modulo 64.")
	}
	if it.method {
		b.WriteString(" See " + item{p, it.word, false}.name() + ".")
	}
	if brief || it.method {
		return b.String()
	}
	b.WriteString("\n\n")
	var facts []string
	if p.Kernel != "" {
		facts = append(facts, "In the Linux kernel: "+p.Kernel+".")
	}
	if len(p.Orders) > 0 {
		facts = append(facts, fmt.Sprintf("Orders %s (%v).", contract.Describe(p.Orders), p.Set()))
	}
	if p.Binds != contract.Anything {
		facts = append(facts, "It relies on "+string(p.Binds)+".")
	}
	for _, t := range targets.Native {
		facts = append(facts, fmt.Sprintf("On %s: %s.", t.Name, pl.cost(it, t)))
	}
	b.WriteString(strings.Join(facts, " "))
	if p.Pitfall != "" {
		b.WriteString("\n\n" + p.Pitfall)
	}
	b.WriteString("\n\nSource: " + p.Source + ".")
	return b.String()
}

// cost says what is left in machine code on a target, level by level where they differ.
func (p *plan) cost(it item, t *arch.Target) string {
	var parts []string
	same := true
	for i := range t.Levels {
		s := it.emitted(p.lower(t, &t.Levels[i], it))
		same = same && (i == 0 || s == parts[0])
		parts = append(parts, s)
	}
	if same {
		return parts[0]
	}
	for i := range parts {
		parts[i] += " at " + t.Levels[i].Name
	}
	return strings.Join(parts, ", ")
}

func (it item) emitted(low arch.Lowering) string {
	switch {
	case low.Empty():
		return "nothing"
	case low.Form == arch.Assembly:
		return "a call of " + strings.ReplaceAll(low.Candidate.String(), "  |  ", " or without LSE ")
	case it.word.ptr && it.prim.Op != contract.Load && it.prim.Op != contract.WaitLoad:
		return strings.ReplaceAll(low.Candidate.String(), "  |  ", " or without LSE ") + ", with the garbage collector's write barrier"
	}
	return strings.ReplaceAll(low.Candidate.String(), "  |  ", " or without LSE ")
}

var familyDoc = map[contract.Family]string{
	contract.Barrier: "call Full, Acquire, Release, Read or Write between two accesses to order them for every other CPU, and AfterAtomic and its kin next to " +
		"an operation that orders by itself on some machines: where the machine already orders, the call compiles to nothing.",
	contract.Atomics: "load, store and modify words with just the order that is needed: LoadAcquire and StoreRelease to publish, Relaxed to count, Full " +
		"where a store must come before a later load. Functions work on a pointer to a plain variable, the types Int32 to Pointer have the same operations as methods.",
	contract.Bitops: "set, clear, change and test single bits of a word, or of a Bitmap, in one atomic step; TestAndSetBitLock and ClearBitUnlock make a lock of one bit.",
}

// packageDoc emits the package comment, with the table of what is left where.
func packageDoc(p *plan) ([]File, error) {
	var b strings.Builder
	var uses []string
	for _, f := range contract.Families {
		if len(p.of(f)) > 0 {
			uses = append(uses, familyDoc[f])
		}
	}
	b.WriteString(comment(fmt.Sprintf("Package %s holds memory barriers that cost no more than the hardware asks: %s", p.Package, strings.Join(uses, "\n\nAlso: "))))
	b.WriteString("//\n" + comment(strings.TrimSpace(buildsDoc)) + "//\n")
	b.WriteString("// What is left in machine code, by architecture (calls of assembly functions are marked with a star):\n//\n")
	rows := [][]string{{"primitive"}}
	for _, t := range p.targets {
		for i := range t.Levels {
			name := t.Name
			if len(t.Levels) > 1 {
				name += " " + t.Levels[i].Name
			}
			rows[0] = append(rows[0], name)
		}
	}
	for _, prim := range p.prims {
		row := []string{prim.Name}
		for _, t := range p.targets {
			for i := range t.Levels {
				row = append(row, Brief(p.lower(t, &t.Levels[i], item{prim: prim})))
			}
		}
		rows = append(rows, row)
	}
	for _, line := range Align(rows) {
		b.WriteString("//\t" + line + "\n")
	}
	return []File{{"zdoc.go", []byte(Marker + "\n\n" + b.String() + "package " + p.Package + "\n")}}, nil
}

const buildsDoc = `Each function compiles to the code of the architecture it is built for; every other GOARCH gets correct code from sync/atomic and that machine's full fence.

Where nothing is left, the compiler still moves no access across the call. That rests on how the Go compiler treats runtime.KeepAlive, which is measured (barriergen doctor), not promised: build with -tags barrier_conservative to have an opaque call instead. With -tags purego there is no assembly, and device fences are only as strong as sync/atomic makes them. Under -race all orders are shown to the race detector; a release fence pairs there with every later acquire fence, and a plain access that races with an operation of this package on the same variable is not seen, so that some races are hidden.`

// Brief is what a lowering leaves in machine code, in a word or two: "empty", "LOCK XADD", "DMB ISH *" (a star: a call). Only
// instructions that access or order memory are named.
func Brief(low arch.Lowering) string {
	if low.Empty() {
		return "empty"
	}
	var parts []string
	loop := ""
	for i, in := range low.Code.Flat() {
		for _, a := range in.Args {
			if a.Jump && int(a.N) < i {
				loop = ", in a loop"
			}
		}
		if len(in.Events) == 0 && len(in.Orders) == 0 {
			continue
		}
		name := in.Name
		if len(in.Args) == 1 && in.Args[0].Name != "" {
			name += " " + in.Args[0].Name
		}
		parts = append(parts, name)
	}
	s := strings.ReplaceAll(strings.Join(parts, "; "), "LOCK; ", "LOCK ") + loop
	if low.Form == arch.Assembly {
		s += " *"
	}
	return s
}

// Align pads the cells of a table to columns.
func Align(rows [][]string) []string {
	width := map[int]int{}
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], len(c))
		}
	}
	out := make([]string, len(rows))
	for j, r := range rows {
		line := ""
		for i, c := range r {
			line += fmt.Sprintf("%-*s  ", width[i], c)
		}
		out[j] = strings.TrimRight(line, " ")
	}
	return out
}
