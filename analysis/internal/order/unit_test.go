package order

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/contract"
)

// straight makes a function of operations one behind the other. What calls something is known to call it.
func straight(name string, ops ...Op) *function {
	f := &function{name: name, graph: &graph{nodes: []node{{}}}}
	for _, op := range ops {
		n := len(f.graph.nodes)
		f.graph.nodes[n-1].succ = []int{n}
		s := &site{pos: tokenPos(n), call: true}
		f.graph.nodes = append(f.graph.nodes, node{op: op, at: s})
		if op.callee != nil {
			op.callee.callers = append(op.callee.callers, call{s.pos, f})
		}
	}
	f.graph.nodes[len(ops)].returns = true
	return f
}

func prim(name string) Op {
	p, _ := contract.Lookup(name)
	return Op{Name: name, Prim: &p}
}

func calls(f *function) Op { return Op{Name: f.name, callee: f} }

func TestUnits(t *testing.T) {
	members := func(functions ...*function) [][]string {
		var out [][]string
		for _, u := range units(functions) {
			var names []string
			for _, f := range u.members {
				names = append(names, f.name)
			}
			out = append(out, names)
		}
		return out
	}
	a := straight("a", prim("Full"), writes)
	b := straight("b", calls(a))
	c := straight("c", calls(a), calls(b))
	d := straight("d", prim("Full"))
	assert.Equal(t, [][]string{{"a", "b", "c"}, {"d"}}, members(a, b, c, d))

	a = straight("a", writes)
	b = straight("b", prim("Full"), calls(a))
	assert.Equal(t, [][]string{{"a"}, {"b"}}, members(a, b), "without a fence there is nothing to ask its callers")

	a = straight("a", prim("Full"), writes)
	b = straight("b", calls(a))
	b.callers = []call{{1, b}}
	assert.Equal(t, [][]string{{"a"}, {"b"}}, members(a, b), "nobody calls b but itself")
}

// Each of the functions that call is there once, and what they call once for each call.
func TestJoin(t *testing.T) {
	a := straight("a", prim("Full"), writes)
	b := straight("b", calls(a), reads, calls(a))
	c := straight("c", calls(a))
	u := units([]*function{a, b, c})
	require.Len(t, u, 1)
	fences := u[0].fences()
	require.Len(t, fences, 1)
	assert.Len(t, fences[0].all.nodes, 3)
	assert.Len(t, fences[0].in.nodes, 1)
	exits := 0
	for _, n := range u[0].graph.nodes {
		if len(n.succ) == 0 {
			exits++
		}
	}
	assert.Equal(t, 2, exits, "each root returns")
}

// A unit does not grow beyond all bounds: then no callers are known.
func TestLargeUnit(t *testing.T) {
	tower := func(height int) []*function {
		all := []*function{straight("0", prim("Full"), writes)}
		for i := range height { // each calls the one before it twice
			all = append(all, straight(all[i].name+"'", calls(all[i]), calls(all[i])))
		}
		return all
	}
	assert.Len(t, units(tower(4)), 1)
	all := tower(8)
	got := units(all)
	require.Len(t, got, len(all))
	for i, u := range got {
		assert.Same(t, all[i].graph, u.graph)
	}
}
