package memmodel_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel"
)

// widen turns some accesses of a program, those of its first location, into accesses of 16 bytes, whose second half is the
// second location.
func widen(r *rand.Rand, p *memmodel.Program, observe []memmodel.Observable) []memmodel.Observable {
	for t := range p.Threads {
		th := &p.Threads[t]
		for i := range th.Code {
			in := &th.Code[i]
			if in.Op == memmodel.OpALU || in.Op == memmodel.OpFence || in.Op == memmodel.OpBranch || in.A.Val != p.Addr(0) || r.IntN(3) == 0 {
				continue
			}
			if in.Op == memmodel.OpRMW {
				in.Fn = memmodel.FnB // additions would have too many outcomes
			}
			in.Hi = &memmodel.Half{Dst: memmodel.NoReg, C: memmodel.K(memmodel.Value(r.IntN(3))), D: memmodel.K(0), Whole: r.IntN(3) > 0}
			if in.Op != memmodel.OpStore && in.Op != memmodel.OpStoreEx {
				in.Hi.Dst = memmodel.Reg(len(th.Regs))
				th.Regs = append(th.Regs, memmodel.Register{})
				observe = append(observe, memmodel.ObserveReg(t, in.Hi.Dst))
			}
		}
	}
	return observe
}

// With accesses of 16 bytes, too, the search finds what one finds that builds every execution and filters afterwards.
func TestPruningChangesNothingWide(t *testing.T) {
	for name, words := range vocabularies {
		if name == "riscv" { // which has none
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 10))
			all, plain := memmodel.Search{Model: load(t, name), Mode: memmodel.All}, memmodel.Search{Model: load(t, name), Mode: memmodel.All}
			without, ok := load(t, name).Without("single-copy-atomicity")
			require.True(t, ok)
			torn := memmodel.Search{Model: without}
			plain.Limits = memmodel.Limits{Traces: 200, Candidates: 4000, Steps: 400_000}
			whole, skipped := 0, 0
			for round := range 100 {
				p, observe := randomProgram(r, words[0], words[1])
				observe = widen(r, p, observe)
				got, err := all.Run(p, observe, nil)
				if errors.As(err, new(*memmodel.LimitError)) {
					skipped++
					continue
				}
				require.NoError(t, err)
				gotStates, gotPositive := states(got), got.Positive
				free, err := torn.Run(p, observe, nil)
				require.NoError(t, err)
				if len(free.States) > len(gotStates) {
					whole++
				}
				want, err := plain.RunUnpruned(p, observe, nil)
				if errors.As(err, new(*memmodel.LimitError)) {
					skipped++
					continue
				}
				require.NoError(t, err)
				require.Equal(t, states(want), gotStates, "round %d: %+v", round, p)
				require.Equal(t, want.Positive, gotPositive, "round %d: %+v", round, p)
			}
			assert.Less(t, skipped, 50)
			assert.Greater(t, whole, 5, "programs in which the axiom matters")
		})
	}
}

// A compare-and-swap of 16 bytes writes both halves if both are as expected, and else none; all of its events are one
// instruction.
func TestWideCompareAndSwap(t *testing.T) {
	for _, expected := range [][2]memmodel.Value{{1, 2}, {1, 3}, {3, 2}, {3, 3}} {
		p := &memmodel.Program{Name: "cas", Locs: []memmodel.Location{{Name: "lo", Init: 1, Size: 8}, {Name: "hi", Init: 2, Size: 8}}}
		p.Threads = []memmodel.Thread{{Regs: make([]memmodel.Register, 2), Code: []memmodel.Instr{{Op: memmodel.OpCAS, Dst: 0, A: memmodel.K(p.Addr(0)), B: memmodel.K(0),
			C: memmodel.K(7), D: memmodel.K(expected[0]), Hi: &memmodel.Half{Dst: 1, C: memmodel.K(8), D: memmodel.K(expected[1]), Whole: true}}}}}
		observe := []memmodel.Observable{memmodel.ObserveReg(0, 0), memmodel.ObserveReg(0, 1), memmodel.ObserveLoc(0), memmodel.ObserveLoc(1)}
		s := memmodel.Search{Model: load(t, "x86tso"), Mode: memmodel.All}
		res, err := s.Run(p, observe, nil)
		require.NoError(t, err)
		want := []memmodel.Value{1, 2, 1, 2}
		if expected == [2]memmodel.Value{1, 2} {
			want = []memmodel.Value{1, 2, 7, 8}
		}
		require.Len(t, res.States, 1, expected)
		assert.Equal(t, want, res.States[0].Values, expected)
		ex, err := s.Explain(p, observe, nil)
		require.NoError(t, err)
		for _, e := range ex.Execution.Edges {
			assert.NotEqual(t, "po", e.Name, "one instruction has no program order in itself")
		}
	}
	// Without a location behind it there is no second half.
	p := &memmodel.Program{Name: "end", Locs: []memmodel.Location{{Name: "lo", Size: 8}}}
	p.Threads = []memmodel.Thread{{Code: []memmodel.Instr{{Op: memmodel.OpStore, A: memmodel.K(p.Addr(0)), B: memmodel.K(0), C: memmodel.K(1),
		Hi: &memmodel.Half{Dst: memmodel.NoReg, C: memmodel.K(1)}}}}}
	s := memmodel.Search{Model: load(t, "x86tso")}
	res, err := s.Run(p, nil, nil)
	require.NoError(t, err)
	assert.NotZero(t, res.Faults)
}

// The halves of one store may feed each other through another thread: the bound on such chains counts both.
func TestWideChain(t *testing.T) {
	p := &memmodel.Program{Name: "chain", Locs: []memmodel.Location{{Name: "lo", Size: 8}, {Name: "hi", Size: 8}, {Name: "z", Size: 8}}}
	at := func(loc int) memmodel.Operand { return memmodel.K(p.Addr(loc)) }
	p.Threads = []memmodel.Thread{
		{Regs: make([]memmodel.Register, 1), Code: []memmodel.Instr{
			{Op: memmodel.OpLoad, Dst: 0, A: at(2), B: memmodel.K(0)},
			{Op: memmodel.OpStore, Dst: memmodel.NoReg, A: at(0), B: memmodel.K(0), C: memmodel.K(1), Hi: &memmodel.Half{Dst: memmodel.NoReg, C: memmodel.R(0)}}}},
		{Regs: make([]memmodel.Register, 1), Code: []memmodel.Instr{
			{Op: memmodel.OpLoad, Dst: 0, A: at(0), B: memmodel.K(0)},
			{Op: memmodel.OpStore, Dst: memmodel.NoReg, A: at(2), B: memmodel.K(0), C: memmodel.R(0)}}},
	}
	s := memmodel.Search{Model: load(t, "aarch64")}
	res, err := s.Run(p, []memmodel.Observable{memmodel.ObserveLoc(1)}, func(v []memmodel.Value) bool { return v[0] == 1 })
	require.NoError(t, err)
	assert.Equal(t, "Sometimes", res.Observation())
}

// A compare-and-swap of 16 bytes depends on what it expects, in each half.
func TestWideExpectedValueIsADependency(t *testing.T) {
	for half := range 3 { // in no half, in the first, in the second
		p := &memmodel.Program{Name: "LB+pick", Tags: []string{"DMB.SY"}, Locs: []memmodel.Location{{Name: "lo", Size: 8}, {Name: "hi", Size: 8}, {Name: "x", Size: 8}}}
		at := func(loc int) memmodel.Operand { return memmodel.K(p.Addr(loc)) }
		expected := [3]memmodel.Operand{memmodel.K(0), memmodel.K(0), memmodel.K(0)}
		expected[half] = memmodel.R(1)
		p.Threads = []memmodel.Thread{
			{Regs: make([]memmodel.Register, 2), Code: []memmodel.Instr{
				{Op: memmodel.OpLoad, Dst: 0, A: at(2), B: memmodel.K(0)},
				{Op: memmodel.OpALU, Fn: memmodel.FnAnd, Dst: 1, A: memmodel.R(0), B: memmodel.K(0)},
				{Op: memmodel.OpCAS, Dst: memmodel.NoReg, A: at(0), B: memmodel.K(0), C: memmodel.K(1), D: expected[1],
					Hi: &memmodel.Half{Dst: memmodel.NoReg, C: memmodel.K(1), D: expected[2], Whole: true}}}},
			{Regs: make([]memmodel.Register, 1), Code: []memmodel.Instr{
				{Op: memmodel.OpLoad, Dst: 0, A: at(0), B: memmodel.K(0)},
				{Op: memmodel.OpFence, Dst: memmodel.NoReg, A: memmodel.K(0), B: memmodel.K(0), Tags: 1},
				{Op: memmodel.OpStore, Dst: memmodel.NoReg, A: at(2), B: memmodel.K(0), C: memmodel.K(1)}}},
		}
		s := memmodel.Search{Model: load(t, "aarch64")}
		res, err := s.Run(p, []memmodel.Observable{memmodel.ObserveReg(0, 0), memmodel.ObserveReg(1, 0)}, func(v []memmodel.Value) bool { return v[0] == 1 && v[1] == 1 })
		require.NoError(t, err)
		assert.Equal(t, []string{"Sometimes", "Never", "Never"}[half], res.Observation(), "half %d", half)
	}
}
