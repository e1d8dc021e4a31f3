package prover

import (
	"bytes"
	"context"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

var threads = flag.Int("prover.threads", 2, "threads of the largest cycles; verify's own default is 4")

func lookup(t *testing.T, name string) contract.Primitive {
	t.Helper()
	p, ok := contract.Lookup(name)
	require.True(t, ok, name)
	return p
}

// Every primitive is proved on every native target, and minimal or with a reason.
func TestTable(t *testing.T) {
	rows, err := Verify(context.Background(), contract.Table(), targets.All, Options{Threads: *threads, Minimal: true})
	require.NoError(t, err)
	for _, r := range rows {
		switch r.Status {
		case Proved, NoOrder:
			assert.NotZero(t, r.Programs, r.Primitive)
		case Sourced:
			assert.Contains(t, []string{"MandatoryFull", "MandatoryRead", "MandatoryWrite", "DMAFull", "DMARead", "DMAWrite"}, r.Primitive)
		case NoModel:
			assert.Equal(t, "generic", r.Arch)
		default:
			t.Errorf("%+v", r)
		}
		if r.Code == "empty" && r.Status == Proved {
			assert.NotEmpty(t, r.Keeps, "an empty lowering shows what it keeps forbidden")
		}
	}
	assert.False(t, Failed(rows))
	var out bytes.Buffer
	require.NoError(t, Print(&out, rows))
	assert.Contains(t, out.String(), "proved empty")
	assert.NotContains(t, out.String(), Unexplained)
}

// verifyWith verifies a primitive with other code in its place.
func verifyWith(t *testing.T, goarch, level, name string, code arch.Seq) Row {
	t.Helper()
	target, ok := targets.Lookup(goarch)
	require.True(t, ok)
	p := lookup(t, name)
	cycles := criticalCycles(2)
	w := worker{expected: &contracts{known: map[string][]bool{}}, compared: comparisons{}, cycles: cycles}
	r := newTarget(target, target.Level(level), 0)
	own := r.sequence
	r.sequence = func(q contract.Primitive, macro bool) (arch.Seq, error) {
		if q.Name == name && !macro {
			return code.Flat(), nil
		}
		return own(q, macro)
	}
	var row Row
	_, err := w.check(&row, r, p, shapes(p, cycles))
	require.NoError(t, err)
	return row
}

// inst is an instruction of a target's table, as it is printed.
func inst(t *testing.T, goarch, text string) arch.Seq {
	t.Helper()
	target, _ := targets.Lookup(goarch)
	for _, l := range target.Levels {
		for _, cs := range l.Candidates() {
			for _, c := range cs {
				for _, seq := range c.Variants() {
					for _, in := range seq.Flat() {
						if (arch.Seq{in}).String() == text {
							return arch.Seq{in}
						}
					}
				}
			}
		}
	}
	require.Fail(t, "no such instruction", text)
	return nil
}

// fence is a barrier instruction of arm64 by its option.
func fence(t *testing.T, option string) arch.Seq { return inst(t, "arm64", "DMB "+option) }

// code is the chosen code of a primitive.
func code(t *testing.T, goarch, level, name string) arch.Seq {
	target, _ := targets.Lookup(goarch)
	return arch.Select(target, target.Level(level), lookup(t, name), arch.Use{}).Code.Flat()
}

// changed is the sequence with the instructions of one name replaced by others, or taken out if there are none.
func changed(t *testing.T, seq arch.Seq, from string, to arch.Seq) arch.Seq {
	t.Helper()
	var out arch.Seq
	found := false
	for _, in := range seq {
		if in.Name != from {
			out = append(out, in)
			continue
		}
		found = true
		for _, put := range to {
			put.Args = in.Args
			out = append(out, put)
		}
	}
	require.True(t, found, "%s is not in %v", from, seq)
	return out
}

// renamed is the sequence with one instruction called otherwise.
func renamed(t *testing.T, seq arch.Seq, from, to string) arch.Seq {
	t.Helper()
	i := slices.IndexFunc(seq, func(in arch.Inst) bool { return in.Name == from })
	require.GreaterOrEqual(t, i, 0, "%s is not in %v", from, seq)
	op := *seq[i].Op
	op.Name = to
	return changed(t, seq, from, arch.Seq{{Op: &op}})
}

// Broken code is found twice: by the pair of accesses that is out of order, and by the program in which the field found it.
func TestBrokenIsFound(t *testing.T) {
	for _, tt := range []struct {
		name, goarch, level, prim string
		code                      arch.Seq
		pair                      string // none where nothing is out of order
		breaks                    string
	}{
		{"a store fence is no release", "arm64", "v8.0", "Release", fence(t, "ISHST"), "a plain read is not ordered before a plain write across Release", "LB"},
		{"a load fence is no full fence", "arm64", "v8.0", "Full", fence(t, "ISHLD"), "a plain write is not ordered before a plain read across Full", "SB"},
		{"an acquire load is no full fence", "arm64", "v8.0", "Full", arch.Seq{{Op: inst(t, "arm64", "LDAR (addr), old")[0].Op, Args: []arch.Arg{arch.M(arch.StackP), arch.R(arch.Tmp)}}},
			"a plain read is not ordered before a plain read across Full", "MP"},
		{"nothing is no full fence on amd64", "amd64", "v1", "Full", nil, "a plain write is not ordered before a plain read across Full", "SB"},
		{"LFENCE orders no store before a load", "amd64", "v1", "Full", inst(t, "amd64", "LFENCE"), "a plain write is not ordered before a plain read across Full", "SB"},
		{"SFENCE neither", "amd64", "v1", "Full", inst(t, "amd64", "SFENCE"), "a plain write is not ordered before a plain read across Full", "SB"},
		{"nothing is no acquire fence on arm64", "arm64", "v8.0", "Acquire", nil, "a plain read is not ordered before a plain read across Acquire", "MP"},
		{"after a relaxed read-modify-write a load fence is too little", "arm64", "v8.1", "AfterAtomic", fence(t, "ISHLD"),
			"the write of AfterAtomic beside AddRelaxed is not ordered before a plain read", "SB"},
		{"nor is a store fence enough", "arm64", "v8.1", "AfterAtomic", fence(t, "ISHST"), "a plain read is not ordered before a plain read across AfterAtomic beside AddRelaxed", "SB"},
		{"a plain store publishes nothing on arm64", "arm64", "v8.0", "StoreRelease", code(t, "arm64", "v8.0", "StoreRelaxed"),
			"a plain read is not ordered before StoreRelease", "MP"},
		{"a plain load acquires nothing on arm64", "arm64", "v8.0", "LoadAcquire", code(t, "arm64", "v8.0", "LoadRelaxed"),
			"LoadAcquire is not ordered before a plain read", "MP"},
		{"acquire without release is not full", "arm64", "v8.1", "AddFull", changed(t, code(t, "arm64", "v8.1", "AddFull"), "LDADDAL", inst(t, "arm64", "LDADDA val, (addr), old")),
			"a plain read is not ordered before the write of AddFull", "MP"},
		{"release without acquire is not full", "arm64", "v8.1", "AddFull", changed(t, code(t, "arm64", "v8.1", "AddFull"), "LDADDAL", inst(t, "arm64", "LDADDL val, (addr), old")),
			"a plain read is not ordered before a plain read across AddFull", "SB"},
		{"an exclusive pair with both is not full", "arm64", "v8.1", "AddFull", otherwise(t, "AddAcquire"), "a plain read is not ordered before a plain read across AddFull", "SB"},
		{"a relaxed 16-byte compare-and-swap", "arm64", "v8.1", "CompareAndSwap128", renamed(t, code(t, "arm64", "v8.1", "CompareAndSwap128"), "CASPAL", "CASP"), "", "MP"},
		{"without LOCK an update is lost", "amd64", "v1", "SetBit", changed(t, code(t, "amd64", "v1", "SetBit"), "LOCK", nil), "", "two updates"},
		{"also of 16 bytes", "amd64", "v1", "CompareAndSwap128", changed(t, code(t, "amd64", "v1", "CompareAndSwap128"), "LOCK", nil),
			"the write of CompareAndSwap128 is not ordered before a plain read", "two updates"},
		{"a full store that is a release only", "arm64", "v8.0", "StoreFull", code(t, "arm64", "v8.0", "StoreRelease"), "a plain read is not ordered before a plain read across StoreFull", "SB"},
		{"a dependency orders no load", "arm64", "v8.0", "AcquireAfterControlDependency", nil,
			"AcquireAfterControlDependency beside LoadRelaxed is not ordered before a plain read", "MP"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			row := verifyWith(t, tt.goarch, tt.level, tt.prim, tt.code)
			require.Equal(t, Broken, row.Status)
			assert.True(t, slices.ContainsFunc(row.Breaks, func(s string) bool { return strings.HasPrefix(s, tt.breaks+", ") }), row.Breaks)
			if tt.pair == "" {
				assert.NotContains(t, row.Breaks[0], "is not ordered before")
			} else {
				assert.Contains(t, row.Breaks[0], tt.pair)
			}
		})
	}
}

// A compare-and-swap that fails is an acquire load at most on arm64, and full on amd64; the contract promises nothing, so
// only a contract that did would be broken. Nor does a fence that is empty beside a success find anything beside a failure.
func TestFailureOrdersNothing(t *testing.T) {
	full := []contract.Order{{Side: contract.After, From: contract.RMWReads, To: contract.All, Strength: contract.Strong, Domain: contract.Normal},
		{Side: contract.Across, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: contract.Normal}}
	cas, after := lookup(t, "CompareAndSwapFull"), lookup(t, "AfterSyncAtomic")
	for _, tt := range []struct{ goarch, level, lacks string }{{"amd64", "v1", ""}, {"arm64", "v8.0", "not ordered before"}, {"arm64", "v8.1", "not ordered before"}} {
		target, _ := targets.Lookup(tt.goarch)
		for variant := range 2 {
			r := newTarget(target, target.Level(tt.level), variant)
			local, err := r.local()
			require.NoError(t, err)
			seq, err := r.sequence(cas, false)
			require.NoError(t, err)
			failed := part{events: []contract.Classes{contract.RMWRead}, orders: full, code: runs(seq, true)}
			fence, err := r.sequence(after, false)
			require.NoError(t, err)
			beside := []part{failed, {code: fence.Steps()}}
			if len(fence.Flat()) > 0 { // a fence that is always there serves here too
				beside = beside[:1]
			}
			for _, parts := range [][]part{{failed}, beside} {
				got := local.compare(operate("it", parts...), contract.Normal)
				assert.NotZero(t, got.ordered)
				if tt.lacks == "" {
					assert.Empty(t, got.lacks)
				} else {
					assert.Contains(t, got.lacks, tt.lacks)
				}
			}
			failed.orders, failed.events = nil, []contract.Classes{contract.PlainRead}
			assert.Empty(t, local.compare(operate("it", failed), contract.Normal).lacks)
		}
	}
}

// Every sequence is followed where it goes when it writes and when it does not.
func TestRuns(t *testing.T) {
	events := func(steps []contract.Step) (out []contract.Classes) {
		for _, s := range steps {
			out = append(out, s.Events...)
		}
		return out
	}
	excl := otherwise(t, "CompareAndSwapFull")
	assert.Equal(t, []contract.Classes{contract.RMWRead, contract.RMWReleaseWrite}, events(runs(excl, false)))
	assert.Equal(t, []contract.Classes{contract.RMWRead}, events(runs(excl, true)))
	assert.Len(t, runs(excl, false), 3, "with the fence behind it")
	assert.Len(t, runs(excl, true), 1, "without")
	cas := code(t, "arm64", "v8.1", "CompareAndSwapFull")
	assert.Equal(t, []contract.Classes{contract.RMWAcquireRead, contract.RMWReleaseWrite}, events(runs(cas, false)))
	assert.Equal(t, []contract.Classes{contract.RMWAcquireRead}, events(runs(cas, true)))
	wide := otherwise(t, "CompareAndSwap128")
	assert.Equal(t, []contract.Classes{contract.RMWAcquireRead, contract.RMWReleaseWrite}, events(runs(wide, false)))
	assert.Equal(t, []contract.Classes{contract.RMWAcquireRead}, events(runs(wide, true)))
}

// otherwise is the code of a primitive on arm64 without LSE.
func otherwise(t *testing.T, name string) arch.Seq {
	return arch.Select(targets.Native[1], targets.Native[1].Level("v8.0"), lookup(t, name), arch.Use{}).Else.Flat()
}

// The exclusive pair LDAXR and STLXR is no full barrier: behind it the fence after a sync/atomic operation is needed.
func TestExclusivePairIsNotFull(t *testing.T) {
	rows, err := Verify(context.Background(), []contract.Primitive{lookup(t, "AfterSyncAtomic")}, targets.Native[1:], Options{Threads: 3, Minimal: true})
	require.NoError(t, err)
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Level == "v8.0" && r.Variant != "" })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, "DMB ISH", rows[i].Code)
	assert.Empty(t, rows[i].NotMinimal)
}

func TestCycles(t *testing.T) {
	count := map[int]int{}
	names := map[string]bool{}
	for _, c := range criticalCycles(4) {
		count[len(c.threads)]++
		assert.False(t, names[c.name], c.name)
		names[c.name] = true
		for _, as := range c.threads {
			if len(as) == 2 {
				assert.NotEqual(t, as[0].loc, as[1].loc, c.name)
			}
		}
	}
	assert.Equal(t, map[int]int{2: 6, 3: 20, 4: 57}, count)
	for _, n := range []string{"MP", "SB", "LB", "S", "R", "2+2W", "WRC", "RWC", "IRIW", "ISA2"} {
		assert.True(t, names[n], n)
	}
}

// With the strongest fence everywhere nothing is allowed, with none everything is: on every model, for every cycle.
func TestStrongAndBare(t *testing.T) {
	for _, r := range []realizer{contractRealizer{}, newTarget(targets.Native[1], &targets.Native[1].Levels[0], 0)} {
		m, err := r.model()
		require.NoError(t, err)
		var w worker
		w.machine.Model = m
		for _, c := range criticalCycles(4) {
			got, err := w.machineAllows(r, shape{cycle: c, threads: strongThreads(c)})
			require.NoError(t, err)
			assert.False(t, got, "%s with fences on %s", c.name, r.arch())
			bare := make([][]piece, len(c.threads))
			for i := range c.threads {
				for j := range c.threads[i] {
					bare[i] = append(bare[i], piece{access: &c.threads[i][j]})
				}
			}
			got, err = w.machineAllows(r, shape{cycle: c, threads: bare})
			require.NoError(t, err)
			assert.True(t, got, "%s without on %s", c.name, r.arch())
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Verify(ctx, contract.Table(), targets.Native, Options{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestReport(t *testing.T) {
	rows := []Row{
		{Primitive: "Full", Arch: "arm64", Level: "v8.0", Code: "DMB ISHLD", Status: Broken, Breaks: []string{"SB, in threads [0] of [WR WR]"}, Programs: 1, Forbidden: 1},
		{Primitive: "Full", Arch: "amd64", Level: "v1", Code: "empty", Status: Proved, Programs: 1, Forbidden: 1},
		{Primitive: "Release", Arch: "amd64", Level: "v1", Code: "x", Status: NotMinimal, NotMinimal: []string{"without x: " + Unexplained}},
	}
	assert.True(t, Failed(rows))
	assert.True(t, Failed(rows[2:]))
	assert.False(t, Failed(rows[1:2]))
	var out bytes.Buffer
	require.NoError(t, Print(&out, rows))
	assert.Contains(t, out.String(), "Full       BROKEN         proved empty\n")
	assert.Contains(t, out.String(), "broken: DMB ISHLD allows SB, in threads [0] of [WR WR]\n    Full on arm64 v8.0\n")
	assert.Contains(t, out.String(), "NOT MINIMAL")
	assert.Contains(t, out.String(), "2 programs, of which the contracts forbid 2;")
}
