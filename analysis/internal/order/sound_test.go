package order

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

var programs = flag.Int("order.programs", 100, "random programs whose verdicts are compared with the memory models")

// What the analysis says of a random program must be so: under the machine's axiomatic model, a thread with the fences and
// one without those that were proved redundant, or with the weaker ones, all changes together, show the same outcomes to
// every partner. Findings that are local are held against the accesses that the function shows.
func TestVerdictsAgainstTheModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var n tally
	for i := range *programs {
		g := randomGraph(rng)
		fences := judge(g, nil)
		for gi, gr := range groups() {
			if gr.machines[0].target == targets.Generic {
				continue
			}
			n.group(t, fmt.Sprintf("program %d, %s", i, gr.arch), g, fences, gi, gr)
		}
	}
	t.Logf("%+v; recall of proved removals %.2f", n, float64(n.Proved)/float64(max(n.Proved+n.Missed, 1)))
	assert.Positive(t, n.Proved)
	assert.Positive(t, n.Local)
	assert.Positive(t, n.Weaker)
}

// The same for what is reported in the analyzers' fixtures.
func TestFixturesAgainstTheModels(t *testing.T) {
	var n tally
	functions, skipped := 0, 0
	for _, dir := range []string{"redundantfence/testdata/reported", "redundantfence/testdata/silent", "redundantfence/testdata/facts", "weakerfence/testdata/a"} {
		for _, r := range analysistest.Run(quiet{}, "../../..", Analyzer, "./analysis/"+dir) {
			require.NoError(t, r.Err)
			for _, g := range r.Result.(*Result).graphs {
				functions++
				if !g.plain() {
					skipped++
					continue
				}
				fences := judge(g, nil)
				for gi, gr := range groups() {
					if gr.machines[0].target != targets.Generic {
						n.group(t, dir, g, fences, gi, gr)
					}
				}
			}
		}
	}
	t.Logf("%d functions, %d with calls of which no program can be made; %+v", functions, skipped, n)
	assert.Less(t, skipped, functions/4)
	assert.Positive(t, n.Proved)
	assert.Positive(t, n.Local)
	assert.Positive(t, n.Weaker)
}

// quiet leaves facts and findings to the analyzers' own tests.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}

// plain reports whether every operation is certain, and so can be put into a program.
func (g *graph) plain() bool {
	return !slices.ContainsFunc(g.nodes, func(n node) bool { return n.op.May || n.op.Private && n.op.Failed })
}

// tally counts what was compared.
type tally struct {
	Fences, Proved, Local, Weaker int
	Missed                        int // not reported, although no partner sees a difference
	Compiler                      int // of the others: only the compiler needs them
	Comparisons                   int
}

func (n *tally) group(t *testing.T, name string, g *graph, fences []*Fence, gi int, gr group) {
	together := change{}
	for _, f := range fences {
		n.Fences++
		if f.Verdicts[gi].Grade == Proved {
			n.Proved++
			together = together.with(f.nodes, Op{})
		}
	}
	all := func(m *Machine, c change, open [2]bool) bool { return n.same(t, g, m, together, c, open) }
	every := [2]bool{true, true}
	for _, m := range gr.machines {
		require.True(t, n.same(t, g, m, nil, together, every), "%s: proved redundant, and missed\n%s", name, g.show(together))
	}
	weaker := together
	for _, f := range fences {
		switch v := f.Verdicts[gi]; {
		case f.Weaker != nil && f.Weaker.Proved && v.Grade != Proved:
			n.Weaker++
			weaker = weaker.with(f.nodes, Op{Prim: &f.Weaker.Prim})
		case v.Grade == Local:
			n.Local++
			gone := together.with(f.nodes, Op{})
			open := [2]bool{true, false}
			if strings.HasPrefix(v.Unless, "earlier") {
				open = [2]bool{false, true}
			}
			for _, m := range gr.machines {
				require.True(t, all(m, gone, open), "%s: redundant for what is seen, and missed\n%s", name, g.show(gone))
			}
		case v.Grade == Needed:
			gone := together.with(f.nodes, Op{})
			removable, machine := true, true
			for _, m := range gr.machines {
				removable = removable && all(m, gone, every)
				machine = machine && g.lost(m, f, true, gone, nil) != nil
			}
			switch {
			case removable && machine:
				n.Missed++
			case removable:
				n.Compiler++
			}
		}
	}
	for _, m := range gr.machines {
		require.True(t, all(m, weaker, every), "%s: weakened, and missed\n%s", name, g.show(weaker))
	}
}

// randomOps are what random programs are made of.
var randomOps = func() []Op {
	ops := []Op{reads, writes, reads, writes}
	for _, s := range []contract.Op{contract.Load, contract.Store, contract.Add, contract.CompareAndSwap} {
		ops = append(ops, Op{Name: "sync " + string(s), Sync: s})
	}
	for _, name := range []string{"LoadRelaxed", "LoadAcquire", "StoreRelaxed", "StoreRelease", "AddRelaxed", "AddAcquire", "AddRelease", "AddFull", "ClearBit"} {
		p, _ := contract.Lookup(name)
		ops = append(ops, Op{Name: name, Prim: &p})
	}
	return ops
}()

var randomFences = func() []Op {
	var ops []Op
	for _, name := range []string{"Full", "Full", "Acquire", "Release", "Read", "Write", "BeforeAtomic", "AfterAtomic", "AfterSyncAtomic"} {
		p, _ := contract.Lookup(name)
		ops = append(ops, Op{Name: name, Prim: &p})
	}
	return ops
}()

// randomGraph makes a function of a few operations, sometimes with a branch, on a condition or on a compare-and-swap.
func randomGraph(rng *rand.Rand) *graph {
	g := &graph{nodes: []node{{}}}
	ends := []int{0}
	add := func(from []int, op Op) []int {
		g.nodes = append(g.nodes, node{op: op, at: &site{call: true}})
		n := len(g.nodes) - 1
		g.nodes[n].at.pos = 1 + 10*tokenPos(n)
		for _, e := range from {
			g.nodes[e].succ = append(g.nodes[e].succ, n)
		}
		return []int{n}
	}
	accesses := 0
	some := func(from []int, length int) []int {
		for range length {
			switch {
			case rng.IntN(2) == 0:
				from = add(from, randomFences[rng.IntN(len(randomFences))])
			case accesses < 4:
				accesses++
				op := randomOps[rng.IntN(len(randomOps))]
				if op.conditional() {
					op.Failed = rng.IntN(2) == 0
				}
				from = add(from, op)
			}
		}
		return from
	}
	ends = some(ends, 2+rng.IntN(3))
	switch rng.IntN(3) {
	case 0: // a branch
		ends = append(some(ends, 1+rng.IntN(2)), some(ends, rng.IntN(2))...)
	case 1: // on a compare-and-swap
		if accesses < 4 {
			accesses++
			cas := Op{Name: "sync compare-and-swap", Sync: contract.CompareAndSwap}
			failed := cas
			failed.Failed = true
			ends = append(some(add(ends, cas), rng.IntN(2)), some(add(ends, failed), rng.IntN(2))...)
		}
	}
	slices.Sort(ends)
	some(slices.Compact(ends), 1+rng.IntN(3))
	return g
}

func (g *graph) show(c change) string {
	var b strings.Builder
	for i, n := range g.nodes {
		fmt.Fprintf(&b, "%d %s failed=%v -> %v", i, n.op.Name, n.op.Failed, n.succ)
		if op, ok := c[i]; ok {
			fmt.Fprintf(&b, "  instead: %q", op.Name+primName(op))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func primName(op Op) string {
	if op.Prim == nil {
		return ""
	}
	return op.Prim.Name
}

// same reports whether two versions of the graph show the same outcomes on a machine: on every path, with the callers'
// accesses at the open ends, to every partner that accesses the same locations as some pair of accesses, in the other order.
func (n *tally) same(t *testing.T, g *graph, m *Machine, was, is change, open [2]bool) bool {
	for _, path := range g.paths(0) {
		before, after := g.along(path, was, open), g.along(path, is, open)
		if slices.EqualFunc(before, after, func(a, b placed) bool { return a.op.Name == b.op.Name && a.op.Prim == b.op.Prim }) {
			continue
		}
		// Accesses on the same side of all that changed are ordered alike.
		first, last := len(before), 0
		for k := range before {
			if before[k].op.Name != after[k].op.Name || before[k].op.Prim != after[k].op.Prim {
				first, last = min(first, k), k
			}
		}
		for _, i := range accessesOf(m, after[:last]) {
			for _, j := range accessesOf(m, after[first:]) {
				if i.loc == j.loc {
					continue
				}
				for _, p := range partners(i, j) {
					n.Comparisons++
					if outcomes(t, m, before, p) != outcomes(t, m, after, p) {
						return false
					}
				}
			}
		}
	}
	return true
}

// paths are those from a node to an exit that go through no node more than twice.
func (g *graph) paths(at int) [][]int { return g.from(at, make([]int, len(g.nodes))) }

func (g *graph) from(at int, visits []int) [][]int {
	if len(g.nodes[at].succ) == 0 {
		return [][]int{{at}}
	}
	if visits[at] == 2 {
		return nil
	}
	visits[at]++
	var out [][]int
	for _, s := range g.nodes[at].succ {
		for _, rest := range g.from(s, visits) {
			out = append(out, append([]int{at}, rest...))
		}
	}
	visits[at]--
	return out
}

// placed is an operation on a location of its own.
type placed struct {
	op  Op
	loc int
}

// along is a path after a change. Locations are those of the places on the path, so that they are the same in both versions.
func (g *graph) along(path []int, c change, open [2]bool) []placed {
	var out []placed
	if open[0] {
		out = append(out, placed{writes, -1}, placed{reads, -2})
	}
	for i, n := range path {
		op := g.nodes[n].op
		if other, ok := c[n]; ok {
			op = other
		}
		out = append(out, placed{op, i})
	}
	if open[1] {
		out = append(out, placed{reads, -3}, placed{writes, -4})
	}
	return out
}

// access is a location that a thread accesses, and how.
type access struct {
	loc         int
	read, write bool
}

func accessesOf(m *Machine, line []placed) []access {
	var out []access
	for _, p := range line {
		a := access{loc: p.loc}
		for _, s := range m.steps(p.op) {
			for _, e := range s.Events {
				a.read = a.read || e&contract.Reads != 0
				a.write = a.write || e&contract.Writes != 0
			}
		}
		if a.read || a.write {
			out = append(out, a)
		}
	}
	return out
}

// partner is a second thread: it accesses the later location first.
type partner struct {
	first, second access
	strong        bool // with a full fence between them; else they acquire and release
}

func partners(i, j access) []partner {
	var out []partner
	for _, a := range conflicts(j) {
		for _, b := range conflicts(i) {
			out = append(out, partner{a, b, false}, partner{a, b, true})
		}
	}
	return out
}

func conflicts(a access) []access {
	out := []access{{loc: a.loc, write: true}}
	if a.write {
		out = append(out, access{loc: a.loc, read: true})
	}
	return out
}
