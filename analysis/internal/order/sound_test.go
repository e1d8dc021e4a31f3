package order

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
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

var programs = flag.Int("order.programs", 60, "random programs whose verdicts are compared with the memory models")

// What the analysis says of a random program must be so: under the machine's axiomatic model, a thread with the fences and
// one without those that were proved redundant, or with the weaker ones, all changes together, show the same outcomes to
// every partner. Findings that are local are held against the accesses that the function shows. Half of the programs are
// several functions that call each other.
func TestVerdictsAgainstTheModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := tally{reasons: map[string]int{}}
	for i := range *programs {
		functions := []*function{randomFunction(rng, "root", nil, 4)}
		if i%2 == 1 {
			functions = randomFunctions(rng)
		}
		n.program(t, fmt.Sprintf("program %d", i), functions)
	}
	n.log(t)
	assert.Positive(t, n.Callers)
}

// The same for what is reported in the analyzers' fixtures.
func TestFixturesAgainstTheModels(t *testing.T) {
	n := tally{reasons: map[string]int{}}
	for _, dir := range []string{"redundantfence/testdata/reported", "redundantfence/testdata/callers",
		"redundantfence/testdata/open", "redundantfence/testdata/once", "redundantfence/testdata/silent",
		"redundantfence/testdata/facts", "weakerfence/testdata/a"} {
		for _, r := range analysistest.Run(quiet{}, "../../..", Analyzer, "./analysis/"+dir) {
			require.NoError(t, r.Err)
			n.program(t, dir, r.Result.(*Result).functions)
		}
	}
	n.log(t)
	assert.Less(t, n.Skipped, n.Functions/3)
	assert.Positive(t, n.Callers)
}

// quiet leaves facts and findings to the analyzers' own tests.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}

// tally counts what was compared.
type tally struct {
	Functions, Skipped int // skipped are those with calls of which no program can be made
	Fences             int
	Proved             int
	Callers            int // of them: because all callers are known
	Local, Weaker      int
	// Not reported, although no partner sees a difference: there would be one if every operation ordered no more than its
	// contract says (Contract), only the compiler needs it (Compiler), or neither.
	Contract, Compiler, Missed int
	Comparisons                int
	Long                       int // beginnings of paths that were too long to compare
	lines                      map[string]*line
	reasons                    map[string]int // what was thought to be lost with what was missed
}

func (n *tally) log(t *testing.T) {
	reasons := slices.SortedFunc(maps.Keys(n.reasons), func(a, b string) int { return cmp.Or(n.reasons[b]-n.reasons[a], cmp.Compare(a, b)) })
	for _, r := range reasons {
		t.Logf("%d missed: %s", n.reasons[r], r)
	}
	n.lines, n.reasons = nil, nil
	t.Logf("%+v; recall of proved removals %.2f", *n, float64(n.Proved)/float64(max(n.Proved+n.Missed, 1)))
	assert.Positive(t, n.Proved)
	assert.Positive(t, n.Local)
	assert.Positive(t, n.Weaker)
}

// program judges functions, and compares what they and what they call do before and after.
func (n *tally) program(t *testing.T, name string, functions []*function) {
	n.lines = map[string]*line{}
	var fences []*Fence
	var roots []*function
	unitOf := map[*function]*unit{}
	for _, u := range units(functions) {
		fences = append(fences, u.judge()...)
		for _, f := range u.members {
			unitOf[f] = u
			switch {
			case u.inlined[f] || f.holds != nil:
				continue
			case !f.plain(nil):
				n.Skipped++
			default:
				roots = append(roots, f)
			}
			n.Functions++
		}
	}
	paths := map[*function][][]step{}
	for _, f := range roots {
		w := walk{}
		w.in(f, nil, nil, nil, func(path []step) { w.paths = append(w.paths, path) })
		paths[f], n.Long = w.paths, n.Long+w.long
	}
	for i, gr := range groups() {
		if gr.machines[0].target != targets.Generic {
			c := comparison{tally: n, T: t, name: name + ", " + gr.arch, roots: roots, paths: paths, unitOf: unitOf, machines: gr.machines}
			c.group(fences, i)
		}
	}
}

// plain reports whether every operation is certain, and so can be put into a program.
func (f *function) plain(within []*function) bool {
	return slices.Contains(within, f) || !slices.ContainsFunc(f.graph.nodes, func(n node) bool {
		if c := n.op.callee; c != nil && c.graph != nil {
			return !c.plain(append(within, f))
		}
		return n.op.May || n.op.Private && n.op.Failed
	})
}

// places are changes by the site of the operation, in whatever graph.
type places map[*site]Op

func (p places) with(f *Fence, op Op) places {
	out := places{f.in.graph.nodes[f.in.nodes[0]].at: op}
	for at, op := range p {
		if _, ok := out[at]; !ok {
			out[at] = op
		}
	}
	return out
}

// in are the changes in a graph.
func (p places) in(g *graph) change {
	out := change{}
	for i, n := range g.nodes {
		if op, ok := p[n.at]; ok {
			out[i] = op
		}
	}
	return out
}

// comparison compares versions of a program on an architecture.
type comparison struct {
	*tally
	*testing.T
	name     string
	roots    []*function
	paths    map[*function][][]step
	unitOf   map[*function]*unit
	machines []*Machine
	// promised are the operations of both versions what their contracts say, but for those that change.
	promised bool
}

func (c *comparison) group(fences []*Fence, i int) {
	var together places
	for _, f := range fences {
		if f.of.holds != nil {
			continue
		}
		c.Fences++
		if f.Verdicts[i].Grade == Proved {
			c.Proved++
			together = together.with(f, Op{})
			if f.called(i) {
				c.Callers++
			}
		}
	}
	every := [2]bool{true, true}
	require.True(c, c.same(nil, together, every), "%s: proved redundant, and missed\n%s", c.name, c.show(together))
	weaker := together
	for _, f := range fences {
		gone := together.with(f, Op{})
		switch v := f.Verdicts[i]; {
		case f.of.holds != nil:
		case f.Weaker != nil && f.Weaker.Proved && v.Grade != Proved:
			c.Weaker++
			weaker = weaker.with(f, Op{Prim: &f.Weaker.Prim})
		case v.Grade == Local:
			c.Local++
			open := [2]bool{true, false}
			if strings.HasPrefix(v.Unless, "earlier") {
				open = [2]bool{false, true}
			}
			seen := *c // not what else calls the unit's functions
			seen.roots = slices.DeleteFunc(slices.Clone(c.roots), func(r *function) bool { return c.unitOf[r] != c.unitOf[f.of] })
			require.True(c, seen.same(together, gone, open), "%s: redundant for what is seen, and missed\n%s", c.name, c.show(gone))
		case v.Grade == Needed && c.same(together, gone, every):
			c.missed(f, gone, together)
		}
	}
	require.True(c, c.same(nil, weaker, every), "%s: weakened, and missed\n%s", c.name, c.show(weaker))
}

// called reports whether it was proved only because the callers are known.
func (f *Fence) called(i int) bool {
	return len(f.Callers) > 0 && f.Verdicts[i].Grade == Proved
}

// missed says why a fence that can go was not reported.
func (c *comparison) missed(f *Fence, gone, was places) {
	needs := func(m *Machine) bool { return f.all.graph.lost(m, f, true, gone.in(f.all.graph), nil) != nil }
	if !slices.ContainsFunc(c.machines, needs) {
		c.Compiler++
		return
	}
	weak := *c
	weak.promised = true
	if !weak.same(was, gone, [2]bool{true, true}) {
		c.Contract++
		return
	}
	c.Missed++
	for _, m := range c.machines {
		if l := f.all.graph.lost(m, f, true, gone.in(f.all.graph), nil); l != nil {
			whose := "own"
			if n := f.all.graph.nodes[l.Node]; len(n.succ) == 0 {
				whose = "the callers'"
			}
			c.reasons[fmt.Sprintf("%s on %s: %v, %s", f.Op.Name, m.Name, l.Loss, whose)]++
			return
		}
	}
}

func (c *comparison) show(p places) string {
	var b strings.Builder
	seen := map[*function]bool{}
	var show func(f *function)
	show = func(f *function) {
		if seen[f] || f.graph == nil {
			return
		}
		seen[f] = true
		fmt.Fprintf(&b, "%s, %d callers\n", f.name, len(f.callers))
		for i, n := range f.graph.nodes {
			fmt.Fprintf(&b, "%d %s failed=%v -> %v", i, n.op.Name, n.op.Failed, n.succ)
			if op, ok := p[n.at]; ok {
				fmt.Fprintf(&b, "  instead: %q", op.Name+primName(op))
			}
			b.WriteString("\n")
		}
		for _, n := range f.graph.nodes {
			if n.op.callee != nil {
				show(n.op.callee)
			}
		}
	}
	for _, f := range c.roots {
		show(f)
	}
	return b.String()
}

func primName(op Op) string {
	if op.Prim == nil {
		return ""
	}
	return op.Prim.Name
}

// maxPath is the number of operations up to which a path is compared. A function that calls itself from several places has
// longer ones.
const maxPath = 14

// same reports whether two versions of a program show the same outcomes on an architecture: on every path, with the
// callers' accesses at the open ends, to every partner that accesses the same locations as some pair of accesses, in the
// other order.
func (c *comparison) same(was, is places, open [2]bool) bool {
	for _, f := range c.roots {
		for _, path := range c.paths[f] {
			before, after := c.along(path, was, is, open), c.along(path, is, was, open)
			if slices.EqualFunc(before, after, placed.like) {
				continue
			}
			for _, m := range c.machines {
				if !c.alike(m, before, after) {
					return false
				}
			}
		}
	}
	return true
}

func (c *comparison) alike(m *Machine, before, after []placed) bool {
	// Accesses on the same side of all that changed are ordered alike.
	first, last := len(before), 0
	for k := range before {
		if !before[k].like(after[k]) {
			first, last = min(first, k), k
		}
	}
	was, is := c.line(m, before), c.line(m, after)
	for _, i := range accessesOf(m, after[:last]) {
		for _, j := range accessesOf(m, after[first:]) {
			if i.loc == j.loc {
				continue
			}
			for _, p := range partners(i, j) {
				c.Comparisons++
				if was.outcomes(p) != is.outcomes(p) {
					return false
				}
			}
		}
	}
	return true
}

// line is a path on a machine, with what is known of its outcomes.
type line struct {
	*testing.T
	machine *Machine
	path    []placed
	known   map[partner]string
}

func (c *comparison) line(m *Machine, path []placed) *line {
	var key strings.Builder
	key.WriteString(m.Name)
	for _, p := range path {
		fmt.Fprintf(&key, "\n%s %s %s %v %t %t %d %t", p.op.Name, primName(p.op), p.op.Sync, p.op.Events, p.op.Failed, p.op.Private, p.loc, p.promised)
	}
	l := c.lines[key.String()]
	if l == nil {
		l = &line{c.T, m, path, map[partner]string{}}
		c.lines[key.String()] = l
	}
	return l
}

func (l *line) outcomes(p partner) string {
	out, ok := l.known[p]
	if !ok {
		out = outcomes(l.T, l.machine, l.path, p)
		l.known[p] = out
	}
	return out
}

// step is an operation on a path, and the calls that it is in.
type step struct {
	node
	within []*site
}

// changed is what stands in the place of an operation, or of a call that it is in: of that nothing is left.
func (s step) changed(p places) (Op, bool) {
	for _, at := range s.within {
		if _, ok := p[at]; ok {
			return Op{}, true
		}
	}
	op, ok := p[s.at]
	return op, ok
}

// walk goes along the paths of a program: from the beginning of a function to its end, through what it calls, through no
// node more than twice and into no function more than twice. Here a call returns to where it came from. A path that gets too long is
// not followed to its end, so that there are not too many.
type walk struct {
	paths [][]step
	long  int
}

func (w *walk) in(f *function, within []*function, calls []*site, path []step, then func(path []step)) {
	again := 0
	for _, c := range within {
		if c == f {
			again++
		}
	}
	if again == 2 {
		return
	}
	within = append(within[:len(within):len(within)], f)
	visits := make([]int, len(f.graph.nodes))
	var from func(at int, path []step)
	from = func(at int, path []step) {
		if visits[at] == 2 {
			return
		}
		n := f.graph.nodes[at]
		visits[at]++
		on := func(path []step) {
			if len(path) > maxPath {
				w.long++
				return
			}
			for _, s := range n.succ {
				from(s, path)
			}
			if n.returns || len(n.succ) == 0 {
				then(path)
			}
		}
		path = path[:len(path):len(path)]
		switch c := n.op.callee; {
		case c != nil && c.graph != nil:
			w.in(c, within, append(calls[:len(calls):len(calls)], n.at), path, on)
		case n.at != nil:
			on(append(path, step{n, calls}))
		default:
			on(path)
		}
		visits[at]--
	}
	from(0, path)
}

// placed is an operation on a location of its own.
type placed struct {
	op       Op
	loc      int
	promised bool // it orders what its contract says
}

func (p placed) like(q placed) bool { return p.op.Name == q.op.Name && p.op.Prim == q.op.Prim }

// along is a path after a change. Locations are those of the places on the path, so that they are the same in both versions.
func (c *comparison) along(path []step, p, other places, open [2]bool) []placed {
	var out []placed
	if open[0] {
		out = append(out, placed{writes, -1, false}, placed{reads, -2, false})
	}
	for i, n := range path {
		op := n.op
		by, ok := n.changed(p)
		if ok {
			op = by
		}
		_, changes := n.changed(other)
		out = append(out, placed{op, i, c.promised && !ok && !changes})
	}
	if open[1] {
		out = append(out, placed{reads, -3, false}, placed{writes, -4, false})
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
