package targets

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// each runs a test for every primitive at every level of every target.
func each(t *testing.T, f func(t *testing.T, tg *arch.Target, l *arch.Level, p contract.Primitive)) {
	for _, tg := range All {
		for i := range tg.Levels {
			for _, p := range contract.Table() {
				t.Run(fmt.Sprintf("%s/%s/%s", tg.Name, tg.Levels[i].Name, p.Name), func(t *testing.T) { f(t, tg, &tg.Levels[i], p) })
			}
		}
	}
}

// only is one candidate for one operation.
func only(op contract.Op, c arch.Candidate) func() arch.Candidates {
	return func() arch.Candidates { return arch.Candidates{op: {c}} }
}

func lookup(t *testing.T, name string) contract.Primitive {
	t.Helper()
	p, ok := contract.Lookup(name)
	require.True(t, ok, name)
	return p
}

// Every primitive has a lowering everywhere, also for pointers, and in assembly on native targets, with a reason.
func TestComplete(t *testing.T) {
	each(t, func(t *testing.T, tg *arch.Target, l *arch.Level, p contract.Primitive) {
		low, err := arch.Find(tg, l, p, arch.Use{})
		require.NoError(t, err)
		assert.NotEmpty(t, low.Why)
		if p.Operand == contract.Word && !slices.Contains([]contract.Op{contract.Add, contract.And, contract.Or, contract.Xor}, p.Op) {
			low, err := arch.Find(tg, l, p, arch.Use{Pointer: true})
			require.NoError(t, err)
			assert.Equal(t, arch.Inline, low.Form, "a pointer is never stored by assembly")
		}
		if _, native := Lookup(tg.Name); native && p.Op != contract.WaitLoad {
			_, err := arch.Find(tg, l, p, arch.Use{Macro: true})
			assert.NoError(t, err)
		}
	})
}

// What the field says is empty, and what is left where it is not, independently of the tables.
func TestWhatIsEmpty(t *testing.T) {
	want := map[string][3]string{ // amd64, arm64 v8.0, arm64 v8.1
		"Full":                          {"XCHG tmp, (SP)", "DMB ISH", "DMB ISH"},
		"Acquire":                       {"empty", "DMB ISHLD", "DMB ISHLD"},
		"Release":                       {"empty", "DMB ISH", "DMB ISH"},
		"Read":                          {"empty", "DMB ISHLD", "DMB ISHLD"},
		"Write":                         {"empty", "DMB ISHST", "DMB ISHST"},
		"Compiler":                      {"empty", "empty", "empty"},
		"BeforeAtomic":                  {"empty", "DMB ISH", "DMB ISH"},
		"AfterAtomic":                   {"empty", "DMB ISH", "DMB ISH"},
		"AfterSyncAtomic":               {"empty", "DMB ISH", "empty"},
		"AfterSpinlock":                 {"empty", "DMB ISH", "DMB ISH"},
		"AfterUnlockLock":               {"empty", "empty", "empty"},
		"AfterSRCUReadUnlock":           {"empty", "empty", "empty"},
		"AcquireAfterControlDependency": {"empty", "DMB ISHLD", "DMB ISHLD"},
		"MandatoryFull":                 {"MFENCE", "DSB SY", "DSB SY"},
		"MandatoryRead":                 {"LFENCE", "DSB LD", "DSB LD"},
		"MandatoryWrite":                {"SFENCE", "DSB ST", "DSB ST"},
		"DMAFull":                       {"MFENCE", "DMB OSH", "DMB OSH"},
		"DMARead":                       {"empty", "DMB OSHLD", "DMB OSHLD"},
		"DMAWrite":                      {"empty", "DMB OSHST", "DMB OSHST"},
		"VirtFull":                      {"XCHG tmp, (SP)", "DMB ISH", "DMB ISH"},
		"VirtRead":                      {"empty", "DMB ISHLD", "DMB ISHLD"},
		"VirtWrite":                     {"empty", "DMB ISHST", "DMB ISHST"},
	}
	require.Len(t, want, len(contract.Of(contract.Barrier)))
	for name, seqs := range want {
		i := 0
		for _, tg := range Native {
			for j := range tg.Levels {
				low := arch.Select(tg, &tg.Levels[j], lookup(t, name), arch.Use{})
				assert.Equal(t, seqs[i], low.Candidate.String(), "%s on %s %s", name, tg.Name, tg.Levels[j].Name)
				i++
			}
		}
	}
}

// An empty lowering stops being empty when what makes it so is taken away: the machine's free order, the neighbour's, or
// the compiler barrier.
func TestEmptyHasAReason(t *testing.T) {
	each(t, func(t *testing.T, tg *arch.Target, l *arch.Level, p contract.Primitive) {
		low := arch.Select(tg, l, p, arch.Use{})
		if !low.Empty() {
			return
		}
		if len(p.Orders) > 0 && p.Binds != contract.LastSRCU { // whose reason is a contract, not a machine's
			bare := *tg
			weakest := *tg.WeakestRMW
			weakest.Events, weakest.Orders = []contract.Classes{contract.NoReturnRead, contract.RMWWrite}, nil
			bare.Free, bare.WeakestRMW = nil, &weakest
			level := *l
			level.SyncRMW = []*arch.Op{&weakest}
			found, err := arch.Find(&bare, &level, p, arch.Use{})
			assert.True(t, err != nil || !found.Empty(), "still empty without a reason")
		}
		open := *l
		open.Candidates = only(p.Op, arch.Candidate{Form: arch.Inline})
		_, err := arch.Find(tg, &open, p, arch.Use{})
		assert.ErrorContains(t, err, "the compiler need not keep")
	})
	t.Run("SRCU", func(t *testing.T) {
		// With an unlock of which only a release is known, the fence must become real.
		p := lookup(t, "AfterSRCUReadUnlock")
		p.Binds = contract.LastLock
		assert.False(t, arch.Select(Native[1], &Native[1].Levels[1], p, arch.Use{}).Empty())
	})
}

// A plain access needs both of its compiler barriers.
func TestPlainAccessNeedsItsBarriers(t *testing.T) {
	for _, name := range []string{"LoadRelaxed", "LoadAcquire", "StoreRelaxed", "StoreRelease", "ClearBitUnlockNonAtomic"} {
		p := lookup(t, name)
		low := arch.Select(Native[0], &Native[0].Levels[0], p, arch.Use{})
		require.Len(t, low.Code, 3, name)
		for _, drop := range []int{0, 2} {
			l := Native[0].Levels[0]
			c := low.Candidate
			c.Code = slices.Delete(slices.Clone(c.Code), drop, drop+1)
			l.Candidates = only(p.Op, c)
			_, err := arch.Find(Native[0], &l, p, arch.Use{})
			assert.ErrorContains(t, err, "the compiler need not keep", "%s without barrier %d", name, drop)
		}
	}
}

// Every order that a chosen instruction contributes is needed, or the sequence is known to be stronger than asked.
func TestWeakeningIsCaught(t *testing.T) {
	stronger := 0
	each(t, func(t *testing.T, tg *arch.Target, l *arch.Level, p contract.Primitive) {
		low := arch.Select(tg, l, p, arch.Use{})
		if len(p.Orders) == 0 || low.Empty() || low.Form == arch.Inline {
			return
		}
		caught, tried := false, false
		for v, seq := range low.Variants() {
			for i, in := range seq {
				if len(in.Orders) == 0 {
					continue
				}
				tried = true
				weak := *in.Op
				weak.Orders = nil
				weakSeq := slices.Clone(seq)
				weakSeq[i].Op = &weak
				if in.Prefix { // without it there is no atomic step either
					weakSeq = slices.Delete(weakSeq, i, i+1)
				}
				c := low.Candidate
				if v == 0 {
					c.Code = weakSeq
				} else {
					c.Else = weakSeq
				}
				level := *l
				level.Candidates = only(p.Op, c)
				_, err := arch.Find(tg, &level, p, arch.Use{})
				if err != nil {
					caught = true
				} else {
					stronger++
				}
			}
		}
		if tried {
			assert.True(t, caught, "no instruction of %v is needed for %v", low.Candidate, p.Orders)
		}
	})
	assert.Less(t, stronger, 20, "instructions whose orders nothing needs")
}

// The traps of the field, as orders that a weaker instruction does not give. Each must be rejected for its reason.
func TestFieldTraps(t *testing.T) {
	for _, tt := range []struct{ prim, candidate, reason string }{
		{"Release", "DMB ISHST", "reads"},                 // RW is missing
		{"Full", "DMB ISHLD", "without a result"},         // SB among others
		{"AfterAtomic", "DMB ISHLD", "the operation"},     // after a relaxed read-modify-write a load fence is not enough
		{"AfterAtomic", "DMB ISHST", "the operation"},     // nor a store fence
		{"BeforeAtomic", "DMB ISHST", ""},                 // earlier loads
		{"Acquire", "DMB ISHST", ""},                      //
		{"DMAWrite", "DMB ISHST", "shared with coherent"}, // inner shareable does not reach the device
		{"MandatoryFull", "DMB OSH", "device memory"},     //
		{"AddFull", "LDADDAL", "the operation"},           // with the exclusive pair LDAXR/STLXR, which is no full barrier
		{"TestAndSetBitLock", "LDOR val", "read half"},    // relaxed
	} {
		tg := Native[1]
		low := arch.Select(tg, tg.Level("v8.0"), lookup(t, tt.prim), arch.Use{})
		i := slices.IndexFunc(low.Rejected, func(r string) bool {
			return strings.HasPrefix(r, tt.candidate) && strings.Contains(r, "does not order")
		})
		if assert.GreaterOrEqual(t, i, 0, "%s: %s is not rejected:\n%s", tt.prim, tt.candidate, strings.Join(low.Rejected, "\n")) {
			assert.Contains(t, low.Rejected[i], tt.reason)
		}
	}
	amd := Native[0]
	for prim, candidate := range map[string]string{"Full": "LFENCE", "MandatoryFull": "LOCK; ADD", "DMAFull": "XCHG", "MandatoryWrite": "empty"} {
		low := arch.Select(amd, &amd.Levels[0], lookup(t, prim), arch.Use{})
		assert.True(t, slices.ContainsFunc(low.Rejected, func(r string) bool {
			return strings.HasPrefix(r, candidate) && strings.Contains(r, "does not order")
		}), "%s: %s: %v", prim, candidate, low.Rejected)
	}
}

// Without LOCK an instruction that reads and writes memory is not atomic, however little it has to order.
func TestAtomicStep(t *testing.T) {
	tg, p := Native[0], lookup(t, "ChangeBit")
	l := tg.Levels[0]
	low := arch.Select(tg, &l, p, arch.Use{Macro: true})
	require.Equal(t, "LOCK", low.Code[0].Name)
	c := low.Candidate
	c.Code = c.Code[1:]
	l.Candidates = only(p.Op, c)
	_, err := arch.Find(tg, &l, p, arch.Use{Macro: true})
	assert.ErrorContains(t, err, "not one atomic step")
}

// A failed compare-and-swap has no write half: with only an acquire load left, nothing full can bind to it.
func TestAfterFailedCompareAndSwap(t *testing.T) {
	tg := *Native[1]
	l := *tg.Level("v8.1")
	l.SyncRMW = []*arch.Op{{Step: contract.Step{Events: []contract.Classes{contract.AcquireRead},
		Orders: []contract.Order{{Side: contract.After, From: contract.AcquireRead, To: contract.All, Domain: contract.Everywhere}}}}}
	assert.False(t, arch.Select(&tg, &l, lookup(t, "AfterSyncAtomic"), arch.Use{}).Empty())
}

func TestWhy(t *testing.T) {
	why := func(tg *arch.Target, level, prim string) string {
		return arch.Select(tg, tg.Level(level), lookup(t, prim), arch.Use{}).Why
	}
	assert.Equal(t, "Empty: amd64 orders every load before all later accesses and every store before later stores, which is all that is asked (RR RW).",
		why(Native[0], "v1", "Acquire"))
	assert.Equal(t, "Empty: the read-modify-write directly before it already gives the order on amd64.", why(Native[0], "v1", "AfterAtomic"))
	assert.Contains(t, why(Native[0], "v1", "Full"), "amd64 by itself does not order earlier plain writes before later plain reads")
	assert.Contains(t, why(Native[1], "v8.0", "AfterAtomic"), "not even beside the read-modify-write directly before it")
	assert.Contains(t, why(Native[1], "v8.0", "AddFull"), "6 cycles of call included")
}

// On 32-bit machines a plain 64-bit access is two instructions: the generic target has no plain access at all.
func TestGenericHasNoPlainAccess(t *testing.T) {
	for op, cs := range Generic.Levels[0].Candidates() {
		for _, c := range cs {
			for _, in := range c.Code {
				assert.Truef(t, in.Carries, "%s: %s", op, in.Go)
				if len(in.Events) > 0 && in.Go != "$locked" {
					assert.Contains(t, in.Go, "atomic.", op)
				}
			}
		}
	}
}

func TestLevelPanicsOnUnknown(t *testing.T) {
	assert.PanicsWithValue(t, `arch: amd64 has no level "v9"`, func() { Native[0].Level("v9") })
}

func TestLookup(t *testing.T) {
	_, ok := Lookup("arm64")
	assert.True(t, ok)
	_, ok = Lookup("vax")
	assert.False(t, ok)
}
