package order

import (
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// node is a memory operation on some path: a conditional one has a node in which it writes and one in which it does not.
type node struct {
	slot  int // -1: none
	fails bool
	succ  []int
	want  []contract.Step
}

// graph is a function's memory operations and how they follow each other. Node 0 is the entry.
type graph struct {
	fn    *ir.Func
	ops   []*ir.Instr
	nodes []node
	// unbound are the fences that have no neighbour to bind to on any path, so that their contract promises nothing.
	unbound []bool
}

// strand is a way through a block up to now. slot is the conditional operation that went one way on it.
type strand struct {
	node, slot int
	fails      bool
}

func newGraph(fn *ir.Func) *graph {
	g := &graph{fn: fn, ops: fn.Operations(), nodes: []node{{slot: -1}}}
	entry := make([]int, len(fn.Blocks))
	for i := range fn.Blocks {
		entry[i] = g.add(-1, false, nil)
	}
	g.link(0, entry[0])
	for i, b := range fn.Blocks {
		front := []strand{{node: entry[i], slot: -1}}
		decided := map[ir.Reg]outcome{}
		for _, in := range b.Instrs {
			decided = learn(decided, in)
			if in.Op != ir.Memory {
				continue
			}
			switch {
			case in.Prim.Op == contract.Fence: // on each way: it may bind to what happened there
				for j, s := range front {
					front[j].node = g.add(in.Slot, false, []strand{s})
				}
			case in.Prim.Op.Conditional():
				front = []strand{{g.add(in.Slot, false, front), in.Slot, false}, {g.add(in.Slot, true, front), in.Slot, true}}
			default:
				front = []strand{{node: g.add(in.Slot, false, front), slot: -1}}
			}
		}
		for _, s := range front {
			for _, to := range g.follow(b.Term, s, decided) {
				g.link(s.node, entry[to])
			}
		}
	}
	g.demand()
	return g
}

// outcome says that a variable tells whether a conditional operation wrote.
type outcome struct {
	slot  int
	wrote bool // the variable is true if it wrote, else it is false then
}

// learn notes what an instruction makes of what the variables tell.
func learn(known map[ir.Reg]outcome, in ir.Instr) map[ir.Reg]outcome {
	var told outcome
	ok := false
	switch {
	case in.Dst == ir.None:
	case in.Op == ir.Memory && in.Prim.Op.Conditional():
		told, ok = outcome{in.Slot, in.Prim.Result == contract.Success || in.Prim.Result == contract.Observed}, true
	case in.Op == ir.Move && !in.Args[0].IsConst():
		told, ok = known[in.Args[0].Reg]
	case in.Op == ir.Compare && in.Cond == ir.Eq && in.Args[1] == ir.C(0) && !in.Args[0].IsConst():
		told, ok = known[in.Args[0].Reg]
		told.wrote = !told.wrote
	}
	for _, d := range in.Defs() {
		delete(known, *d)
	}
	if ok {
		known[in.Dst] = told
	}
	return known
}

// follow are the blocks that may follow on a strand.
func (g *graph) follow(t ir.Term, s strand, known map[ir.Reg]outcome) []int {
	if t.Kind == ir.If && !t.A.IsConst() && t.B == ir.C(0) && t.Cond <= ir.Ne {
		if o, ok := known[t.A.Reg]; ok && o.slot == s.slot {
			holds := (o.wrote != s.fails) == (t.Cond == ir.Ne)
			if holds {
				return []int{t.Then}
			}
			return []int{t.Else}
		}
	}
	return t.Succ()
}

func (g *graph) add(slot int, fails bool, from []strand) int {
	n := len(g.nodes)
	g.nodes = append(g.nodes, node{slot: slot, fails: fails})
	for _, s := range from {
		g.link(s.node, n)
	}
	return n
}

func (g *graph) link(from, to int) {
	if !slices.Contains(g.nodes[from].succ, to) {
		g.nodes[from].succ = append(g.nodes[from].succ, to)
	}
}

// preds are the nodes before each node.
func (g *graph) preds() [][]int {
	out := make([][]int, len(g.nodes))
	for i, n := range g.nodes {
		for _, s := range n.succ {
			out[s] = append(out[s], i)
		}
	}
	return out
}

// accesses reports whether a node accesses memory.
func (g *graph) accesses(n int) bool {
	return g.nodes[n].slot >= 0 && g.ops[g.nodes[n].slot].Prim.Op != contract.Fence
}

// demand puts down what the contracts promise, node by node.
func (g *graph) demand() {
	preds := g.preds()
	g.unbound = make([]bool, len(g.ops))
	for i := range g.nodes {
		if g.accesses(i) {
			n := &g.nodes[i]
			n.want = []contract.Step{promised(g.ops[n.slot], n.fails)}
		}
	}
	bound := make([]bool, len(g.ops))
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.slot < 0 || g.accesses(i) {
			continue
		}
		p := g.ops[n.slot].Prim
		switch p.Binds {
		case contract.Anything:
			n.want = []contract.Step{{Orders: widen(p.Orders)}}
			bound[n.slot] = true
		case contract.LastBranch:
			// The branch is not followed back to its load: any earlier load may have decided it.
			var step contract.Step
			for _, o := range widen(p.Orders) {
				o.Side, o.From = contract.Across, contract.FenceReads
				step.Orders = append(step.Orders, o)
			}
			n.want = []contract.Step{step}
			bound[n.slot] = true
		case contract.NextRMW:
			bound[n.slot] = g.bind(i, p, func(n int) []int { return g.nodes[n].succ }, preds, g.fn.Exit != 0) || bound[n.slot]
		default:
			forward := make([][]int, len(g.nodes))
			for k := range g.nodes {
				forward[k] = g.nodes[k].succ
			}
			bound[n.slot] = g.bind(i, p, func(n int) []int { return preds[n] }, forward, g.fn.Entry != 0) || bound[n.slot]
		}
	}
	for i, in := range g.ops {
		g.unbound[i] = in.Prim.Op == contract.Fence && !bound[i]
	}
}

// bind gives the orders of a fence that binds to a neighbour to the read-modify-writes that it is next to. next are the
// nodes towards the neighbours, and back those in the other direction. Where a neighbour is reached not only from the
// fence, may be a caller's, or stands farther away, the fence is taken for one that binds to anything: that demands more. It reports
// whether there is a neighbour.
func (g *graph) bind(fence int, p contract.Primitive, next func(int) []int, back [][]int, outside bool) bool {
	near, alone, ends := g.reach(fence, next, back, false)
	far, _, _ := g.reach(fence, next, back, true)
	outside = outside && ends
	if alone && !outside && len(near) > 0 && len(near) == len(far) {
		for _, n := range near {
			g.nodes[n].want[0].Orders = append(slices.Clone(g.nodes[n].want[0].Orders), widen(p.Orders)...)
		}
		return true
	}
	if len(far) == 0 && !outside {
		return false
	}
	g.nodes[fence].want = []contract.Step{{Orders: across(widen(p.Orders))}}
	return true
}

// across are the orders that are not about an operation's own events.
func across(orders []contract.Order) []contract.Order {
	return slices.DeleteFunc(slices.Clone(orders), func(o contract.Order) bool { return o.Side != contract.Across })
}

// reach finds the first read-modify-writes that wrote, next to a node or, beyond other accesses, farther away. alone says that those next to it
// are reached from there only, and ends that the function may end before any access.
func (g *graph) reach(from int, next func(int) []int, back [][]int, far bool) (found []int, alone, ends bool) {
	alone = true
	seen := map[int]bool{from: true}
	for work := []int{from}; len(work) > 0; {
		n := work[0]
		work = work[1:]
		to := next(n)
		ends = ends || len(to) == 0
		for _, m := range to {
			for _, b := range back[m] {
				alone = alone && (seen[b] && !g.accesses(b))
			}
			if g.accesses(m) {
				wrote := g.ops[g.nodes[m].slot].Prim.Op.RMW() && !g.nodes[m].fails
				if wrote && !slices.Contains(found, m) {
					found = append(found, m)
				}
				if wrote || !far {
					continue
				}
			}
			if !seen[m] {
				seen[m] = true
				work = append(work, m)
			}
		}
	}
	return found, alone, ends
}

// promised is an operation by its contract. A load of 16 bytes is a compare-and-swap by its form, and acquires whatever that does.
func promised(in *ir.Instr, fails bool) contract.Step {
	if in.Loads && fails {
		load, _ := contract.Lookup("LoadAcquire")
		return promise(load, false)
	}
	return promise(in.Prim, fails)
}

// promise is an operation by its contract. One that fails is a plain read and orders nothing.
func promise(p contract.Primitive, fails bool) contract.Step {
	step := contract.Step{Orders: widen(p.Orders)}
	switch {
	case fails:
		return contract.Step{Events: []contract.Classes{contract.PlainRead}}
	case p.Op == contract.Load:
		step.Events = []contract.Classes{contract.PlainRead}
	case p.Op == contract.Store:
		step.Events = []contract.Classes{contract.PlainWrite}
	case p.Op == contract.UnlockBit:
		step.Events = []contract.Classes{contract.PlainRead, contract.PlainWrite}
	case p.Result == contract.NoResult:
		step.Events = []contract.Classes{contract.NoReturnRead, contract.RMWWrite}
	default:
		step.Events = []contract.Classes{contract.RMWRead, contract.RMWWrite}
	}
	return step
}

// widen makes each order hold for the narrower observers too: what a device sees in order, a CPU must.
func widen(orders []contract.Order) []contract.Order {
	out := slices.Clone(orders)
	for i, o := range out {
		switch {
		case o.Domain&contract.Device != 0:
			out[i].Domain = contract.Everywhere
		case o.Domain&contract.DMA != 0:
			out[i].Domain = contract.Normal | contract.DMA
		}
	}
	return out
}
