package order

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/barriergen/barriergen/contract"
)

// What a function orders on one path only, it does not order; and what it orders on one path more than on another can't be
// judged as a fence.
func TestBodyOfBranches(t *testing.T) {
	branch := func(before Op, sides ...Op) *graph {
		g := &graph{nodes: []node{{succ: []int{1}}, {op: before, at: &site{}, succ: []int{2, 3}}}}
		for _, op := range sides {
			g.nodes = append(g.nodes, node{op: op, at: &site{}, succ: []int{4}})
		}
		g.nodes = append(g.nodes, node{returns: true})
		return g
	}
	full, read := prim("Full"), prim("Read")
	for _, sides := range [][]Op{{full, {}}, {{}, full}} { // whichever path is looked at last
		b := branch(reads, sides...).body(nil)
		assert.False(t, b.Whole)
		for _, m := range Machines() {
			assert.Equal(t, [][]contract.Classes{{contract.PlainRead}}, [][]contract.Classes{b.steps(m)[0].Events}, m.Name)
			assert.Empty(t, b.steps(m)[0].Orders, m.Name)
			assert.Empty(t, b.promised(m)[0].Orders, m.Name)
		}
	}
	b := branch(full, read, Op{}).body(nil)
	assert.NotEmpty(t, b.steps(compiler())[0].Orders, "on every path")
	assert.False(t, b.fence())
	assert.True(t, (&graph{nodes: []node{{succ: []int{1}}, {op: full, at: &site{}, returns: true}}}).body(nil).fence())
}

// A function for some architectures is no certain operation elsewhere, but all that it does where it is.
func TestBodyForOneArchitecture(t *testing.T) {
	device := prim("MandatoryFull")
	g := &graph{nodes: []node{{succ: []int{1}}, {op: device, at: &site{}, returns: true}}}
	b := g.body(func(goarch string) bool { return goarch == "amd64" })
	assert.False(t, b.Line)
	assert.True(t, b.Whole)
	assert.True(t, b.fence())
	for _, m := range Machines() {
		switch {
		case m.compiler || m.target.Name == "amd64":
			assert.Equal(t, m.steps(device), b.steps(m), m.Name)
		default:
			assert.False(t, b.known(m), m.Name)
		}
	}
}
