package diy

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Critical are the critical cycles of two up to so many threads, at most eight, with program order in the threads, those of
// fewer threads first. In such a cycle a thread has one access, or two of different locations, and nothing can be left out:
// two reads do not follow each other from thread to thread, and a thread's only access is a write that the next thread
// reads. An execution that is coherent but not sequentially consistent contains a critical cycle.
func Critical(archName string, threads int) ([]Cycle, error) {
	a, err := findArch(archName)
	if err != nil {
		return nil, err
	}
	if threads < 2 || threads > maxThreads {
		return nil, fmt.Errorf("critical cycles of up to %d threads: expected 2 to %d", threads, maxThreads)
	}
	var out []Cycle
	for n := 2; n <= threads; n++ {
		seq := make([]string, n)
		var choose func(i int)
		choose = func(i int) {
			if i == n {
				if smallest(seq) && critical(seq) {
					out = append(out, a.cycleOf(seq))
				}
				return
			}
			for _, k := range [...]string{"RR", "RW", "WR", "WW", "W"} {
				seq[i] = k
				choose(i + 1)
			}
		}
		choose(0)
	}
	return out, nil
}

// maxThreads bounds Critical, whose cycles grow fivefold with a thread.
const maxThreads = 8

// smallest says whether no rotation comes earlier in the alphabet, so that each cycle is met once.
func smallest(seq []string) bool {
	for i := range seq {
		if slices.Compare(slices.Concat(seq[i:], seq[:i]), seq) < 0 {
			return false
		}
	}
	return true
}

func critical(seq []string) bool {
	moves := 0
	for i, k := range seq {
		next := seq[(i+1)%len(seq)]
		if k[len(k)-1] == 'R' && next[0] == 'R' || k == "W" && next[0] == 'W' {
			return false
		}
		if len(k) == 2 {
			moves++
		}
	}
	return moves >= 2
}

// cycleOf makes a cycle from the accesses of its threads.
func (a *arch) cycleOf(seq []string) Cycle {
	c := Cycle{arch: a}
	for i, k := range seq {
		if len(k) == 2 {
			c.edges = append(c.edges, edge{mech: programOrder, from: dir(k[0]), to: dir(k[1])})
		}
		from, to := dir(k[len(k)-1]), dir(seq[(i+1)%len(seq)][0])
		for _, com := range communications {
			if com.from == from && com.to == to {
				c.edges = append(c.edges, edge{com: com.name, external: true, from: from, to: to})
			}
		}
	}
	c.notes = slices.Repeat(a.notes[:1], len(c.edges))
	return c.canonical()
}

// relaxation is what Variants puts in the place of program order.
type relaxation struct {
	from, to *note // nil leaves the access as it is
	mech     *mechanism
}

// relaxation reads "A Po", "DMB.SY", "Po L".
func (a *arch) relaxation(text string) (r relaxation, err error) {
	for _, word := range strings.Fields(text) {
		m := a.mechanism(word)
		if m == nil {
			m = a.mechanism(strings.TrimSuffix(word, "d"))
		}
		n := a.note(word)
		switch {
		case m != nil && r.mech == nil:
			r.mech = m
		case n != nil && r.mech == nil && r.from == nil:
			r.from = n
		case n != nil && r.mech != nil && r.to == nil:
			r.to = n
		case m != nil || n != nil:
			return r, fmt.Errorf("relaxation %q: expected one of %s with at most one annotation before it and one behind it", text, a.spellings())
		default:
			return r, fmt.Errorf("relaxation %q: %s has no mechanism and no annotation %q: known are %s, and %s",
				text, a.name, word, a.spellings(), a.noteNames())
		}
	}
	if r.mech == nil {
		return r, fmt.Errorf("relaxation %q: expected one of %s", text, a.spellings())
	}
	return r, nil
}

// put is the cycle with the relaxation at edge i, and whether it fits there.
func (r relaxation) put(c Cycle, i int) (Cycle, bool) {
	e := c.edges[i]
	if r.mech.dep != depNone && e.from != read || r.mech.dep == depData && e.to != write {
		return c, false
	}
	notes := slices.Clone(c.notes)
	for _, at := range [...]struct {
		note *note
		pos  int
		dir  dir
	}{{r.from, i, e.from}, {r.to, (i + 1) % len(notes), e.to}} {
		switch {
		case at.note == nil:
		case at.note.code(at.dir) == "", notes[at.pos] != c.arch.notes[0] && notes[at.pos] != at.note:
			return c, false
		default:
			notes[at.pos] = at.note
		}
	}
	edges := slices.Clone(c.edges)
	edges[i].mech = r.mech
	return Cycle{c.arch, edges, notes}, true
}

// Variants are all cycles in which relaxations stand in the place of the cycle's edges of plain program order between two
// locations, each cycle once. A relaxation is a mechanism, with an annotation before it for the first access and one behind
// it for the second: "DMB.SY", "A Po", "DpData L". Where none fits, program order stays; name "Po" among the relaxations to
// keep it elsewhere too.
func Variants(c Cycle, relaxations ...string) (iter.Seq[Cycle], error) {
	var rs []relaxation
	for _, text := range relaxations {
		r, err := c.arch.relaxation(text)
		if err != nil {
			return nil, err
		}
		rs = append(rs, r)
	}
	return func(yield func(Cycle) bool) {
		seen := map[string]bool{}
		var choose func(c Cycle, i int) bool
		choose = func(c Cycle, i int) bool {
			for i < len(c.edges) && (c.edges[i].mech != programOrder || c.edges[i].same) {
				i++
			}
			if i == len(c.edges) {
				c = c.canonical()
				if name := c.Name(); !seen[name] {
					seen[name] = true
					return yield(c)
				}
				return true
			}
			fitted := false
			for _, r := range rs {
				if v, ok := r.put(c, i); ok {
					fitted = true
					if !choose(v, i+1) {
						return false
					}
				}
			}
			return fitted || choose(c, i+1)
		}
		choose(c, 0)
	}, nil
}
