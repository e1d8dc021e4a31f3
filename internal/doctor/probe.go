package doctor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/internal/machine"
)

// A probe is a set of random functions that touch memory. It is held as a model, from which both the Go
// source and the expected flow of accesses are derived, so that they can't disagree.
type probe struct {
	funcs    []probeFunc
	accesses int
}

type probeFunc struct {
	name   string
	body   block
	fields []access // of the struct that its first parameter points to, in order of address
}

type block []stmt

// leaves reports whether control never comes to the block's end.
func (b block) leaves() bool {
	return len(b) > 0 && (b[len(b)-1].op == opBreak || b[len(b)-1].op == opReturn)
}

// A stmt is one access, or a branch or a loop that may have an access in its condition.
type stmt struct {
	op     op
	access *access
	cond   string // of a branch or a loop: the head in Go, with %s in the place of the access
	body   block
	alt    block  // of a branch
	text   string // of an access, Go with %s in its place; of a use, Go
}

type op int

const (
	opAccess op = iota
	opIf
	opLoop
	opBreak  // ends a block
	opReturn // ends a block
	opUse    // no access: makes a value that was read before part of the result
)

// An access is made through a struct's field or a slice's element. What identifies it in machine code is
// its displacement, which no two places of one function share.
type access struct {
	machine.Access
	object object
}

type object int

const (
	field object = iota
	element
)

// goExpr is the place in Go: p.F24, s[3] or, for 32 bits, w[6].
func (a access) goExpr() string {
	switch {
	case a.object == field:
		return fmt.Sprintf("p.F%d", a.Disp)
	case a.Width == 4:
		return fmt.Sprintf("w[%d]", a.Disp/4)
	}
	return fmt.Sprintf("s[%d]", a.Disp/8)
}

// Displacements stay below every architecture's limit for one instruction. Zero is left to nil checks.
const (
	firstDisp = 8
	lastDisp  = 1900
)

// A generator makes one function at a time.
type generator struct {
	*rand.Rand
	disp   int64    // next free displacement
	places []access // so far used, for the occasional second access to one of them
	bits   int      // so far used in conditions, so that none implies another
	fields []access
	left   int      // accesses to make
	values int      // so far kept in variables
	kept   []string // the variables in scope whose use is still to come
}

func newProbe(seed uint64, accesses int) probe {
	r := rand.New(rand.NewPCG(seed, 0x6261727269657273))
	var p probe
	for p.accesses < accesses {
		size := 4 + r.IntN(20)
		g := &generator{Rand: r, disp: firstDisp, left: size}
		body := g.block(0, false)
		for g.left > 0 {
			body = append(body, g.block(0, false)...)
		}
		p.accesses += sourceFlow(body).accesses()
		p.funcs = append(p.funcs, probeFunc{fmt.Sprintf("F%d", len(p.funcs)), body, g.fields})
	}
	return p
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// block makes a run of statements; its accesses lie in neighbouring places, as those are what a compiler
// likes to merge.
func (g *generator) block(depth int, loop bool) block {
	var b block
	outer := len(g.kept)
	kind, width, obj := g.kind(), g.width(), object(g.IntN(2))
	for n := 2 + g.IntN(4); n > 0 && g.left > 0; n-- {
		if g.chance(25) {
			kind, width, obj = g.kind(), g.width(), object(g.IntN(2))
		}
		if depth < 3 && g.bits < maxBits && g.chance(30) {
			b = append(b, g.nested(depth, loop))
			continue
		}
		b = append(b, g.plain(kind, width, obj))
	}
	b = append(b, g.use(outer)...)
	g.kept = g.kept[:outer]
	// Leaving early is for inner blocks only: nothing may stand behind it.
	if depth > 0 && g.chance(12) {
		b = append(b, g.use(0)...)
		leave := opReturn
		if loop && g.chance(60) {
			leave = opBreak
		}
		b = append(b, stmt{op: leave})
	}
	return b
}

// use makes the kept variables, but for the first so many, part of the result, the last one first.
func (g *generator) use(but int) block {
	var b block
	for _, v := range slices.Backward(g.kept[but:]) {
		b = append(b, stmt{op: opUse, text: "acc = acc*31 ^ " + v})
	}
	return b
}

func (g *generator) kind() machine.Kind {
	return []machine.Kind{machine.Load, machine.Store}[g.IntN(2)]
}

func (g *generator) width() int { return 4 << g.IntN(2) }

func (g *generator) nested(depth int, loop bool) stmt {
	s := stmt{op: opIf, cond: g.condition()}
	if g.chance(40) {
		s.op, s.cond = opLoop, g.countdown()
	}
	// A condition that reads memory needs a body, or else nobody would want to know.
	if g.left > 1 && g.chance(35) {
		s.access = g.place(machine.Load, g.width(), object(g.IntN(2)))
		s.cond = "uint64(%s) > b"
		g.left--
	}
	s.body = g.block(depth+1, loop || s.op == opLoop)
	if s.op == opIf && g.chance(50) {
		s.alt = g.block(depth+1, loop)
	}
	// What stands behind a branch has to be reachable.
	if n := len(s.alt); n > 0 && s.body.leaves() && s.alt.leaves() {
		s.alt = s.alt[:n-1]
	}
	return s
}

// Conditions depend on bits of their own, of a parameter or of what was read so far, so that none implies
// another and every path is possible, also to a compiler that looks closely.
const maxBits = 54

func (g *generator) condition() string { return g.take(1) + " != 0" }

// countdown runs a loop a few times or not at all.
func (g *generator) countdown() string {
	bits := g.take(3)
	i := fmt.Sprintf("i%d", g.bits)
	return i + " := " + bits + "; " + i + " > 0; " + i + "--"
}

func (g *generator) take(bits int) string {
	value := fmt.Sprintf("%s>>%d&%d", []string{"a", "acc"}[g.IntN(2)], g.bits, 1<<bits-1)
	g.bits += bits
	return value
}

// plain makes one access. What a load reads is used at once or, so that a compiler has more reason to move
// the load, kept for the end of the block. It is used on every path, or the load could rightly be dropped.
func (g *generator) plain(kind machine.Kind, width int, obj object) stmt {
	a := g.place(kind, width, obj)
	g.left--
	switch {
	case kind == machine.Store:
		value := []string{"acc", "a", "b", fmt.Sprintf("b+%d", g.IntN(100)), fmt.Sprint(g.IntN(100))}[g.IntN(5)]
		return stmt{access: a, text: fmt.Sprintf("%%s = uint%d(%s)", a.Width*8, value)}
	case g.chance(50):
		g.values++
		v := fmt.Sprintf("v%d", g.values)
		g.kept = append(g.kept, v)
		return stmt{access: a, text: v + " := uint64(%s)"}
	}
	return stmt{access: a, text: []string{"acc += uint64(%s)", "acc = acc*31 ^ uint64(%s)", "acc ^= uint64(%s)"}[g.IntN(3)]}
}

// place picks a fresh displacement or, sometimes, one that was used before, which a compiler without a
// barrier may answer from a register.
func (g *generator) place(kind machine.Kind, width int, obj object) *access {
	if len(g.places) > 0 && g.chance(12) {
		a := g.places[g.IntN(len(g.places))]
		a.Kind = kind
		return &a
	}
	g.disp = (g.disp + int64(width) - 1) &^ int64(width-1)
	if g.chance(20) {
		g.disp += int64(8 * g.IntN(6))
	}
	if g.disp > lastDisp {
		panic("doctor: a probe function has run out of displacements")
	}
	a := access{machine.Access{Kind: kind, Disp: g.disp, Width: width}, obj}
	g.disp += int64(width)
	g.places = append(g.places, a)
	if obj == field {
		g.fields = append(g.fields, a)
	}
	return &a
}

// source renders the probe as package name. The barrier, a Go statement, stands behind every access.
func (p probe) source(name, barrier string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", name)
	if strings.Contains(barrier, "runtime.") {
		b.WriteString("import \"runtime\"\n\n")
	}
	b.WriteString("func empty() {}\n\n")
	for _, f := range p.funcs {
		f.source(&b, barrier)
	}
	b.WriteString("var Funcs = []any{\n")
	for _, f := range p.funcs {
		fmt.Fprintf(&b, "\t%s,\n", f.name)
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

func (f probeFunc) source(b *strings.Builder, barrier string) {
	fmt.Fprintf(b, "type t%s struct {\n", f.name)
	end := int64(0)
	for _, a := range f.fields {
		if a.Disp > end {
			fmt.Fprintf(b, "\t_ [%d]byte\n", a.Disp-end)
		}
		fmt.Fprintf(b, "\tF%d uint%d\n", a.Disp, a.Width*8)
		end = a.Disp + int64(a.Width)
	}
	fmt.Fprintf(b, "}\n\n//go:noinline\nfunc %s(p *t%s, s []uint64, w []uint32, a, b uint64) uint64 {\n\tacc := a ^ b\n", f.name, f.name)
	f.body.source(b, barrier, "\t")
	b.WriteString("\treturn acc\n}\n\n")
}

func (bl block) source(b *strings.Builder, barrier, indent string) {
	for _, s := range bl {
		cond, after := s.cond, ""
		if s.access != nil && s.cond != "" {
			cond, after = fmt.Sprintf(s.cond, s.access.goExpr()), barrier
		}
		switch s.op {
		case opAccess:
			fmt.Fprintf(b, "%s%s\n%s%s\n", indent, fmt.Sprintf(s.text, s.access.goExpr()), indent, barrier)
			continue
		case opUse:
			fmt.Fprintf(b, "%s%s\n", indent, s.text)
			continue
		case opBreak:
			fmt.Fprintf(b, "%sbreak\n", indent)
			continue
		case opReturn:
			fmt.Fprintf(b, "%sreturn acc\n", indent)
			continue
		case opIf:
			fmt.Fprintf(b, "%sif %s {\n%s\t%s\n", indent, cond, indent, after)
		case opLoop:
			fmt.Fprintf(b, "%sfor %s {\n%s\t%s\n", indent, cond, indent, after)
		}
		s.body.source(b, barrier, indent+"\t")
		if s.alt != nil {
			fmt.Fprintf(b, "%s} else {\n%s\t%s\n", indent, indent, after)
			s.alt.source(b, barrier, indent+"\t")
		}
		fmt.Fprintf(b, "%s}\n%s%s\n", indent, indent, after)
	}
}
