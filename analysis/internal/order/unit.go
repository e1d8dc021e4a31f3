package order

import (
	"go/token"
	"slices"
)

// function is one of the package.
type function struct {
	name  string
	graph *graph
	holds func(goarch string) bool // for which architectures its file is built; nil if it is for all
	// callers are all calls of it, in the order of their positions. There are none unless all are known.
	callers []call
}

// call is a call of a function in another one, or in itself.
type call struct {
	pos token.Pos
	in  *function
}

// unit is what is judged together: functions of which all callers are known, with the functions that call them. Its graph
// has each of the former in the place of each call of it, so that what a caller does before and afterwards stands there
// where else there could be anything.
type unit struct {
	graph   *graph
	members []*function
	inlined map[*function]bool
}

// maxUnit bounds the nodes of a unit's graph. Of the functions of a larger one no callers are known.
const maxUnit = 512

// units divides the functions of a package. Those without a fence, of their own or in what they call, stay calls: what they
// do is known without their callers.
func units(functions []*function) []*unit {
	inlined := map[*function]bool{}
	for _, f := range functions {
		inlined[f] = len(f.callers) > 0 && len(f.graph.fences()) > 0
	}
	for again := true; again; {
		again = false
		for _, f := range functions {
			if len(f.callers) > 0 && !inlined[f] && slices.ContainsFunc(f.graph.nodes, func(n node) bool { return inlined[n.op.callee] }) {
				inlined[f], again = true, true
			}
		}
	}
	reached := map[*function]bool{}
	for _, f := range functions {
		if !inlined[f] {
			f.reach(inlined, reached)
		}
	}
	for _, f := range functions { // one that nothing but its own callees calls is never run
		inlined[f] = inlined[f] && reached[f]
	}
	var out []*unit
	for _, members := range components(functions, inlined) {
		if u := join(members, inlined); u != nil {
			out = append(out, u)
			continue
		}
		for _, f := range members {
			out = append(out, &unit{graph: f.graph, members: []*function{f}})
		}
	}
	return out
}

// reach notes what is inlined in a function.
func (f *function) reach(inlined, reached map[*function]bool) {
	for _, n := range f.graph.nodes {
		if c := n.op.callee; inlined[c] && !reached[c] {
			reached[c] = true
			c.reach(inlined, reached)
		}
	}
}

// components are the functions that are to be looked at together, each in the order of the list.
func components(functions []*function, inlined map[*function]bool) [][]*function {
	number := map[*function]int{}
	for i, f := range functions {
		number[f] = i
	}
	for again := true; again; {
		again = false
		for _, f := range functions {
			for _, n := range f.graph.nodes {
				if c := n.op.callee; inlined[c] && number[c] != number[f] {
					number[c] = min(number[c], number[f])
					number[f], again = number[c], true
				}
			}
		}
	}
	var out [][]*function
	at := map[int]int{}
	for _, f := range functions {
		i, ok := at[number[f]]
		if !ok {
			i = len(out)
			at[number[f]] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	return out
}

// join makes a unit, or nil if it is too large.
func join(members []*function, inlined map[*function]bool) *unit {
	if len(members) == 1 {
		return &unit{graph: members[0].graph, members: members}
	}
	j := joiner{&graph{nodes: []node{{}}}, inlined}
	for _, f := range members {
		if inlined[f] {
			continue
		}
		c, ok := j.copy(f, nil)
		if !ok {
			return nil
		}
		j.nodes[0].succ = append(j.nodes[0].succ, c.entry)
	}
	return &unit{graph: j.graph, members: members, inlined: inlined}
}

// joiner makes the graph of a unit.
type joiner struct {
	*graph
	inlined map[*function]bool
}

// inlining is a copy of a function: where it begins, and where it returns to.
type inlining struct {
	of            *function
	entry, behind int
}

// copy appends a function to the graph. One that calls itself, through others perhaps, is not copied again: the call leads
// to the beginning of the copy at hand, and its end behind the call. That adds paths on which a call returns to another
// place than it came from, so it may find fences needed that are not, never the reverse.
func (j *joiner) copy(f *function, within []inlining) (inlining, bool) {
	if len(j.nodes)+len(f.graph.nodes) > maxUnit {
		return inlining{}, false
	}
	behind, first := len(j.nodes), len(j.nodes)+1
	this := inlining{f, first, behind}
	within = append(within[:len(within):len(within)], this)
	j.nodes = append(j.nodes, node{})
	for _, n := range f.graph.nodes {
		out := node{op: n.op, at: n.at}
		for _, s := range n.succ {
			out.succ = append(out.succ, first+s)
		}
		if n.returns {
			out.succ = append(out.succ, behind)
		}
		j.nodes = append(j.nodes, out)
	}
	for i := range f.graph.nodes {
		callee := j.nodes[first+i].op.callee
		if !j.inlined[callee] {
			continue
		}
		k := slices.IndexFunc(within, func(c inlining) bool { return c.of == callee })
		var c inlining
		if k >= 0 {
			c = within[k]
		} else {
			var ok bool
			if c, ok = j.copy(callee, within); !ok {
				return inlining{}, false
			}
		}
		n := &j.nodes[first+i]
		j.nodes[c.behind].succ = append(j.nodes[c.behind].succ, n.succ...)
		*n = node{succ: []int{c.entry}}
	}
	return this, true
}
