// Package flow reasons about order along the paths of a function. It answers one question: does one version of a
// function, its fences removed, weakened or folded into other operations, still order whatever the other version
// orders?
//
//	lost, ok := flow.Contained(g)
//
// A Graph holds both versions node by node: what each node wants, and what it gives instead. A removal is sound on a
// machine if nothing is lost, on every path, between any two memory accesses, those of the callers included where the
// graph is open at its ends. Removals are checked together: give every node what it would have at the end.
//
// The analysis is exact on paths. For every access it follows what the access is ordered before, in both versions: the
// classes of the accesses that it is known to come before, and the classes of those that must come after it. Coherence
// and dependencies count for nothing, since what they add is the same in both versions.
package flow

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/barriergen/barriergen/contract"
)

// Node is one operation, in two versions.
type Node struct {
	Want []contract.Step // in order; what the first version does
	Give []contract.Step // what the second does; each access of Want must be there too
	// May marks a node whose accesses may be absent or repeated, such as a call: their orders are checked, but no other
	// order is derived from their presence.
	May  bool
	Succ []int
}

// Graph is a function. Node 0 is the entry; nodes without successors are exits.
type Graph struct {
	Nodes []Node
	Free  []contract.Order // what the machine orders by class
	// Entry and Exit are the classes of accesses that the callers may have done before and may do afterwards.
	Entry, Exit contract.Classes
	Domain      contract.Domain
	// Strength is the least strength with which an order counts. On a machine without multi-copy atomicity nothing is lost only if
	// nothing is at each.
	Strength contract.Strength
}

// Loss is an order that the first version has and the second has not.
type Loss struct {
	From, To contract.Classes // one class each
	Node     int              // of the later access; an exit's where the access is a caller's
}

// String reads as a sentence part.
func (l Loss) String() string { return fmt.Sprintf("earlier %v before later %v", l.From, l.To) }

// row is what is known of one earlier access: in each version, the classes of accesses that it comes before and itself
// (met), and of those that come later and must follow it (next).
type row struct {
	class                                contract.Classes
	wantMet, wantNext, giveMet, giveNext contract.Classes
	caller                               bool // the access was made before the entry
}

// stands reports whether whatever may be lost of another access, at the same place, is lost of this one: it is of the same
// class, wanted before at least as much, and given before no more. Nothing that follows can turn that round, since all that
// a node adds grows with what is known.
func (r row) stands(other row) bool {
	return r.class == other.class && r.caller == other.caller &&
		other.wantMet&^r.wantMet == 0 && other.wantNext&^r.wantNext == 0 && r.giveMet&^other.giveMet == 0 && r.giveNext&^other.giveNext == 0
}

// Contained reports whether the second version keeps every order of the first, and if not, one that is lost.
func Contained(g Graph) (Loss, bool) {
	m := compile(g)
	var lost *Loss
	m.run(func(r row, node int, class contract.Classes, wanted, given bool) bool {
		if wanted && !given {
			lost = &Loss{r.class, class, node}
		}
		return lost == nil
	}, nil)
	if lost != nil {
		return *lost, false
	}
	return Loss{}, true
}

// Summary is the weakest that a call of the function does, as one step: the classes of accesses that it may make, and
// the orders that it gives on every path, of at least the graph's strength and for its domain. It is about the second
// version, and takes the graph as open. The node that calls the function must be May.
func Summary(g Graph) contract.Step {
	g.Entry, g.Exit = contract.All, 0
	m := compile(g)
	var step contract.Step
	var across, before, after [classes]contract.Classes
	for i := range across {
		across[i], before[i], after[i] = contract.All, contract.All, contract.All
	}
	m.run(func(r row, node int, class contract.Classes, _, given bool) bool {
		if !given && r.caller {
			before[index(r.class)] &^= class
		}
		return true
	}, func(r row) {
		i := index(r.class)
		if r.caller {
			across[i] &= r.giveNext
		} else {
			after[i] &= r.giveNext
		}
	})
	var own contract.Classes
	for _, n := range g.Nodes {
		for _, s := range n.Give {
			for _, e := range s.Events {
				own |= e
			}
		}
	}
	step.Events = own.Each()
	for _, c := range contract.All.Each() {
		i, free := index(c), m.free[index(c)]
		step.Orders = m.give(step.Orders, contract.Across, c, across[i]&^free)
		step.Orders = m.give(step.Orders, contract.Before, c, before[i]&own&^free)
		if own&c != 0 {
			step.Orders = m.give(step.Orders, contract.After, c, after[i]&^free)
		}
	}
	return step
}

func (m *machine) give(orders []contract.Order, side contract.Side, from, to contract.Classes) []contract.Order {
	if to == 0 {
		return orders
	}
	return append(orders, contract.Order{Side: side, From: from, To: to, Strength: m.Strength, Domain: m.Domain})
}

const classes = 16

func index(c contract.Classes) int { return bits.TrailingZeros16(uint16(c)) }

// table has, for each class, what it is ordered before.
type table [classes]contract.Classes

func (t *table) add(o contract.Order) {
	for _, c := range o.From.Each() {
		t[index(c)] |= o.To
	}
}

// of joins what any class of a set is ordered before.
func (t *table) of(set contract.Classes) contract.Classes {
	var out contract.Classes
	for ; set != 0; set &= set - 1 {
		out |= t[index(set)]
	}
	return out
}

// step is a contract.Step with its orders by class. Its accesses are numbered within the version of its node.
type step struct {
	first, end            int
	before, across, after table
}

// version is what a node does in one of the two.
type version struct {
	events []contract.Classes
	write  []int // of each access that is the read half of a read-modify-write: its write half; 0 if there is none
	// enough are, for each access, those that an earlier access must come before to be as good as before this one: itself,
	// or the write half of a read-modify-write that everything later follows. No other write can come between the halves,
	// so whoever overwrites what the read half saw comes after the write half.
	enough []uint64
	steps  []step
}

type node struct {
	want, give version
	pair       [][2]int // the numbers of each access in want and in give
	may        bool
	succ       []int
}

// machine is a graph made ready.
type machine struct {
	free  table
	nodes []node
	Graph
}

func compile(g Graph) *machine {
	m := &machine{nodes: make([]node, len(g.Nodes)), Graph: g}
	for _, o := range g.Free {
		if o.Domain&g.Domain == g.Domain {
			m.free.add(o)
		}
	}
	for i, n := range g.Nodes {
		m.nodes[i] = node{want: m.version(n.Want, n.May), give: m.version(n.Give, n.May), may: n.May, succ: n.Succ}
		m.nodes[i].match(i)
	}
	return m
}

func (m *machine) version(in []contract.Step, may bool) version {
	var v version
	for _, s := range in {
		var out step
		out.first = len(v.events)
		v.events = append(v.events, s.Events...)
		out.end = len(v.events)
		for _, o := range s.Orders {
			if o.Domain&m.Domain != m.Domain || o.Strength < m.Strength {
				continue
			}
			[]*table{contract.Before: &out.before, contract.After: &out.after, contract.Across: &out.across}[o.Side].add(o)
		}
		v.steps = append(v.steps, out)
	}
	v.write, v.enough = make([]int, len(v.events)), make([]uint64, len(v.events))
	for i, e := range v.events {
		v.enough[i] = 1 << i
		// A read and a write of classes that may be absent need not be halves of one operation.
		for j := i + 1; !may && e&contract.RMWReads != 0 && j < len(v.events) && v.write[i] == 0; j++ {
			if v.events[j]&contract.RMWWrites != 0 {
				v.write[i] = j
			}
		}
		if w := v.write[i]; w != 0 && m.after(&v, w) == contract.All {
			v.enough[i] |= 1 << w
		}
	}
	return v
}

// after are the classes of what must follow an access by its class and its own operation.
func (m *machine) after(v *version, e int) contract.Classes {
	i := 0
	for e >= v.steps[i].end {
		i++
	}
	c := index(v.events[e])
	return m.free[c] | v.steps[i].after[c]
}

// match finds each access of want among those of give. A read is matched with a read and a write with a write, from the
// end: what give does in addition, such as a load before a compare-and-swap, comes first.
func (n *node) match(number int) {
	want, give := n.want.events, n.give.events
	left := map[bool]int{true: len(give), false: len(give)}
	for i := len(want) - 1; i >= 0; i-- {
		read := want[i]&contract.Reads != 0
		k := left[read] - 1
		for k >= 0 && (give[k]&contract.Reads != 0) != read {
			k--
		}
		if k < 0 {
			panic(fmt.Sprintf("flow: node %d gives no access for %v", number, want[i]))
		}
		left[read] = k
		n.pair = append(n.pair, [2]int{i, k})
	}
}

// known is what is known of one access on its way: the classes of accesses that it comes before, and of itself (met); the
// classes of those that come later and must follow it (next); and which accesses of the node at hand follow it.
type known struct {
	met, next contract.Classes
	follows   uint64
}

// pass takes what is known of an access through the steps of a version from the given one on.
func (m *machine) pass(k *known, v *version, may bool, from int) {
	for i := from; i < len(v.steps); i++ {
		s := &v.steps[i]
		into, over := s.before.of(k.met)|k.next, s.across.of(k.met)
		for e := s.first; e < s.end; e++ {
			if into&v.events[e] != 0 || k.follows&(1<<e) != 0 {
				m.meet(k, v, may, e)
			}
		}
		k.next |= over
	}
}

// meet notes that the access comes before access e. A write half can't be performed before its read half.
func (m *machine) meet(k *known, v *version, may bool, e int) {
	k.follows |= 1 << e
	if may {
		return
	}
	if v.write[e] != 0 {
		k.follows |= 1 << v.write[e]
	}
	k.met |= v.events[e]
	k.next |= m.after(v, e)
}

// start is what is known of a node's own access, number own, as it leaves the node.
func (m *machine) start(v *version, may bool, own int) known {
	i := 0
	for own >= v.steps[i].end {
		i++
	}
	k := known{met: v.events[own], next: m.after(v, own)}
	if w := v.write[own]; w != 0 {
		k.follows = 1 << w
		if w < v.steps[i].end {
			m.meet(&k, v, may, w)
		}
	}
	m.pass(&k, v, may, i+1)
	return k
}

// at is a row on its way into a node.
type at struct {
	node int
	row  row
}

// visitor is told of each pair of an earlier access and a later one of the first version, and whether either version
// orders them, until it returns false.
type visitor func(r row, node int, class contract.Classes, wanted, given bool) bool

// run follows every row along every path, but those that another stands for, and calls exit for each that reaches an exit.
func (m *machine) run(visit visitor, exit func(r row)) {
	into := make([][]row, len(m.nodes))
	var work []at
	push := func(n int, r row) {
		if slices.ContainsFunc(into[n], func(have row) bool { return have.stands(r) }) {
			return
		}
		into[n] = append(into[n], r)
		work = append(work, at{n, r})
	}
	// leave takes a row out of a node, where want and give are what is known of it.
	leave := func(n int, r row, want, give known, later func(pair [2]int) bool) bool {
		nd := &m.nodes[n]
		for _, p := range nd.pair {
			if later(p) && !visit(r, n, nd.want.events[p[0]], want.follows&(1<<p[0]) != 0, give.follows&nd.give.enough[p[1]] != 0) {
				return false
			}
		}
		r.wantMet, r.wantNext, r.giveMet, r.giveNext = want.met, want.next, give.met, give.next
		for _, s := range nd.succ {
			push(s, r)
		}
		if len(nd.succ) > 0 {
			return true
		}
		for _, c := range m.Exit.Each() {
			if !visit(r, n, c, r.wantNext&c != 0, r.giveNext&c != 0) {
				return false
			}
		}
		if exit != nil {
			exit(r)
		}
		return true
	}
	for _, c := range m.Entry.Each() {
		next := m.free[index(c)]
		push(0, row{c, c, next, c, next, true})
	}
	for i := range m.nodes {
		n := &m.nodes[i]
		for _, own := range n.pair {
			r := row{class: n.want.events[own[0]]}
			want, give := m.start(&n.want, n.may, own[0]), m.start(&n.give, n.may, own[1])
			if !leave(i, r, want, give, func(p [2]int) bool { return !n.may && p[0] > own[0] }) {
				return
			}
		}
	}
	for len(work) > 0 {
		a := work[len(work)-1]
		work = work[:len(work)-1]
		n, r := &m.nodes[a.node], a.row
		want, give := known{met: r.wantMet, next: r.wantNext}, known{met: r.giveMet, next: r.giveNext}
		m.pass(&want, &n.want, n.may, 0)
		m.pass(&give, &n.give, n.may, 0)
		if !leave(a.node, r, want, give, func([2]int) bool { return true }) {
			return
		}
	}
}
