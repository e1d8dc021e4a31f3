package native

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// The constants of logical instructions are just those that the manual's encoding makes.
func TestBitmask(t *testing.T) {
	all := map[uint64]bool{}
	for size := 2; size <= 64; size *= 2 {
		for ones := 1; ones < size; ones++ {
			for turn := range size {
				element := uint64(1)<<ones - 1
				if size < 64 {
					element = (element>>turn | element<<(size-turn)) & (uint64(1)<<size - 1)
				} else {
					element = bits.RotateLeft64(element, -turn)
				}
				word := uint64(0)
				for at := 0; at < 64; at += size {
					word |= element << at
				}
				all[word] = true
			}
		}
	}
	assert.Len(t, all, 5334)
	for word := range all {
		assert.True(t, bitmask(word), "%#x", word)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for word := range all { // near misses, and anything
		for _, w := range []uint64{word ^ 1<<rng.IntN(64), rng.Uint64(), uint64(rng.Uint32())} {
			assert.Equal(t, all[w], bitmask(w), "%#x", w)
		}
	}
	for range 20000 { // any element, repeated
		size := 4 << rng.IntN(4)
		element := rng.Uint64() & (uint64(1)<<size - 1)
		word := uint64(0)
		for at := 0; at < 64; at += size {
			word |= element << at
		}
		assert.Equal(t, all[word], bitmask(word), "%#x", word)
	}
	assert.False(t, bitmask(0))
	assert.False(t, bitmask(^uint64(0)))
}

// A variable of 16 bits is extended if somebody reads more of it, through others too.
func TestExact(t *testing.T) {
	u16 := ir.Type{Bits: 16}
	for _, c := range []struct {
		name       string
		use        ir.Instr // of variable 0, into variable 1
		amd64, arm bool
	}{
		{"added", ir.Instr{Op: ir.Add, Type: u16, Args: []ir.Value{ir.V(0), ir.C(1)}}, false, false},
		{"shifted left", ir.Instr{Op: ir.Shl, Type: u16, Args: []ir.Value{ir.V(0), ir.C(1)}}, false, false},
		{"shifted right", ir.Instr{Op: ir.Shr, Type: u16, Args: []ir.Value{ir.V(0), ir.C(1)}}, true, true},
		{"a count", ir.Instr{Op: ir.Shr, Type: u16, Args: []ir.Value{ir.C(1), ir.V(0)}}, false, false},
		{"masked, and nobody reads more of that", ir.Instr{Op: ir.And, Type: u16, Args: []ir.Value{ir.V(0), ir.C(7)}}, false, false},
		{"made wider", ir.Instr{Op: ir.Convert, From: u16, Type: ir.Uint64, Args: []ir.Value{ir.V(0)}}, true, true},
		{"made narrower", ir.Instr{Op: ir.Convert, From: u16, Type: ir.Type{Bits: 8}, Args: []ir.Value{ir.V(0)}}, false, false},
		{"compared", ir.Instr{Op: ir.Compare, Type: u16, Args: []ir.Value{ir.V(0), ir.C(5)}}, false, true},
		{"compared with a long constant", ir.Instr{Op: ir.Compare, Type: u16, Args: []ir.Value{ir.V(0), ir.C(500)}}, true, true},
		{"stored plainly", ir.Instr{Op: ir.Memory, Access: &ir.Access{Plain: true, Base: ir.C(0)}, Args: []ir.Value{ir.V(0)}}, false, false},
		{"given to a primitive", ir.Instr{Op: ir.Memory, Access: &ir.Access{Base: ir.C(0)}, Args: []ir.Value{ir.V(0)}}, true, true},
	} {
		f := &ir.Func{}
		f.NewVar("", u16)
		c.use.Dst = f.NewVar("", u16)
		f.Blocks = []*ir.Block{{Instrs: []ir.Instr{c.use}, Term: ir.Term{Kind: ir.Return, Results: []ir.Value{ir.V(1)}}}}
		assert.Equal(t, c.amd64, exact(f, x86{})[0], "%s, amd64", c.name)
		assert.Equal(t, c.arm, exact(f, arm{})[0], "%s, arm64", c.name)
	}
	f := &ir.Func{} // masked, and then made wider
	f.NewVar("", u16)
	f.NewVar("", u16)
	f.NewVar("", ir.Uint64)
	f.Blocks = []*ir.Block{{Instrs: []ir.Instr{
		{Op: ir.And, Type: u16, Dst: 1, Args: []ir.Value{ir.V(0), ir.C(7)}},
		{Op: ir.Convert, From: u16, Type: ir.Uint64, Dst: 2, Args: []ir.Value{ir.V(1)}},
	}, Term: ir.Term{Kind: ir.Return}}}
	assert.Equal(t, []bool{true, true, true}, exact(f, x86{}))
}
