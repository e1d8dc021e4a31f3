package models_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/litmus"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/models"
)

// wideTest is a program on one cell of 16 bytes, of 0 and 0 at the start, with the final states (the values that threads
// loaded, then the cell) that only tearing gives.
type wideTest struct {
	name    string
	threads [][]memmodel.Instr
	torn    [][]memmodel.Value
	want    string
	already bool // atomicity of read-modify-writes forbids it, half by half
}

const lo, hi = memmodel.Reg(0), memmodel.Reg(1)

func wideInstr(op memmodel.Op, whole bool, to memmodel.Value) memmodel.Instr {
	in := memmodel.Instr{Op: op, Dst: lo, A: memmodel.K((&memmodel.Program{Locs: make([]memmodel.Location, 2)}).Addr(0)), B: memmodel.K(0), C: memmodel.K(to), D: memmodel.K(0),
		Hi: &memmodel.Half{Dst: hi, C: memmodel.K(to), D: memmodel.K(0), Whole: whole}}
	if op == memmodel.OpStore || op == memmodel.OpStoreEx {
		in.Dst, in.Hi.Dst = memmodel.NoReg, memmodel.NoReg
	}
	return in
}

func store(whole bool, to memmodel.Value) []memmodel.Instr {
	return []memmodel.Instr{wideInstr(memmodel.OpStore, whole, to)}
}

func cas(to memmodel.Value) []memmodel.Instr {
	return []memmodel.Instr{wideInstr(memmodel.OpCAS, true, to)}
}

func loaded(whole bool) []memmodel.Instr {
	return []memmodel.Instr{wideInstr(memmodel.OpLoad, whole, 0)}
}

// back is a load of an exclusive pair and the store that writes the same back.
func back() []memmodel.Instr {
	load, store := wideInstr(memmodel.OpLoadEx, false, 0), wideInstr(memmodel.OpStoreEx, true, 0)
	store.C, store.Hi.C = memmodel.R(lo), memmodel.R(hi)
	store.Dst = 2
	return []memmodel.Instr{load, store, {Op: memmodel.OpAssume, Fn: memmodel.FnEq, Dst: memmodel.NoReg, A: memmodel.R(2), B: memmodel.K(0)}}
}

var mixedLoad, mixedEnd = [][]memmodel.Value{{1, 0}, {0, 1}}, [][]memmodel.Value{{1, 2}, {2, 1}}

var wideTests = []wideTest{
	{"store, load", [][]memmodel.Instr{store(true, 1), loaded(true)}, mixedLoad, "Never", false},
	{"store in halves, load", [][]memmodel.Instr{store(false, 1), loaded(true)}, mixedLoad, "Sometimes", false},
	{"store, load in halves", [][]memmodel.Instr{store(true, 1), loaded(false)}, mixedLoad, "Sometimes", false},
	{"compare-and-swap, load", [][]memmodel.Instr{cas(1), loaded(true)}, mixedLoad, "Never", false},
	{"compare-and-swap, load in halves", [][]memmodel.Instr{cas(1), loaded(false)}, mixedLoad, "Sometimes", false},
	{"store, store", [][]memmodel.Instr{store(true, 1), store(true, 2)}, mixedEnd, "Never", false},
	{"store, store in halves", [][]memmodel.Instr{store(true, 1), store(false, 2)}, mixedEnd, "Sometimes", false},
	{"store, compare-and-swap", [][]memmodel.Instr{store(true, 1), cas(2)}, mixedEnd, "Never", true},
	{"compare-and-swap, compare-and-swap", [][]memmodel.Instr{cas(1), cas(2)}, mixedEnd, "Never", true},
}

// pairTests need exclusive pairs.
var pairTests = []wideTest{
	{"store, load and store back", [][]memmodel.Instr{store(true, 1), back()}, mixedLoad, "Never", false},
	{"store, load exclusive alone", [][]memmodel.Instr{store(true, 1), back()[:1]}, mixedLoad, "Sometimes", false},
	{"store in halves, load and store back", [][]memmodel.Instr{store(false, 1), back()}, mixedLoad, "Sometimes", false},
	{"compare-and-swap, load and store back", [][]memmodel.Instr{cas(1), back()}, mixedLoad, "Never", false},
}

// litmus is the test for a model: what the other threads loaded, or else what the cell holds, is torn.
func (w wideTest) litmus(arch string, tags []string) *litmus.Test {
	p := &memmodel.Program{Name: w.name, Arch: arch, Tags: tags, Locs: []memmodel.Location{{Name: "lo", Size: 8}, {Name: "hi", Size: 8}}}
	test := &litmus.Test{Name: w.name, Program: p, Prop: litmus.Prop{Op: litmus.PropOr}}
	for _, code := range w.threads {
		code = slices.Clone(code)
		for i := range code {
			code[i].Tags, code[i].WTags = 1, 1
		}
		p.Threads = append(p.Threads, memmodel.Thread{Regs: make([]memmodel.Register, 3), Code: code})
	}
	test.Observed = []litmus.Atom{{Thread: -1, Loc: 0, Name: "lo"}, {Thread: -1, Loc: 1, Name: "hi"}}
	if w.torn[0][0]+w.torn[0][1] == 1 {
		test.Observed = []litmus.Atom{{Thread: 1, Reg: lo, Name: "1:lo"}, {Thread: 1, Reg: hi, Name: "1:hi"}}
	}
	test.Shown = 2
	for _, v := range w.torn {
		test.Prop.Kids = append(test.Prop.Kids, litmus.Prop{Op: litmus.PropAnd, Kids: []litmus.Prop{{Op: litmus.PropEq, A: 0, Val: v[0]}, {Op: litmus.PropEq, A: 1, Val: v[1]}}})
	}
	return test
}

// widePrograms are the tests for a model with its answers.
func widePrograms(t testing.TB, model string) (out []program) {
	m, err := models.Load(model)
	require.NoError(t, err)
	tests := wideTests
	if model == "aarch64" {
		tests = slices.Concat(tests, pairTests)
	}
	r := &litmus.Runner{Model: m}
	for _, w := range tests {
		test := w.litmus("C", []string{"Once"})
		out = append(out, program{w.name, test, answer(t, r, test)})
	}
	return out
}

// Of single-copy atomic accesses nobody sees half; of others, somebody may.
func TestTearing(t *testing.T) {
	for _, name := range []string{"x86tso", "aarch64", "linux", "compiler"} {
		m, err := models.Load(name)
		require.NoError(t, err)
		r := &litmus.Runner{Model: m}
		without, ok := m.Without("single-copy-atomicity")
		require.True(t, ok)
		tests := wideTests
		if name == "aarch64" {
			tests = slices.Concat(tests, pairTests)
		}
		for _, w := range tests {
			test := w.litmus("C", []string{"Once"})
			res, err := r.Run(test)
			require.NoError(t, err)
			assert.Equal(t, w.want, res.Observation, "%s: %s", name, w.name)
			if w.want == "Never" && !w.already {
				res, err = (&litmus.Runner{Model: without}).Run(test)
				require.NoError(t, err)
				assert.Equal(t, "Sometimes", res.Observation, "%s without the axiom: %s", name, w.name)
			}
		}
	}
}
