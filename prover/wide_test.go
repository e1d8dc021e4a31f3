package prover

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// Code that tears a value of 16 bytes is broken by the program that says how.
func TestTornIsFound(t *testing.T) {
	lse, pair, x86 := code(t, "arm64", "v8.1", "CompareAndSwap128"), otherwise(t, "CompareAndSwap128"), code(t, "amd64", "v1", "CompareAndSwap128")
	nothing := arch.Seq{{Op: &arch.Op{Name: "CSET EQ,"}, Args: []arch.Arg{arch.R(arch.Result)}}}
	// What was seen is stored back by the second STLXP: in its place, nothing.
	last := len(pair) - 1
	for pair[last].Name != "STLXP" {
		last--
	}
	notBack := slices.Clone(pair)
	notBack[last] = nothing[0]
	inHalves := func(seq arch.Seq, name string) arch.Seq { // as if it were not single-copy atomic
		i := slices.IndexFunc(seq, func(in arch.Inst) bool { return in.Name == name })
		require.GreaterOrEqual(t, i, 0)
		op := *seq[i].Op
		op.Whole = false
		return changed(t, seq, name, arch.Seq{{Op: &op}})
	}
	halves := func(goarch, load string) arch.Seq {
		op := inst(t, goarch, load)[0].Op
		return arch.Seq{{Op: op, Args: []arch.Arg{arch.M(arch.Addr), arch.R(arch.SeenLo)}}, {Op: op, Args: []arch.Arg{arch.At(arch.Addr, 8), arch.R(arch.SeenHi)}}}
	}
	const seen, stored, left, both = "half of an update seen", "half of a store seen", "half of each left", "two updates"
	for _, tt := range []struct {
		name, goarch string
		code         arch.Seq
		breaks, not  []string
	}{
		{"LDAXP without the store back", "arm64", notBack, []string{seen, stored}, []string{left, both}},
		{"a store back that is not single-copy atomic", "arm64", inHalves(pair, "STLXP"), []string{stored, "half of an update loaded"}, []string{both}},
		{"a CASPAL that is not", "arm64", inHalves(lse, "CASPAL"), []string{seen, stored, "half of an update loaded"}, []string{left, both}},
		{"a locked instruction that is not", "amd64", inHalves(x86, "CMPXCHG16B"), []string{seen, stored, "half of an update loaded"}, []string{left, both}},
		{"no LOCK", "amd64", changed(t, x86, "LOCK", nil), []string{seen, stored, "half of an update loaded", both, "update and store, " + left}, nil},
		// These write nothing that the others could see.
		{"two plain loads", "arm64", halves("arm64", "MOV (addr), old"), []string{stored}, nil},
		{"two acquire loads", "arm64", halves("arm64", "LDAR (addr), old"), []string{stored}, nil},
		{"two plain loads on amd64", "amd64", halves("amd64", "MOV (addr), old"), []string{stored}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target, _ := targets.Lookup(tt.goarch)
			p := lookup(t, "CompareAndSwap128")
			r := newTarget(target, &target.Levels[0], 0)
			r.sequence = func(contract.Primitive, bool) (arch.Seq, error) { return tt.code.Flat(), nil }
			w := worker{expected: &contracts{known: map[string][]bool{}}}
			all := shapes(p, nil)
			allowed, err := w.contractAllows(p, all)
			require.NoError(t, err)
			assert.NotContains(t, allowed, true, "the contract forbids all tearing")
			var row Row
			require.NoError(t, w.programs(&row, r, all, allowed))
			broken := strings.Join(row.Breaks, "; ")
			for _, b := range tt.breaks {
				assert.Contains(t, broken, b)
			}
			for _, b := range tt.not {
				assert.NotContains(t, broken, b)
			}
		})
	}
	// The same with the code as it is.
	rows, err := Verify(t.Context(), []contract.Primitive{lookup(t, "CompareAndSwap128")}, targets.Native, Options{Threads: 2})
	require.NoError(t, err)
	for _, r := range rows {
		assert.Equal(t, Proved, r.Status, r.Breaks)
	}
}
