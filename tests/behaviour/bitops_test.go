package behaviour

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/barriergen/barriergen/primitives/bitops"
	"github.com/stretchr/testify/require"
)

// bitOp is a bit operation on a word and its counterpart on a bitmap, with
// what it does to the bit. A result of its own stands in for void functions.
type bitOp struct {
	name       string
	word       func(p *uint64, n uint) bool
	bitmap     func(b bitops.Bitmap, n uint) bool
	want       func(bit bool) bool
	returnsBit bool
	sole       bool // only where nobody else writes the word
}

func void[P any](f func(P, uint)) func(P, uint) bool {
	return func(p P, n uint) bool { f(p, n); return false }
}

var (
	toOne  = func(bool) bool { return true }
	toZero = func(bool) bool { return false }
	flip   = func(bit bool) bool { return !bit }
	stay   = func(bit bool) bool { return bit }
)

var bitOpTable = []bitOp{
	{name: "Set", word: void(bitops.SetBit), bitmap: void(bitops.Bitmap.Set), want: toOne},
	{name: "Clear", word: void(bitops.ClearBit), bitmap: void(bitops.Bitmap.Clear), want: toZero},
	{name: "Change", word: void(bitops.ChangeBit), bitmap: void(bitops.Bitmap.Change), want: flip},
	{name: "TestAndSet", word: bitops.TestAndSetBit, bitmap: bitops.Bitmap.TestAndSet, want: toOne, returnsBit: true},
	{name: "TestAndClear", word: bitops.TestAndClearBit, bitmap: bitops.Bitmap.TestAndClear, want: toZero, returnsBit: true},
	{name: "TestAndChange", word: bitops.TestAndChangeBit, bitmap: bitops.Bitmap.TestAndChange, want: flip, returnsBit: true},
	{name: "TestAndSetLock", word: bitops.TestAndSetBitLock, bitmap: bitops.Bitmap.TestAndSetLock, want: toOne, returnsBit: true},
	{name: "ClearUnlock", word: void(bitops.ClearBitUnlock), bitmap: void(bitops.Bitmap.ClearUnlock), want: toZero},
	{name: "ClearUnlockNonAtomic", word: void(bitops.ClearBitUnlockNonAtomic), bitmap: void(bitops.Bitmap.ClearUnlockNonAtomic), want: toZero, sole: true},
	{name: "Test", word: bitops.TestBit, bitmap: bitops.Bitmap.Test, want: stay, returnsBit: true},
	{name: "TestAcquire", word: bitops.TestBitAcquire, bitmap: bitops.Bitmap.TestAcquire, want: stay, returnsBit: true},
}

var oldWords = []uint64{0, ^uint64(0), 0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA, 0x8000_0000_0000_0001, 0x0123_4567_89AB_CDEF}

func withBit(word uint64, n uint, bit bool) uint64 {
	if bit {
		return word | 1<<n
	}
	return word &^ (1 << n)
}

// TestWordBits also covers numbers of 64 and more: a bit instruction with a
// memory operand would reach beyond the word, which the canaries show.
func TestWordBits(t *testing.T) {
	var numbers []uint
	for n := range uint(64) {
		numbers = append(numbers, n)
	}
	for _, far := range []uint{64, 65, 127, 128, 200, 4096 + 17, 1 << 31, 1<<31 + 5, ^uint(0), ^uint(0) - 40} {
		numbers = append(numbers, far)
	}
	for _, op := range bitOpTable {
		t.Run(op.name, func(t *testing.T) {
			for _, n := range numbers {
				for _, old := range oldWords {
					c := newCell[uint64, uint64](t, old)
					bit := old>>(n%64)&1 != 0
					got := op.word(c.ptr(), n)
					if op.returnsBit {
						require.Equal(t, bit, got, "result for bit %d of %#x", n, old)
					}
					require.Equal(t, withBit(old, n%64, op.want(bit)), c.get(), "bit %d of %#x", n, old)
					c.intact(t)
				}
			}
			requireNilPanic(t, op.name, func() { op.word(nil, 3) })
		})
	}
}

func TestBitmap(t *testing.T) {
	const words = 3
	require.Equal(t, 64*words, bitops.Bitmap(make([]uint64, words)).Len())
	require.Zero(t, bitops.Bitmap(nil).Len())
	for _, op := range bitOpTable {
		t.Run(op.name, func(t *testing.T) {
			for n := range uint(64 * words) {
				for _, old := range oldWords {
					backing := [words + 2]uint64{1: old, 2: ^old, 3: old + 1}
					want := backing
					bit := want[1+n/64]>>(n%64)&1 != 0
					want[1+n/64] = withBit(want[1+n/64], n%64, op.want(bit))

					got := op.bitmap(bitops.Bitmap(backing[1:1+words]), n)
					if op.returnsBit {
						require.Equal(t, bit, got, "bit %d", n)
					}
					require.Equal(t, want, backing, "bit %d", n)
				}
			}
		})
		t.Run(op.name+"/bounds", func(t *testing.T) {
			backing := [words + 2]uint64{0, 1, 2, 3, 0}
			want := backing
			for _, b := range []bitops.Bitmap{nil, {}, backing[1 : 1+words], backing[1:2:2]} {
				for _, beyond := range []uint{0, 1, 63, 64, 1 << 20, ^uint(0) - 64*words} {
					n := uint(len(b))*64 + beyond
					func() {
						defer func() {
							_, ok := recover().(runtime.Error)
							require.True(t, ok, "bit %d of %d words must be a run-time error", n, len(b))
						}()
						op.bitmap(b, n)
					}()
				}
			}
			require.Equal(t, want, backing)
		})
	}
}

func TestXorUnlockIsNegativeByte(t *testing.T) {
	for mask := range 256 {
		for _, word := range append(oldWords, 0x80, 0x7F, 0xFF, 0x0100, 0x8000, 0x0123_4567_89AB_CD7F) {
			c := newCell[uint64, uint64](t, word)
			got := bitops.XorUnlockIsNegativeByte(c.ptr(), uint8(mask))
			require.Equal(t, word&0x80 != 0, got, "word %#x, mask %#x", word, mask)
			require.Equal(t, word^uint64(mask), c.get(), "word %#x, mask %#x", word, mask)
			c.intact(t)
		}
	}
	requireNilPanic(t, "XorUnlockIsNegativeByte", func() { bitops.XorUnlockIsNegativeByte(nil, 1) })
}

// TestConcurrentBits has every worker switch bits of its own in one shared
// word, next to what the others do.
func TestConcurrentBits(t *testing.T) {
	type pair struct{ on, off bitOp }
	byName := make(map[string]bitOp)
	for _, op := range bitOpTable {
		byName[op.name] = op
	}
	for _, p := range []pair{
		{byName["Set"], byName["Clear"]},
		{byName["Change"], byName["Change"]},
		{byName["TestAndSet"], byName["TestAndClear"]},
		{byName["TestAndChange"], byName["TestAndChange"]},
		{byName["TestAndSetLock"], byName["ClearUnlock"]},
	} {
		t.Run(p.on.name+"/"+p.off.name, func(t *testing.T) {
			const others = 0xFFFF_0000_0000_0000
			c := newCell[uint64, uint64](t, others)
			failed := together(workers, func(w int, failed *atomic.Int64) {
				for k := range uint(rounds) {
					n := uint(w) + workers*(k%12) // 4 workers share the low 48 bits
					if p.on.word(c.ptr(), n) && p.on.returnsBit {
						failed.Add(1)
					}
					if !bitops.TestBit(c.ptr(), n) {
						failed.Add(1)
					}
					if !p.off.word(c.ptr(), n) && p.off.returnsBit {
						failed.Add(1)
					}
					if bitops.TestBitAcquire(c.ptr(), n) {
						failed.Add(1)
					}
				}
			})
			require.Zero(t, failed)
			require.Equal(t, uint64(others), c.get())
			c.intact(t)
		})
	}
}

// TestBitLock counts in a plain variable under a bit lock, with each way to
// unlock. Under -race this is also a check of the annotations. The non-atomic
// unlock bears waiters that set the bit which is set anyway, and no others.
func TestBitLock(t *testing.T) {
	for _, unlock := range []struct {
		name string
		f    func(p *uint64)
	}{
		{"ClearBitUnlock", func(p *uint64) { bitops.ClearBitUnlock(p, 5) }},
		{"ClearBitUnlockNonAtomic", func(p *uint64) { bitops.ClearBitUnlockNonAtomic(p, 5) }},
		{"XorUnlockIsNegativeByte", func(p *uint64) { bitops.XorUnlockIsNegativeByte(p, 1<<5) }},
	} {
		t.Run(unlock.name, func(t *testing.T) {
			var (
				word  uint64
				count int
			)
			together(workers, func(int, *atomic.Int64) {
				for range rounds {
					for bitops.TestAndSetBitLock(&word, 5) {
						runtime.Gosched()
					}
					count++
					unlock.f(&word)
				}
			})
			require.Equal(t, workers*rounds, count)
			require.Zero(t, word)
		})
	}
}
