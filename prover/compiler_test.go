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

// With an empty function in the place of every runtime.KeepAlive, whatever consists of plain accesses between two of them, or
// of nothing else, is broken: by the pair that is out of order and by a program.
func TestEmptyFunctionIsNoBarrier(t *testing.T) {
	empty := &arch.Op{Name: "empty function", Go: "nothing()"}
	cycles := criticalCycles(2)
	w := worker{expected: &contracts{known: map[string][]bool{}}, compared: comparisons{}, cycles: cycles}
	inlined := 0
	for _, p := range contract.Table() {
		for _, c := range goCodes(p, targets.All) {
			row, err := w.compilerRow(c)
			require.NoError(t, err)
			require.Equal(t, Proved, row.Status, "%s: %s: %v", p.Name, c.text(), row.Breaks)
			assert.NotZero(t, row.Forbidden, "%s: a program can tell", p.Name)
			assert.NotZero(t, row.Ordered)
			carries := slices.ContainsFunc(c.code, func(in arch.Inst) bool { return in.Carries && in.Op != arch.Barrier })
			if c.call || carries { // an opaque call, or sync/atomic, orders as well as the barrier
				continue
			}
			inlined++
			c.code = slices.Clone(c.code)
			for i := range c.code {
				if c.code[i].Op == arch.Barrier {
					c.code[i].Op = empty
				}
			}
			row, err = w.compilerRow(c)
			require.NoError(t, err)
			require.Equal(t, Broken, row.Status, "%s: %s", p.Name, c.text())
			assert.Contains(t, row.Breaks[0], "is not ordered before", "%s: the pair", p.Name)
			if p.Binds == contract.Anything || p.Binds == contract.LastBranch { // beside a neighbour that the compiler keeps in place no program can tell
				assert.Greater(t, len(row.Breaks), 1, "%s: a program", p.Name)
			}
		}
	}
	assert.Greater(t, inlined, 20)
}

// One of the two barriers around a plain access is not enough.
func TestCompilerNeedsBothBarriers(t *testing.T) {
	w := worker{expected: &contracts{known: map[string][]bool{}}, compared: comparisons{}, cycles: criticalCycles(2)}
	for _, name := range []string{"LoadAcquire", "StoreRelease", "LoadRelaxed", "StoreRelaxed", "ClearBitUnlockNonAtomic"} {
		c := goCodes(lookup(t, name), targets.Native[:1])[0]
		require.Len(t, c.code, 3)
		for i, side := range []string{"a plain", name} {
			one := c
			one.code = slices.Delete(slices.Clone(c.code), 2*i, 2*i+1)
			row, err := w.compilerRow(one)
			require.NoError(t, err)
			require.Equal(t, Broken, row.Status, "%s without barrier %d", name, i)
			first := strings.TrimPrefix(row.Breaks[0], "a later access to pass an earlier one: ")
			assert.True(t, strings.HasPrefix(first, side) || strings.Contains(first, "of "+side), first)
			assert.Greater(t, len(row.Breaks), 1, "%s: a program", name)
		}
	}
}

// The matrix has one column for the compiler, over all bodies that the targets have.
func TestCompilerBodies(t *testing.T) {
	texts := func(name string, where []*arch.Target) (out []string) {
		for _, c := range goCodes(lookup(t, name), where) {
			out = append(out, c.text()+" @ "+strings.Join(c.where, ", "))
		}
		return out
	}
	assert.Equal(t, []string{"runtime.KeepAlive(nil) @ amd64 v1", "call of an assembly function @ arm64 v8.0, arm64 v8.1"}, texts("Acquire", targets.Native))
	assert.Equal(t, []string{"runtime.KeepAlive(nil); $*p = $v; runtime.KeepAlive(nil) @ amd64 v1", "atomic.Store$T($p, $v) @ arm64 v8.0, arm64 v8.1"},
		texts("StoreRelease", targets.Native))
	assert.Len(t, texts("StoreFull", targets.Native[:1]), 2, "words and pointers differ")
}
