package flow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/contract"
)

const all = contract.All

func order(side contract.Side, from, to contract.Classes) contract.Order {
	return contract.Order{Side: side, From: from, To: to, Strength: contract.Strong, Domain: contract.Normal}
}

func fence(from, to contract.Classes) contract.Step {
	return contract.Step{Orders: []contract.Order{order(contract.Across, from, to)}}
}

// The operations of a machine without free orders, and of one that orders everything but a write and a later read.
var (
	read    = contract.Step{Events: []contract.Classes{contract.PlainRead}}
	write   = contract.Step{Events: []contract.Classes{contract.PlainWrite}}
	acquire = contract.Step{Events: []contract.Classes{contract.AcquireRead}, Orders: []contract.Order{order(contract.After, contract.AcquireRead, all)}}
	release = contract.Step{Events: []contract.Classes{contract.ReleaseWrite}, Orders: []contract.Order{order(contract.Before, all, contract.ReleaseWrite)}}
	relaxed = contract.Step{Events: []contract.Classes{contract.RMWRead, contract.RMWWrite}}
	both    = contract.Step{Events: []contract.Classes{contract.RMWAcquireRead, contract.RMWReleaseWrite}, Orders: []contract.Order{
		order(contract.After, contract.RMWAcquireRead, all), order(contract.Before, all, contract.RMWReleaseWrite)}}
	rmwFull = contract.Step{Events: both.Events, Orders: append(slices.Clone(both.Orders), order(contract.After, contract.RMWReleaseWrite, all))}
	dropped = contract.Step{Events: []contract.Classes{contract.NoReturnRead, contract.RMWWrite}}

	full     = fence(all, all)
	fenceLD  = fence(contract.FenceReads, all)
	fenceST  = fence(contract.Writes, contract.Writes)
	accesses = []contract.Step{read, write, acquire, release, relaxed, both, rmwFull, dropped}
	fences   = []contract.Step{full, fenceLD, fenceST, {}}

	tso = []contract.Order{order(contract.Across, contract.Reads, all), order(contract.Across, contract.Writes, contract.Writes)}
)

// line is a straight line in which the step at an index is replaced.
func line(entry, exit contract.Classes, free []contract.Order, steps []contract.Step, at int, by ...contract.Step) Graph {
	g := Graph{Free: free, Entry: entry, Exit: exit, Domain: contract.Normal}
	for i, s := range steps {
		n := Node{Want: []contract.Step{s}, Give: []contract.Step{s}}
		if i == at {
			n.Give = by
		}
		if i+1 < len(steps) {
			n.Succ = []int{i + 1}
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

func TestStraightLines(t *testing.T) {
	for _, c := range []struct {
		name        string
		free        []contract.Order
		entry, exit contract.Classes
		steps       []contract.Step
		at          int
		by          []contract.Step
		contained   bool
	}{
		{"a fence between two plain accesses", nil, 0, 0, []contract.Step{write, full, read}, 1, nil, false},
		{"a fence beside a fence", nil, all, all, []contract.Step{full, full}, 1, nil, true},
		{"a weaker fence is no reason", nil, all, all, []contract.Step{fenceLD, full}, 1, nil, false},
		{"a stronger one is", nil, all, all, []contract.Step{full, fenceLD}, 1, nil, true},
		{"an access between two fences", nil, all, all, []contract.Step{full, write, full}, 2, nil, false},
		{"after a full read-modify-write", nil, all, all, []contract.Step{rmwFull, full}, 1, nil, true},
		{"before it: what is later would pass its write", nil, all, all, []contract.Step{full, rmwFull}, 0, nil, true},
		{"after one that acquires and releases", nil, all, all, []contract.Step{both, full}, 1, nil, false},
		{"an access between a full one and the fence", nil, all, all, []contract.Step{rmwFull, write, full}, 2, nil, false},
		{"an acquire load orders nothing that came before it", nil, 0, 0, []contract.Step{read, acquire, fenceLD, read}, 2, nil, false},
		{"an acquire load before later accesses", nil, 0, all, []contract.Step{acquire, fenceLD}, 1, nil, true},
		{"but not for the callers' accesses", nil, all, all, []contract.Step{acquire, fenceLD}, 1, nil, false},
		{"a release store after earlier accesses", nil, all, 0, []contract.Step{fence(all, contract.Writes), release}, 0, nil, true},
		{"a later plain store passes a release store", nil, all, 0, []contract.Step{fence(all, contract.Writes), release, write}, 0, nil, false},
		{"release then acquire do not make a chain", nil, 0, 0, []contract.Step{write, release, full, acquire, read}, 2, nil, false},
		{"the read half that nobody receives escapes a read fence", nil, 0, 0, []contract.Step{dropped, full, read}, 1, []contract.Step{fenceLD}, false},
		{"a received one does not escape it, its write half does", nil, 0, 0, []contract.Step{relaxed, full, read}, 1, []contract.Step{fenceLD}, false},
		{"weaker where only reads come before", nil, 0, 0, []contract.Step{read, full, read, write}, 1, []contract.Step{fenceLD}, true},
		{"free order", tso, all, all, []contract.Step{fenceLD}, 0, nil, true},
		{"free order does not cover store buffering", tso, all, all, []contract.Step{full}, 0, nil, false},
		{"through what the read-modify-write reads before it writes", nil, 0, 0,
			[]contract.Step{read, full, {Events: relaxed.Events, Orders: []contract.Order{order(contract.Before, all, contract.RMWRead)}}}, 1, nil, true},
	} {
		loss, ok := Contained(line(c.entry, c.exit, c.free, c.steps, c.at, c.by...))
		assert.Equal(t, c.contained, ok, "%s: %v", c.name, loss)
	}
}

// Two fences may each justify the other: alone each can go, together they can't.
func TestRemovalsAreCheckedTogether(t *testing.T) {
	g := line(all, all, nil, []contract.Step{full, full}, 0)
	_, ok := Contained(g)
	assert.True(t, ok)
	g.Nodes[1].Give = nil
	_, ok = Contained(g)
	assert.False(t, ok)
}

func TestPaths(t *testing.T) {
	one := func(s contract.Step, succ ...int) Node {
		return Node{Want: []contract.Step{s}, Give: []contract.Step{s}, Succ: succ}
	}
	gone := func(s contract.Step, succ ...int) Node { return Node{Want: []contract.Step{s}, Succ: succ} }
	check := func(nodes ...Node) bool {
		_, ok := Contained(Graph{Nodes: nodes, Entry: all, Exit: all, Domain: contract.Normal})
		return ok
	}
	empty := contract.Step{}
	assert.True(t, check(one(empty, 1, 2), one(full, 3), one(full, 3), gone(full)), "a fence on both branches")
	assert.False(t, check(one(empty, 1, 2), one(full, 3), one(empty, 3), gone(full)), "a fence on one branch")
	assert.False(t, check(one(empty, 1, 2), one(full, 3), one(rmwFull, 3), one(read, 4), gone(full)), "an access behind the join")
	assert.True(t, check(one(full, 1), one(empty, 2, 1), gone(full)), "a loop without accesses")
	assert.False(t, check(one(full, 1), one(read, 2, 1), gone(full)), "a loop with one")
	assert.False(t, check(gone(full, 1), one(read, 0, 2), one(full)), "around the loop nothing else orders the reads")
	assert.True(t, check(one(full, 1), gone(full, 2), one(read, 0, 3), one(full)))
}

// Two classes of accesses that a call may make are not the halves of one read-modify-write: what comes before the write comes
// before the read only of such an operation.
func TestMayIsNoPair(t *testing.T) {
	g := line(all, all, nil, []contract.Step{full, rmwFull}, 0)
	_, ok := Contained(g)
	assert.True(t, ok)
	g.Nodes[1].May = true
	loss, ok := Contained(g)
	assert.False(t, ok)
	assert.Equal(t, contract.RMWAcquireRead, loss.To)
}

// What a machine orders of itself counts for those observers only for which it does.
func TestFreeOrderHasADomain(t *testing.T) {
	wide := fence(all, all)
	wide.Orders[0].Domain = contract.Everywhere
	free := order(contract.Across, all, all)
	for domain, contained := range map[contract.Domain]bool{contract.Normal: true, contract.Device: false} {
		g := line(all, all, []contract.Order{free}, []contract.Step{wide}, 0)
		g.Domain = domain
		_, ok := Contained(g)
		assert.Equal(t, contained, ok, "%v", domain)
	}
}

func TestMayOrdersNothing(t *testing.T) {
	g := line(all, all, nil, []contract.Step{rmwFull, full}, 1)
	g.Nodes[0].May = true
	_, ok := Contained(g)
	assert.False(t, ok, "a call that may make a full read-modify-write has no order for the callers' accesses")
}

func TestStrength(t *testing.T) {
	weak := full
	weak.Orders = slices.Clone(full.Orders)
	weak.Orders[0].Strength = contract.ACumulative
	g := line(all, all, nil, []contract.Step{full, weak}, 0)
	for strength, want := range map[contract.Strength]bool{contract.Local: true, contract.ACumulative: true, contract.Strong: false} {
		g.Strength = strength
		_, ok := Contained(g)
		assert.Equal(t, want, ok, strength)
	}
}

// On random programs with branches, the answer is that of contract.LocalOrder on every path.
func TestAgreesWithLocalOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	contained := 0
	const programs = 5000
	for range programs {
		g := Graph{Domain: contract.Normal}
		if rng.IntN(2) == 0 {
			g.Free = tso
		}
		if rng.IntN(2) == 0 {
			g.Entry = all
		}
		if rng.IntN(2) == 0 {
			g.Exit = all
		}
		n := 1 + rng.IntN(7)
		for i := range n {
			var node Node
			for range rng.IntN(3) {
				s := accesses[rng.IntN(len(accesses))]
				node.Want, node.Give = append(node.Want, s), append(node.Give, s)
			}
			if rng.IntN(2) == 0 {
				at := rng.IntN(len(node.Want) + 1)
				node.Want = slices.Insert(node.Want, at, fences[rng.IntN(len(fences))])
				node.Give = slices.Insert(node.Give, at, fences[rng.IntN(len(fences))])
			}
			if i+1 < n {
				node.Succ = append(node.Succ, i+1)
				if rng.IntN(2) == 0 {
					node.Succ = append(node.Succ, i+1+rng.IntN(n-i-1))
				}
			}
			g.Nodes = append(g.Nodes, node)
		}
		want := true
		paths(g, 0, nil, nil, func(wanted, given []contract.Step) { want = want && compare(g, wanted, given) })
		loss, got := Contained(g)
		require.Equal(t, want, got, "%+v: %v", g, loss)
		if got {
			contained++
		}
	}
	assert.Greater(t, contained, programs/10)
	assert.Less(t, contained, programs*9/10)
}

func paths(g Graph, at int, wanted, given []contract.Step, visit func(wanted, given []contract.Step)) {
	n := g.Nodes[at]
	wanted, given = slices.Concat(wanted, n.Want), slices.Concat(given, n.Give)
	if len(n.Succ) == 0 {
		visit(wanted, given)
	}
	for _, s := range n.Succ {
		paths(g, s, wanted, given, visit)
	}
}

// compare compares two versions of a path, one pair of the callers' accesses at a time.
func compare(g Graph, wanted, given []contract.Step) bool {
	ends := func(set contract.Classes) [][]contract.Step {
		out := [][]contract.Step{nil}
		for _, c := range set.Each() {
			out = append(out, []contract.Step{{Events: []contract.Classes{c}}})
		}
		return out
	}
	for _, entry := range ends(g.Entry) {
		for _, exit := range ends(g.Exit) {
			w := contract.LocalOrder(g.Free, g.Domain, contract.Local, slices.Concat(entry, wanted, exit))
			v := contract.LocalOrder(g.Free, g.Domain, contract.Local, slices.Concat(entry, given, exit))
			for i := range w.Steps {
				for j := range w.Steps {
					if !w.Ordered(i, j) || v.Ordered(i, j) {
						continue
					}
					// Into the write half of one that everything later follows is as good.
					s := v.Steps[j]
					if own := v.Of(s); len(own) == 2 && own[0] == j && slices.ContainsFunc(steps(entry, given, exit)[s].Orders, orderly) && v.Ordered(i, own[1]) {
						continue
					}
					return false
				}
			}
		}
	}
	return true
}

func steps(parts ...[]contract.Step) []contract.Step { return slices.Concat(parts...) }

func orderly(o contract.Order) bool {
	return o.Side == contract.After && o.From&contract.RMWReleaseWrite != 0 && o.To == all
}

func TestSummary(t *testing.T) {
	sum := func(steps ...contract.Step) contract.Step { return Summary(line(0, 0, nil, steps, -1)) }
	assert.Equal(t, full.Orders[0].Side, sum(write, full, read).Orders[0].Side)
	across := func(s contract.Step, from, to contract.Classes) bool {
		m := contract.LocalOrder(nil, contract.Normal, contract.Local, []contract.Step{{Events: []contract.Classes{from}}, s, {Events: []contract.Classes{to}}})
		return m.Ordered(0, len(m.Steps)-1)
	}
	assert.True(t, across(sum(full), contract.PlainWrite, contract.PlainRead))
	assert.True(t, across(sum(read, full, write), contract.PlainWrite, contract.PlainRead))
	assert.True(t, across(sum(rmwFull), contract.PlainWrite, contract.PlainRead))
	assert.False(t, across(sum(both), contract.PlainWrite, contract.PlainRead))
	assert.Equal(t, []contract.Classes{contract.PlainRead, contract.PlainWrite}, sum(write, full, read).Events)

	branch := Graph{Domain: contract.Normal, Nodes: []Node{{Succ: []int{1, 2}}, {Give: []contract.Step{full}, Succ: []int{2}}, {}}}
	assert.Empty(t, Summary(branch).Orders, "a fence on one path only")

	rel := sum(write, fence(all, contract.Writes), release)
	m := contract.LocalOrder(nil, contract.Normal, contract.Local, []contract.Step{read, rel})
	assert.False(t, m.Ordered(0, 1), "the plain write comes before the fence")
	assert.True(t, m.Ordered(0, 2))
	acq := sum(acquire, write)
	m = contract.LocalOrder(nil, contract.Normal, contract.Local, []contract.Step{acq, write})
	assert.True(t, m.Ordered(0, 2))
	assert.False(t, m.Ordered(1, 2))
}

func TestUnmatchedAccessPanics(t *testing.T) {
	assert.Panics(t, func() {
		Contained(Graph{Domain: contract.Normal, Nodes: []Node{{Want: []contract.Step{write}, Give: []contract.Step{read}}}})
	})
}
