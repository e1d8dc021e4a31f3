package doctor

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/internal/machine"
)

func at(kind machine.Kind, disp int64, width int) stmt {
	return stmt{op: opAccess, access: &access{Access: machine.Access{Kind: kind, Disp: disp, Width: width}}}
}

func load(disp int64) stmt  { return at(machine.Load, disp, 8) }
func store(disp int64) stmt { return at(machine.Store, disp, 8) }

// An edge says that one event may directly follow another.
type edge struct{ from, to string }

func TestSourceFlow(t *testing.T) {
	const in, out = entryLabel, exitLabel
	l8, s16, l24 := load(8).access.String(), store(16).access.String(), load(24).access.String()
	headed := stmt{op: opLoop, cond: "uint64(%s) > b", access: load(8).access, body: block{store(16)}}
	cases := map[string]struct {
		source block
		want   []edge
	}{
		"nothing":  {nil, []edge{{in, out}}},
		"sequence": {block{load(8), store(16)}, []edge{{in, l8}, {l8, s16}, {s16, out}}},
		"branch": {block{load(8), {op: opIf, body: block{store(16)}}, load(24)},
			[]edge{{in, l8}, {l8, s16}, {l8, l24}, {s16, l24}, {l24, out}}},
		"two ways": {block{{op: opIf, body: block{store(16)}, alt: block{load(24)}}},
			[]edge{{in, s16}, {in, l24}, {s16, out}, {l24, out}}},
		"loop": {block{load(8), {op: opLoop, body: block{store(16)}}, load(24)},
			[]edge{{in, l8}, {l8, s16}, {l8, l24}, {s16, s16}, {s16, l24}, {l24, out}}},
		"read condition": {block{headed, load(24)}, []edge{{in, l8}, {l8, s16}, {s16, l8}, {l8, l24}, {l24, out}}},
		"break": {block{{op: opLoop, body: block{load(8), {op: opIf, body: block{{op: opBreak}}}, store(16)}}, load(24)},
			[]edge{{in, l8}, {in, l24}, {l8, s16}, {l8, l24}, {s16, l8}, {s16, l24}, {l24, out}}},
		"return": {block{{op: opIf, body: block{load(8), {op: opReturn}}}, store(16)},
			[]edge{{in, l8}, {in, s16}, {l8, out}, {s16, out}}},
		"unreachable": {block{load(8), {op: opIf, body: block{{op: opReturn}}, alt: block{{op: opReturn}}}, store(16)},
			[]edge{{in, l8}, {l8, out}}},
	}
	for name, c := range cases {
		f := sourceFlow(c.source)
		var got []edge
		for _, node := range f.reachable() {
			for _, n := range f.after(node, false) {
				got = append(got, edge{f.label[node], f.label[n]})
			}
		}
		assert.ElementsMatch(t, c.want, got, name)
	}
}

// An access that stands in several places is told apart by what comes before and behind.
func TestRepeatedAccess(t *testing.T) {
	x, a, b, c := load(8), load(16), load(24), load(32)
	one := sourceFlow(block{x, a, x, b, x, c})
	assert.Nil(t, compare(one, sourceFlow(block{x, a, x, b, x, c})))
	assert.NotNil(t, compare(one, sourceFlow(block{x, b, x, a, x, c})))
	assert.NotNil(t, compare(one, sourceFlow(block{x, a, x, b, c})))
}

func TestMachineFlow(t *testing.T) {
	inst := func(pc uint64, kind machine.Kind, target uint64, symbol string, mem ...machine.Access) machine.Inst {
		for _, m := range mem {
			kind |= m.Kind
		}
		return machine.Inst{PC: pc, Text: "X", Kind: kind, Target: target, Symbol: symbol, Mem: mem}
	}
	a := func(kind machine.Kind, disp int64) machine.Access {
		return machine.Access{Kind: kind, Disp: disp, Width: 8}
	}
	spill := machine.Access{Kind: machine.Store, Base: machine.Stack, Width: 8}
	const call = machine.Call
	code := func(insts ...machine.Inst) machine.Func { return machine.Func{Insts: insts} }

	good := code(
		inst(0, machine.Jump|machine.Cond, 7, ""),
		inst(1, 0, 0, "", a(machine.Load, 8)),
		inst(2, 0, 0, "", spill),
		inst(3, machine.NilCheck, 0, ""),
		inst(4, machine.Jump|machine.Cond, 9, ""),
		inst(5, 0, 0, "", a(machine.Load|machine.Store, 16)), // one instruction, two accesses
		inst(6, machine.Return, 0, ""),
		inst(7, call, 100, "runtime.morestack_noctxt"),
		inst(8, machine.Jump, 0, "", machine.Access{Base: machine.Goroutine}),
		inst(9, call, 100, "runtime.panicBounds"),
		inst(10, 0, 0, "", a(machine.Load, 99)), // never reached
	)
	good.Insts[8].Target = 1
	source := block{load(8), load(16), store(16)}
	assert.Nil(t, compare(sourceFlow(source), machineFlow(good)))

	for name, bad := range map[string]machine.Inst{
		"call":          inst(2, call, 100, "other.Func"),
		"indirect call": inst(2, call, 0, ""),
		"tail call":     inst(2, machine.Jump, 0, ""),
		"unknown":       inst(2, machine.Unknown, 0, ""),
		"access":        inst(2, 0, 0, "", a(machine.Store, 40)),
		"return":        inst(2, machine.Return, 0, ""),
		"trap":          inst(2, machine.Trap, 0, ""),
	} {
		f := code(slices.Clone(good.Insts)...)
		f.Insts[2] = bad
		assert.NotNil(t, compare(sourceFlow(source), machineFlow(f)), name)
	}
}

// compileProbe links a probe with real barriers.
func compileProbe(t *testing.T, p probe, goarch string) map[string]machine.Func {
	t.Helper()
	tools, err := newToolchain(context.Background(), "go", nil)
	require.NoError(t, err)
	target, err := tools.target(context.Background(), goarch)
	require.NoError(t, err)
	bin, err := target.build(context.Background(), t.TempDir(), module{
		"go.mod":         []byte("module doctor\n\ngo 1.23\n"),
		"probe/probe.go": p.source("probe", defaultBarrier),
		"main/main.go":   mainSource("probe"),
	}, "./main")
	require.NoError(t, err)
	out := map[string]machine.Func{}
	for _, f := range p.funcs {
		out[f.name], err = bin.Func("doctor/probe." + f.name)
		require.NoError(t, err)
	}
	return out
}

// Whatever is changed in the model of the source, the machine code no longer agrees with it.
func TestSourceMutationsAreCaught(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64"} {
		p := newProbe(*seed, defaultAccesses)
		code := compileProbe(t, p, goarch)
		caught := map[string]int{}
		for _, f := range p.funcs {
			got := machineFlow(code[f.name])
			require.Nil(t, compare(sourceFlow(f.body), got), "%s: %s", goarch, f.name)
			mutate(&f.body, func(kind string) {
				caught[kind]++
				assert.NotNil(t, compare(sourceFlow(f.body), got), "%s: %s: %s is not noticed", goarch, f.name, kind)
			})
		}
		t.Logf("%s: %v", goarch, caught)
		for _, kind := range []string{"drop", "swap", "merge", "direction", "width", "duplicate"} {
			assert.NotZero(t, caught[kind], kind)
		}
	}
}

// mutate makes every small change in turn, shows it and takes it back.
func mutate(b *block, show func(kind string)) {
	original := *b
	try := func(kind string, mutant block) {
		*b = mutant
		show(kind)
		*b = original
	}
	for i := range original {
		s := &(*b)[i]
		mutate(&s.body, show)
		mutate(&s.alt, show)
		if s.access == nil {
			continue
		}
		saved := s.access
		changed := *saved
		changed.Kind ^= machine.Load | machine.Store
		s.access = &changed
		show("direction")
		changed = *saved
		changed.Width = 12 - changed.Width
		show("width")
		s.access = saved
		if s.op != opAccess {
			continue
		}
		try("drop", slices.Delete(slices.Clone(original), i, i+1))
		try("duplicate", slices.Insert(slices.Clone(original), i, *s))

		j := i + 1
		for j < len(original) && original[j].op == opUse {
			j++
		}
		if j == len(original) || original[j].op != opAccess {
			continue
		}
		if next := original[j].access; next.String() != saved.String() {
			swapped := slices.Clone(original)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			try("swap", swapped)
			if next.Kind == saved.Kind && next.Width == 4 && next.Disp == saved.Disp+4 && saved.Width == 4 {
				wide := *saved
				wide.Width = 8
				merged := slices.Delete(slices.Clone(original), j, j+1)
				merged[i].access = &wide
				try("merge", merged)
			}
		}
	}
}

// Whatever is changed in the machine code, it no longer agrees with the source.
func TestCodeMutationsAreCaught(t *testing.T) {
	const flow = machine.Jump | machine.Call | machine.Return
	p := newProbe(*seed, defaultAccesses)
	code := compileProbe(t, p, "amd64")
	caught := map[string]int{}
	for _, f := range p.funcs {
		want, insts := sourceFlow(f.body), code[f.name].Insts
		show := func(kind string) {
			caught[kind]++
			assert.NotNil(t, compare(want, machineFlow(machine.Func{Insts: insts})), "%s: %s is not noticed", f.name, kind)
		}
		previous := -1
		for i := range insts {
			if insts[i].Kind&flow != 0 || i > 0 && insts[i-1].Kind&flow != 0 {
				previous = -1
			}
			saved := insts[i].Mem
			if len(insts[i].Shared()) == 0 {
				continue
			}
			insts[i].Mem = nil
			show("drop")
			insts[i].Mem = append(slices.Clone(saved), saved...)
			show("duplicate")
			wide := slices.Clone(saved)
			wide[0].Width *= 2
			insts[i].Mem = wide
			show("widen")
			insts[i].Mem = saved
			if previous >= 0 && !slices.Equal(insts[previous].Mem, saved) {
				insts[i].Mem, insts[previous].Mem = insts[previous].Mem, saved
				show("swap")
				insts[i].Mem, insts[previous].Mem = saved, insts[i].Mem
			}
			previous = i
		}
	}
	t.Log(caught)
	for _, kind := range []string{"drop", "duplicate", "widen", "swap"} {
		assert.NotZero(t, caught[kind], kind)
	}
}

// The probe's variety is part of what it promises.
func TestProbeVariety(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		p := newProbe(r.Uint64(), defaultAccesses)
		assert.GreaterOrEqual(t, p.accesses, defaultAccesses)
		ops, accesses, nested, read := map[op]int{}, map[machine.Access]int{}, 0, 0
		var count func(b block, inLoop bool)
		count = func(b block, inLoop bool) {
			for _, s := range b {
				ops[s.op]++
				if s.access != nil {
					accesses[machine.Access{Kind: s.access.Kind, Width: s.access.Width}]++
					assert.NotZero(t, s.access.Disp)
					assert.Less(t, s.access.Disp, int64(2000))
				}
				if s.op == opLoop && inLoop {
					nested++
				}
				if s.op != opAccess && s.access != nil {
					read++
				}
				count(s.body, inLoop || s.op == opLoop)
				count(s.alt, inLoop)
			}
		}
		for _, f := range p.funcs {
			count(f.body, false)
		}
		assert.Len(t, accesses, 4, "loads and stores of 32 and 64 bits")
		for _, n := range []int{ops[opIf], ops[opLoop], ops[opBreak], ops[opReturn], nested, read} {
			assert.NotZero(t, n)
		}
	}
}
