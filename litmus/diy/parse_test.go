package diy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/litmus"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ arch, cycle, name, canonical string }{
		{"AArch64", "DMB.SYdWW Rfe DpAddrdR Fre", "MP+dmb.sy+addr", ""},
		{"AArch64", "Fre DMB.SYdWW\tRfe\n DpAddrdR", "MP+dmb.sy+addr", "DMB.SYdWW Rfe DpAddrdR Fre"},
		{"AArch64", "PodRR Fre PodWW Rfe", "MP", "PodWW Rfe PodRR Fre"},
		{"AArch64", "PodRW Rfe DpDatadW Rfe", "LB+data+po", "DpDatadW Rfe PodRW Rfe"},
		{"AArch64", "DpDatadW Rfe DpDatadW Rfe", "LB+datas", ""},
		{"AArch64", "PodWWPL RfeLA PodRRAP Fre", "MP+popl+poap", "PodWW L Rfe A PodRR Fre"},
		{"AArch64", "L Rfe A PodRR Fre PodWW", "MP+popl+poap", "PodWW L Rfe A PodRR Fre"},
		{"AArch64", "PodWWPP RfePQ PodRR Fre", "MP+po+poqp", "PodWW Rfe Q PodRR Fre"},
		{"AArch64", "PodWW AmoAL Rfe PodRR Fre", "MP+po.p.amoal+po", ""},
		{"AArch64", "PodWR Fre PodWW Rfi PodRR Fre", "SB+po+po-rfi-po", "PodWR Fre PodWW Rfi PodRR Fre"},
		{"AArch64", "DMB.STdWW Rfe DpCtrldW PosWR DpCtrlIsbdR Fre", "MP+dmb.st+ctrlW-pos-ctrlisb", ""},
		{"AArch64", "Rfe DMB.LDsRR DpAddrdW Coe PodWR Fre", "WRW+WR+dmb.ld.s-addr+po", ""},
		{"AArch64", "Rfe PosRR Fre", "CoRR+pos", ""},
		{"AArch64", "Rfe PodRR Fre Rfe PodRR Fre", "IRIW", ""},
		{"AArch64", "L Rfe PodRR Fre Rfe PodRR Fre", "IRIW+l+po+p+po", ""},
		{"X86_64", "MFencedWR Fre PodWR Fre", "SB+mfence+po", ""},
		{"X86_64", "PodWR Fre X PodWR Fre", "SB+po+poxp", "PodWR Fre X PodWR Fre"},
		{"RISCV", "Fence.r.rwdRW Rfe Fence.tsodRW Rfe", "LB+fence.r.rw+fence.tso", ""},
		{"RISCV", "Fence.rw.rwdWR Fre Fence.rw.rwdWR Fre Fence.rw.rwdWR Fre", "3.SB+fence.rw.rws", ""},
		{"C", "WmbdWW Rfe Acquire PodRR Fre", "MP+wmb+poao", ""},
		{"C", "PodWW Release Rfe DpCtrldW Rfe DpAddrdR Fre", "ISA2+pool+ctrl+addr", ""},
		{"C", "PodRW Coe Coe PodWW Rfe", "RW-W-WW", ""},
	} {
		c, err := Parse(test.arch, test.cycle)
		if !assert.NoError(t, err, test.cycle) {
			continue
		}
		if test.canonical == "" {
			test.canonical = test.cycle
		}
		assert.Equal(t, test.name, c.Name(), test.cycle)
		assert.Equal(t, test.canonical, c.String())
		assert.Equal(t, test.arch, c.Arch())
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ arch, cycle, err string }{
		{"VAX", "PodWW Rfe PodRR Fre", `unknown architecture "VAX": known are X86_64, AArch64, RISCV, C`},
		{"AArch64", "", "column 1: the cycle has no edge"},
		{"AArch64", "  ", "column 3: the cycle has no edge"},
		{"AArch64", "L A PodWW", "column 3: the access has two annotations, L and A"},
		{"X86_64", "PodWW Rfx PodRR Fre", `column 7: unknown edge "Rfx": expected Rf, Fr or Co with e or i (Rfe), or one of Po, MFence, LFence, SFence with d or s and R or W twice (PodWR), or one of Exch, Xadd`},
		{"AArch64", "PodWW Rfe MFencedRR Fre", `column 11: AArch64 has nothing called "MFencedRR"; that is of X86_64`},
		{"X86_64", "PodWW Rfe DpAddrdR Fre", `column 11: X86_64 has nothing called "DpAddrdR"; that is of AArch64`},
		{"C", "PodWW Rfe AmoA PodRR Fre", `column 11: C has nothing called "AmoA"; that is of AArch64`},
		{"AArch64", "DMB.SYdWW Rfe Q LxSx PodWR Fre", "column 17: LxSx cannot have the annotations Q and P"},
		{"RISCV", "DMB.SYdWW", `column 1: RISCV has nothing called "DMB.SYdWW"; that is of AArch64`},
		{"AArch64", "Exch", `column 1: AArch64 has nothing called "Exch"; that is of X86_64`},
		{"AArch64", "Rfe Amo.StAdd PosWR Amo.StAdd Coe", "column 21: a second Amo.StAdd on one location: nothing would show which of them came first"},
		{"AArch64", "PodWX Rfe", `column 4: expected the two accesses, such as RW, found "WX"`},
		{"AArch64", "PodW", `column 4: expected the two accesses, such as RW, found "W"`},
		{"AArch64", "Rfe DpAddrd", `column 12: expected R or W, the access at the end of the dependency, found ""`},
		{"AArch64", "Rfe DpDatadR", `column 12: a data dependency leads to a write: expected W, found "R"`},
		{"AArch64", "PodWWPLA", `column 6: expected nothing or the annotations of both accesses, a letter each, found "PLA"`},
		{"AArch64", "PodWWPZ", `column 7: AArch64 has no annotation "Z": known are P, A, Q, L, X, Amo, XA, AmoA, XL, AmoL, XAL, AmoAL`},
		{"AArch64", "PodWW Fre PodWR Fre", "column 7: Fre begins with a read, but PodWW before it ends in a write"},
		{"AArch64", "PodWW Rfe PodRR Rfe", "column 17: Rfe begins with a write, but PodRR before it ends in a read"},
		{"AArch64", "PodWW Rfe PodRR", "column 1: PodWW begins with a write, but PodRR before it ends in a read"},
		{"AArch64", "PodWWPL RfePA PodRR Fre", "column 9: the access where RfePA begins has two annotations, L and P"},
		{"AArch64", "PodWW A Rfe PodRR Fre", "column 9: the access where Rfe begins is a write, which cannot be A"},
		{"C", "PodWW Rfe Release PodRR Fre", "column 19: the access where PodRR begins is a read, which cannot be Release"},
		{"AArch64", "PodWW PodWW Coe", "column 1: the cycle needs two external edges, such as Rfe, since it must come back to its first thread: it has 1"},
		{"AArch64", "PodWW Rfe PosRR Fre", "column 1: only this edge changes the location: a cycle has two of that kind, since it must come back to its first location, or none"},
		{"AArch64", "Coe Coi Coe Rfe Fri", "column 1: the cycle has communications only: they all follow the order of the writes, so it contradicts itself"},
		{"AArch64", strings.Repeat("Coe ", 25), "column 97: a cycle has at most 24 edges"},
	} {
		_, err := Parse(test.arch, test.cycle)
		assert.EqualError(t, err, test.err, test.cycle)
	}
}

func TestRelaxationErrors(t *testing.T) {
	c := mustParse(t, "AArch64", "PodWW Rfe PodRR Fre")
	for text, want := range map[string]string{
		"":         `relaxation "": expected one of Po`,
		"A":        `relaxation "A": expected one of Po`,
		"MFence":   `relaxation "MFence": AArch64 has no mechanism and no annotation "MFence": known are Po, DpAddr`,
		"Po Po":    `relaxation "Po Po": expected one of Po`,
		"A L Po":   `relaxation "A L Po": expected one of Po`,
		"Po L L":   `relaxation "Po L L": expected one of Po`,
		"Po DMB.S": `relaxation "Po DMB.S": AArch64 has no mechanism`,
	} {
		_, err := Variants(c, "Po", text)
		assert.ErrorContains(t, err, want)
	}
	_, err := Critical("C", 9)
	assert.EqualError(t, err, "critical cycles of up to 9 threads: expected 2 to 8")
	_, err = Critical("C", 1)
	assert.EqualError(t, err, "critical cycles of up to 1 threads: expected 2 to 8")
	for _, f := range []func(string) ([]string, error){Mechanisms, Annotations, ReadModifyWrites} {
		_, err = f("ARM")
		assert.ErrorContains(t, err, "unknown architecture")
	}
	_, err = Critical("ARM", 2)
	assert.ErrorContains(t, err, "unknown architecture")
}

// everything are the cycles of every architecture up to three threads with every mechanism and annotation somewhere.
func everything(t testing.TB) []Cycle {
	t.Helper()
	var out []Cycle
	for _, arch := range Architectures() {
		relaxations, err := Mechanisms(arch)
		require.NoError(t, err)
		notes, err := Annotations(arch)
		require.NoError(t, err)
		for _, n := range notes {
			relaxations = append(relaxations, n+" Po", "Po "+n)
		}
		for _, c := range mustCritical(t, arch, 3) {
			some := relaxations
			if c.Threads() == 3 {
				some = append(slices.Clone(relaxations[:4]), relaxations[len(relaxations)-4:]...)
			}
			out = append(out, mustVariants(t, c, some...)...)
		}
	}
	return out
}

// Names are unique, a cycle's spelling leads back to it wherever it begins, and its source is a test.
func TestNamesAndSources(t *testing.T) {
	cycles := everything(t)
	byName := map[string]string{}
	for n, c := range cycles {
		key := c.Arch() + " " + c.Name()
		if other, taken := byName[key]; taken {
			t.Fatalf("%s is the name of both %s and %s", key, other, c)
		}
		byName[key] = c.String()
		again := mustParse(t, c.Arch(), c.rotated(n%len(c.edges)).String())
		require.Equal(t, c.String(), again.String())
		src, err := c.Source()
		require.NoError(t, err)
		test, err := litmus.Parse(src, c.Name())
		require.NoError(t, err, "%s", src)
		require.Len(t, test.Program.Threads, c.Threads())
	}
	t.Logf("%d cycles", len(cycles))
	assert.Greater(t, len(cycles), 10000)
}

// Names tell the accesses in the middle of a thread apart.
func TestNamesOfLongThreads(t *testing.T) {
	names := map[string]string{}
	for _, inner := range []string{
		"PodRR PodRR", "PodRW PodWR", "PodRR PosRR", "PosRR PodRR", "DpAddrdR PodRR", "DpAddrdW PodWR", "DpCtrldW Rfi PodRR",
		"PodRW Rfi PodRR", "DpDatadW Rfi DpAddrdR", "PodRR DpAddrdR", "PodRW Rfi DpAddrdR", "DMB.LDsRR PodRR", "DMB.LDdRR PodRR", "DMB.LDdRW PodWR",
	} {
		c := mustParse(t, "AArch64", "PodWW Rfe "+inner+" Fre")
		assert.Empty(t, names[c.Name()], "%s is also %s", c.Name(), inner)
		names[c.Name()] = inner
	}
	assert.Contains(t, slices.Collect(maps.Keys(names)), "MP+po+po-rfi-po")
}

// The families that the field has names for, but for those of one location, are critical cycles, and each is found once.
func TestCriticalFamilies(t *testing.T) {
	found := map[string]int{}
	for _, c := range mustCritical(t, "AArch64", 4) {
		found[c.Name()]++
	}
	for _, family := range families {
		want := 1
		if strings.HasPrefix(family, "Co") {
			want = 0
		}
		assert.Equal(t, want, found[family], family)
	}
	assert.Len(t, mustCritical(t, "AArch64", 2), 6)
	assert.Len(t, found, 68)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"DMB.SYdWW Rfe DpAddrdR Fre", "PodWWPL RfeLA PodRRAP Fre", "Rfe PosRR Fre", "XAL PodWR Fre MFencedWR Fre X",
		"Fence.r.rwdRW Rfe Fence.tsodRW Rfe", "PodWW Release Rfe DpCtrldW Rfe DpAddrdR Fre", "Coe Coi Coe", "PodRW Coe Coe PodWW Coi Coi Rfe",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, arch := range Architectures() {
			c, err := Parse(arch, text)
			if err != nil {
				var at *Error
				require.ErrorAs(t, err, &at)
				require.True(t, at.Column >= 1 && at.Column <= len(text)+1, "%v", err)
				continue
			}
			again, err := Parse(arch, c.String())
			require.NoError(t, err)
			require.Equal(t, c.String(), again.String())
			require.Equal(t, c.Name(), again.Name())
			src, err := c.Source()
			if err != nil {
				require.ErrorContains(t, err, "needs more registers")
				continue
			}
			_, err = litmus.Parse(src, "fuzz")
			require.NoError(t, err, "%s", src)
		}
	})
}
