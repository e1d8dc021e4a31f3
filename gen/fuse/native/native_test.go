package native

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
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
