package models_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/litmus"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/cat"
	"github.com/barriergen/barriergen/memmodel/models"
)

func TestLoad(t *testing.T) {
	for _, name := range models.Names() {
		m, err := models.Load(name)
		require.NoError(t, err)
		assert.Equal(t, name, m.Name)
		assert.NotEmpty(t, m.Axioms())
		coherence, atomicity := m.Native()
		assert.True(t, coherence && atomicity, "%s: the search should obey coherence and atomicity natively", name)
		again, err := models.Load(name)
		require.NoError(t, err)
		assert.Same(t, m, again, "compiled once")
	}
	for _, name := range []string{"aarch64", "compiler", "riscv", "x86tso"} {
		assert.Contains(t, models.Names(), name)
	}
	assert.NotContains(t, models.Names(), "cos", "a file that models include is no model")
	_, err := models.Load("alpha")
	assert.ErrorContains(t, err, `unknown model "alpha": known are aarch64, compiler, `)
	_, err = cat.Compile("mine.cat", []byte("include \"cos.cat\"\ninclude \"stdlib.cat\"\nacyclic po | com as sc"), models.Include)
	assert.NoError(t, err)
}

// shape is a critical cycle of two threads: what each does before and after a fence. x6 and x7 hold the locations x and y.
type shape struct {
	name   string
	before [2]string
	after  [2]string
	cond   string
}

var shapes = []shape{
	{"SB", [2]string{"sw x5,0(x6)", "sw x5,0(x7)"}, [2]string{"lw x10,0(x7)", "lw x10,0(x6)"}, "0:x10=0 /\\ 1:x10=0"},
	{"MP", [2]string{"sw x5,0(x6)", "lw x10,0(x7)"}, [2]string{"sw x5,0(x7)", "lw x11,0(x6)"}, "1:x10=1 /\\ 1:x11=0"},
	{"LB", [2]string{"lw x10,0(x6)", "lw x10,0(x7)"}, [2]string{"sw x5,0(x7)", "sw x5,0(x6)"}, "0:x10=1 /\\ 1:x10=1"},
	{"S", [2]string{"sw x8,0(x6)", "lw x10,0(x7)"}, [2]string{"sw x5,0(x7)", "sw x5,0(x6)"}, "x=2 /\\ 1:x10=1"},
	{"R", [2]string{"sw x5,0(x6)", "sw x8,0(x7)"}, [2]string{"sw x5,0(x7)", "lw x10,0(x6)"}, "y=2 /\\ 1:x10=0"},
	{"2+2W", [2]string{"sw x8,0(x6)", "sw x8,0(x7)"}, [2]string{"sw x5,0(x7)", "sw x5,0(x6)"}, "x=2 /\\ y=2"},
}

// riscv writes a test; x5 is 1, x8 is 2, x6, x7 and x9 hold x, y and z.
func riscv(t testing.TB, name, cond string, threads ...string) *litmus.Test {
	var b strings.Builder
	fmt.Fprintf(&b, "RISCV %s\n{\n", name)
	longest := 0
	code := make([][]string, len(threads))
	for i, th := range threads {
		fmt.Fprintf(&b, "%d:x5=1; %d:x8=2; %d:x6=x; %d:x7=y; %d:x9=z;\n", i, i, i, i, i)
		code[i] = strings.Split(th, "; ")
		longest = max(longest, len(code[i]))
	}
	b.WriteString("}\n")
	for line := -1; line < longest; line++ {
		for i := range threads {
			cell := ""
			if line < 0 {
				cell = fmt.Sprint("P", i)
			} else if line < len(code[i]) {
				cell = code[i][line]
			}
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(cell)
		}
		b.WriteString(" ;\n")
	}
	fmt.Fprintf(&b, "exists (%s)\n", cond)
	test, err := litmus.Parse([]byte(b.String()), name)
	require.NoError(t, err, "%s", b.String())
	return test
}

// orders says whether a fence keeps an access of kind before in front of one of kind after, by the manual's words.
func orders(fence string, before, after byte) bool {
	if fence == "fence.tso" {
		return !(before == 's' && after == 'l')
	}
	kinds := strings.NewReplacer("r", "l", "w", "s").Replace(strings.TrimPrefix(fence, "fence "))
	pre, succ, _ := strings.Cut(kinds, ",")
	return strings.IndexByte(pre, before) >= 0 && strings.IndexByte(succ, after) >= 0
}

// riscvTests are tests of RVWMO with the verdicts that its rules give.
func riscvTests(t testing.TB) (tests []program) {
	fences := []string{"fence.tso"}
	for _, pre := range []string{"r", "w", "rw"} {
		for _, succ := range []string{"r", "w", "rw"} {
			fences = append(fences, "fence "+pre+","+succ)
		}
	}
	add := func(name, want, cond string, threads ...string) {
		tests = append(tests, program{name, riscv(t, name, cond, threads...), want})
	}
	for _, s := range shapes {
		for _, f := range fences {
			for _, g := range fences {
				want := "Sometimes"
				if orders(f, s.before[0][0], s.after[0][0]) && orders(g, s.before[1][0], s.after[1][0]) {
					want = "Never"
				}
				add(s.name+"+"+f+"+"+g, want, s.cond, s.before[0]+"; "+f+"; "+s.after[0], s.before[1]+"; "+g+"; "+s.after[1])
			}
		}
	}
	const writer, publish = "sw x5,0(x6); fence w,w; sw x5,0(x7)", "sw x5,0(x6); fence w,w; sw x5,0(x9)"
	const mp = "1:x10=1 /\\ 1:x11=0"
	for _, c := range []struct{ name, want, cond, p0, p1 string }{
		{"MP+fence+addr", "Never", mp, writer, "lw x10,0(x7); xor x12,x10,x10; add x13,x6,x12; lw x11,0(x13)"},
		{"MP+fence+ctrl", "Sometimes", mp, writer, "lw x10,0(x7); beq x10,x0,L; L:; lw x11,0(x6)"},
		{"MP+fence+data-rfi-addr", "Never", mp, writer,
			"lw x10,0(x7); xor x12,x10,x10; addi x12,x12,1; sw x12,0(x9); lw x14,0(x9); xor x15,x14,x14; add x13,x6,x15; lw x11,0(x13)"},
		{"MP+fence+addr-rfi-addr", "Never", mp, writer,
			"lw x10,0(x7); xor x12,x10,x10; add x16,x9,x12; sw x5,0(x16); lw x14,0(x9); xor x15,x14,x14; add x13,x6,x15; lw x11,0(x13)"},
		{"MP+fence+ctrl-rfi-addr", "Sometimes", mp, writer,
			"lw x10,0(x7); beq x10,x0,L; L:; sw x5,0(x9); lw x14,0(x9); xor x15,x14,x14; add x13,x6,x15; lw x11,0(x13)"},
		{"MP+fence+ctrl-amo-rfi-addr", "Never", mp, writer,
			"lw x10,0(x7); beq x10,x0,L; L:; amoswap.w x0,x5,(x9); lw x14,0(x9); xor x15,x14,x14; add x13,x6,x15; lw x11,0(x13)"},
		{"MP+fence+lr.aq", "Never", mp, writer, "lr.w.aq x10,(x7); lw x11,0(x6)"},
		{"MP+fence+lr.rl", "Sometimes", mp, writer, "lr.w x10,(x7); lw x11,0(x6)"},
		{"MP+fence+amo.aq", "Never", mp, writer, "amoor.w.aq x10,x0,(x7); lw x11,0(x6)"},
		{"MP+fence+amo.aq.rl", "Never", mp, writer, "amoor.w.aq.rl x10,x0,(x7); lw x11,0(x6)"},
		{"MP+fence+amo.rl", "Sometimes", mp, writer, "amoor.w.rl x10,x0,(x7); lw x11,0(x6)"},
		{"MP+amo.rl+addr", "Never", mp, "sw x5,0(x6); amoswap.w.rl x0,x5,(x7)", "lw x10,0(x7); xor x12,x10,x10; add x13,x6,x12; lw x11,0(x13)"},
		{"MP+amo.aq.rl+addr", "Never", mp, "sw x5,0(x6); amoswap.w.aq.rl x0,x5,(x7)", "lw x10,0(x7); xor x12,x10,x10; add x13,x6,x12; lw x11,0(x13)"},
		{"MP+amo.aq+addr", "Sometimes", mp, "sw x5,0(x6); amoswap.w.aq x0,x5,(x7)", "lw x10,0(x7); xor x12,x10,x10; add x13,x6,x12; lw x11,0(x13)"},
		{"SB+amo.aq+fence", "Never", "0:x10=0 /\\ 1:x10=0", "amoswap.w.aq x0,x5,(x6); lw x10,0(x7)", "sw x5,0(x7); fence rw,rw; lw x10,0(x6)"},
		{"SB+amo.rl+fence", "Sometimes", "0:x10=0 /\\ 1:x10=0", "amoswap.w.rl x0,x5,(x6); lw x10,0(x7)", "sw x5,0(x7); fence rw,rw; lw x10,0(x6)"},
		{"SB+amo.rl-lr.aq+fence", "Never", "0:x10=0 /\\ 1:x10=0", "amoswap.w.rl x0,x5,(x6); lr.w.aq x10,(x7)", "sw x5,0(x7); fence rw,rw; lw x10,0(x6)"},
		{"SB+lr.aq-sc.rl+fence", "Sometimes", "0:x10=0 /\\ 1:x10=0 /\\ 0:x17=0",
			"sw x5,0(x6); lr.w.aq x16,(x9); sc.w.rl x17,x5,(x9); lw x10,0(x7)", "sw x5,0(x7); fence rw,rw; lw x10,0(x6)"},
		{"SB+lr.aq-sc.aqrl+fence", "Never", "0:x10=0 /\\ 1:x10=0 /\\ 0:x17=0",
			"sw x5,0(x6); lr.w.aq x16,(x9); sc.w.aqrl x17,x5,(x9); lw x10,0(x7)", "sw x5,0(x7); fence rw,rw; lw x10,0(x6)"},
		{"SB+amo.aqrl+fence", "Never", "0:x10=0 /\\ 1:x10=0", "sw x5,0(x6); amoor.w.aqrl x16,x5,(x9); lw x10,0(x7)", "sw x5,0(x7); fence rw,rw; lw x10,0(x6)"},
		{"LB+fence+data", "Never", "0:x10=1 /\\ 1:x10=1", "lw x10,0(x6); fence rw,rw; sw x5,0(x7)", "lw x10,0(x7); xor x12,x10,x10; addi x12,x12,1; sw x12,0(x6)"},
		{"LB+fence+ctrl", "Never", "0:x10=1 /\\ 1:x10=1", "lw x10,0(x6); fence rw,rw; sw x5,0(x7)", "lw x10,0(x7); beq x10,x0,L; L:; sw x5,0(x6)"},
		{"LB+fence+po", "Sometimes", "0:x10=1 /\\ 1:x10=1", "lw x10,0(x6); fence rw,rw; sw x5,0(x7)", "lw x10,0(x7); sw x5,0(x6)"},
		{"LB+fence+addr-po", "Never", "0:x10=1 /\\ 1:x10=1", "lw x10,0(x6); fence rw,rw; sw x5,0(x7)",
			"lw x10,0(x7); xor x12,x10,x10; add x13,x9,x12; lw x14,0(x13); sw x5,0(x6)"},
		{"CoRR", "Never", mp, "sw x5,0(x6)", "lw x10,0(x6); lw x11,0(x6)"},
		{"inc+inc", "Never", "x=1", "amoadd.w x0,x5,(x6)", "amoadd.w x0,x5,(x6)"},
		{"lr-sc+sw", "Never", "x=1 /\\ 0:x10=0 /\\ 0:x17=0 /\\ 1:x10=1", "lr.w x10,(x6); sc.w x17,x5,(x6)", "sw x8,0(x6); lw x10,0(x6)"},
	} {
		add(c.name, c.want, c.cond, c.p0, c.p1)
	}
	// Two reads of one location in order, between reads that depend on them.
	add("MP+fence+addr-corr-addr", "Never", "1:x10=1 /\\ 1:x14=0 /\\ 1:x15=1 /\\ 1:x11=0", publish,
		"lw x10,0(x9); xor x12,x10,x10; add x13,x7,x12; lw x14,0(x13); lw x15,0(x7); xor x16,x15,x15; add x17,x6,x16; lw x11,0(x17)", "sw x5,0(x7)")
	// The same, reading one write twice: no order.
	add("MP+fence+addr-rsw-addr", "Sometimes", "1:x10=1 /\\ 1:x14=0 /\\ 1:x15=0 /\\ 1:x11=0", publish,
		"lw x10,0(x9); xor x12,x10,x10; add x13,x7,x12; lw x14,0(x13); lw x15,0(x7); xor x16,x15,x15; add x17,x6,x16; lw x11,0(x17)")
	return tests
}

func TestRISCV(t *testing.T) {
	tests := riscvTests(t)
	r := &litmus.Runner{}
	for i, p := range tests {
		res, err := r.Run(p.test)
		require.NoError(t, err)
		assert.Equal(t, p.want, res.Observation, p.name)
		tests[i].want = answer(t, r, p.test)
	}
	mutate(t, "riscv", tests)
}

// TestCompiler: only what carries the compiler's memory state orders anything.
func TestCompiler(t *testing.T) {
	src, err := models.Source("compiler")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(src), "let state = ")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n")
	state := strings.Split(list, " | ")
	require.Greater(t, len(state), 5)
	for _, s := range append(state, "") {
		want := "Never"
		if s == "" {
			want = "Sometimes" // all plain
		}
		assert.Equal(t, want, messagePassing(t, "compiler", nil, s), "%q", s)
		if s == "" {
			continue
		}
		// The model without this one.
		var rest []string
		for _, other := range state {
			if other != s {
				rest = append(rest, other)
			}
		}
		mutant, err := cat.Compile("mutant.cat", []byte(strings.Replace(string(src), list, strings.Join(rest, " | "), 1)), models.Include)
		require.NoError(t, err)
		assert.Equal(t, "Sometimes", messagePassing(t, "", mutant, s), "%q", s)
	}
	for _, line := range []string{"[state]; po | ", " | po; [state]"} {
		require.Contains(t, string(src), line)
		mutant, err := cat.Compile("mutant.cat", []byte(strings.Replace(string(src), line, "", 1)), models.Include)
		require.NoError(t, err)
		assert.Equal(t, "Sometimes", messagePassing(t, "", mutant, "Once"), "without %s", line)
	}
}

// messagePassing is MP with the flag's accesses marked by a tag, or fences between (F), or read-modify-writes (RMW).
func messagePassing(t *testing.T, name string, m *memmodel.Model, tag string) string {
	if m == nil {
		var err error
		m, err = models.Load(name)
		require.NoError(t, err)
	}
	p := &memmodel.Program{Name: "MP+" + tag, Tags: []string{"none", tag}, Locs: []memmodel.Location{{Name: "x", Size: 8}, {Name: "y", Size: 8}}}
	x, y, zero := memmodel.K(p.Addr(0)), memmodel.K(p.Addr(1)), memmodel.K(0)
	mark, op, load, fence := memmodel.Tags(2), memmodel.OpStore, memmodel.OpLoad, []memmodel.Instr(nil)
	switch tag {
	case "F":
		mark, fence = 1, []memmodel.Instr{{Op: memmodel.OpFence, A: zero}}
	case "RMW":
		mark, op, load = 1, memmodel.OpRMW, memmodel.OpRMW
	case "":
		mark = 1
	}
	p.Threads = []memmodel.Thread{
		{Code: append(append([]memmodel.Instr{{Op: memmodel.OpStore, A: x, B: zero, C: memmodel.K(1)}}, fence...),
			memmodel.Instr{Op: op, Fn: memmodel.FnB, Dst: memmodel.NoReg, A: y, B: zero, C: memmodel.K(1), Tags: mark, WTags: mark})},
		{Regs: make([]memmodel.Register, 2), Code: append(append([]memmodel.Instr{
			{Op: load, Fn: memmodel.FnB, Dst: 0, A: y, B: zero, C: memmodel.K(2), Tags: mark, WTags: mark}}, fence...),
			memmodel.Instr{Op: memmodel.OpLoad, Dst: 1, A: x, B: zero})},
	}
	s := memmodel.Search{Model: m}
	res, err := s.Run(p, []memmodel.Observable{memmodel.ObserveReg(1, 0), memmodel.ObserveReg(1, 1)},
		func(v []memmodel.Value) bool { return v[0] == 1 && v[1] == 0 })
	require.NoError(t, err)
	return res.Observation()
}
