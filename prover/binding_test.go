package prover

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// What a fence that binds does not promise is really not there: beside a plain store, beside a compare-and-swap that failed,
// and for an access between the two. The contract allows it; a machine on which the fence is empty shows it, and one on which
// it is an instruction of its own need not.
func TestNotPromised(t *testing.T) {
	before, after, sync := lookup(t, "BeforeAtomic"), lookup(t, "AfterAtomic"), lookup(t, "AfterSyncAtomic")
	spinlock, srcu, unlockLock := lookup(t, "AfterSpinlock"), lookup(t, "AfterSRCUReadUnlock"), lookup(t, "AfterUnlockLock")
	rmw, cas, store, locking, unlock := lookup(t, "AddRelaxed"), lookup(t, "CompareAndSwapFull"), lookup(t, "StoreRelaxed"), lookup(t, "CompareAndSwapAcquire"), lookup(t, "AddFull")
	set, failed, weak, took := piece{prim: &store}, piece{prim: &cas, fails: true}, piece{prim: &rmw, macro: true}, piece{prim: &locking, lock: true, macro: true}
	lost := piece{prim: &locking, lock: true, fails: true, macro: true}
	line := func(before []piece, between []piece, after ...piece) func(a, b *access) []piece {
		return func(a, b *access) []piece {
			return slices.Concat(before, []piece{{access: a}}, between, after, []piece{{access: b}})
		}
	}
	fence := func(p *contract.Primitive) piece { return piece{prim: p} }
	const nowhere = ""
	for _, tt := range []struct {
		name          string
		goarch, level string // where it shows
		slot          func(a, b *access) []piece
	}{
		{"BeforeAtomic before a plain store", "amd64", "v1", line(nil, []piece{fence(&before), set})},
		{"BeforeAtomic before a compare-and-swap that fails", nowhere, "", line(nil, []piece{fence(&before), failed})},
		{"an access between BeforeAtomic and its operation", "arm64", "v8.1", line([]piece{fence(&before)}, []piece{weak})},
		{"BeforeAtomic behind its operation", "amd64", "v1", line([]piece{weak}, []piece{fence(&before)})},
		{"AfterAtomic after a plain store", "amd64", "v1", line(nil, []piece{set, fence(&after)})},
		{"AfterAtomic after the store itself", "amd64", "v1", func(a, b *access) []piece { return []piece{{access: a, prim: &store}, {prim: &after}, {access: b}} }},
		{"AfterAtomic after a compare-and-swap that failed", nowhere, "", line(nil, []piece{failed, fence(&after)})},
		{"an access between the operation and AfterAtomic", "amd64", "v1", line([]piece{weak}, []piece{fence(&after)})},
		{"AfterSyncAtomic after a plain store", "arm64", "v8.1", line(nil, []piece{set, fence(&sync)})},
		{"AfterSyncAtomic after a compare-and-swap that failed", "arm64", "v8.1", line(nil, []piece{failed, fence(&sync)})},
		{"an access between the operation and AfterSyncAtomic", "arm64", "v8.1", line([]piece{{prim: &rmw}}, []piece{fence(&sync)})},
		{"AfterSpinlock after a plain store", "amd64", "v1", line(nil, []piece{set, fence(&spinlock)})},
		{"AfterSpinlock after a lock that was not taken", nowhere, "", line(nil, []piece{lost, fence(&spinlock)})},
		{"an access between the lock and AfterSpinlock", "amd64", "v1", line([]piece{took}, []piece{fence(&spinlock)})},
		{"AfterUnlockLock without an unlock", "arm64", "v8.1", line(nil, []piece{took, fence(&unlockLock)})},
		{"AfterSRCUReadUnlock after a plain store", "amd64", "v1", line(nil, []piece{set, fence(&srcu)})},
		{"AfterSRCUReadUnlock after a compare-and-swap that failed", "arm64", "v8.1", line(nil, []piece{failed, fence(&srcu)})},
		{"an access between the unlock and AfterSRCUReadUnlock", "arm64", "v8.1", line([]piece{{prim: &unlock}}, []piece{fence(&srcu)})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shows := func(r realizer) bool {
				w := worker{}
				var err error
				w.machine.Model, err = r.model()
				require.NoError(t, err)
				two := criticalCycles(2)
				shown := false
				for _, s := range fenceShapes(two[slices.IndexFunc(two, func(c cycle) bool { return c.name == "SB" }):][:1], tt.slot) {
					if s.single() {
						got, err := w.machineAllows(r, s)
						require.NoError(t, err)
						shown = shown || got
					}
				}
				return shown
			}
			assert.True(t, shows(contractRealizer{}), "the contract allows it")
			some := false
			for _, target := range targets.Native {
				for i := range target.Levels {
					got := shows(newTarget(target, &target.Levels[i], 0))
					some = some || got
					if target.Name == tt.goarch && target.Levels[i].Name == tt.level {
						assert.True(t, got, "%s %s shows it", tt.goarch, tt.level)
					}
				}
			}
			assert.Equal(t, tt.goarch != nowhere, some)
		})
	}
}

// Beside every neighbour that the library offers, in every form, what a fence that binds promises is there.
func TestNeighbours(t *testing.T) {
	for _, p := range contract.Table() {
		if p.Binds == contract.Anything {
			continue
		}
		names := neighbours[p.Binds]
		require.NotEmpty(t, names, p.Name)
		tried := map[string]bool{}
		for _, s := range shapes(p, criticalCycles(2)) {
			for _, th := range s.threads {
				for _, piece := range th {
					if piece.prim != nil {
						tried[piece.prim.Name] = true
					}
				}
			}
		}
		for _, n := range names {
			assert.True(t, tried[n] || p.Binds == contract.LastBranch, "%s beside %s", p.Name, n)
		}
		for _, q := range contract.Table() {
			want := false
			switch p.Binds {
			case contract.NextRMW, contract.LastRMW:
				want = q.Op.RMW()
			case contract.LastLock, contract.LastUnlock:
				want = q.Op.RMW() && q.Acquires()
			}
			assert.True(t, !want || q.Operand == contract.Wide || slices.Contains(names, q.Name), "%s beside %s", p.Name, q.Name)
		}
	}
}

// An empty lowering shows the program that it keeps forbidden, and what does it: the machine's own order, or the neighbour.
// Without that the local order is gone.
func TestEmptyHasAReason(t *testing.T) {
	rows, err := Verify(t.Context(), contract.Of(contract.Barrier), targets.Native, Options{Threads: 2})
	require.NoError(t, err)
	empty := 0
	for _, row := range rows {
		if row.Code != "empty" || row.Arch == compilerName || row.Status != Proved {
			continue
		}
		empty++
		p := lookup(t, row.Primitive)
		target, _ := targets.Lookup(row.Arch)
		assert.NotEmpty(t, row.Keeps)
		if p.Binds == contract.Anything {
			assert.Contains(t, row.Why, target.FreeDoc)
		} else {
			assert.Contains(t, row.Why, string(p.Binds))
			assert.True(t, p.Binds == contract.LastBranch || strings.Contains(row.Keeps, "beside ") || strings.Contains(row.Keeps, "with "), row.Keeps)
		}
		r := newTarget(target, target.Level(row.Level), 0)
		local, err := r.local()
		require.NoError(t, err)
		units, err := r.units(p, nil)
		require.NoError(t, err)
		local.free = nil
		for i := range units {
			assert.Empty(t, (localTarget{target.Free, local.strengths, local.accesses}).compare(units[i], contract.Normal).lacks)
			for k := range units[i].code {
				units[i].code[k].Orders = nil
			}
			assert.NotEmpty(t, local.compare(units[i], contract.Normal).lacks, "%s on %s without its reason", units[i].name, row.Arch)
		}
	}
	assert.Greater(t, empty, 10)
}
