package memmodel_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/cat"
	"github.com/barriergen/barriergen/memmodel/models"
)

func load(t testing.TB, name string) *memmodel.Model {
	m, err := models.Load(name)
	require.NoError(t, err)
	return m
}

// randomProgram has two or three threads of up to three instructions, over two locations, and asks for everything.
func randomProgram(r *rand.Rand, tags, fences []string) (*memmodel.Program, []memmodel.Observable) {
	p := &memmodel.Program{Name: "random", Tags: slices.Concat(tags, fences)}
	for l := range 2 {
		p.Locs = append(p.Locs, memmodel.Location{Name: fmt.Sprint("l", l), Size: 8})
	}
	tag := func() memmodel.Tags {
		if r.IntN(2) == 0 {
			return 0
		}
		return 1 << r.IntN(len(tags))
	}
	var observe []memmodel.Observable
	for t := range 2 + r.IntN(2) {
		th := memmodel.Thread{Regs: make([]memmodel.Register, 4)}
		const zero = memmodel.Reg(3) // stays 0, but may depend on anything read so far
		for i := range 1 + r.IntN(4-len(p.Threads)) {
			in := memmodel.Instr{Dst: memmodel.Reg(i), A: memmodel.K(p.Addr(r.IntN(2))), B: memmodel.K(0), C: memmodel.K(memmodel.Value(1 + r.IntN(2))),
				D: memmodel.K(0), Tags: tag(), WTags: tag()}
			if r.IntN(3) == 0 {
				in.B = memmodel.R(zero)
			}
			switch r.IntN(9) {
			case 0, 1:
				in.Op = memmodel.OpLoad
			case 2, 3, 4:
				in.Op = memmodel.OpStore
				if r.IntN(3) == 0 {
					in.C = memmodel.R(memmodel.Reg(r.IntN(3)))
				}
			case 5:
				in.Op, in.Fn = memmodel.OpRMW, memmodel.FnAdd
			case 6:
				in.Op = memmodel.OpCAS
			case 7:
				in.Op, in.Tags = memmodel.OpFence, 1<<(len(tags)+r.IntN(len(fences)))
				in.A = memmodel.K(0)
			case 8:
				in.Op = memmodel.OpLoadEx
				th.Code = append(th.Code, in)
				in.Op, in.Dst = memmodel.OpStoreEx, memmodel.NoReg
			}
			th.Code = append(th.Code, in)
			if r.IntN(3) == 0 {
				th.Code = append(th.Code, memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnAnd, Dst: zero, A: memmodel.R(memmodel.Reg(i)), B: memmodel.K(0)})
			}
			if r.IntN(6) == 0 {
				th.Code = append(th.Code, memmodel.Instr{Op: memmodel.OpBranch, Fn: memmodel.FnEq, A: memmodel.R(memmodel.Reg(i)), B: memmodel.K(2), Target: len(th.Code) + 1})
			}
			observe = append(observe, memmodel.ObserveReg(t, memmodel.Reg(i)))
		}
		p.Threads = append(p.Threads, th)
	}
	return p, append(observe, memmodel.ObserveLoc(0), memmodel.ObserveLoc(1))
}

func states(r *memmodel.Result) []string {
	var out []string
	for _, s := range r.States {
		out = append(out, fmt.Sprint(s.Values))
	}
	slices.Sort(out)
	return out
}

var vocabularies = map[string][2][]string{
	"x86tso":   {{"X"}, {"MFENCE", "SFENCE"}},
	"aarch64":  {{"A", "Q", "L"}, {"DMB.SY", "DMB.LD", "DMB.ST", "ISB"}},
	"riscv":    {{"Acq", "Rel", "AcqRel"}, {"Fence.rw.rw", "Fence.r.rw", "Fence.tso"}},
	"compiler": {{"Once"}, {"Barrier"}},
}

// TestPruningChangesNothing compares the search with one that builds every execution and filters afterwards, in states, in
// witnesses, and in the three modes.
func TestPruningChangesNothing(t *testing.T) {
	for name, words := range vocabularies {
		t.Run(name, func(t *testing.T) {
			m := load(t, name)
			coherence, atomicity := m.Native()
			require.True(t, coherence && atomicity, "this model's axioms are meant to be obeyed natively")
			r := rand.New(rand.NewPCG(7, 8))
			all, plain := memmodel.Search{Model: m, Mode: memmodel.All}, memmodel.Search{Model: m, Mode: memmodel.All}
			plain.Limits = memmodel.Limits{Traces: 200, Candidates: 4000, Steps: 400_000}
			quick, verdict := memmodel.Search{Model: m}, memmodel.Search{Model: m, Mode: memmodel.Verdict}
			forbade, skipped := 0, 0
			for round := range 200 {
				p, observe := randomProgram(r, words[0], words[1])
				cond := func(s []memmodel.Value) bool { return s[0] == 0 && s[len(s)-1] == 1 }
				got, err := all.Run(p, observe, cond)
				require.NoError(t, err)
				want, err := plain.RunUnpruned(p, observe, cond)
				if errors.As(err, new(*memmodel.LimitError)) {
					skipped++ // without coherence there can be very many ways
					continue
				}
				require.NoError(t, err)
				require.Equal(t, states(want), states(got), "round %d: %+v", round, p)
				require.Equal(t, [2]int{want.Positive, want.Negative}, [2]int{got.Positive, got.Negative}, "round %d: %+v", round, p)
				fast, err := quick.Run(p, observe, cond)
				require.NoError(t, err)
				require.Equal(t, states(want), states(fast), "round %d: %+v", round, p)
				v, err := verdict.Run(p, observe, cond)
				require.NoError(t, err)
				require.Equal(t, want.Observation(), v.Observation(), "round %d: %+v", round, p)
				if want.Positive+want.Negative < want.Candidates {
					forbade++
				}
			}
			require.Less(t, skipped, 60)
			require.Greater(t, forbade, 80, "most programs must have forbidden executions")
		})
	}
}

// storeBuffering is SB with n threads in a ring; f, if not "", is the fence between the two accesses.
func storeBuffering(n int, f string) (*memmodel.Program, []memmodel.Observable) {
	p := &memmodel.Program{Name: fmt.Sprint("SB", n), Tags: []string{"MFENCE", "DMB.SY"}}
	var observe []memmodel.Observable
	for t := range n {
		p.Locs = append(p.Locs, memmodel.Location{Name: fmt.Sprint("x", t), Size: 4})
		th := memmodel.Thread{Regs: make([]memmodel.Register, 1)}
		th.Code = append(th.Code, memmodel.Instr{Op: memmodel.OpStore, A: memmodel.K(p.Addr(t)), B: memmodel.K(0), C: memmodel.K(1)})
		if f != "" {
			th.Code = append(th.Code, memmodel.Instr{Op: memmodel.OpFence, A: memmodel.K(0), Tags: 1 << slices.Index(p.Tags, f)})
		}
		th.Code = append(th.Code, memmodel.Instr{Op: memmodel.OpLoad, Dst: 0, A: memmodel.K(p.Addr((t + 1) % n)), B: memmodel.K(0)})
		p.Threads = append(p.Threads, th)
		observe = append(observe, memmodel.ObserveReg(t, 0))
	}
	return p, observe
}

func allZero(s []memmodel.Value) bool {
	return !slices.ContainsFunc(s, func(v memmodel.Value) bool { return v != 0 })
}

func TestStoreBufferingFamily(t *testing.T) {
	for _, c := range []struct{ model, fence string }{{"x86tso", "MFENCE"}, {"aarch64", "DMB.SY"}} {
		s := memmodel.Search{Model: load(t, c.model)}
		for n := 2; n <= 8; n++ {
			p, observe := storeBuffering(n, "")
			res, err := s.Run(p, observe, allZero)
			require.NoError(t, err)
			assert.Len(t, res.States, 1<<n)
			assert.Equal(t, "Sometimes", res.Observation())
			p, observe = storeBuffering(n, c.fence)
			res, err = s.Run(p, observe, allZero)
			require.NoError(t, err)
			assert.Len(t, res.States, 1<<n-1, "everything but all zero")
			assert.Equal(t, "Never", res.Observation())
		}
	}
}

func BenchmarkStoreBuffering(b *testing.B) {
	s := memmodel.Search{Model: load(b, "x86tso")}
	for n := 2; n <= 8; n++ {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p, observe := storeBuffering(n, "MFENCE")
			b.ReportAllocs()
			for range b.N {
				if _, err := s.Run(p, observe, allZero); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// counters is n threads that each increment one location atomically.
func counters(n int) (*memmodel.Program, []memmodel.Observable) {
	p := &memmodel.Program{Name: "counters", Locs: []memmodel.Location{{Name: "x", Size: 8}}}
	for range n {
		p.Threads = append(p.Threads, memmodel.Thread{Regs: make([]memmodel.Register, 1), Code: []memmodel.Instr{
			{Op: memmodel.OpRMW, Fn: memmodel.FnAdd, Dst: 0, A: memmodel.K(p.Addr(0)), B: memmodel.K(0), C: memmodel.K(1)}}})
	}
	return p, []memmodel.Observable{memmodel.ObserveLoc(0)}
}

func TestAtomicIncrements(t *testing.T) {
	s := memmodel.Search{Model: load(t, "aarch64"), Mode: memmodel.All}
	factorial := 1
	for n := 1; n <= 7; n++ {
		factorial *= n
		p, observe := counters(n)
		res, err := s.Run(p, observe, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{fmt.Sprintf("[%d]", n)}, states(res), "no increment is lost")
		assert.Equal(t, factorial, res.Positive, "one execution for each order")
	}
}

func TestLoopsAreBounded(t *testing.T) {
	// while (x == 0) {}: the reader spins.
	p := &memmodel.Program{Name: "spin", Locs: []memmodel.Location{{Name: "x", Size: 8}}, Threads: []memmodel.Thread{
		{Code: []memmodel.Instr{{Op: memmodel.OpStore, A: memmodel.K((&memmodel.Program{}).Addr(0)), B: memmodel.K(0), C: memmodel.K(1)}}},
		{Regs: make([]memmodel.Register, 1), Code: []memmodel.Instr{
			{Op: memmodel.OpLoad, Dst: 0, A: memmodel.K((&memmodel.Program{}).Addr(0)), B: memmodel.K(0)},
			{Op: memmodel.OpBranch, Fn: memmodel.FnEq, A: memmodel.R(0), B: memmodel.K(0), Target: 0},
		}},
	}}
	observe := []memmodel.Observable{memmodel.ObserveReg(1, 0)}
	for _, unroll := range []int{1, 3} {
		s := memmodel.Search{Model: load(t, "x86tso"), Mode: memmodel.All, Limits: memmodel.Limits{Unroll: unroll}}
		res, err := s.Run(p, observe, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"[1]"}, states(res), "it only ends with 1")
		assert.Equal(t, unroll, res.Unrolled, "the bound is stated")
		assert.Equal(t, unroll+1, res.Positive, "0 to %d more turns", unroll)
	}
}

func TestLimitsAreNoVerdicts(t *testing.T) {
	p, observe := storeBuffering(8, "")
	big, bigObserve := storeBuffering(30, "MFENCE")
	twice, twiceObserve := counters(6)
	for _, c := range []struct {
		limits  memmodel.Limits
		p       *memmodel.Program
		observe []memmodel.Observable
		want    string
	}{
		{memmodel.Limits{Candidates: 10}, p, observe, "SB8: stopped without a verdict: more than 10 candidate executions"},
		{memmodel.Limits{Steps: 100}, p, observe, "SB8: stopped without a verdict: more than 100 steps"},
		{memmodel.Limits{Traces: 1}, p, observe, "SB8: stopped without a verdict: more than 1 traces of a thread"},
		{memmodel.Limits{Traces: 3}, twice, twiceObserve, "counters: stopped without a verdict: more than 3 traces of a thread"},
		{memmodel.Limits{}, big, bigObserve, "SB30: stopped without a verdict: more than 64 events"},
	} {
		s := memmodel.Search{Model: load(t, "x86tso"), Limits: c.limits}
		res, err := s.Run(c.p, c.observe, allZero)
		var limit *memmodel.LimitError
		if assert.ErrorAs(t, err, &limit) {
			assert.EqualError(t, err, c.want)
		}
		assert.Nil(t, res)
	}
	_, err := (&memmodel.Search{}).Run(p, observe, nil)
	assert.ErrorIs(t, err, memmodel.ErrNoModel)
}

func TestRestlessRecursion(t *testing.T) {
	m, err := cat.Compile("restless.cat", []byte("let rec a = po \\ a\nempty a & rf"), nil)
	require.NoError(t, err)
	p, observe := storeBuffering(2, "")
	_, err = (&memmodel.Search{Model: m}).Run(p, observe, nil)
	assert.EqualError(t, err, "SB2: a 'let rec' of model restless does not come to rest")
}

func TestExplain(t *testing.T) {
	s := memmodel.Search{Model: load(t, "x86tso")}
	p, observe := storeBuffering(2, "MFENCE")
	why, err := s.Explain(p, observe, allZero)
	require.NoError(t, err)
	require.NotNil(t, why.Violation)
	assert.Equal(t, "tso", why.Violation.Axiom)
	assert.Equal(t, "acyclic", why.Violation.Kind)
	var names []string
	for i, e := range why.Violation.Cycle {
		names = append(names, e.Name)
		assert.Equal(t, e.To, why.Violation.Cycle[(i+1)%len(why.Violation.Cycle)].From, "the cycle closes")
	}
	slices.Sort(names)
	assert.Equal(t, []string{"fenced", "fenced", "fr", "fr"}, names)

	p, observe = storeBuffering(2, "")
	why, err = s.Explain(p, observe, allZero)
	require.NoError(t, err)
	require.NotNil(t, why)
	assert.Nil(t, why.Violation)
	assert.Equal(t, []memmodel.Value{0, 0}, why.Execution.State)
	require.Len(t, why.Execution.Events, 6)

	// What coherence forbids is built all the same, to be shown.
	p = &memmodel.Program{Name: "CoRR", Locs: []memmodel.Location{{Name: "x", Size: 8}}}
	at := memmodel.K(p.Addr(0))
	p.Threads = []memmodel.Thread{
		{Code: []memmodel.Instr{{Op: memmodel.OpStore, A: at, B: memmodel.K(0), C: memmodel.K(1)}}},
		{Regs: make([]memmodel.Register, 2), Code: []memmodel.Instr{
			{Op: memmodel.OpLoad, Dst: 0, A: at, B: memmodel.K(0)}, {Op: memmodel.OpLoad, Dst: 1, A: at, B: memmodel.K(0)}}},
	}
	observe = []memmodel.Observable{memmodel.ObserveReg(1, 0), memmodel.ObserveReg(1, 1)}
	why, err = s.Explain(p, observe, func(v []memmodel.Value) bool { return v[0] == 1 && v[1] == 0 })
	require.NoError(t, err)
	require.NotNil(t, why)
	require.NotNil(t, why.Violation)
	assert.Equal(t, "coherence", why.Violation.Axiom)

	why, err = s.Explain(p, observe, func(v []memmodel.Value) bool { return v[0] == 7 })
	require.NoError(t, err)
	assert.Nil(t, why, "nothing writes 7")
}

// TestReuse runs different programs with one search: nothing may be left over from the one before.
func TestReuse(t *testing.T) {
	m := load(t, "aarch64")
	r := rand.New(rand.NewPCG(9, 10))
	words := vocabularies["aarch64"]
	reused := memmodel.Search{Model: m}
	for range 300 {
		p, observe := randomProgram(r, words[0], words[1])
		got, err := reused.Run(p, observe, nil)
		require.NoError(t, err)
		fresh := memmodel.Search{Model: m}
		want, err := fresh.Run(p, observe, nil)
		require.NoError(t, err)
		require.Equal(t, states(want), states(got))
	}
}

func TestNoThreads(t *testing.T) {
	s := memmodel.Search{Model: load(t, "x86tso")}
	p := &memmodel.Program{Name: "nothing", Locs: []memmodel.Location{{Name: "x", Size: 4, Init: 5}}}
	res, err := s.Run(p, []memmodel.Observable{memmodel.ObserveLoc(0)}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"[5]"}, states(res))
}
