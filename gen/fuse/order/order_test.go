package order

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// names are primitives that a fused function may hold.
func names() []string {
	var out []string
	for _, p := range contract.Table() {
		switch {
		case p.Op == contract.WaitLoad, p.Binds == contract.LastSyncRMW, p.Binds == contract.LastSRCU:
		default:
			out = append(out, p.Name)
		}
	}
	return out
}

// source chooses: by a random generator, or by the bytes of a fuzzer.
type source interface{ IntN(n int) int }

// random is a function with blocks that lead forward.
func random(r source, most int) *ir.Func {
	f := &ir.Func{Entry: contract.All, Exit: contract.All}
	if r.IntN(4) == 0 {
		f.Entry = 0
	}
	if r.IntN(4) == 0 {
		f.Exit = 0
	}
	all := names()
	word := f.NewVar("p", ir.Address)
	blocks := 1 + r.IntN(4)
	left := 1 + r.IntN(most)
	for i := range blocks {
		b := &ir.Block{Weight: 1 + r.IntN(3)}
		for range 1 + r.IntN(3) {
			if left == 0 {
				break
			}
			left--
			p, _ := contract.Lookup(all[r.IntN(len(all))])
			in := ir.Instr{Op: ir.Memory, Dst: ir.None, Type: ir.Uint64, Args: []ir.Value{ir.C(1), ir.C(2)}, Access: &ir.Access{Prim: p, Base: ir.V(word), Width: 64}}
			if p.Op == contract.Fence {
				in.Args, in.Width = nil, 0
			} else if p.Op == contract.Load || (p.Result == contract.Success || p.Result == contract.Observed) && r.IntN(2) == 0 {
				in.Dst = f.NewVar("", ir.Uint64)
			}
			b.Instrs = append(b.Instrs, in)
		}
		b.Term = ir.Term{Kind: ir.Return}
		if i+1 < blocks {
			b.Term = ir.Term{Kind: ir.If, Cond: ir.Ne, Type: ir.Uint64, A: ir.V(word), B: ir.C(0), Then: i + 1, Else: i + 1 + r.IntN(blocks-i-1)}
			if n := len(b.Instrs); n > 0 && b.Instrs[n-1].Dst != ir.None { // on the outcome
				b.Term.A = ir.V(b.Instrs[n-1].Dst)
			}
		}
		f.Blocks = append(f.Blocks, b)
	}
	for _, b := range f.Blocks { // so that results are read
		for _, in := range b.Instrs {
			if in.Dst != ir.None {
				f.Blocks[blocks-1].Term.Results = append(f.Blocks[blocks-1].Term.Results, ir.V(in.Dst))
			}
		}
	}
	f.Finish()
	return f
}

// On every path, each pair of accesses that the contracts order is ordered by the code: by contract.LocalOrder, which knows nothing
// of graphs.
func check(t *testing.T, fn *ir.Func, m Machine) {
	plan, err := Choose(fn, m)
	require.NoError(t, err)
	g := plan.g
	var walk func(n int, nodes []int)
	walk = func(n int, nodes []int) {
		nodes = append(nodes[:len(nodes):len(nodes)], n)
		for _, s := range g.nodes[n].succ {
			walk(s, nodes)
		}
		if len(g.nodes[n].succ) > 0 {
			return
		}
		for _, d := range plan.domains {
			for _, before := range ends(fn.Entry) {
				// LocalOrder would take a read half before and a write half after for one operation.
				for _, after := range ends(fn.Exit &^ contract.RMWWrites) {
					compare(t, plan, nodes, d, before, after)
				}
			}
		}
	}
	walk(0, nil)
}

func ends(set contract.Classes) [][]contract.Step {
	out := [][]contract.Step{nil}
	for _, c := range set.Each() {
		out = append(out, []contract.Step{{Events: []contract.Classes{c}}})
	}
	return out
}

// compare looks at one path.
func compare(t *testing.T, plan *Plan, nodes []int, d contract.Domain, before, after []contract.Step) {
	want, have := slices.Clone(before), slices.Clone(before)
	type event struct{ want, have int } // the events that perform an access
	var events []event
	nWant, nHave := len(before), len(before)
	if len(before) > 0 {
		events = append(events, event{0, 0})
	}
	for _, n := range nodes {
		node := plan.g.nodes[n]
		if node.slot < 0 {
			continue
		}
		steps := plan.give(node, slices.IndexFunc(plan.all[node.slot], func(o Option) bool { return o.Seq.String() == plan.Options[node.slot].Seq.String() }))
		var own []contract.Classes
		for _, s := range steps {
			own = append(own, s.Events...)
		}
		for _, s := range node.want {
			for _, e := range s.Events {
				i := len(own) - 1
				for own[i]&contract.Reads != 0 != (e&contract.Reads != 0) {
					i--
				}
				events = append(events, event{nWant, nHave + i})
				nWant++
			}
		}
		nHave += len(own)
		want, have = append(want, node.want...), append(have, steps...)
	}
	if len(after) > 0 {
		events = append(events, event{nWant, nHave})
	}
	free := plan.Machine.Target.Free
	a := contract.LocalOrder(free, d, contract.Local, append(want, after...))
	b := contract.LocalOrder(free, d, contract.Local, append(have, after...))
	for i, x := range events {
		for _, y := range events[i+1:] {
			if a.Steps[x.want] == a.Steps[y.want] || !a.Ordered(x.want, y.want) || b.Ordered(x.have, y.have) {
				continue
			}
			// Into the write half of a read-modify-write that everything later follows is as good as into its read half.
			if y.have+1 < len(b.Steps) && b.Ordered(x.have, y.have+1) && b.Ordered(y.have, y.have+1) {
				continue
			}
			t.Fatalf("on %s, of %v events %d and %d are not ordered: %v, wanted %v", plan.Machine.Name, d, x.have, y.have, have, want)
		}
	}
}

func machinesOf() []Machine {
	var out []Machine
	for _, t := range targets.Native {
		out = append(out, Machines(t)...)
	}
	return out
}

func TestPlansKeepContracts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		fn := random(rng, 8)
		for _, m := range machinesOf() {
			check(t, fn, m)
		}
	}
}

// No cheaper choice keeps the contracts: all of them are tried.
func TestPlansAreCheapest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		fn := random(rng, 4)
		weight := weights(fn)
		for _, m := range machinesOf() {
			plan, err := Choose(fn, m)
			require.NoError(t, err)
			best := -1
			choice := make([]int, len(plan.all))
			var try func(slot, cost int)
			try = func(slot, cost int) {
				if slot == len(choice) {
					if (best < 0 || cost < best) && plan.keeps(plan.g, choice) {
						best = cost
					}
					return
				}
				for i, o := range plan.all[slot] {
					choice[slot] = i
					try(slot+1, cost+o.cost*weight[slot])
				}
			}
			try(0, 0)
			assert.Equal(t, best, plan.Cost, "%s: %v", m.Name, plan.Options)
		}
	}
}

// Every primitive by itself gets code that costs no more than the library's in assembly.
func TestSinglePrimitives(t *testing.T) {
	for _, name := range names() {
		p, _ := contract.Lookup(name)
		f := &ir.Func{Entry: contract.All, Exit: contract.All}
		word := f.NewVar("p", ir.Address)
		in := ir.Instr{Op: ir.Memory, Dst: ir.None, Type: ir.Uint64, Args: []ir.Value{ir.C(1), ir.C(2)}, Access: &ir.Access{Prim: p, Base: ir.V(word), Width: 64}}
		f.Blocks = []*ir.Block{{Weight: 1, Instrs: []ir.Instr{in}, Term: ir.Term{Kind: ir.Return}}}
		f.Finish()
		for _, m := range machinesOf() {
			plan, err := Choose(f, m)
			require.NoError(t, err)
			assert.False(t, plan.Exhausted)
			check(t, f, m)
			if p.Op != contract.Fence && len(p.Orders) > 0 && m.Target.Name == "arm64" && !m.Else && p.Op.RMW() {
				assert.True(t, orders(plan.Options[0].ok), "%s: %s", name, plan.Options[0].Name())
			}
		}
	}
}

// script is a fuzzer's bytes as choices.
type script []byte

func (s *script) IntN(n int) int {
	if len(*s) == 0 {
		return 0
	}
	b := int((*s)[0])
	*s = (*s)[1:]
	return b % n
}

// Whatever the function, the plan keeps its contracts.
func FuzzChoose(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18})
	f.Add([]byte("the quick brown fox jumps over the lazy dog"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := script(data)
		fn := random(&s, 6)
		for _, m := range machinesOf() {
			check(t, fn, m)
		}
	})
}

// cell is an operation on 16 bytes.
func cell(loads bool) *ir.Func {
	p, _ := contract.Lookup("CompareAndSwap128")
	f := &ir.Func{Entry: contract.All, Exit: contract.All}
	in := ir.Instr{Op: ir.Memory, Dst: ir.None, Type: ir.Uint64, Args: slices.Repeat([]ir.Value{ir.C(0)}, 4),
		Access: &ir.Access{Prim: p, Loads: loads, Base: ir.V(f.NewVar("p", ir.Address)), Width: 128}}
	f.Blocks = []*ir.Block{{Weight: 1, Instrs: []ir.Instr{in}, Term: ir.Term{Kind: ir.Return}}}
	f.Finish()
	return f
}

// A load of 16 bytes acquires whether it writes or not; a compare-and-swap that fails orders nothing.
func TestCellsDemand(t *testing.T) {
	for _, loads := range []bool{false, true} {
		for _, n := range newGraph(cell(loads)).nodes {
			if n.slot < 0 {
				continue
			}
			acquires := slices.ContainsFunc(n.want[0].Orders, func(o contract.Order) bool {
				return o.Side == contract.After && o.From&contract.Reads != 0 && o.To == contract.All
			})
			assert.Equal(t, loads || !n.fails, acquires, "loads %v, fails %v", loads, n.fails)
		}
	}
}

// Code that writes the halves of a cell one by one is none.
func TestCellsAreWhole(t *testing.T) {
	for _, m := range machinesOf() {
		_, err := Choose(cell(false), m)
		require.NoError(t, err)
		target, level := *m.Target, *m.Level
		m.Target, m.Level = &target, &level
		level.Candidates = func() arch.Candidates {
			all := maps.Clone(target.Level(level.Name).Candidates())
			halves := func(seq arch.Seq) arch.Seq {
				seq = slices.Clone(seq)
				for i := range seq {
					op := *seq[i].Op
					op.Whole = false
					seq[i].Op = &op
				}
				return seq
			}
			c := all[contract.CompareAndSwap2][0]
			if c.Code = halves(c.Code); c.Else != nil {
				c.Else = halves(c.Else)
			}
			all[contract.CompareAndSwap2] = []arch.Candidate{c}
			return all
		}
		_, err = Choose(cell(false), m)
		assert.Error(t, err, m.Name)
	}
}
