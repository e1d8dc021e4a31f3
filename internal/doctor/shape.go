package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/barriergen/barriergen/internal/machine"
)

const (
	releaseProperty = "a release store is one store instruction plus at most a nil check"
	emptyProperty   = "empty primitives leave no call, no memory access and at most one no-op"
)

var widths = []int{32, 64}

func releaseName(width int) string { return fmt.Sprintf("StoreReleaseUint%d", width) }

// releaseStores holds the architectures whose release store is inlined: what its store instruction has to
// be, and how many instructions besides it takes more than a plain store. STLR has no displacement.
var releaseStores = map[string]struct {
	kind  machine.Kind
	extra int
}{
	"amd64": {machine.Store, 0},
	"arm64": {machine.Store | machine.Atomic | machine.Release, 1},
}

// callers is a package of functions that use the primitives, each with a plain counterpart.
func (e *examination) callers() []byte {
	var b strings.Builder
	var funcs []string
	add := func(name, text string, args ...any) {
		funcs = append(funcs, name)
		fmt.Fprintf(&b, "//go:noinline\nfunc "+name+text+"\n\n", args...)
	}
	b.WriteString("package callers\n\nimport \"doctor/prim\"\n\n")
	if _, inline := releaseStores[e.arch]; inline {
		for _, w := range widths {
			fmt.Fprintf(&b, "type object%[1]d struct { before, data, flag uint%[1]d }\n\n", w)
			release := releaseName(w)
			add(fmt.Sprintf("Release%d", w), "(p *object%[1]d, v uint%[1]d) { prim.%[2]s(&p.flag, v) }", w, release)
			add(fmt.Sprintf("Plain%d", w), "(p *object%[1]d, v uint%[1]d) { p.flag = v }", w)
			// Without order, the first of these stores would be dead.
			add(fmt.Sprintf("Twice%d", w), "(p *object%[1]d, v uint%[1]d) { prim.%[2]s(&p.flag, v); prim.%[2]s(&p.flag, v+1) }", w, release)
		}
	}
	for _, name := range e.empties {
		add("With"+name, "(a, b uint64) uint64 {\n\ta += b\n\tprim.%s()\n\treturn a ^ b\n}", name)
	}
	add("Without", "(a, b uint64) uint64 {\n\ta += b\n\treturn a ^ b\n}")
	fmt.Fprintf(&b, "var Funcs = []any{%s}\n", strings.Join(funcs, ", "))
	return []byte(b.String())
}

func (e *examination) checkRelease(_ context.Context, bin *machine.Binary) error {
	want, inline := releaseStores[e.arch]
	switch {
	case !inline:
		e.notApplicable(releaseProperty, "release stores are calls here")
		return nil
	case e.cfg.Generate == nil:
		e.notApplicable(releaseProperty, "no generated primitives were given")
		return nil
	}
	var texts []string
	for _, w := range widths {
		plain, err := bin.Func(fmt.Sprintf("doctor/callers.Plain%d", w))
		if err != nil {
			return err
		}
		if plain.Count(machine.Store) != 1 {
			return fmt.Errorf("doctor: %s: the plain store to compare with is not there", plain.Name)
		}
		for i, name := range []string{"Release", "Twice"} {
			f, err := bin.Func(fmt.Sprintf("doctor/callers.%s%d", name, w))
			if err != nil {
				return err
			}
			stores := i + 1
			problem, inst := releaseProblem(f, want.kind, stores, w)
			got := work(f) - f.Count(machine.NilCheck)
			if problem == "" && stores == 1 && got > work(plain)+want.extra {
				problem = fmt.Sprintf("%d instructions, where a plain store takes %d", got, work(plain))
			}
			if problem != "" {
				e.broken(releaseProperty, problem, f.Name, inst)
				return nil
			}
			if stores == 1 {
				texts = append(texts, fmt.Sprintf("%d-bit: %s", w, f.Find(machine.Store)[0].Text))
			}
		}
	}
	e.holds(releaseProperty, strings.Join(texts, "; "))
	return nil
}

// releaseProblem says in what a function is more than so many stores of one width.
func releaseProblem(f machine.Func, kind machine.Kind, stores, width int) (problem, instruction string) {
	limits := []limit{
		{machine.Load, 0, 0}, {machine.Call, 0, 0}, {machine.Fence, 0, 0}, {machine.Unknown, 0, 0}, {machine.NilCheck, 0, 1},
		{machine.Nop, 0, stores}, {kind, stores, stores}, {machine.Store, stores, stores},
	}
	if kind&machine.Atomic == 0 {
		limits = append(limits, limit{machine.Atomic, 0, 0})
	}
	for _, a := range f.Accesses() {
		if a.Width*8 != width {
			problem = fmt.Sprintf("%v, where %d bits are stored", a, width)
		}
	}
	if broken, inst := check(f, limits); broken != "" {
		return broken, inst
	}
	return problem, ""
}

func (e *examination) checkEmpties(_ context.Context, bin *machine.Binary) error {
	names := e.empties
	switch {
	case len(names) == 0:
		e.notApplicable(emptyProperty, "no primitive is claimed to be empty here")
		return nil
	case e.cfg.Generate == nil:
		e.notApplicable(emptyProperty, "no generated primitives were given")
		return nil
	}
	without, err := bin.Func("doctor/callers.Without")
	if err != nil {
		return err
	}
	limits := []limit{
		{machine.Call, 0, 0}, {machine.Load, 0, 0}, {machine.Store, 0, 0}, {machine.Fence, 0, 0}, {machine.Atomic, 0, 0},
		{machine.Unknown, 0, 0}, {machine.NilCheck, 0, 0}, {machine.Nop, 0, without.Count(machine.Nop) + 1},
	}
	for _, name := range names {
		f, err := bin.Func("doctor/callers.With" + name)
		if err != nil {
			return err
		}
		problem, inst := check(f, limits)
		if problem == "" && work(f) != work(without) {
			problem = fmt.Sprintf("%d instructions besides no-ops, and %d without the primitive", work(f), work(without))
		}
		if problem != "" {
			e.broken(emptyProperty, name+": "+problem, f.Name, inst)
			return nil
		}
	}
	e.holds(emptyProperty, strings.Join(names, ", "))
	return nil
}

// work is the number of instructions that do something.
func work(f machine.Func) int { return len(f.Insts) - f.Count(machine.Nop) }

// A limit says how many instructions of a kind a function may have.
type limit struct {
	kind     machine.Kind
	min, max int
}

// check returns what is wrong, if anything, and an instruction that is one too many, if any.
func check(f machine.Func, limits []limit) (problem, instruction string) {
	for _, l := range limits {
		found := f.Find(l.kind)
		switch n := len(found); {
		case n > l.max:
			return fmt.Sprintf("%d instructions of kind %v, at most %d expected", n, l.kind, l.max), found[l.max].String()
		case n < l.min:
			return fmt.Sprintf("%d instructions of kind %v, at least %d expected", n, l.kind, l.min), ""
		}
	}
	return "", ""
}
