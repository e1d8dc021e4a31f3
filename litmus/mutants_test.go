package litmus

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel/cat"
	"github.com/barriergen/barriergen/memmodel/models"
)

// each is what a barrier or an annotation is for, one test for each name in a model that the traps and bugs leave out.
func each() (srcs []string) {
	add := func(src string) { srcs = append(srcs, src) }
	lb := func(middle string) string { return "LDR W0,[X1]\n" + middle + "\nMOV W2,#1\nSTR W2,[X3]" }
	for _, kind := range []string{"DMB ", "DSB "} {
		for _, domain := range []string{"ISH", "OSH", "NSH", ""} {
			full, ld, st := kind+domain, kind+domain+"LD", kind+domain+"ST"
			if domain == "" {
				full = kind + "SY"
			}
			add(arm("~exists "+armSB, "MOV W0,#1\nSTR W0,[X1]\n"+full+"\nLDR W9,[X3]", armFull))
			add(arm("~exists (1:X0=1 /\\ 1:X9=0)", armWrite, "LDR W0,[X3]\n"+ld+"\nLDR W9,[X1]"))
			add(arm("~exists (0:X0=1 /\\ 1:X0=1)", lb(ld), "LDR W0,[X3]\nDMB ISH\nMOV W2,#1\nSTR W2,[X1]"))
			add(arm("~exists (1:X0=1 /\\ 1:X9=0)", "MOV W0,#1\nSTR W0,[X1]\n"+st+"\nSTR W0,[X3]", "LDR W0,[X3]\nDMB SY\nLDR W9,[X1]"))
		}
	}
	// A DSB that waits for stores holds back loads, too; a DMB does not.
	add(arm("~exists "+armSB, "MOV W0,#1\nSTR W0,[X1]\nDSB ISHST\nLDR W9,[X3]", armFull))
	add(arm("exists "+armSB, "MOV W0,#1\nSTR W0,[X1]\nDMB ISHST\nLDR W9,[X3]", armFull))
	add(arm("exists (y=2 /\\ 1:X9=0)", armWrite, "MOV W2,#1\nSTADD W2,[X3]\nDSB ISHLD\nLDR W9,[X1]"))
	// Release and acquire, of the weaker sort too.
	add(arm("~exists (1:X0=1 /\\ 1:X9=0)", "MOV W0,#1\nSTR W0,[X1]\nSTLR W0,[X3]", "LDAPR W0,[X3]\nLDR W9,[X1]"))
	add(arm("~exists (0:X0=1 /\\ 1:X0=1)", "LDR W0,[X1]\nMOV W2,#1\nSTLR W2,[X3]", "LDAPR W0,[X3]\nMOV W2,#1\nSTR W2,[X1]"))
	// An acquire load that reads what a read-modify-write of its thread stored.
	for _, load := range []string{"LDAR", "LDAPR"} {
		add(arm("~exists (1:X4=1 /\\ 1:X9=0)", armWrite, "MOV W2,#2\nSWP W2,W4,[X3]\n"+load+" W6,[X3]\nLDR W9,[X1]"))
	}
	// Dependencies: to the value, through an address to what follows, through a select.
	const lbc, mpc, dep = "~exists (0:X0=1 /\\ 1:X0=1)", "~exists (1:X0=1 /\\ 1:X9=0)", "LDR W0,[X3]\nEOR W5,W0,W0\n"
	back := "LDR W0,[X3]\nDMB SY\nMOV W2,#1\nSTR W2,[X1]"
	add(arm(lbc, "LDR W0,[X1]\nEOR W5,W0,W0\nADD W5,W5,#1\nSTR W5,[X3]", back))
	add(arm(lbc, "LDR W0,[X1]\nEOR W5,W0,W0\nLDR W6,[X20,W5,SXTW]\nMOV W2,#1\nSTR W2,[X3]", back))
	add(arm(mpc, armWrite, dep+"LDR W6,[X20,W5,SXTW]\nISB\nLDR W9,[X1]"))
	add(arm("exists (1:X0=1 /\\ 1:X9=0)", armWrite, dep+"LDR W6,[X20,W5,SXTW]\nLDR W9,[X1]"))
	add(arm(mpc, armWrite, dep+"MOV W6,#1\nSTR W6,[X20,W5,SXTW]\nLDR W7,[X20]\nEOR W8,W7,W7\nLDR W9,[X1,W8,SXTW]"))
	pick := "LDR W0,[X3]\nMOV W5,#0\nMOV W6,#0\nCMP W0,#1\nCSEL W7,W5,W6,EQ\n"
	add(arm("exists (1:X0=1 /\\ 1:X9=0)", armWrite, pick+"LDR W9,[X1,W7,SXTW]"))
	add(arm(mpc, armWrite, pick+"CBNZ W7,L\nL:\nISB\nLDR W9,[X1]"))
	add(arm(mpc, armWrite, pick+"LDR W8,[X20,W7,SXTW]\nISB\nLDR W9,[X1]"))
	// The read of an exclusive pair that another thread's store comes between.
	add(arm("~exists (0:X0=0 /\\ 0:X4=0 /\\ x=2 /\\ 1:X9=1)", "LDXR W0,[X1]\nMOV W2,#2\nSTXR W4,W2,[X1]", "MOV W0,#1\nSTR W0,[X1]\nLDR W9,[X1]"))
	add(arm("~exists x=1", "MOV W0,#1\nLDADD W0,W2,[X1]", "MOV W0,#1\nLDADD W0,W2,[X1]"))
	add(arm("~exists (0:X0=1)", "LDR W0,[X1]\nMOV W2,#1\nSTR W2,[X1]", "NOP"))
	// Coherence: two reads of one location, a read after a write, two writes.
	for _, cond := range []string{"~exists (1:X0=1 /\\ 1:X9=0)", "~exists (0:X4=0)", "~exists x=1 /\\ 1:X0=2 /\\ 1:X9=2"} {
		add(arm(cond, "MOV W0,#1\nSTR W0,[X1]\nLDR W4,[X1]\nMOV W5,#2\nSTR W5,[X1]", "LDR W0,[X1]\nLDR W9,[X1]"))
	}
	// A read that is ordered with another thread's write only through the read before it of the same location.
	add(arm("~exists (1:X0=1 /\\ 1:X2=1 /\\ 1:X4=0)", "MOV W0,#1\nSTR W0,[X1]", "LDR W0,[X1]\nLDR W2,[X1]\nLDR W4,[X1]"))

	add(x86("~exists (0:rax=1 /\\ 0:rbx=0)", "movl (x),%eax\nmovl (x),%ebx", "movl $1,(x)"))
	add(x86("~exists (x=1)", "movl $1,(x)\nmovl $2,(x)", "nop"))
	add(x86("~exists (0:rax=0)", "movl $1,(x)\nmovl (x),%eax", "nop"))
	add(x86("~exists (1:rax=1 /\\ 1:rbx=0)", "movl $1,(x)\nmovl $1,(y)", "movl (y),%eax\nmovl (x),%ebx"))
	add(x86("~exists (0:rbx=0 /\\ 1:rbx=0)", "movl $1,%eax\nxchgl %eax,(x)\nmovl (y),%ebx", "movl $1,%eax\nxchgl %eax,(y)\nmovl (x),%ebx"))

	const sb, mp, two = "~exists (0:x9=0 /\\ 1:x9=0)", "~exists (1:x8=1 /\\ 1:x9=0)", "~exists (0:x8=1 /\\ 1:x8=1)"
	store := func(middle string) string { return "li x8,1\nsw x8,0(x5)\n" + middle + "\nlw x9,0(x6)" }
	message := func(middle string) string { return "li x8,1\nsw x8,0(x5)\n" + middle + "\nsw x8,0(x6)" }
	reader := func(middle string) string { return "lw x8,0(x6)\n" + middle + "\nlw x9,0(x5)" }
	loadStore := func(middle string) string { return "lw x8,0(x5)\n" + middle + "\nli x9,1\nsw x9,0(x6)" }
	other := "li x8,1\nsw x8,0(x6)\nfence rw,rw\nlw x9,0(x5)"
	for _, sides := range []string{"rw,rw", "rw,r", "w,rw", "w,r"} {
		add(riscv(sb, store("fence "+sides), other))
	}
	for _, sides := range []string{"rw,w", "w,rw", "w,w"} {
		add(riscv(mp, message("fence "+sides), reader("fence rw,rw")))
	}
	for _, sides := range []string{"rw,r", "r,rw", "r,r"} {
		add(riscv(mp, message("fence rw,rw"), reader("fence "+sides)))
	}
	for _, sides := range []string{"rw,w", "r,rw", "r,w"} {
		add(riscv(two, loadStore("fence "+sides), "lw x8,0(x6)\nfence rw,rw\nli x9,1\nsw x9,0(x5)"))
	}
	add(riscv(mp, message("fence rw,rw"), "lw.aq x8,0(x6)\nlw x9,0(x5)"))
	add(riscv(mp, "li x8,1\nsw x8,0(x5)\nsw.rl x8,0(x6)", reader("fence rw,rw")))
	add(riscv(sb, "li x8,1\nsw.rl x8,0(x5)\nlw.aq x9,0(x6)", other))
	add(riscv("exists (0:x9=0 /\\ 1:x9=0)", "li x8,1\nsw.rl x8,0(x5)\nlw x9,0(x6)", other))
	const lbData, load, address = "lw x8,0(x5)\nxor x10,x8,x8\nori x9,x10,1\nsw x9,0(x6)", "lw x8,0(x6)\n", "xor x10,x8,x8\nadd x11,x7,x10\n"
	back = "lw x8,0(x6)\nfence rw,rw\nli x9,1\nsw x9,0(x5)"
	through := "lw x12,0(x7)\nxor x13,x12,x12\nadd x14,x5,x13\nlw x9,0(x14)"
	add(riscv(two, lbData, back))
	add(riscv(two, "lw x8,0(x5)\nbne x8,x0,L\nL:\nli x9,1\nsw x9,0(x6)", back))
	add(riscv(two, "lw x8,0(x5)\n"+address+"lw x12,0(x11)\nli x9,1\nsw x9,0(x6)", back))
	add(riscv(mp, message("fence w,w"), load+"sw x8,0(x7)\n"+through))
	add(riscv(mp, message("fence w,w"), load+address+"li x12,1\nsw x12,0(x11)\n"+through))
	add(riscv("~exists (0:x9=0)", "li x8,1\nsw x8,0(x5)\nlw x9,0(x5)", "nop"))
	add(riscv("~exists x=1", "li x8,1\namoadd.w x9,x8,(x5)", "li x8,1\namoadd.w x9,x8,(x5)"))
	add(riscv("~exists (0:x8=1 /\\ 0:x9=0)", "lw x8,0(x5)\nlw x9,0(x5)", "li x8,1\nsw x8,0(x5)"))
	return srcs
}

// machineTests are the traps, the bugs and each for an architecture. All hold under its model.
func machineTests(t *testing.T, arch string) []*Test {
	var tests []*Test
	add := func(src string) {
		test, err := Parse([]byte(src), "t")
		require.NoError(t, err, src)
		if test.Program.Arch == arch {
			test.Name = src
			tests = append(tests, test)
		}
	}
	for _, trap := range traps {
		add(trap.src)
	}
	for _, src := range each() {
		add(src)
	}
	for _, test := range tests {
		var r Runner
		res, err := r.Run(test)
		require.NoError(t, err)
		require.True(t, res.Ok, "%s\n%s", test.Name, res.AppendReport(nil))
	}
	files, err := filepath.Glob(filepath.Join("testdata", "bugs", "*", "*.litmus"))
	require.NoError(t, err)
	for _, f := range files {
		test, err := ParseFile(f)
		require.NoError(t, err)
		if test.Program.Arch == arch {
			tests = append(tests, test)
		}
	}
	return tests
}

// wideAxiom is about accesses of 16 bytes, which these files do not have; the tests of package models build them.
const wideAxiom = "single-copy-atomicity"

// redundant are the names in a model whose removal no program shows, with the reason, by model, line and name.
var redundant = map[string]string{
	"aarch64: ISB in | dsb-ob; [ISB]; po": "a DSB holds back everything behind it, with an ISB or without",
}

// Whatever is taken out of a machine's model, an axiom, a barrier, an annotation or a kind of dependency, some test notices.
func TestMachineModelMutants(t *testing.T) {
	comment := regexp.MustCompile(`(?s)\(\*.*?\*\)`)
	name := regexp.MustCompile(`[A-Za-z][A-Za-z0-9.-]*`)
	for _, tt := range []struct {
		model, arch string
		names       []string
	}{
		{"x86tso", "X86_64", x86Tags},
		{"aarch64", "AArch64", append([]string{"addr", "data", "ctrl", "amo"}, aarch64Tags...)},
		{"riscv", "RISCV", append([]string{"addr", "data", "ctrl"}, riscvTags...)},
	} {
		t.Run(tt.model, func(t *testing.T) {
			tests := machineTests(t, tt.arch)
			m, err := models.Load(tt.model)
			require.NoError(t, err)
			want := outcome(t, m, tests)
			for _, axiom := range m.Axioms() {
				without, ok := m.Without(axiom)
				require.True(t, ok, axiom)
				if axiom == wideAxiom {
					continue
				}
				assert.NotEmpty(t, changed(tests, want, outcome(t, without, tests)), "no test notices that %s is gone", axiom)
			}
			src, err := models.Source(tt.model)
			require.NoError(t, err)
			comments := comment.FindAllIndex(src, -1)
			mutants := 0
			for _, at := range name.FindAllIndex(src, -1) {
				word := string(src[at[0]:at[1]])
				if !slices.Contains(tt.names, word) || slices.ContainsFunc(comments, func(c []int) bool { return c[0] <= at[0] && at[0] < c[1] }) {
					continue
				}
				text := slices.Concat(src[:at[0]], []byte("emptyset"), src[at[1]:])
				if slices.Contains([]string{"addr", "data", "ctrl", "amo"}, word) {
					text = slices.Concat(src[:at[0]], []byte("(id \\ id)"), src[at[1]:])
				}
				mutant, err := cat.Compile(tt.model+".cat", text, models.Include)
				require.NoError(t, err)
				mutants++
				line := strings.TrimSpace(strings.Split(string(src), "\n")[strings.Count(string(src[:at[0]]), "\n")])
				if _, ok := redundant[tt.model+": "+word+" in "+line]; ok {
					continue
				}
				assert.NotEmpty(t, changed(tests, want, outcome(t, mutant, tests)), "no test notices that %s is empty in %q", word, line)
			}
			t.Logf("%d mutants", mutants)
		})
	}
}
