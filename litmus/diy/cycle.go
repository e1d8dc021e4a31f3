package diy

import (
	"slices"
	"strings"
)

// dir is the direction of an access.
type dir byte

const (
	read  dir = 'R'
	write dir = 'W'
)

// communications are the edges between accesses to one location that see or overwrite each other.
var communications = []struct {
	name     string
	from, to dir
}{{"Rf", write, read}, {"Fr", read, write}, {"Co", write, write}}

// edge leads from an access to the next.
type edge struct {
	com      string     // Rf, Fr, Co, or the spelling of a read-modify-write; empty in program order
	rmw      *rmw       // the two accesses are one instruction, or one pair
	external bool       // between two threads
	mech     *mechanism // in program order
	same     bool       // program order within one location
	from, to dir
}

// String spells the edge.
func (e edge) String() string {
	switch {
	case e.rmw != nil:
		return e.com
	case e.com != "" && e.external:
		return e.com + "e"
	case e.com != "":
		return e.com + "i"
	}
	place := "d"
	if e.same {
		place = "s"
	}
	if e.mech.dep != depNone {
		return e.mech.spelling + place + string(e.to)
	}
	return e.mech.spelling + place + string(e.from) + string(e.to)
}

// moves says whether the location changes.
func (e edge) moves() bool { return e.com == "" && !e.same }

// Cycle is a cycle of edges that can be made a test of, in its canonical rotation: two spellings of one cycle give the same
// value, name and source. The zero value is no cycle.
type Cycle struct {
	arch  *arch
	edges []edge
	notes []*note // of the access where the edge begins
}

// Arch is the architecture, as the first line of a test spells it.
func (c Cycle) Arch() string { return c.arch.name }

// Threads is the number of threads, without observers.
func (c Cycle) Threads() int { return len(c.threads()) }

// String spells the cycle for Parse: its edges, with an annotation before the edge that begins at an access other than plain.
func (c Cycle) String() string {
	var out []string
	for i, e := range c.edges {
		if c.notes[i] != c.arch.notes[0] {
			out = append(out, c.notes[i].name)
		}
		out = append(out, e.String())
	}
	return strings.Join(out, " ")
}

// span is a thread: its accesses are those from first up to, and without, end.
type span struct{ first, end int }

// threads are the spans between external edges.
func (c Cycle) threads() []span {
	var out []span
	first := 0
	for i, e := range c.edges {
		if e.external {
			out = append(out, span{first, i + 1})
			first = i + 1
		}
	}
	return out
}

// rotated is the cycle begun at edge n.
func (c Cycle) rotated(n int) Cycle {
	return Cycle{c.arch, slices.Concat(c.edges[n:], c.edges[:n]), slices.Concat(c.notes[n:], c.notes[:n])}
}

// canonical is the rotation in which the threads stand as the field names them, or else come in the order of the alphabet;
// where that leaves a choice, the mechanisms do.
func (c Cycle) canonical() Cycle {
	best, bestKey := c, []string(nil)
	for i := range c.edges {
		before := (i + len(c.edges) - 1) % len(c.edges)
		if !c.edges[before].external {
			continue
		}
		r := c.rotated(i)
		kinds := r.kinds()
		rank := "1"
		if families[kinds] != "" {
			rank = "0"
		}
		key := append([]string{rank, kinds}, r.mechanisms()...)
		if bestKey == nil || slices.Compare(key, bestKey) < 0 {
			best, bestKey = r, key
		}
	}
	return best
}
