package missingorder

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/barriergen/barriergen/analysis/internal/access"
	"github.com/barriergen/barriergen/analysis/internal/order"
	"github.com/barriergen/barriergen/contract"
)

// event is one operation, as far as order goes.
type event struct {
	order.Op
	pos           token.Pos
	location      *types.Var // of an access: the field or the variable, also of the elements in it; nil if it has no name
	object        object     // that the field is in
	reads, writes bool       // a read whose result nobody can see is none
	modifies      bool       // it is a read-modify-write
	unique        bool       // nobody else can see the object yet
	result        ssa.Value  // of an operation that may fail
	opaque        bool       // it may order anything: a lock, a channel, a function of which nothing is known
}

func (e *event) access() bool { return e.reads || e.writes }
func (e *event) atomic() bool { return e.access() && (e.Sync != "" || e.Prim != nil) }
func (e *event) fence() bool  { return e.Prim != nil && e.Prim.Op == contract.Fence }
func (e *event) rmw() bool    { return e.modifies }

// conditional reports whether it may end without writing.
func (e *event) conditional() bool {
	return e.Sync == contract.CompareAndSwap || e.Prim != nil && e.Prim.Op.Conditional()
}

// object is where an access goes, as far as it can be told.
type object struct {
	root ssa.Value
	path string
}

// node is an event at its place, or none.
type node struct {
	*event
	succ []edge
}

// edge leads to a node. If it is one side of a branch on an operation's success, of is that operation's result.
type edge struct {
	to    int
	of    ssa.Value
	wrote bool
	back  bool
}

// graph is a function, the functions of its package that it calls included.
type graph struct {
	fn     *ssa.Function
	nodes  []node
	locked bool // it locks or unlocks something
	writes map[*types.Var]bool
}

// maxDepth and maxNodes bound what is included.
const (
	maxDepth = 3
	maxNodes = 4000
)

type builder struct {
	*graph
	pkg   *types.Package
	stack []*ssa.Function
}

func newGraph(pkg *types.Package, fn *ssa.Function) *graph {
	b := &builder{graph: &graph{fn: fn, writes: map[*types.Var]bool{}}, pkg: pkg}
	b.function(fn, nil)
	for _, n := range b.nodes {
		if n.event != nil && n.event.writes && n.location != nil {
			b.graph.writes[n.location] = true
		}
	}
	return b.graph
}

func (b *builder) add(e *event) int {
	b.nodes = append(b.nodes, node{event: e})
	return len(b.nodes) - 1
}

func (b *builder) link(from int, e edge) { b.nodes[from].succ = append(b.nodes[from].succ, e) }

// function adds a function, whose parameters have the given values, and returns its entry and its exits.
func (b *builder) function(fn *ssa.Function, args []ssa.Value) (entry int, exits []int) {
	b.stack = append(b.stack, fn)
	defer func() { b.stack = b.stack[:len(b.stack)-1] }()
	in := frame{fn, args}
	heads := map[*ssa.BasicBlock]int{}
	for _, blk := range fn.Blocks {
		heads[blk] = b.add(nil)
	}
	for _, blk := range fn.Blocks {
		at := heads[blk]
		for _, instr := range blk.Instrs {
			if callee, values := b.included(instr, in); callee != nil {
				first, last := b.function(callee, values)
				b.link(at, edge{to: first})
				at = b.add(nil)
				for _, l := range last {
					b.link(l, edge{to: at})
				}
				continue
			}
			if e := b.event(instr, in); e != nil {
				n := b.add(e)
				b.link(at, edge{to: n})
				at = n
			}
		}
		switch last := blk.Instrs[len(blk.Instrs)-1].(type) {
		case *ssa.Return:
			exits = append(exits, at)
		case *ssa.If:
			cond, not := last.Cond, false
			for u, ok := cond.(*ssa.UnOp); ok && u.Op == token.NOT; u, ok = cond.(*ssa.UnOp) {
				cond, not = u.X, !not
			}
			for i, s := range blk.Succs {
				b.link(at, edge{heads[s], cond, (i == 0) != not, s.Dominates(blk)})
			}
		default:
			for _, s := range blk.Succs {
				b.link(at, edge{to: heads[s], back: s.Dominates(blk)})
			}
		}
	}
	return heads[fn.Blocks[0]], exits
}

// included is the function of the package that an instruction calls, if it is taken in.
func (b *builder) included(in ssa.Instruction, f frame) (*ssa.Function, []ssa.Value) {
	c, ok := in.(*ssa.Call)
	if !ok || len(b.stack) > maxDepth || len(b.nodes) > maxNodes {
		return nil, nil
	}
	fn := c.Call.StaticCallee()
	if fn == nil {
		return nil, nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if len(fn.Blocks) == 0 || fn.Object() == nil || fn.Object().Pkg() != b.pkg || len(fn.FreeVars) > 0 {
		return nil, nil
	}
	for _, s := range b.stack {
		if s == fn {
			return nil, nil
		}
	}
	var args []ssa.Value
	for _, a := range c.Call.Args {
		args = append(args, f.value(a))
	}
	return fn, args
}

// frame is a function with the values of its parameters, where it is taken in.
type frame struct {
	fn   *ssa.Function
	args []ssa.Value
}

func (f frame) value(v ssa.Value) ssa.Value {
	if p, ok := v.(*ssa.Parameter); ok && f.args != nil {
		for i, q := range f.fn.Params {
			if q == p && i < len(f.args) {
				return f.args[i]
			}
		}
	}
	return v
}

// event is what an instruction does, nil if nothing.
func (b *builder) event(in ssa.Instruction, f frame) *event {
	switch in := in.(type) {
	case *ssa.Call:
		return b.call(in, f)
	case *ssa.Send, *ssa.Select, *ssa.RunDefers, *ssa.Go:
		if r, ok := in.(*ssa.RunDefers); ok && !defers(r.Parent()) {
			return nil
		}
		return &event{opaque: true, pos: in.Pos()}
	case *ssa.UnOp:
		switch in.Op {
		case token.ARROW:
			return &event{opaque: true, pos: in.Pos()}
		case token.MUL:
			return plain(in.X, f, in, false)
		}
	case *ssa.Store:
		return plain(in.Addr, f, in, true)
	}
	return nil
}

func defers(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if _, ok := in.(*ssa.Defer); ok {
				return true
			}
		}
	}
	return false
}

// plain is an ordinary access. One to a variable of the function is none, nor is one to a pointer or a slice that leads to data:
// those that are followed are read all the time.
func plain(addr ssa.Value, f frame, in ssa.Instruction, write bool) *event {
	v, o, unique := place(addr, f, in)
	if v == nil {
		return nil
	}
	if !write {
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Map, *types.Signature, *types.Interface, *types.Struct:
			if _, element := addr.(*ssa.IndexAddr); !element {
				return nil
			}
		}
	}
	pos := in.Pos()
	if !pos.IsValid() {
		pos = addr.Pos()
	}
	return &event{pos: pos, location: v, object: o, unique: unique, reads: !write, writes: write}
}

// place is the variable that an address is in, and its object.
func place(addr ssa.Value, f frame, at ssa.Instruction) (*types.Var, object, bool) {
	addr = f.value(addr)
	var v *types.Var
	for a := addr; v == nil; {
		switch x := a.(type) {
		case *ssa.IndexAddr:
			a = f.value(x.X)
			if load, ok := a.(*ssa.UnOp); ok && load.Op == token.MUL { // the elements of a slice
				a = f.value(load.X)
			}
			continue
		case *ssa.Slice:
			a = f.value(x.X)
			continue
		case *ssa.FieldAddr:
			if wrapped(x) {
				a = f.value(x.X)
				continue
			}
		}
		v = access.Var(a)
		if v == nil {
			return nil, object{}, false
		}
	}
	root, path := access.Path(addr)
	unique := false
	if a := access.Object(root, path); a != nil && a.Parent() == at.Parent() {
		unique = access.Unpublished(a, at)
	}
	if made, ok := root.(*ssa.Call); ok && made.Parent() == at.Parent() { // by a constructor, for this function to set up
		callee := made.Call.StaticCallee()
		unique = unique || callee != nil && setup.MatchString(callee.Name())
	}
	for root != f.value(root) {
		r, p := access.Path(f.value(root))
		root, path = r, p+path
	}
	if i := strings.LastIndex(path, "."); i >= 0 {
		path = path[:i]
	}
	return v, object{root, path}, unique
}

// wrapped reports whether a field is all that its type has, so that the type stands for a word: which variable it is, the
// field that has this type says.
func wrapped(a *ssa.FieldAddr) bool {
	s, ok := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range s.NumFields() {
		if empty, ok := s.Field(i).Type().Underlying().(*types.Struct); i != a.Field && s.Field(i).Name() != "_" && !(ok && empty.NumFields() == 0) {
			return false
		}
	}
	_, word := s.Field(a.Field).Type().Underlying().(*types.Basic)
	return word
}

// call is a call of an atomic operation, a fence or something unknown.
func (b *builder) call(in *ssa.Call, f frame) *event {
	if _, ok := in.Call.Value.(*ssa.Builtin); ok {
		return nil
	}
	unknown := &event{opaque: true, pos: in.Pos()}
	fn := in.Call.StaticCallee()
	if fn == nil {
		return unknown
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, _ := fn.Object().(*types.Func)
	op, ok := order.Known(obj)
	if !ok || op.Sync == "" && op.Prim == nil {
		if len(op.Like) > 0 {
			b.locked = true
		}
		return unknown
	}
	e := &event{Op: op, pos: in.Pos()}
	if e.fence() {
		return e
	}
	kind := op.Sync
	if op.Prim != nil {
		kind = op.Prim.Op
	}
	store := kind == contract.Store || kind == contract.UnlockBit
	e.modifies = kind.RMW()
	e.reads = !store && (op.Prim == nil || op.Prim.Result != contract.NoResult)
	e.writes = store || e.modifies
	if e.conditional() {
		e.result = in
	}
	if len(in.Call.Args) > 0 {
		e.location, e.object, e.unique = place(in.Call.Args[0], f, in)
	}
	return e
}
