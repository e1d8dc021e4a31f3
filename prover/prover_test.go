package prover

import (
	"bytes"
	"context"
	"flag"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

var threads = flag.Int("prover.threads", 3, "threads of the largest cycles; verify's own default is 4")

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
	tg := *target
	l := *tg.Level(level)
	p := lookup(t, name)
	cycles := criticalCycles(3)
	w := worker{expected: &contracts{known: map[string][]bool{}}, cycles: cycles}
	all := shapes(p, cycles)
	allowed, err := w.contractAllows(p, all)
	require.NoError(t, err)
	r := newTarget(&tg, &l, 0)
	own := r.sequence
	r.sequence = func(q contract.Primitive, macro bool) (arch.Seq, error) {
		if q.Name == name && !macro {
			return code.Flat(), nil
		}
		return own(q, macro)
	}
	w.machine.Model, err = r.model()
	require.NoError(t, err)
	row := Row{Status: Proved}
	for i, s := range all {
		got, err := w.machineAllows(r, s)
		if err == errUnobserved {
			continue
		}
		require.NoError(t, err)
		if got && !allowed[i] {
			row.Status = Broken
			row.Breaks = append(row.Breaks, s.cycle.name)
		}
	}
	return row
}

// fence is a barrier instruction of arm64 by its option.
func fence(option string) arch.Seq {
	return arch.Seq{{Op: &arch.Op{Name: "DMB"}, Args: []arch.Arg{{Imm: true, Name: option}}}}
}

// code is the chosen code of a primitive.
func code(t *testing.T, goarch, level, name string) arch.Seq {
	target, _ := targets.Lookup(goarch)
	return arch.Select(target, target.Level(level), lookup(t, name), arch.Use{}).Code.Flat()
}

// renamed is the sequence with one instruction called otherwise; without it if the new name is empty.
func renamed(t *testing.T, seq arch.Seq, from, to string) arch.Seq {
	t.Helper()
	var out arch.Seq
	found := false
	for _, in := range seq {
		if in.Name == from {
			found = true
			if to == "" {
				continue
			}
			op := *in.Op
			op.Name = to
			in.Op = &op
		}
		out = append(out, in)
	}
	require.True(t, found, "%s is not in %v", from, seq)
	return out
}

// Broken code is found, by the program in which the field found it.
func TestBrokenIsFound(t *testing.T) {
	for _, tt := range []struct {
		name, goarch, level, prim string
		code                      arch.Seq
		breaks                    string
	}{
		{"a store fence is no release", "arm64", "v8.0", "Release", fence("ISHST"), "LB"},
		{"a load fence is no full fence", "arm64", "v8.0", "Full", fence("ISHLD"), "SB"},
		{"nothing is no full fence on amd64", "amd64", "v1", "Full", nil, "SB"},
		{"LFENCE orders no store before a load", "amd64", "v1", "Full", arch.Seq{{Op: &arch.Op{Name: "LFENCE"}}}, "SB"},
		{"SFENCE neither", "amd64", "v1", "Full", arch.Seq{{Op: &arch.Op{Name: "SFENCE"}}}, "SB"},
		{"nothing is no acquire fence on arm64", "arm64", "v8.0", "Acquire", nil, "MP"},
		{"after a relaxed read-modify-write a load fence is too little", "arm64", "v8.1", "AfterAtomic", fence("ISHLD"), "SB"},
		{"nor is a store fence enough", "arm64", "v8.1", "AfterAtomic", fence("ISHST"), "SB"},
		{"a plain store publishes nothing on arm64", "arm64", "v8.0", "StoreRelease", code(t, "arm64", "v8.0", "StoreRelaxed"), "MP"},
		{"a plain load acquires nothing on arm64", "arm64", "v8.0", "LoadAcquire", code(t, "arm64", "v8.0", "LoadRelaxed"), "MP"},
		{"acquire without release is not full", "arm64", "v8.1", "AddFull", renamed(t, code(t, "arm64", "v8.1", "AddFull"), "LDADDAL", "LDADDA"), "MP"},
		{"release without acquire is not full", "arm64", "v8.1", "AddFull", renamed(t, code(t, "arm64", "v8.1", "AddFull"), "LDADDAL", "LDADDL"), "SB"},
		{"a relaxed 16-byte compare-and-swap", "arm64", "v8.1", "CompareAndSwap128", renamed(t, code(t, "arm64", "v8.1", "CompareAndSwap128"), "CASPAL", "CASP"), "MP"},
		{"without LOCK an update is lost", "amd64", "v1", "SetBit", renamed(t, code(t, "amd64", "v1", "SetBit"), "LOCK", ""), "two updates"},
		{"also of 16 bytes", "amd64", "v1", "CompareAndSwap128", renamed(t, code(t, "amd64", "v1", "CompareAndSwap128"), "LOCK", ""), "two updates"},
		{"a full store that is a release only", "arm64", "v8.0", "StoreFull", code(t, "arm64", "v8.0", "StoreRelease"), "SB"},
		{"a dependency orders no load", "arm64", "v8.0", "AcquireAfterControlDependency", nil, "MP"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			row := verifyWith(t, tt.goarch, tt.level, tt.prim, tt.code)
			assert.Equal(t, Broken, row.Status)
			assert.Contains(t, row.Breaks, tt.breaks)
			good := verifyWith(t, tt.goarch, tt.level, tt.prim, code(t, tt.goarch, tt.level, tt.prim))
			assert.Equal(t, Proved, good.Status, good.Breaks)
		})
	}
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

// What a fence that binds does not promise is really not there: after a plain store, after a compare-and-swap that failed, and
// for an access between the operation and the fence. The contract allows it, and some machine shows it.
func TestNotPromised(t *testing.T) {
	after, sync := lookup(t, "AfterAtomic"), lookup(t, "AfterSyncAtomic")
	rmw, cas, store := lookup(t, "AddRelaxed"), lookup(t, "CompareAndSwapFull"), lookup(t, "StoreRelaxed")
	for _, tt := range []struct {
		name          string
		goarch, level string
		slot          func(a, b *access) []piece
	}{
		{"after a plain store, even on amd64", "amd64", "v1", func(a, b *access) []piece { return []piece{{access: a}, {prim: &store}, {prim: &after}, {access: b}} }},
		{"as the store itself", "amd64", "v1", func(a, b *access) []piece { return []piece{{access: a, prim: &store}, {prim: &after}, {access: b}} }},
		{"after a compare-and-swap that failed", "arm64", "v8.1", func(a, b *access) []piece {
			return []piece{{access: a}, {prim: &cas, fails: true}, {prim: &sync}, {access: b}}
		}},
		{"an access between, on amd64", "amd64", "v1", func(a, b *access) []piece { return []piece{{prim: &rmw}, {access: a}, {prim: &after}, {access: b}} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target, _ := targets.Lookup(tt.goarch)
			machine := newTarget(target, target.Level(tt.level), 0)
			var c, m worker
			var err error
			c.machine.Model, err = contractRealizer{}.model()
			require.NoError(t, err)
			m.machine.Model, err = machine.model()
			require.NoError(t, err)
			sb := criticalCycles(2)[slices.IndexFunc(criticalCycles(2), func(c cycle) bool { return c.name == "SB" })]
			for _, s := range fenceShapes([]cycle{sb}, tt.slot) {
				if !s.single() {
					continue
				}
				promised, err := c.machineAllows(contractRealizer{}, s)
				require.NoError(t, err)
				shown, err := m.machineAllows(machine, s)
				require.NoError(t, err)
				assert.True(t, promised, "the contract allows it")
				assert.True(t, shown, "the machine shows it")
			}
		})
	}
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
