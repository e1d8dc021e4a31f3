package algorithms

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/litmus"
	"github.com/stretchr/testify/require"
)

// A proof is the core of an algorithm, written once with the names of the primitives that it uses, and an outcome that
// must be impossible. It is checked four ways: as the primitives' contracts, in the kernel's model, which holds on every
// GOARCH; and as the very sequences that the library emits, in the models of the machines.
type proof struct {
	name string
	init string // of locations, "next=1; lock=2"; 0 otherwise
	// threads: steps are separated by semicolons. A step is a primitive and its operands, and what its result is called:
	//
	//	StoreRelease owner 1
	//	r = LoadAcquire owner
	//	n = AddRelease head 2                   its new value
	//	o = OrAcquire head 1                    the old value; so for And, Swap and TestAndSetBit (0 or 1)
	//	c = CompareAndSwapAcquire tail 0 1      the value that was found
	//	AfterAtomic
	threads []string
	never   string // in the notation of litmus tests, with the names of results
	// emitted: it holds for what the library emits, not for the weakest code that keeps the contracts.
	emitted bool
	weaker  []weakening
}

// A weakening takes away one order. The outcome must then be possible by contract, or the order is not needed; on
// a machine it must be possible too, unless the code is the same there or why says what keeps the outcome forbidden. The
// machines run the weakest code that keeps the contracts, or if the proof says so what the library emits.
type weakening struct {
	from, to string // steps, and what stands in their place; nothing if empty
	same     string // separated by commas, the machines on which this is the same code: what is weakened costs nothing there
	why      map[string]string
}

func check(t *testing.T, proofs []proof) {
	for _, p := range proofs {
		t.Run(strings.ReplaceAll(p.name, " ", "-"), func(t *testing.T) {
			for _, m := range machines {
				if !p.emitted || !m.weakest {
					litmus.Check(t, m.model, m.program(t, p, "~exists"))
				}
			}
			for _, w := range p.weaker {
				t.Run(strings.ReplaceAll(w.from+"→"+w.to, " ", "-"), func(t *testing.T) { checkWeaker(t, p, w) })
			}
		})
	}
}

func checkWeaker(t *testing.T, p proof, w weakening) {
	weak := p
	weak.threads = slices.Clone(p.threads)
	found := 0
	for i, thread := range weak.threads {
		const sep = "; "
		thread = sep + thread + sep
		found += strings.Count(thread, sep+w.from+sep)
		thread = strings.ReplaceAll(thread, sep+w.from+sep, strings.TrimSuffix(sep+w.to, sep)+sep)
		weak.threads[i] = strings.Trim(thread, sep)
	}
	require.Positive(t, found, "the proof has no step %q", w.from)
	var same []string
	used := 0
	for _, m := range machines {
		if m.weakest == p.emitted && m.model == "" {
			continue
		}
		program := m.program(t, weak, "exists")
		if program == m.program(t, p, "exists") {
			same = append(same, m.name)
			continue
		}
		if _, ok := w.why[m.name]; ok {
			used++
			program = m.program(t, weak, "~exists")
		}
		litmus.Check(t, m.model, program)
	}
	require.Equal(t, w.same, strings.Join(same, ", "), "machines on which it is the same code")
	require.Len(t, w.why, used, "reasons")
}

// A rendering turns proofs into litmus tests.
type rendering struct {
	name, model string
	// weakest: the weakest code that keeps the contract, not what the library emits, which may be stronger.
	weakest bool
	program func(t *testing.T, p proof, quantifier string) string
}

var machines = func() []rendering {
	out := []rendering{{name: "contract", model: "linux", program: kernelProgram}}
	for _, target := range targets.Native {
		for i := range target.Levels {
			level := &target.Levels[i]
			for variant := range level.SyncRMW { // an operation with the feature, and one without it if that is not known
				r := realizer{target, level, variant, false}
				out = append(out, rendering{name: target.Name + []string{" ", " old "}[variant] + level.Name, program: r.program})
			}
		}
		last := &target.Levels[len(target.Levels)-1]
		weak := realizer{target, last, 0, target.Name != "amd64"} // amd64 has no weaker read-modify-write
		out = append(out, rendering{name: target.Name, weakest: true, program: weak.program})
	}
	return out
}()

// A step is one parsed step of a proof.
type step struct {
	result, name, loc string
	prim              contract.Primitive
	args              []int64
}

func parseSteps(t *testing.T, thread string) []step {
	var out []step
	for _, text := range strings.Split(thread, "; ") {
		var s step
		if result, rest, ok := strings.Cut(text, " = "); ok {
			s.result, text = result, rest
		}
		fields := strings.Fields(text)
		s.name = fields[0]
		var ok bool
		s.prim, ok = contract.Lookup(s.name)
		require.True(t, ok, "no primitive is called %q", s.name)
		if len(fields) > 1 {
			s.loc = fields[1]
			for _, f := range fields[2:] {
				var v int64
				_, err := fmt.Sscan(f, &v)
				require.NoError(t, err)
				s.args = append(s.args, v)
			}
		}
		out = append(out, s)
	}
	return out
}

// results replaces the names of results in a condition by registers.
var resultName = regexp.MustCompile(`\b(\d):([a-z]\w*)`)

func withRegisters(condition string, regs map[string]string) string {
	return resultName.ReplaceAllStringFunc(condition, func(name string) string {
		if reg, ok := regs[name]; ok {
			return name[:2] + reg
		}
		return name
	})
}

// kernelCalls are the primitives in the kernel's words: p is the location, and 0 and 1 are the operands.
var kernelCalls = map[contract.Op]string{
	contract.Load: "smp_load_acquire(p)", contract.Store: "smp_store_release(p, 0)",
	contract.Add: "atomic_add_return%s(0, p)", contract.And: "atomic_fetch_and%s(0, p)", contract.Or: "atomic_fetch_or%s(0, p)",
	contract.Swap: "xchg%s(p, 0)", contract.CompareAndSwap: "atomic_cmpxchg%s(p, 0, 1)",
}

var kernelSpecial = map[string]string{
	"LoadRelaxed": "READ_ONCE(*p)", "StoreRelaxed": "WRITE_ONCE(*p, 0)", "StoreFull": "smp_store_mb(*p, 0)",
	"SetBit": "set_bit(0, p)", "ClearBit": "clear_bit(0, p)", "TestAndSetBit": "test_and_set_bit(0, p)",
	"AfterSyncAtomic": "smp_mb__after_atomic()", // the same contract, for an operation that is known
}

var kernelOrders = map[string]string{"Relaxed": "_relaxed", "Acquire": "_acquire", "Release": "_release", "Full": ""}

func kernelCall(s step) string {
	call, ok := kernelSpecial[s.name]
	if !ok {
		call = kernelCalls[s.prim.Op]
		for order, suffix := range kernelOrders {
			if strings.HasSuffix(s.name, order) && strings.Contains(call, "%s") {
				call = fmt.Sprintf(call, suffix)
			}
		}
		if s.prim.Op == contract.Fence {
			call = s.prim.Kernel + "()"
		}
	}
	return regexp.MustCompile(`\bp\b|\b[01]\b`).ReplaceAllStringFunc(call, func(word string) string {
		if word == "p" {
			return s.loc
		}
		return fmt.Sprint(s.args[word[0]-'0'])
	})
}

func kernelProgram(t *testing.T, p proof, quantifier string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "C %s\n\n{ %s }\n\n", strings.ReplaceAll(p.name, " ", "-"), initial(p.init))
	for i, thread := range p.threads {
		steps := parseSteps(t, thread)
		var params []string
		var body strings.Builder
		for _, s := range steps {
			if s.loc != "" && !slices.Contains(params, "int *"+s.loc) {
				params = append(params, "int *"+s.loc)
			}
			if s.result != "" {
				fmt.Fprintf(&body, "\tint %s = %s;\n", s.result, kernelCall(s))
			} else {
				fmt.Fprintf(&body, "\t%s;\n", kernelCall(s))
			}
		}
		fmt.Fprintf(&b, "P%d(%s)\n{\n%s}\n\n", i, strings.Join(params, ", "), body.String())
	}
	fmt.Fprintf(&b, "%s (%s)\n", quantifier, p.never)
	return b.String()
}

func initial(init string) string {
	if init == "" {
		return ""
	}
	return init + ";"
}

// A realizer makes machine code of a proof.
type realizer struct {
	target  *arch.Target
	level   *arch.Level
	variant int  // 1: where the code is chosen at run time, what older CPUs run
	macro   bool // the weakest code that keeps each contract
}

func (r realizer) sequence(t *testing.T, p contract.Primitive) arch.Seq {
	low, err := arch.Find(r.target, r.level, p, arch.Use{Macro: r.macro})
	require.NoError(t, err)
	if r.variant == 1 && low.Else != nil {
		return low.Else.Flat()
	}
	return low.Code.Flat()
}

// program renders a proof in the syntax of the machine's litmus tests.
func (r realizer) program(t *testing.T, p proof, quantifier string) string {
	d := dialects[r.target.Name]
	regs := map[string]string{}
	var columns [][]string
	var constraints []string
	inits := initial(p.init)
	for i, thread := range p.threads {
		c := &code{d: d, thread: i, roles: map[arch.Role]int{}}
		for _, s := range parseSteps(t, thread) {
			c.step(t, s, r.sequence(t, s.prim))
			if s.result != "" {
				regs[fmt.Sprintf("%d:%s", i, s.result)] = d.name(c.result(s))
			}
		}
		for _, loc := range c.locs {
			inits += d.pointer(i, slices.Index(c.locs, loc), loc)
		}
		constraints = append(constraints, c.constraints...)
		columns = append(columns, c.lines)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n{ %s }\n", d.arch, strings.ReplaceAll(p.name, " ", "-"), inits)
	rows := 0
	for _, c := range columns {
		rows = max(rows, len(c))
	}
	for row := -1; row < rows; row++ {
		cells := make([]string, len(columns))
		for i, c := range columns {
			switch {
			case row < 0:
				cells[i] = fmt.Sprintf("P%d", i)
			case row < len(c):
				cells[i] = c[row]
			}
		}
		fmt.Fprintf(&b, " %s ;\n", strings.Join(cells, " | "))
	}
	condition := withRegisters("("+p.never+")", regs)
	for _, c := range constraints {
		condition += ` /\ ` + c
	}
	fmt.Fprintf(&b, "%s (%s)\n", quantifier, condition)
	return b.String()
}
