package diy

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/litmus"
	"github.com/barriergen/barriergen/memmodel"
)

// The verdicts that the literature gives for shapes with mechanisms: names as the tests get them.
func TestKnownShapes(t *testing.T) {
	var j judge
	for _, test := range []struct {
		arch, cycle, name string
		allowed           bool
	}{
		{"X86_64", "PodWR Fre PodWR Fre", "SB", true},
		{"X86_64", "MFencedWR Fre PodWR Fre", "SB+mfence+po", true},
		{"X86_64", "MFencedWR Fre MFencedWR Fre", "SB+mfences", false},
		{"X86_64", "LFencedWR Fre SFencedWR Fre", "SB+lfence+sfence", true},
		{"X86_64", "X PodWR Fre X PodWR Fre", "SB+poxps", false},
		{"X86_64", "PodWW Rfe PodRR Fre", "MP", false},
		{"X86_64", "PodWW Coe PodWR Fre", "R", true},
		{"X86_64", "Rfe PodRR Fre Rfe PodRR Fre", "IRIW", false},
		{"X86_64", "Rfe PodRR Fre PodWR Fre", "RWC", true},
		// A processor reads its own write early, which is no order.
		{"X86_64", "PodWR Exch PodWR Fre PodWR Exch PodWR Fre", "SB+po-exch-pos", false},
		{"X86_64", "PodWR Xadd PodWR Fre PodWR Fre", "SB+po+po-xadd-po", true},
		{"X86_64", "Rfi PodRR Fre Rfi PodRR Fre", "SB+rfi-pos", true},
		{"X86_64", "Rfi MFencedRR Fre Rfi MFencedRR Fre", "SB+rfi-mfences", false},

		{"AArch64", "DMB.STdWW Rfe DMB.LDdRR Fre", "MP+dmb.st+dmb.ld", false},
		{"AArch64", "DMB.LDdWW Rfe DMB.LDdRR Fre", "MP+dmb.lds", true},
		{"AArch64", "DMB.SYdWW Rfe DpCtrldR Fre", "MP+dmb.sy+ctrl", true},
		{"AArch64", "DMB.SYdWW Rfe DpCtrlIsbdR Fre", "MP+dmb.sy+ctrlisb", false},
		{"AArch64", "DMB.SYdWW Rfe ISBdRR Fre", "MP+dmb.sy+isb", true},
		{"AArch64", "DMB.SYdWW Rfe DpDatadW Rfi DpAddrdR Fre", "MP+dmb.sy+data-rfi-addr", false},
		{"AArch64", "DMB.SYdWW Rfe DpCtrldW Rfi DpAddrdR Fre", "MP+dmb.sy+ctrl-rfi-addr", true}, // the write may be forwarded before the branch
		{"AArch64", "DMB.SYdWW Rfe DpCtrldW Rfi PodRR Fre", "MP+dmb.sy+ctrl-rfi-po", true},
		{"AArch64", "PodWW L Rfe A PodRR Fre", "MP+popl+poap", false},
		{"AArch64", "PodWW XL Rfe XA PodRR Fre", "MP+po.p.xl+po.xa.p", false},
		{"AArch64", "PodWW X Rfe XA PodRR Fre", "MP+popx+po.xa.p", true},
		{"AArch64", "PodWW AmoL Rfe AmoA PodRR Fre", "MP+po.p.amol+po.amoa.p", false},
		{"AArch64", "PodWW Amo Rfe AmoA PodRR Fre", "MP+po.p.amo+po.amoa.p", true},
		{"AArch64", "L PodWR A Fre L PodWR A Fre", "SB+polas", false},
		{"AArch64", "L PodWR Q Fre L PodWR Q Fre", "SB+polqs", true},
		{"AArch64", "AmoAL PodWR Fre AmoAL PodWR Fre", "SB+po.amoal.ps", false},
		{"AArch64", "XAL PodWR Fre XAL PodWR Fre", "SB+po.xal.ps", true},
		{"AArch64", "DMB.SYdWW Rfe LxSx DMB.LDdWR Fre", "MP+dmb.sy+lxsx-dmb.ld", false}, // the read half is before
		{"AArch64", "DMB.SYdWW Rfe LxSxAL PodWR Fre", "MP+dmb.sy+lxsxal-polp", false},
		{"AArch64", "DMB.SYdWW Rfe Amo.LdAddPL PodWR Fre", "MP+dmb.sy+amo.ldaddpl-polp", true},
		{"AArch64", "DMB.SYdWW Rfe Amo.CasAP PodWR Fre", "MP+dmb.sy+amo.casap-po", false},
		{"AArch64", "DMB.SYdWW Rfe Amo.StAdd DMB.LDdWR Fre", "MP+dmb.sy+amo.stadd-dmb.ld", true}, // there is no read for the fence
		{"AArch64", "DMB.SYdWW Rfe DpAddrCseldR Fre", "MP+dmb.sy+addrcsel", true},
		{"AArch64", "DpDataCseldW Rfe DpDataCseldW Rfe", "LB+datacsels", false},
		{"AArch64", "Rfe DpAddrdW Rfe DpAddrdR Fre", "WRC+addrs", false},
		{"AArch64", "Rfe DpAddrdR Fre Rfe DpAddrdR Fre", "IRIW+addrs", false},
		{"AArch64", "DMB.SYdWW Rfe DpDatadW Rfe DpAddrdR Fre", "ISA2+dmb.sy+data+addr", false},
		{"AArch64", "DpDatadW Rfe DpDatadW Rfe", "LB+datas", false},
		{"AArch64", "DMB.STdWW Coe DMB.STdWW Coe", "2+2W+dmb.sts", false},
		{"AArch64", "DMB.STdWW Rfe DpDatadW Coe", "S+dmb.st+data", false},

		{"RISCV", "Fence.w.wdWW Rfe Fence.r.rdRR Fre", "MP+fence.w.w+fence.r.r", false},
		{"RISCV", "Fence.tsodWR Fre Fence.tsodWR Fre", "SB+fence.tsos", true},
		{"RISCV", "Fence.rw.rwdWR Fre Fence.rw.rwdWR Fre", "SB+fence.rw.rws", false},
		{"RISCV", "Fence.w.wdWW Rfe DpCtrlFenceIdR Fre", "MP+fence.w.w+ctrlfencei", true},
		{"RISCV", "PodWW AmoL Rfe AmoA PodRR Fre", "MP+po.p.amol+po.amoa.p", false},
		{"RISCV", "AmoL PodWR AmoA Fre AmoL PodWR AmoA Fre", "SB+po.amol.amoas", false},
		{"RISCV", "Rfe DpAddrdR Fre Rfe DpAddrdR Fre", "IRIW+addrs", false},

		{"RISCV", "Fence.rw.rwdWW Rfe AmoSwapA PodWR Fre", "MP+fence.rw.rw+amoswapa-po", false},
		{"RISCV", "Fence.rw.rwdWW Rfe AmoAdd PodWR Fre", "MP+fence.rw.rw+amoadd-po", true},
		{"RISCV", "Fence.rw.rwdWW Rfe LrScL PodWR Fre", "MP+fence.rw.rw+lrscl-po", true},

		{"RISCV", "PodWW XL Rfe XA PodRR Fre", "MP+po.p.xl+po.xa.p", false},
		{"RISCV", "PodWW X Rfe XA PodRR Fre", "MP+popx+po.xa.p", true},
		{"RISCV", "PodWR LrScL Rfe Fence.r.rdRR Fre", "MP+po-lrscl+fence.r.r", false},
		{"RISCV", "PodWR LrScA Rfe Fence.r.rdRR Fre", "MP+po-lrsca+fence.r.r", true},

		{"C", "WmbdWW Rfe FetchAddAcquire PodWR Fre", "MP+wmb+fetchaddacquire-po", false},
		{"C", "WmbdWW Rfe FetchAddRelaxed PodWR Fre", "MP+wmb+fetchaddrelaxed-po", true},
		{"C", "WmbdWW Rfe FetchAdd PodWR Fre", "MP+wmb+fetchadd-po", false},
		{"C", "WmbdWW Rfe RmbdRR Fre", "MP+wmb+rmb", false},
		{"C", "ReleaseFencedWW Rfe AcquireFencedRR Fre", "MP+relfence+acqfence", false},
		{"C", "PodWW Release Rfe Acquire PodRR Fre", "MP+pool+poao", false},
		{"C", "PodWW Release Rfe DpCtrldR Fre", "MP+pool+ctrl", true},
		{"C", "PodWW Release Rfe DpCtrlAcquiredR Fre", "MP+pool+ctrlacq", false},
		{"C", "WmbdWW Rfe DpAddrdR Fre", "MP+wmb+addr", false},
		{"C", "MbdWR Fre MbdWR Fre", "SB+mbs", false},
		{"C", "PodWW Release Coe MbdWR Fre", "R+pool+mb", true},
		{"C", "WmbdWW Coe MbdWR Fre", "R+wmb+mb", true},
		{"C", "Rfe DpDatadW Rfe RmbdRR Fre", "WRC+data+rmb", true},
		{"C", "Rfe PodRW Release Rfe RmbdRR Fre", "WRC+pool+rmb", false},
		{"C", "Rfe RmbdRR Fre Rfe RmbdRR Fre", "IRIW+rmbs", true},
		{"C", "Rfe MbdRR Fre Rfe MbdRR Fre", "IRIW+mbs", false},
		{"C", "DpCtrldW Rfe DpDatadW Rfe", "LB+ctrl+data", false},
		{"C", "Xchg PodWR Fre Xchg PodWR Fre", "SB+po.xmb.os", false},
		{"C", "XchgRelease PodWR XchgAcquire Fre XchgRelease PodWR XchgAcquire Fre", "SB+po.xl.xas", true},
	} {
		c := mustParse(t, test.arch, test.cycle)
		assert.Equal(t, test.name, c.Name(), test.cycle)
		assert.Equal(t, test.allowed, j.allows(t, c), "%s %s", test.arch, c.Name())
	}
}

// Coherence: within one location nothing can be out of order, and the condition is one that some execution without the
// axiom of coherence would satisfy.
func TestOneLocation(t *testing.T) {
	var j judge
	for _, arch := range Architectures() {
		for _, text := range []string{
			"Rfe PosRR Fre", "Rfe PosRW Coe", "Coe PosWR Fre", "Coe PosWW Coe", "Rfe PosRW Rfe PosRW", "Rfe PosRR Fre Coe", "Rfe PosRR PosRR Fre",
		} {
			c := mustParse(t, arch, text)
			assert.False(t, j.allows(t, c), "%s %s", arch, c)
			assert.Equal(t, 1, c.plan().locs)
			assert.NotNil(t, explained(t, c), "%s %s: the condition contradicts itself", arch, c)
		}
	}
}

// explained is the execution that the test of a cycle asks for, allowed or not.
func explained(t testing.TB, c Cycle) *memmodel.Explanation {
	t.Helper()
	src, err := c.Source()
	require.NoError(t, err)
	test, err := litmus.Parse(src, c.Name())
	require.NoError(t, err)
	var r litmus.Runner
	e, err := r.Explain(test)
	require.NoError(t, err)
	return e
}

// A forbidden cycle is forbidden by the model, not because its condition is impossible.
func TestConditionsArePossible(t *testing.T) {
	for _, arch := range Architectures() {
		for _, c := range mustCritical(t, arch, 4) {
			for _, v := range mustVariants(t, c, strongest[arch]) {
				assert.NotNil(t, explained(t, v), "%s %s", arch, v)
			}
		}
	}
}

// Three writes to one location need an observer, unless coherence orders the first two.
func TestObservers(t *testing.T) {
	var j judge
	for _, test := range []struct {
		cycle   string
		threads int
		allowed bool
	}{
		{"PodRW Coe Coe PodWW Rfe", 4, true},
		{"DMB.SYdRW Coe Coe DMB.SYdWW Rfe", 4, false},
		{"PodWW Coe PosWW Coe PodWW Coe", 4, true},
		{"PodWW PosWW Coe PodWW Coe", 2, true}, // the first two are in one thread
		{"DMB.SYdWW Coi Coe DMB.SYdWW Coe", 2, false},
		{"PodWW Rfe PosRW Coe PodWW Coe", 3, true}, // the second follows a read of the first
		{"DMB.SYdWW Rfe Fri Coe DMB.SYdWW Coe", 3, false},
		{"DMB.SYdWW Rfe Amo.Swp Coe DMB.SYdWW Coe", 3, false},
		{"DMB.SYdWW Rfe Amo.StAdd Coe DMB.SYdWW Coe", 4, false},             // nothing shows what it read
		{"DMB.SYdWW Coe Coe DMB.SYdWW Coe Coe DMB.SYdWW Coe", 5 + 2, false}, // two locations with an observer each
	} {
		c := mustParse(t, "AArch64", test.cycle)
		src, err := c.Source()
		require.NoError(t, err)
		parsed, err := litmus.Parse(src, c.Name())
		require.NoError(t, err)
		assert.Len(t, parsed.Program.Threads, test.threads, "%s", src)
		assert.Equal(t, test.allowed, j.allows(t, c), "%s", src)
		assert.NotNil(t, explained(t, c), "%s", src)
	}
}

func TestTooFewRegisters(t *testing.T) {
	c := mustParse(t, "X86_64", "PodWW Rfe "+strings.Repeat("PosRR ", 15)+"PodRR Fre")
	_, err := c.Source()
	assert.ErrorContains(t, err, "needs more registers than X86_64 has")
}

// The collection that diy7 made names each test's cycle. Ours of the same cycle has the same verdict.
func TestAgainstCollection(t *testing.T) {
	dir := os.Getenv("BARRIERGEN_LITMUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "litmus")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpus of litmus tests: set BARRIERGEN_LITMUS to its folder (%v)", err)
	}
	var j judge
	for folder, floor := range map[string]int{"x86": 338, "aarch64": 1881} {
		f, err := os.Open(filepath.Join(dir, folder, "verdicts.tsv"))
		require.NoError(t, err)
		defer f.Close()
		r := csv.NewReader(f)
		r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
		rows, err := r.ReadAll()
		require.NoError(t, err)
		agree, unread := 0, map[string]int{}
		for _, row := range rows[1:] {
			src, err := os.ReadFile(filepath.Join(dir, folder, row[0]))
			require.NoError(t, err)
			test, err := litmus.Parse(src, row[0])
			require.NoError(t, err)
			if !strings.Contains(string(src), "Orig=") {
				continue // written by hand
			}
			arch := test.Program.Arch
			if arch == "X86" {
				arch = "X86_64"
			}
			c, err := Parse(arch, test.Doc)
			if err != nil {
				_, reason, _ := strings.Cut(err.Error(), ": ")
				unread[reason[:min(len(reason), 60)]]++
				continue
			}
			if assert.Equal(t, row[6] != "Never", j.allows(t, c), "%s: %s", row[0], c) {
				agree++
			}
		}
		t.Logf("%s: %d of %d agree; not read: %v", folder, agree, len(rows)-1, unread)
		assert.GreaterOrEqual(t, agree, floor)
	}
}
