package order

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
)

// node is an operation at its place; several may stand for one instruction, one for each outcome.
type node struct {
	op      Op
	at      *site // nil for an empty node
	succ    []int
	returns bool // the function returns behind it; one that ends elsewhere panics, or never ends
}

// site is where an operation stands in the source.
type site struct {
	pos  token.Pos
	call bool // a call, not a deferred one
}

// graph is a function as a machine may see it.
type graph struct{ nodes []node }

// maxSplit bounds how often the rest of a block is looked at once for each outcome of a conditional operation.
const maxSplit = 4

// builder makes the graph of one function.
type builder struct {
	*graph
	callee func(c *ssa.CallCommon) []Op
	local  *locals
	block  map[*ssa.BasicBlock]int // the node at which a block begins
	defers []Op
}

// newGraph makes the graph of a function; callee says what a call does.
func newGraph(fn *ssa.Function, callee func(c *ssa.CallCommon) []Op) *graph {
	b := &builder{graph: &graph{}, callee: callee, local: newLocals(fn), block: map[*ssa.BasicBlock]int{}}
	for _, blk := range fn.Blocks {
		b.block[blk] = b.add(node{})
		for _, in := range blk.Instrs {
			if d, ok := in.(*ssa.Defer); ok {
				b.defers = append(b.defers, b.call(d.Common())...)
			}
		}
	}
	for _, blk := range fn.Blocks {
		b.rest(blk, 0, b.block[blk], nil, 0)
	}
	return b.graph
}

func (b *builder) add(n node) int {
	b.nodes = append(b.nodes, n)
	return len(b.nodes) - 1
}

func (b *builder) link(from, to int) { b.nodes[from].succ = append(b.nodes[from].succ, to) }

// then appends operations in a line.
func (b *builder) then(at int, in ssa.Instruction, ops ...Op) int {
	_, call := in.(*ssa.Call)
	s := &site{in.Pos(), call}
	for _, op := range ops {
		n := b.add(node{op: op, at: s})
		b.link(at, n)
		at = n
	}
	return at
}

// outcome is how a conditional operation ended on the path at hand.
type outcome struct {
	of    ssa.Value
	wrote bool
}

// rest adds a block's instructions from the given one on behind node at.
func (b *builder) rest(blk *ssa.BasicBlock, from, at int, known []outcome, splits int) {
	for i := from; i < len(blk.Instrs); i++ {
		in := blk.Instrs[i]
		if c, ok := in.(*ssa.Call); ok {
			ops := b.call(c.Common())
			if ops[0].conditional() && !ops[0].Private {
				b.either(blk, i, at, c, ops[0], known, splits)
				return
			}
			at = b.then(at, in, ops...)
			continue
		}
		at = b.then(at, in, b.ops(in)...)
	}
	switch i := blk.Instrs[len(blk.Instrs)-1].(type) {
	case *ssa.Return:
		b.nodes[at].returns = true
	case *ssa.If:
		cond, not := i.Cond, false
		for u, ok := cond.(*ssa.UnOp); ok && u.Op == token.NOT; u, ok = cond.(*ssa.UnOp) {
			cond, not = u.X, !not
		}
		for _, k := range known {
			if k.of == cond {
				s := 0
				if k.wrote == not {
					s = 1
				}
				b.link(at, b.block[blk.Succs[s]])
				return
			}
		}
	}
	for _, s := range blk.Succs {
		b.link(at, b.block[s])
	}
}

// either goes on once with a conditional operation that wrote, and once with one that did not.
func (b *builder) either(blk *ssa.BasicBlock, i, at int, c *ssa.Call, op Op, known []outcome, splits int) {
	failed := op
	failed.Failed = true
	wrote := b.then(at, c, op)
	not := b.add(node{op: failed, at: b.nodes[wrote].at})
	b.link(at, not)
	if splits == maxSplit {
		join := b.add(node{})
		b.link(wrote, join)
		b.link(not, join)
		b.rest(blk, i+1, join, known, splits)
		return
	}
	known = known[:len(known):len(known)]
	b.rest(blk, i+1, wrote, append(known, outcome{c, true}), splits+1)
	b.rest(blk, i+1, not, append(known, outcome{c, false}), splits+1)
}

var (
	reads     = Op{Events: []contract.Classes{contract.PlainRead}}
	writes    = Op{Events: []contract.Classes{contract.PlainWrite}}
	mayRead   = Op{Events: []contract.Classes{contract.PlainRead}, May: true}
	mayAccess = Op{Events: []contract.Classes{contract.PlainRead, contract.PlainWrite}, May: true}
)

// ops are the operations of an instruction other than a call.
func (b *builder) ops(in ssa.Instruction) []Op {
	switch in := in.(type) {
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			if b.local.shared(in.X) {
				return []Op{reads}
			}
		case token.ARROW:
			return []Op{channelOp}
		}
	case *ssa.Store:
		if b.local.shared(in.Addr) {
			return []Op{writes}
		}
	case *ssa.MapUpdate:
		return []Op{mayAccess}
	case *ssa.Lookup, *ssa.Next, *ssa.Range, *ssa.Index, *ssa.Convert:
		if touchesMemory(in) {
			return []Op{mayRead}
		}
	case *ssa.Send:
		return []Op{channelOp}
	case *ssa.Select:
		return []Op{unknown}
	case *ssa.RunDefers:
		ops := make([]Op, 0, len(b.defers))
		for i := len(b.defers) - 1; i >= 0; i-- { // a deferred call may not have been reached
			op := b.defers[i]
			op.May, op.Uncertain, op.callee = true, true, nil
			ops = append(ops, op)
		}
		return ops
	}
	return nil
}

// touchesMemory leaves out what works on values: an array's element, a conversion of numbers.
func touchesMemory(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Index:
		_, array := in.X.Type().Underlying().(*types.Array)
		return !array
	case *ssa.Convert:
		return isText(in.Type()) != isText(in.X.Type()) || isText(in.Type()) && !types.Identical(in.Type().Underlying(), in.X.Type().Underlying())
	}
	return true
}

func isText(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Basic:
		return t.Info()&types.IsString != 0
	}
	return false
}

// call is what a call does: one thing at least. An atomic operation on memory that nobody shares only orders.
func (b *builder) call(c *ssa.CallCommon) []Op {
	if bi, ok := c.Value.(*ssa.Builtin); ok {
		return []Op{builtin(bi.Name())}
	}
	ops := b.callee(c)
	op := &ops[0]
	if op.Sync != "" || op.Prim != nil && op.Prim.Op != contract.Fence {
		if len(c.Args) > 0 && !b.local.shared(c.Args[0]) {
			op.Private, op.Failed = true, op.conditional()
		}
	}
	return ops
}

func builtin(name string) Op {
	switch name {
	case "append", "copy", "delete", "clear":
		return mayAccess
	case "close":
		return channelOp
	case "panic", "recover", "print", "println":
		return unknown
	}
	return Op{} // len, cap, min, max, complex, unsafe.Add ...
}

// change puts other operations in the place of some nodes. An empty one is nothing.
type change map[int]Op

func (c change) with(nodes []int, op Op) change {
	out := maps.Clone(c)
	if out == nil {
		out = change{}
	}
	for _, n := range nodes {
		out[n] = op
	}
	return out
}

// on is the graph for a machine, before and after a change. What changes is taken for what it does, everything else for
// what it promises: an order that the rest gives beyond that only makes a loss smaller.
func (g *graph) on(m *Machine, c change) flow.Graph {
	out := g.skeleton(m)
	for i, n := range g.nodes {
		if op, ok := c[i]; ok {
			out.Nodes[i].Want, out.Nodes[i].Give = m.steps(n.op), m.steps(op)
			continue
		}
		out.Nodes[i].Want = m.promised(n.op)
		out.Nodes[i].Give = out.Nodes[i].Want
	}
	return out
}

// skeleton is the graph for a machine without operations.
func (g *graph) skeleton(m *Machine) flow.Graph {
	out := flow.Graph{Nodes: make([]flow.Node, len(g.nodes)), Free: m.free(), Entry: contract.All, Exit: contract.All, Domain: contract.Normal}
	for i, n := range g.nodes {
		out.Nodes[i] = flow.Node{May: n.op.May, Succ: n.succ}
	}
	return out
}
