package missingorder

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/suppress"
	"github.com/barriergen/barriergen/contract"
)

// checker checks one package.
type checker struct {
	pass     *analysis.Pass
	silenced *suppress.Silenced
	graphs   []*graph
	found    []found
	// atomically are the variables that are written atomically somewhere.
	atomically map[*types.Var]bool
}

// found is a hint, and where it can be acted on.
type found struct {
	analysis.Diagnostic
	mend token.Pos
}

func (c *checker) hint(pos, mend, related token.Pos, format string, args ...any) {
	d := analysis.Diagnostic{Pos: pos, Category: "hint", Message: fmt.Sprintf(format, args...)}
	if related.IsValid() {
		d.Related = []analysis.RelatedInformation{{Pos: related, Message: "the other side"}}
	}
	c.found = append(c.found, found{d, mend})
}

// report reports one hint per place, and per place that mends it: a function that is taken in at several places is found
// several times, and one load without acquire has many reads behind it.
func (c *checker) report() {
	slices.SortFunc(c.found, func(a, b found) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Message, b.Message)) })
	said, mended := map[token.Pos]bool{}, map[token.Pos]bool{}
	for _, f := range c.found {
		if !said[f.Pos] && !mended[f.mend] {
			said[f.Pos], mended[f.mend] = true, true
			c.silenced.Report(f.Diagnostic)
		}
	}
}

func (c *checker) line(p token.Pos) int { return c.pass.Fset.Position(p).Line }

// pair is an access before another, of kinds and to variables.
type pair struct {
	from, to    kind
	first, then *types.Var
}

// occurrence is a pair in a function.
type occurrence struct {
	*graph
	first, then *event
	chance      bool // nothing but a compare-and-swap orders it: that is full because most are, not for this pair
}

// reached are the nodes that may come behind one on a way on which nothing orders, without going around a loop. Beyond says
// whether an event ends the way.
func (g *graph) reached(from int, beyond func(e *event) bool) []int {
	seen := make([]bool, len(g.nodes))
	var out []int
	work := []int{from}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range g.nodes[n].succ {
			if e.back || seen[e.to] {
				continue
			}
			seen[e.to] = true
			out = append(out, e.to)
			if ev := g.nodes[e.to].event; ev == nil || !beyond(ev) {
				work = append(work, e.to)
			}
		}
	}
	return out
}

// occurrences finds the pairs of a function that some way leaves without order, and those that every way orders.
func (g *graph) occurrences(without, with map[pair][]occurrence) {
	for i, n := range g.nodes {
		first := n.event
		if first == nil || !first.access() || first.location == nil || first.unique {
			continue
		}
		for _, from := range kinds(first) {
			for _, to := range []kind{contract.Reads, contract.Writes} {
				if from == contract.Reads && to == contract.Writes {
					continue // no pair below has it
				}
				all, firm := behind{first, from, to, every}, behind{first, from, to, unconditional}
				loose, chance := g.loose(i, all), g.loose(i, firm)
				note := func(j int, into map[pair][]occurrence) {
					then := g.nodes[j].event
					if then == nil || !slices.Contains(kinds(then), to) || then.location == nil || then.unique || then.location == first.location {
						return
					}
					p := pair{from, to, first.location, then.location}
					into[p] = append(into[p], occurrence{g, first, then, chance[j]})
				}
				// A way ends where the same variable is accessed again in the same way: that access has ways of its own.
				again := func(e *event) bool { return e.location == first.location && slices.Contains(kinds(e), from) }
				for _, j := range g.reached(i, func(e *event) bool { return all.ends(e) || again(e) }) {
					if loose[j] {
						note(j, without)
					}
				}
				for _, j := range g.reached(i, func(e *event) bool { return e.opaque }) {
					if !loose[j] {
						note(j, with)
					}
				}
			}
		}
	}
}

// loose are the accesses that some way leads to without order. One that is tried until it succeeds is ordered as its write is.
func (g *graph) loose(first int, b behind) map[int]bool {
	out := map[int]bool{}
	for _, j := range g.reached(first, b.ends) {
		e := g.nodes[j].event
		out[j] = e != nil && e.access() && !b.follows(e) && !(b.counts(e) && e.conditional() && e.follows(b.from, contract.Writes) && !g.givesUp(j))
	}
	return out
}

// givesUp reports whether an operation that failed may be left at that: it is not tried until it succeeds.
func (g *graph) givesUp(n int) bool {
	seen := map[int]bool{n: true}
	work := []int{n}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if len(g.nodes[at].succ) == 0 {
			return true
		}
		for _, e := range g.nodes[at].succ {
			if seen[e.to] || e.of != nil && e.of == g.nodes[n].result && g.nodes[n].succeeded(e.wrote) {
				continue
			}
			seen[e.to] = true
			work = append(work, e.to)
		}
	}
	return false
}

func kinds(e *event) []kind {
	var out []kind
	if e.reads {
		out = append(out, contract.Reads)
	}
	if e.writes {
		out = append(out, contract.Writes)
	}
	return out
}

// setup is the name of a function that runs before others do.
var setup = regexp.MustCompile(`^(?i:init|new|make|setup|reset|create)`)

// pairs hints at accesses without order whose counterpart in another function is ordered.
func (c *checker) pairs() {
	c.atomically = map[*types.Var]bool{}
	for _, g := range c.graphs {
		for _, n := range g.nodes {
			if n.event != nil && n.location != nil && n.writes && n.atomic() {
				c.atomically[n.location] = true
			}
		}
	}
	locked := c.locked()
	without, with := map[pair][]occurrence{}, map[pair][]occurrence{}
	for _, g := range c.graphs {
		test := strings.HasSuffix(c.pass.Fset.Position(g.fn.Pos()).Filename, "_test.go") // it has the object for itself
		if !locked[g.fn] && !setup.MatchString(g.fn.Name()) && !test {
			g.occurrences(without, with)
		}
	}
	for p, loose := range without {
		for _, o := range loose {
			switch {
			case p.from == contract.Writes && p.to == contract.Reads:
				c.storeBuffering(o, with[pair{contract.Writes, contract.Reads, p.then, p.first}])
			case p.from == contract.Writes:
				c.published(o, with[pair{contract.Reads, contract.Reads, p.then, p.first}])
				c.throughBit(o, without[pair{contract.Reads, contract.Reads, p.then, p.first}])
			default:
				c.consumed(o, with[pair{contract.Writes, contract.Writes, p.then, p.first}])
			}
		}
	}
}

// storeBuffering is a write before a read, against the same in the other order with a full fence: both may read what was there
// before.
func (c *checker) storeBuffering(o occurrence, others []occurrence) {
	if c.alone(o.first) && c.alone(o.then) {
		return
	}
	for _, other := range others {
		if other.fn == o.fn || other.chance || !o.first.atomic() && !other.then.atomic() || !o.then.atomic() && !other.first.atomic() {
			continue // or one of the variables is nobody else's
		}
		c.hint(o.then.pos, o.first.pos, other.then.pos, "%s may be read before the write of %s on line %d is visible, which line %d excludes for its side: %s", o.then.location.Name(), o.first.location.Name(),
			c.line(o.first.pos), c.line(other.then.pos), wants(o.first))
		return
	}
}

// alone reports whether an access tells that nobody else sees the object: it is plain, and elsewhere the variable is written
// atomically.
func (c *checker) alone(e *event) bool { return !e.atomic() && c.atomically[e.location] }

// wants says which fence belongs behind a write.
func wants(first *event) string {
	switch {
	case first.rmw() && first.Sync != "":
		return "barrier.AfterSyncAtomic or barrier.Full is missing"
	case first.rmw() && !first.conditional():
		return "barrier.AfterAtomic is missing"
	}
	return "barrier.Full is missing"
}

// published is data written and then an index or a flag, against a reader that orders its reads.
func (c *checker) published(o occurrence, others []occurrence) {
	if o.first.rmw() || c.alone(o.first) || c.alone(o.then) {
		return
	}
	for _, other := range others {
		if other.fn == o.fn || other.then.rmw() || !o.then.atomic() && !other.first.atomic() || other.first.Sync != "" {
			continue // of sync/atomic, every read is ordered
		}
		c.hint(o.then.pos, o.then.pos, other.first.pos, "%s is written after %s on line %d without order, but from line %d on they are read the other way round, in order: make it a release operation, or put barrier.Write before it",
			o.then.location.Name(), o.first.location.Name(), c.line(o.first.pos), c.line(other.first.pos))
		return
	}
}

// consumed is an index or a flag read and then data, against a writer that orders its writes.
func (c *checker) consumed(o occurrence, others []occurrence) {
	if o.first.Prim == nil || o.then.rmw() || o.graph.writes[o.first.location] { // who writes it reads its own
		return
	}
	for _, other := range others {
		if other.fn == o.fn || other.first.rmw() {
			continue
		}
		c.hint(o.then.pos, o.first.pos, other.then.pos, "%s may be read before %s on line %d, but line %d writes %s after it, in order: put barrier.Read between, or read %s with acquire",
			o.then.location.Name(), o.first.location.Name(), c.line(o.first.pos), c.line(other.then.pos), o.first.location.Name(), o.first.location.Name())
		return
	}
}

// throughBit is plain data written before a bit that is set without order, and read behind a test without order.
func (c *checker) throughBit(o occurrence, others []occurrence) {
	if !relaxedBit(o.then) || o.first.atomic() {
		return
	}
	for _, other := range others {
		if other.fn == o.fn || !relaxedBit(other.first) || other.then.atomic() {
			continue
		}
		c.hint(o.then.pos, o.then.pos, other.first.pos, "%s is written on line %d and published by a bit without order: put barrier.BeforeAtomic before it, and test it with acquire on line %d",
			o.first.location.Name(), c.line(o.first.pos), c.line(other.first.pos))
		return
	}
}

func relaxedBit(e *event) bool {
	return e.Prim != nil && e.Prim.Family == contract.Bitops && len(e.Prim.Orders) == 0
}

// cleared hints at a bit that is cleared without a later read being ordered: who clears a request looks for it next.
func (c *checker) cleared() {
	for _, g := range c.graphs {
		for i, n := range g.nodes {
			e := n.event
			if e == nil || e.Prim == nil || !e.Prim.Clears || e.Prim.Result != contract.NoResult || e.location == nil {
				continue
			}
			stops := func(x *event) bool {
				return x.gives(contract.Writes, contract.Reads) || x.atomic()
			}
			for _, j := range g.reached(i, stops) {
				x := g.nodes[j].event
				if x != nil && x.atomic() && x.reads && x.Prim != nil && x.location != nil && x.location != e.location && x.object == e.object &&
					!x.gives(contract.Writes, contract.Reads) && !x.follows(contract.Writes, contract.Reads) {
					c.hint(x.pos, e.pos, e.pos, "%s may be read before %s on line %d is visible: barrier.AfterAtomic is missing",
						x.location.Name(), e.Name, c.line(e.pos))
				}
			}
		}
	}
}
