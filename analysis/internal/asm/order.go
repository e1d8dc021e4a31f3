package asm

import (
	"cmp"
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
)

// maxInstrs bounds the functions that are reasoned about: larger ones are not there for their order.
const maxInstrs = 4000

// anything is what unknown code does.
var anything = contract.Step{Events: contract.All.Each()}

// give says what an instruction does in the second version of a function.
type give func(i int, step contract.Step) contract.Step

func same(_ int, s contract.Step) contract.Step { return s }

// graph is a function as a graph of the instructions that have an effect. An instruction that may turn out in several
// ways is as many nodes.
func (fn *Func) graph(want, give give) flow.Graph {
	g := flow.Graph{Free: targets[fn.File.Arch].Free, Entry: contract.All, Exit: contract.All, Strength: contract.Local}
	b := &builder{fn: fn, first: make([]int, len(fn.Instrs)), count: make([]int, len(fn.Instrs))}
	node := func(n flow.Node) { g.Nodes = append(g.Nodes, n) }
	node(flow.Node{}) // the entry
	node(flow.Node{}) // the return
	node(flow.Node{Succ: []int{returned}})
	for i := range fn.Instrs {
		e := fn.Instrs[i].Effect
		b.first[i] = len(g.Nodes)
		switch e.Kind {
		case Opaque:
			node(flow.Node{Want: []contract.Step{anything}, Give: []contract.Step{anything}, May: true})
		case Known:
			for _, v := range fn.variants(i) {
				node(flow.Node{Want: []contract.Step{want(i, v)}, Give: []contract.Step{give(i, v)}})
			}
		}
		b.count[i] = len(g.Nodes) - b.first[i]
	}
	g.Nodes[0].Succ = b.nodes(0)
	for i := range fn.Instrs {
		for k := range b.count[i] {
			g.Nodes[b.first[i]+k].Succ = b.after(i, k)
		}
	}
	if b.left { // to code that is not seen
		g.Nodes[outside].Want, g.Nodes[outside].Give, g.Nodes[outside].May = []contract.Step{anything}, []contract.Step{anything}, true
	}
	return g
}

// The nodes that every graph has.
const (
	entered = iota
	returned
	outside
)

type builder struct {
	fn           *Func
	first, count []int // the nodes of each instruction
	left         bool  // control goes outside
}

// nodes are the nodes that control reaches next from in front of an instruction.
func (b *builder) nodes(i int) []int {
	seen := map[int]bool{}
	var out []int
	var visit func(i int)
	visit = func(i int) {
		switch {
		case i == Return:
			out = append(out, returned)
		case i < 0 || i >= len(b.fn.Instrs):
			out = append(out, outside)
			b.left = true
		case seen[i]:
		case b.count[i] > 0:
			seen[i] = true
			for k := range b.count[i] {
				out = append(out, b.first[i]+k)
			}
		default:
			seen[i] = true
			for _, s := range b.fn.Instrs[i].Next {
				visit(s)
			}
		}
	}
	visit(i)
	slices.Sort(out)
	return slices.Compact(out)
}

// after are the nodes behind the k-th variant of an instruction. An exclusive store takes the way of its outcome.
func (b *builder) after(i, k int) []int {
	in := &b.fn.Instrs[i]
	next := in.Next
	if in.Effect.Exclusive == ExclusiveStore && i+1 < len(b.fn.Instrs) {
		if branch := &b.fn.Instrs[i+1]; branch.failed != none {
			next = nil
			for _, s := range branch.Next {
				if (s == branch.failed) == (k == 1) || len(branch.Next) == 2 && branch.Next[0] == branch.Next[1] {
					next = append(next, s)
				}
			}
		}
	}
	var out []int
	for _, s := range next {
		out = append(out, b.nodes(s)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// variants are what an instruction may turn out to be. Accesses that concern nobody else are left out; what the
// instruction orders across them is kept.
func (fn *Func) variants(i int) []contract.Step {
	in := &fn.Instrs[i]
	out := in.Effect.Variants
	switch in.Effect.Exclusive {
	case ExclusiveLoad:
		out = out[:1] // to every fence its read is like any other
	case ExclusiveStore:
		if i+1 < len(fn.Instrs) && fn.Instrs[i+1].failed != none && !slices.Contains(fn.Instrs[i+1].Next, fn.Instrs[i+1].failed) {
			out = out[:1]
		}
	}
	if !in.Effect.Private {
		return out
	}
	private := make([]contract.Step, len(out))
	for k, s := range out {
		private[k].Orders = across(s)
	}
	return private
}

// across are the orders of a step between what comes before it and what comes after it.
func across(s contract.Step) []contract.Order {
	var out []contract.Order
	for _, a := range s.Orders {
		if a.Side == contract.Across {
			out = append(out, a)
		}
		for _, b := range s.Orders {
			if a.Side != contract.Before || b.Side != contract.After {
				continue
			}
			through := slices.ContainsFunc(s.Events, func(e contract.Classes) bool { return e&a.To&b.From != 0 })
			if through {
				out = append(out, contract.Order{Side: contract.Across, From: a.From, To: b.To, Strength: min(a.Strength, b.Strength), Domain: a.Domain & b.Domain})
			}
		}
	}
	return out
}

// Kept reports whether a function keeps every order that it has for the given observers, with what give puts in the place
// of its instructions, whatever its callers did before and do after it. With inside, orders count only if at least one of
// the two accesses is the function's own.
func (fn *Func) Kept(d contract.Domain, inside bool, give give) bool {
	return fn.kept(d, inside, same, give)
}

func (fn *Func) kept(d contract.Domain, inside bool, want, give give) bool {
	if fn.Indirect || len(fn.Instrs) > maxInstrs {
		return false
	}
	g := fn.graph(want, give)
	ends := [][2]contract.Classes{{contract.All, contract.All}}
	if inside {
		ends = [][2]contract.Classes{{contract.All, 0}, {0, contract.All}}
	}
	for _, one := range []contract.Domain{contract.Normal, contract.DMA, contract.Device} {
		for _, e := range ends {
			if g.Domain, g.Entry, g.Exit = one, e[0], e[1]; d&one == 0 {
				continue
			}
			if _, ok := flow.Contained(g); !ok {
				return false
			}
		}
	}
	return true
}

// Removable finds the fences that fn does not need: with all of them taken out it keeps every order, on every path, for the
// observers that the caller chooses for each fence; a fence for which it chooses none stays. The dearest is tried first, then
// the last.
func (fn *Func) Removable(domain func(i int) contract.Domain) []int {
	removed := map[int]contract.Domain{}
	for _, i := range fn.fences() {
		d := domain(i)
		if d == 0 {
			continue
		}
		removed[i] = d
		if !fn.Kept(d, false, without(removed)) {
			delete(removed, i)
		}
	}
	var out []int
	for i := range removed {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}

// Covering are the instructions whose orders make a fence redundant, the nearest that suffice: without any one of them it
// would be needed. Fences that are removed too are none of them.
func (fn *Func) Covering(i int, d contract.Domain, removed []int) []int {
	bare := map[int]bool{}
	for _, r := range removed {
		bare[r] = r != i
	}
	var others []int
	for k := range fn.Instrs {
		if fn.Instrs[k].Effect.Kind == Known && !bare[k] && k != i {
			others = append(others, k)
		}
	}
	distance := func(k int) int { return max(k-i, i-k) }
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(distance(b), distance(a)) })
	want := func(k int, s contract.Step) contract.Step {
		if bare[k] {
			s.Orders = nil
		}
		return s
	}
	give := func(k int, s contract.Step) contract.Step {
		if k == i {
			s.Orders = nil
		}
		return want(k, s)
	}
	var out []int
	for _, k := range others {
		bare[k] = true
		if !fn.kept(d, false, want, give) {
			bare[k] = false
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func without(removed map[int]contract.Domain) give {
	return func(i int, s contract.Step) contract.Step {
		if removed[i] != 0 {
			return contract.Step{}
		}
		return s
	}
}

// OnlyForCallers reports whether a fence orders accesses of fn, and adds nothing to what they are ordered with anyway, on any
// path. Then nobody needs it but a caller, for an access before fn and another one after it.
func (fn *Func) OnlyForCallers(i int, d contract.Domain) bool {
	fence := map[int]contract.Domain{i: d}
	alone := func(k int, s contract.Step) contract.Step {
		if k == i {
			return s
		}
		return contract.Step{Events: s.Events}
	}
	nothing := func(k int, s contract.Step) contract.Step { return contract.Step{Events: without(fence)(k, s).Events} }
	return fn.Kept(d, true, without(fence)) && !fn.kept(d, true, alone, nothing)
}

func (fn *Func) fences() []int {
	var out []int
	for i := range fn.Instrs {
		if fn.Instrs[i].Effect.Fence {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b int) int {
		return cmp.Or(cmp.Compare(fn.Instrs[b].Effect.Cost, fn.Instrs[a].Effect.Cost), cmp.Compare(b, a))
	})
	return out
}

// Summary is what the body of one function does, on one architecture.
type Summary struct {
	Arch string
	// Fence reports that the body is a fence and nothing else: it accesses no memory but its arguments and its frame, calls
	// nothing and returns. Without orders it is an empty one.
	Fence bool
	// Step are its accesses to shared memory by class, and the orders that its instructions give on every path. What the machine
	// orders anyway is not among them.
	contract.Step
}

// Summarize says what a body does; ok is false if it does something unknown.
func Summarize(fn *Func) (s Summary, ok bool) {
	if !fn.understood() {
		return s, false
	}
	s = Summary{Arch: fn.File.Arch, Step: fn.summary()}
	s.Fence = len(s.Events) == 0
	return s, true
}

// Around says what one access is ordered with on the path that orders it most: by its own instruction, and by fences that may
// run before it or behind it. Whether a compare-and-swap succeeded is not followed, so a fence on either way counts. The half
// of an exclusive pair that stores stands for both.
func (fn *Func) Around(i int) contract.Step {
	var own contract.Step
	merge := func(k int) {
		s := fn.Instrs[k].Effect.Variants[0]
		own.Events = append(own.Events, s.Events...)
		own.Orders = append(own.Orders, s.Orders...)
	}
	before := fn.reachable(i, fn.predecessors())
	if fn.Instrs[i].Effect.Exclusive == ExclusiveStore {
		for k := range fn.Instrs {
			if before[k] && fn.Instrs[k].Effect.Exclusive == ExclusiveLoad {
				merge(k)
			}
		}
	}
	merge(i)
	var next [][]int
	for k := range fn.Instrs {
		next = append(next, fn.Instrs[k].Next)
	}
	after := fn.reachable(i, next)
	for k := range fn.Instrs {
		if fn.Instrs[k].Effect.Kind != Known {
			continue
		}
		for _, o := range across(fn.Instrs[k].Effect.Variants[0]) {
			for side, there := range map[contract.Side]bool{contract.Before: before[k], contract.After: after[k]} {
				if o.Side = side; there {
					own.Orders = append(own.Orders, o)
				}
			}
		}
	}
	return own
}

// reachable are the instructions that some way leads to, in one step or more.
func (fn *Func) reachable(from int, next [][]int) map[int]bool {
	seen := map[int]bool{}
	work := []int{from}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range next[at] {
			if s >= 0 && !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return seen
}

func (fn *Func) predecessors() [][]int {
	out := make([][]int, len(fn.Instrs))
	for i := range fn.Instrs {
		for _, s := range fn.Instrs[i].Next {
			if s >= 0 {
				out[s] = append(out[s], i)
			}
		}
	}
	return out
}

func (fn *Func) understood() bool {
	if fn.Indirect || len(fn.Instrs) == 0 || len(fn.Instrs) > maxInstrs || targets[fn.File.Arch] == nil {
		return false
	}
	for i := range fn.Instrs {
		in := &fn.Instrs[i]
		if in.Effect.Kind == Opaque || slices.Contains(in.Next, Unknown) {
			return false
		}
	}
	return true
}

// summary joins what is found for each kind of observer.
func (fn *Func) summary() contract.Step {
	g := fn.graph(same, same)
	g.Free = nil
	var out contract.Step
	found := pairs{}
	for _, d := range []contract.Domain{contract.Normal, contract.DMA, contract.Device} {
		g.Domain = d
		s := flow.Summary(g)
		out.Events = s.Events
		found.add(s.Orders)
	}
	out.Orders = found.orders()
	return out
}

// Weakest is what several configurations have in common: the accesses of any, the orders of all.
func Weakest(all []Summary) Summary {
	out := all[0]
	common := pairs{}
	common.add(out.Orders)
	var events contract.Classes
	for _, s := range all {
		out.Fence = out.Fence && s.Fence
		other := pairs{}
		other.add(s.Orders)
		for p := range common {
			common[p] &= other[p]
		}
		for _, e := range s.Events {
			events |= e
		}
	}
	out.Step = contract.Step{Events: events.Each(), Orders: common.orders()}
	return out
}

// pair is one order between two classes.
type pair struct {
	side     contract.Side
	from, to contract.Classes
}

// pairs says towards whom each pair is ordered.
type pairs map[pair]contract.Domain

func (p pairs) add(orders []contract.Order) {
	for _, o := range orders {
		for _, from := range o.From.Each() {
			for _, to := range o.To.Each() {
				p[pair{o.Side, from, to}] |= o.Domain
			}
		}
	}
}

// orders joins the pairs again, later classes first, then the earlier ones that have the same.
func (p pairs) orders() []contract.Order {
	type head struct {
		side   contract.Side
		from   contract.Classes
		domain contract.Domain
	}
	later := map[head]contract.Classes{}
	for k, d := range p {
		if d != 0 {
			later[head{k.side, k.from, d}] |= k.to
		}
	}
	earlier := map[contract.Order]contract.Classes{}
	for h, to := range later {
		earlier[contract.Order{Side: h.side, To: to, Domain: h.domain, Strength: contract.Strong}] |= h.from
	}
	var out []contract.Order
	for o, from := range earlier {
		o.From = from
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b contract.Order) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Domain, b.Domain))
	})
	return out
}
