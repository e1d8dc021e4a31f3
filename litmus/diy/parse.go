package diy

import (
	"fmt"
	"strings"
)

// maxEdges bounds a cycle: a longer one has more events than any search takes.
const maxEdges = 24

// Error says what is wrong with a cycle and where.
type Error struct {
	Column int // from 1, in bytes
	Msg    string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Msg) }

// spelled is an edge with the annotations that its spelling names, nil where it names none.
type spelled struct {
	edge
	column   int
	word     string
	from, to *note
}

// Parse reads a cycle: edges and annotations separated by blanks. An error about the cycle is an *Error.
func Parse(arch, cycle string) (Cycle, error) {
	a, err := findArch(arch)
	if err != nil {
		return Cycle{}, err
	}
	p := cycleParser{arch: a}
	if err := p.read(cycle); err != nil {
		return Cycle{}, err
	}
	c, err := p.join()
	if err != nil {
		return Cycle{}, err
	}
	if err := p.check(c); err != nil {
		return Cycle{}, err
	}
	return c.canonical(), nil
}

type cycleParser struct {
	arch  *arch
	edges []spelled
	// first is an annotation before all edges: it is about the access where the first edge begins.
	first *note
}

func fail(column int, format string, args ...any) error {
	return &Error{column, fmt.Sprintf(format, args...)}
}

// read takes the words apart.
func (p *cycleParser) read(text string) error {
	for pos := 0; pos < len(text); {
		if strings.IndexByte(" \t\r\n", text[pos]) >= 0 {
			pos++
			continue
		}
		end := pos
		for end < len(text) && strings.IndexByte(" \t\r\n", text[end]) < 0 {
			end++
		}
		if err := p.word(text[pos:end], pos+1); err != nil {
			return err
		}
		pos = end
	}
	if len(p.edges) == 0 {
		return fail(len(text)+1, "the cycle has no edge")
	}
	return nil
}

func (p *cycleParser) word(word string, column int) error {
	if n := p.arch.note(word); n != nil {
		to := &p.first
		if len(p.edges) > 0 {
			to = &p.edges[len(p.edges)-1].to
		}
		if *to != nil {
			return fail(column, "the access has two annotations, %s and %s", (*to).name, word)
		}
		*to = n
		return nil
	}
	if len(p.edges) == maxEdges {
		return fail(column, "a cycle has at most %d edges", maxEdges)
	}
	e, err := p.edge(word, column)
	if err != nil {
		return err
	}
	p.edges = append(p.edges, e)
	return nil
}

// edge reads the spelling of an edge.
func (p *cycleParser) edge(word string, column int) (spelled, error) {
	e := spelled{column: column, word: word}
	for _, c := range communications {
		rest, ok := strings.CutPrefix(word, c.name)
		if ok && rest != "" && (rest[0] == 'e' || rest[0] == 'i') {
			e.com, e.external, e.edge.from, e.edge.to = c.name, rest[0] == 'e', c.from, c.to
			return e, p.suffix(&e, rest[1:])
		}
	}
	if r, rest := p.arch.modifies(word); r != nil {
		e.com, e.rmw, e.edge.from, e.edge.to = r.spelling, r, read, write
		return e, p.suffix(&e, rest)
	}
	if m, rest := p.arch.begins(word); m != nil {
		e.mech, e.same = m, rest[0] == 's'
		return e, p.directions(&e, rest[1:])
	}
	for _, other := range arches {
		m, _ := other.begins(word)
		r, _ := other.modifies(word)
		if m != nil || r != nil || other.note(word) != nil {
			return e, fail(column, "%s has nothing called %q; that is of %s", p.arch.name, clip(word), other.name)
		}
	}
	return e, fail(column, "unknown edge %q: expected Rf, Fr or Co with e or i (Rfe), or one of %s with d or s and R or W twice (PodWR), or one of %s",
		clip(word), p.arch.spellings(), p.arch.rmwNames())
}

// begins finds the mechanism with which an edge begins, and gives the rest from d or s.
func (a *arch) begins(word string) (*mechanism, string) {
	for _, m := range a.mechanisms {
		rest, ok := strings.CutPrefix(word, m.spelling)
		if ok && rest != "" && (rest[0] == 'd' || rest[0] == 's') {
			return m, rest
		}
	}
	return nil, ""
}

// modifies finds the read-modify-write that a word names, and gives the rest: nothing, or the letters of two annotations.
func (a *arch) modifies(word string) (*rmw, string) {
	for _, r := range a.rmws {
		if rest, ok := strings.CutPrefix(word, r.spelling); ok && (rest == "" || len(rest) == 2 && r.code[rest[:1]+" "+rest[1:]] != "") {
			return r, rest
		}
	}
	return nil, ""
}

// clip shortens what an error quotes.
func clip(word string) string {
	if len(word) > 32 {
		return word[:32] + "…"
	}
	return word
}

func (a *arch) spellings() string {
	var out []string
	for _, m := range a.mechanisms {
		out = append(out, m.spelling)
	}
	return strings.Join(out, ", ")
}

func (a *arch) rmwNames() string {
	var out []string
	for _, r := range a.rmws {
		out = append(out, r.spelling)
	}
	return strings.Join(out, ", ")
}

// directions reads what stands behind d or s: both directions, or after a dependency only the second.
func (p *cycleParser) directions(e *spelled, rest string) error {
	at := e.column + len(e.word) - len(rest)
	wanted := 2
	if e.mech.dep != depNone {
		wanted = 1
	}
	if len(rest) < wanted || strings.Trim(rest[:wanted], "RW") != "" {
		if wanted == 1 {
			return fail(at, "expected R or W, the access at the end of the dependency, found %q", clip(rest))
		}
		return fail(at, "expected the two accesses, such as RW, found %q", clip(rest))
	}
	e.edge.from, e.edge.to = read, dir(rest[wanted-1])
	if wanted == 2 {
		e.edge.from = dir(rest[0])
	}
	if e.mech.dep == depData && e.edge.to == read {
		return fail(at, "a data dependency leads to a write: expected W, found %q", clip(rest))
	}
	return p.suffix(e, rest[wanted:])
}

// suffix reads the annotations at the end of an edge: a letter for each access.
func (p *cycleParser) suffix(e *spelled, rest string) error {
	if rest == "" {
		return nil
	}
	at := e.column + len(e.word) - len(rest)
	if len(rest) != 2 {
		return fail(at, "expected nothing or the annotations of both accesses, a letter each, found %q", clip(rest))
	}
	for i, to := range [...]**note{&e.from, &e.to} {
		if *to = p.arch.note(rest[i : i+1]); *to == nil {
			return fail(at+i, "%s has no annotation %q: known are %s", p.arch.name, rest[i:i+1], p.arch.noteNames())
		}
	}
	return nil
}

func (a *arch) noteNames() string {
	var out []string
	for _, n := range a.notes {
		out = append(out, n.name)
	}
	return strings.Join(out, ", ")
}

// join fits the edges to each other, the last to the first.
func (p *cycleParser) join() (Cycle, error) {
	c := Cycle{arch: p.arch}
	n := len(p.edges)
	for i := range n { // the last to the first at the end, since that error is the least expected
		before, e := &p.edges[i], &p.edges[(i+1)%n]
		if before.edge.to != e.edge.from {
			return c, fail(e.column, "%s begins with a %s, but %s before it ends in a %s", e.word, e.edge.from, before.word, before.edge.to)
		}
	}
	for i, e := range p.edges {
		before := &p.edges[(i+n-1)%n]
		n := e.from
		candidates := []*note{before.to}
		if i == 0 {
			candidates = append(candidates, p.first)
		}
		for _, o := range candidates {
			switch {
			case o == nil:
			case n == nil:
				n = o
			case n != o:
				return c, fail(e.column, "the access where %s begins has two annotations, %s and %s", e.word, o.name, n.name)
			}
		}
		if n == nil {
			n = p.arch.notes[0]
		}
		if n.code(e.edge.from) == "" {
			return c, fail(e.column, "the access where %s begins is a %s, which cannot be %s", e.word, e.edge.from, n.name)
		}
		c.edges, c.notes = append(c.edges, e.edge), append(c.notes, n)
	}
	for i, e := range c.edges {
		from, to := c.notes[i], c.notes[(i+1)%n]
		if e.rmw != nil && e.rmw.code[from.name+" "+to.name] == "" {
			return c, fail(p.edges[i].column, "%s cannot have the annotations %s and %s", p.edges[i].word, from.name, to.name)
		}
	}
	return c, nil
}

// String names the direction in errors.
func (d dir) String() string {
	if d == read {
		return "read"
	}
	return "write"
}

// check says why no test can be made of a cycle.
func (p *cycleParser) check(c Cycle) error {
	externals, moves, inner, move := 0, 0, 0, 0
	for i, e := range c.edges {
		if e.external {
			externals++
		}
		if e.moves() {
			moves++
			move = p.edges[i].column
		}
		if e.com == "" {
			inner++
		}
	}
	first := p.edges[0].column
	switch {
	case externals < 2:
		return fail(first, "the cycle needs two external edges, such as Rfe, since it must come back to its first thread: it has %d", externals)
	case moves == 1:
		return fail(move, "only this edge changes the location: a cycle has two of that kind, since it must come back to its first location, or none")
	case inner == 0:
		return fail(first, "the cycle has communications only: they all follow the order of the writes, so it contradicts itself")
	}
	loc, unseen := 0, map[int]bool{}
	for i, e := range c.edges {
		if e.rmw != nil && !e.rmw.seen(c.notes[i], c.notes[(i+1)%len(c.notes)]) {
			if unseen[loc] {
				return fail(p.edges[i].column, "a second %s on one location: nothing would show which of them came first", e.com)
			}
			unseen[loc] = true
		}
		if e.moves() {
			loc = (loc + 1) % moves
		}
	}
	return nil
}

// seen says whether the value read is in the end in a register.
func (r *rmw) seen(from, to *note) bool { return strings.Contains(r.code[from.name+" "+to.name], "%v") }
