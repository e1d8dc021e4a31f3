package prover

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// A line is compared with its contracts: what the library emits shows nothing new, without its fence it does, and so does an operation that
// is weaker than it must be; one that fails promises nothing.
func TestOutcomes(t *testing.T) {
	for _, target := range targets.Native {
		code := func(name string) Operation {
			p, ok := contract.Lookup(name)
			require.True(t, ok, name)
			low, err := arch.Find(target, &target.Levels[len(target.Levels)-1], p, arch.Use{Macro: true})
			require.NoError(t, err)
			return Operation{Primitive: p, Code: low.Code.Flat()}
		}
		compare := func(line Line) Comparison {
			c, err := NewComparer(target, 2)
			require.NoError(t, err)
			out, err := c.Compare(t.Context(), line)
			require.NoError(t, err)
			return out
		}
		buffering := Line{Operations: []Operation{code("StoreRelaxed"), code("Full"), code("LoadRelaxed")}}
		got := compare(buffering)
		assert.Positive(t, got.Forbidden)
		assert.Empty(t, got.New)
		buffering.Operations[1].Code = nil
		got = compare(buffering)
		require.NotEmpty(t, got.New, target.Name)
		assert.Contains(t, got.New[0], "StoreRelaxed; Full; LoadRelaxed as thread 0 of SB [WR WR]")

		// The callers' accesses count too, where they are open.
		alone := Line{Operations: []Operation{buffering.Operations[1]}, Before: true, After: true}
		assert.NotEmpty(t, compare(alone).New)
		alone.After = false
		assert.Empty(t, compare(alone).New)

		add := Line{Operations: []Operation{code("StoreRelaxed"), code("AddFull"), code("LoadRelaxed")}}
		assert.Empty(t, compare(add).New)
		if target.Name == "arm64" { // where there is weaker code
			add.Operations[1].Code = code("AddRelease").Code
			assert.NotEmpty(t, compare(add).New)
			bits := Line{Operations: []Operation{code("ClearBit"), code("AfterAtomic"), code("TestBit")}}
			assert.Empty(t, compare(bits).New)
			bits.Operations[1].Code = nil
			assert.NotEmpty(t, compare(bits).New)
		}
		fails := Line{Operations: []Operation{code("StoreRelaxed"), code("CompareAndSwapFull"), code("LoadRelaxed")}}
		fails.Operations[1].Fails = true
		assert.Zero(t, compare(fails).Forbidden)
	}
}
