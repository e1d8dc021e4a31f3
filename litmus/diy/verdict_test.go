package diy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/litmus"
	"github.com/barriergen/barriergen/memmodel"
)

// judge runs the tests of cycles under the models of their architectures.
type judge struct{ runner litmus.Runner }

// allows says whether the model lets the cycle happen.
func (j *judge) allows(t testing.TB, c Cycle) bool {
	t.Helper()
	src, err := c.Source()
	require.NoError(t, err, "%s", c)
	test, err := litmus.Parse(src, c.Name())
	require.NoError(t, err, "%s", src)
	require.Equal(t, c.Name(), test.Name)
	require.Equal(t, c.String(), test.Doc)
	j.runner.Mode = memmodel.Verdict
	res, err := j.runner.Run(test)
	require.NoError(t, err, "%s", src)
	require.Zero(t, res.Faults, "%s", src)
	return res.Positive > 0
}

func mustParse(t testing.TB, arch, text string) Cycle {
	t.Helper()
	c, err := Parse(arch, text)
	require.NoError(t, err, "%s %s", arch, text)
	return c
}

func mustCritical(t testing.TB, arch string, threads int) []Cycle {
	t.Helper()
	cycles, err := Critical(arch, threads)
	require.NoError(t, err)
	return cycles
}

func mustVariants(t testing.TB, c Cycle, relaxations ...string) []Cycle {
	t.Helper()
	seq, err := Variants(c, relaxations...)
	require.NoError(t, err)
	return slices.Collect(seq)
}

// strongest is the fence that restores sequential consistency.
var strongest = map[string]string{"X86_64": "MFence", "AArch64": "DMB.SY", "RISCV": "Fence.rw.rw", "C": "Mb"}

// Program order keeps nothing in the way of a critical cycle on the weak architectures, and on x86 only a write can be
// overtaken, by a read. The strongest fence everywhere forbids all; everywhere but in one place it does not.
func TestPlainAndStrongest(t *testing.T) {
	var j judge
	for _, arch := range Architectures() {
		cycles := mustCritical(t, arch, 4)
		require.Len(t, cycles, 6+17+45)
		for _, c := range cycles {
			plain := arch != "X86_64" || strings.Contains(c.String(), "PodWR")
			assert.Equal(t, plain, j.allows(t, c), "%s %s", arch, c)
			strong := mustVariants(t, c, strongest[arch])
			require.Len(t, strong, 1)
			assert.False(t, j.allows(t, strong[0]), "%s %s", arch, strong[0])
			for _, v := range oneElsewhere(t, c, programOrder.spelling) {
				want := arch != "X86_64" || strings.Contains(v.String(), "PodWR")
				assert.Equal(t, want, j.allows(t, v), "%s %s", arch, v)
			}
		}
	}
}

// oneElsewhere are the cycles in which one place has a relaxation and all others the strongest fence.
func oneElsewhere(t testing.TB, c Cycle, relaxation string) []Cycle {
	t.Helper()
	r, err := c.arch.relaxation(relaxation)
	require.NoError(t, err)
	strong := relaxed(t, c.arch, strongest[c.Arch()])
	var out []Cycle
	for i := range c.edges {
		if c.edges[i].mech == nil {
			continue
		}
		v, ok := r.put(c, i)
		if !ok {
			continue
		}
		for k := range c.edges {
			if k != i && c.edges[k].mech != nil {
				v, _ = strong.put(v, k)
			}
		}
		out = append(out, v.canonical())
	}
	return out
}

func relaxed(t testing.TB, a *arch, text string) relaxation {
	t.Helper()
	r, err := a.relaxation(text)
	require.NoError(t, err)
	return r
}

// place is a pair of accesses with what orders them.
type place struct {
	mech             string
	from, to         dir
	fromNote, toNote string
}

func (p place) either(notes ...string) bool {
	return slices.Contains(notes, p.fromNote) || slices.Contains(notes, p.toNote)
}

// ordered says, of each architecture on which all threads see writes at the same time, whether the accesses of a place keep
// their order. There a critical cycle is forbidden exactly if all its places are ordered. The rules are written down from
// the manuals, and know nothing of the models' text.
var ordered = map[string]func(p place) bool{
	"X86_64": func(p place) bool {
		return p.from == read || p.to == write || p.mech == "MFence" || p.either("X")
	},
	"AArch64": func(p place) bool {
		if slices.Contains([]string{"A", "Q"}, p.fromNote) || p.toNote == "L" || p.fromNote == "L" && p.toNote == "A" {
			return true
		}
		kind, domain, _ := strings.Cut(p.mech, ".")
		switch domain {
		case "SY", "ISH":
			return true
		case "LD", "ISHLD":
			return p.from == read
		case "ST", "ISHST":
			return p.from == write && (p.to == write || kind == "DSB")
		}
		return p.mech == "DpAddr" || p.mech == "DpData" || p.mech == "DpCtrlIsb" || p.mech == "DpCtrl" && p.to == write
	},
	"RISCV": func(p place) bool {
		if slices.Contains([]string{"AmoA", "AmoAL"}, p.fromNote) || slices.Contains([]string{"AmoL", "AmoAL"}, p.toNote) ||
			p.fromNote == "AmoL" && p.toNote == "AmoA" {
			return true
		}
		if sides, ok := strings.CutPrefix(p.mech, "Fence."); ok && p.mech != "Fence.i" {
			before, after, two := strings.Cut(sides, ".")
			if !two { // tso
				return p.from == read || p.to == write
			}
			return strings.Contains(before, strings.ToLower(string(p.from))) && strings.Contains(after, strings.ToLower(string(p.to)))
		}
		// An amo that reads also writes, and that write cannot come before the branch.
		return p.mech == "DpAddr" || p.mech == "DpData" || strings.HasPrefix(p.mech, "DpCtrl") && (p.to == write || p.toNote == "AmoA")
	},
}

// expect derives a critical cycle's verdict from the order of its places.
func expect(c Cycle) (allowed bool) {
	for i, e := range c.edges {
		if e.mech == nil {
			continue
		}
		p := place{e.mech.spelling, e.from, e.to, c.notes[i].name, c.notes[(i+1)%len(c.notes)].name}
		allowed = allowed || !ordered[c.Arch()](p)
	}
	return allowed
}

// orders are the relaxations of an architecture that the rules above speak of.
func orders(t testing.TB, arch string) []string {
	out, err := Mechanisms(arch)
	require.NoError(t, err)
	switch arch {
	case "X86_64":
		return append(out, "X Po", "Po X", "X SFence")
	case "AArch64":
		out = slices.DeleteFunc(out, func(m string) bool { return strings.HasSuffix(m, "Csel") })
		return append(out, "A Po", "Q Po", "L Po", "Po A", "Po Q", "Po L", "L Po A", "L Po Q", "DpCtrl A", "L DMB.ST")
	}
	return append(out, "AmoA Po", "Po AmoL", "AmoL Po", "Po AmoA", "AmoL Po AmoA", "DpCtrl AmoA")
}

// Every critical cycle with each relaxation in each place, the strongest fence in the others.
func TestOneMechanism(t *testing.T) {
	var j judge
	for arch := range ordered {
		cycles, allowed := 0, 0
		for _, c := range mustCritical(t, arch, 4) {
			for _, r := range orders(t, arch) {
				for _, v := range oneElsewhere(t, c, r) {
					want := expect(v)
					if !assert.Equal(t, want, j.allows(t, v), "%s %s (%s)", arch, v.Name(), v) {
						return
					}
					cycles++
					if want {
						allowed++
					}
				}
			}
		}
		t.Logf("%s: %d cycles, %d of them allowed", arch, cycles, allowed)
		assert.Positive(t, allowed)
		assert.Less(t, allowed, cycles)
	}
}

// Every cycle of two threads with every combination, and of three with some.
func TestCombinations(t *testing.T) {
	var j judge
	some := map[string][]string{
		"X86_64":  {"Po", "MFence", "X Po", "SFence"},
		"AArch64": {"Po", "DMB.LD", "DMB.ST", "DpAddr", "DpCtrl", "A Po", "Po L", "L Po A"},
		"RISCV":   {"Po", "Fence.r.rw", "Fence.tso", "DpData", "DpCtrl", "AmoA Po", "Po AmoL"},
	}
	for arch := range ordered {
		n := 0
		for _, c := range mustCritical(t, arch, 3) {
			relaxations := some[arch]
			if c.Threads() == 2 {
				relaxations = orders(t, arch)
			}
			for _, v := range mustVariants(t, c, relaxations...) {
				if !assert.Equal(t, expect(v), j.allows(t, v), "%s %s (%s)", arch, v.Name(), v) {
					return
				}
				n++
			}
		}
		t.Logf("%s: %d cycles", arch, n)
		assert.Greater(t, n, 200)
	}
}

// implementations are the kernel's operations as architectures implement them, each at least as strong.
var implementations = map[string]map[string]string{
	"Po":           {"X86_64": "Po", "AArch64": "Po", "RISCV": "Po"},
	"Mb":           {"X86_64": "MFence", "AArch64": "DMB.ISH", "RISCV": "Fence.rw.rw"},
	"Rmb":          {"X86_64": "Po", "AArch64": "DMB.ISHLD", "RISCV": "Fence.r.r"},
	"Wmb":          {"X86_64": "Po", "AArch64": "DMB.ISHST", "RISCV": "Fence.w.w"},
	"AcquireFence": {"X86_64": "Po", "AArch64": "DMB.ISHLD", "RISCV": "Fence.r.rw"},
	"ReleaseFence": {"X86_64": "Po", "AArch64": "DMB.ISH", "RISCV": "Fence.rw.w"},
	"Acquire Po":   {"X86_64": "Po", "AArch64": "Q Po", "RISCV": "AmoA Po"},
	"Po Release":   {"X86_64": "Po", "AArch64": "Po L", "RISCV": "Po AmoL"},
	"DpAddr":       {"X86_64": "Po", "AArch64": "DpAddr", "RISCV": "DpAddr"},
	"DpData":       {"X86_64": "Po", "AArch64": "DpData", "RISCV": "DpData"},
	"DpCtrl":       {"X86_64": "Po", "AArch64": "DpCtrl", "RISCV": "DpCtrl"},
}

// What the kernel's model forbids, its implementations forbid.
func TestKernelAboveMachines(t *testing.T) {
	var j judge
	forbidden := 0
	for _, c := range mustCritical(t, "C", 3) {
		var put func(c Cycle, machines map[string]Cycle, i int)
		put = func(c Cycle, machines map[string]Cycle, i int) {
			for i < len(c.edges) && c.edges[i].mech == nil {
				i++
			}
			if i == len(c.edges) {
				if j.allows(t, c.canonical()) {
					return
				}
				forbidden++
				for arch, m := range machines {
					assert.False(t, j.allows(t, m.canonical()), "the kernel forbids %s, but %s allows %s", c, arch, m)
				}
				return
			}
			for name, on := range implementations {
				v, ok := relaxed(t, c.arch, name).put(c, i)
				if !ok {
					continue
				}
				next := map[string]Cycle{}
				for arch, m := range machines {
					next[arch], ok = relaxed(t, m.arch, on[arch]).put(m, i)
					require.True(t, ok)
				}
				put(v, next, i+1)
			}
		}
		machines := map[string]Cycle{}
		for arch := range ordered {
			machines[arch] = mustParse(t, arch, c.String())
		}
		put(c, machines, 0)
	}
	t.Logf("%d cycles forbidden by the kernel", forbidden)
	assert.Greater(t, forbidden, 100)
}

func ExampleParse() {
	c, err := Parse("AArch64", "DpAddrdR Fre PodWW L Rfe")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, _ := c.Source()
	fmt.Print(string(src))
	// Output:
	// AArch64 MP+popl+addr
	// "PodWW L Rfe DpAddrdR Fre"
	// {
	// 0:X0=x; 0:X2=y;
	// 1:X0=y; 1:X2=x;
	// }
	//  P0           | P1                  ;
	//  MOV W1,#1    | LDR W1,[X0]         ;
	//  STR W1,[X0]  | EOR W3,W1,W1        ;
	//  MOV W3,#1    | LDR W4,[X2,W3,SXTW] ;
	//  STLR W3,[X2] |                     ;
	// exists (1:X1=1 /\ 1:X4=0)
}
