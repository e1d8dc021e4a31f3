package fuse

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// shared is the memory that random functions work on.
const shared = `package %s

import "github.com/barriergen/barriergen/primitives/atomics"

// S is shared memory.
type S struct {
	A, B uint64
	C, D uint32
	E    int64
	F    int32
	G    uint16
	H    int8
	I    bool
	J    [4]uint64
	K    [6]uint32
	L    atomics.Uint64
	M    atomics.Int32
	X    [2]uint64 // a handle's cell
	W    [4][2]uint64
	U    uintptr
	T    struct {
		X uint64
		Y [3]struct {
			P uint32
			Q uint64
		}
	}
	N    [5]int16
	Next *S
	Far  [4096]byte
	Z    uint64
}
`

// programmer writes random functions.
type programmer struct {
	*rand.Rand
	b      strings.Builder
	vars   map[string][]string // by type
	loops  []string            // variables of the loops around
	limit  int                 // statements that may still be written
	trips  int
	names  int
	consts map[string]bool
	indent int
	depth  int
}

// kinds are those of variables.
var kinds = []string{"uint64", "uint32", "int64", "int32", "uint8", "int16", "uint16", "int8", "uint", "uintptr", "bool"}

var signature = "(s *S, q *S, a uint64, b uint32, c int64, d int32, e uint8, f bool, h int16, x atomics.Uint128, w atomics.Pair, m bitops.Bitmap, n uint)"

// results are the results of the functions; each has those of its number modulo their count.
var results = []string{"uint64", "bool", "int32", "uint8", "(z uint32, y bool)", "int16", pair, "(z " + pair + ", y bool)"}

// function writes the function of a number.
func function(rng *rand.Rand, n int) string {
	p := &programmer{Rand: rng, consts: map[string]bool{}, limit: 3 + rng.IntN(14), trips: 1, vars: map[string][]string{
		"uint64": {"a"}, "uint32": {"b"}, "int64": {"c"}, "int32": {"d"}, "uint8": {"e"}, "bool": {"f"}, "int16": {"h"}, pair: {"w"}}}
	res := results[n%len(results)]
	if named, ok := strings.CutPrefix(res, "(z "); ok {
		typ, _, _ := strings.Cut(named, ",")
		p.vars[typ] = append(p.vars[typ], "z")
		p.vars["bool"] = append(p.vars["bool"], "y")
	}
	if rng.IntN(6) == 0 {
		p.b.WriteString("//barriergen:entry none\n")
	}
	fmt.Fprintf(&p.b, "func F%d%s %s {\n", n, signature, res)
	p.indent = 1
	p.body(n)
	p.ret(n)
	p.b.WriteString("}\n")
	return p.b.String()
}

func (p *programmer) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("\t", p.indent) + fmt.Sprintf(format, args...) + "\n")
}

func (p *programmer) ret(n int) {
	switch res := results[n%len(results)]; {
	case res == pair:
		p.line("return %s", p.pair(true))
	case !strings.HasPrefix(res, "("):
		p.line("return %s", p.expr(res, 2))
	case p.IntN(2) == 0:
		p.line("return")
	case !strings.HasPrefix(res, "(z "+pair):
		p.line("return %s, %s", p.expr("uint32", 1), p.expr("bool", 1))
	case p.IntN(2) == 0:
		p.line("return %s.CompareAndSwap(%s, %s)", p.cell(), p.pair(false), p.pair(false))
	default:
		p.line("return %s, %s", p.pair(false), p.expr("bool", 1))
	}
}

// body writes statements in a scope of their own.
func (p *programmer) body(n int) {
	saved := map[string][]string{}
	for t, vs := range p.vars {
		saved[t] = vs[:len(vs):len(vs)]
	}
	for count := 1 + p.IntN(5); count > 0 && p.limit > 0; count-- {
		p.limit--
		p.stmt(n)
	}
	p.vars = saved
}

func (p *programmer) stmt(n int) {
	if p.IntN(9) == 0 {
		p.wide(n)
		return
	}
	switch k := p.IntN(20); {
	case k < 3:
		t := kinds[p.IntN(len(kinds))]
		value := p.expr(t, 2)
		if k == 0 {
			value = p.primitive(t, value)
		}
		p.names++
		name := fmt.Sprintf("v%d", p.names)
		p.line("var %s %s = %s", name, t, value)
		p.line("_ = %s", name)
		p.vars[t] = append(p.vars[t], name)
	case k < 6:
		if t, v := p.variable(); v != "" {
			p.line("%s = %s", v, p.primitive(t, p.expr(t, 2)))
		}
	case k < 7:
		if t, v := p.variable(); v != "" && t != "bool" {
			p.line("%s %s= %s", v, []string{"+", "-", "*", "&", "|", "^", "&^"}[p.IntN(7)], p.expr(t, 1))
		}
	case k < 8:
		t, place := p.place()
		if t != "bool" && p.IntN(2) == 0 {
			p.line("%s %s= %s", place, []string{"+", "-", "|"}[p.IntN(3)], p.pure(t, 1))
			return
		}
		p.line("%s = %s", place, p.pure(t, 2))
	case k < 13:
		p.line("%s", p.effect())
	case k == 13 && p.depth < 3 && p.IntN(2) == 0:
		p.depth++
		t := kinds[p.IntN(len(kinds)-1)]
		p.line("switch %s {", p.expr(t, 1))
		for c := range 1 + p.IntN(3) {
			p.line("case %d, %d:", 4*c, 4*c+p.IntN(3)+1)
			p.nested(n, p.IntN(5) == 0)
		}
		if p.IntN(2) == 0 {
			p.line("default:")
			p.nested(n, false)
			if p.IntN(2) == 0 {
				p.line("\tbreak")
			}
		}
		p.line("}")
		p.depth--
	case k < 16 && p.depth < 3:
		p.depth++
		cond := p.expr("bool", 2)
		if p.IntN(3) == 0 {
			cond = p.primitive("bool", cond)
		}
		p.line("if %s {", cond)
		p.nested(n, p.IntN(5) == 0)
		if p.IntN(3) == 0 {
			p.line("} else {")
			p.nested(n, false)
		}
		p.line("}")
		p.depth--
	case k < 18 && p.depth < 3 && p.trips < 60:
		p.depth++
		trips := 1 + p.IntN(4)
		p.names++
		i := fmt.Sprintf("i%d", p.names)
		from := ""
		switch p.IntN(3) {
		case 0:
			from = fmt.Sprintf("for %s := range %d {", i, trips)
		case 1:
			from = fmt.Sprintf("for %s := 0; %s < %d; %s++ {", i, i, trips, i)
		case 2:
			from = fmt.Sprintf("for %s := %d; %s >= 0; %s-- {", i, trips-1, i, i)
		}
		p.line("%s", from)
		p.trips *= trips
		p.loops = append(p.loops, i)
		p.line("\t_ = %s", i)
		p.nested(n, false)
		p.loops = p.loops[:len(p.loops)-1]
		p.trips /= trips
		p.line("}")
		p.depth--
	case k < 19 && len(p.loops) > 0:
		p.line("if %s {", p.expr("bool", 1))
		p.line("\t%s", []string{"break", "continue"}[p.IntN(2)])
		p.line("}")
	default:
		p.line("barrier.%s()", fences[p.IntN(len(fences))])
	}
}

func (p *programmer) nested(n int, returns bool) {
	p.indent++
	p.body(n)
	if returns {
		p.ret(n)
	}
	p.indent--
}

var fences = []string{"Full", "Acquire", "Release", "Read", "Write", "Compiler", "BeforeAtomic", "AfterAtomic", "AcquireAfterControlDependency", "AfterSpinlock",
	"AfterUnlockLock", "MandatoryFull", "MandatoryWrite", "DMARead", "DMAWrite", "VirtFull"}

// variable is a random local variable that may be assigned.
func (p *programmer) variable() (typ, name string) {
	t := kinds[p.IntN(len(kinds))]
	if t == "uint64" && p.IntN(3) == 0 {
		vs := p.vars[pair]
		return t, vs[p.IntN(len(vs))] + []string{".Lo", ".Hi"}[p.IntN(2)]
	}
	if vs := p.vars[t]; len(vs) > 0 {
		return t, vs[p.IntN(len(vs))]
	}
	return "", ""
}

// object is a pointer to shared memory.
func (p *programmer) object() string { return []string{"s", "s", "s", "q", "s.Next"}[p.IntN(5)] }

// index is an index below n.
func (p *programmer) index(n int) string {
	if len(p.loops) > 0 && p.IntN(2) == 0 && n >= 4 {
		return p.loops[p.IntN(len(p.loops))]
	}
	return fmt.Sprint(p.IntN(n))
}

// place is a plain variable in memory with its type.
func (p *programmer) place() (typ, text string) {
	o := p.object()
	switch p.IntN(13) {
	case 0:
		return "uint64", o + ".A"
	case 1:
		return "uint64", o + ".B"
	case 2:
		return "uint32", o + ".C"
	case 3:
		return "int64", o + ".E"
	case 4:
		return "int32", o + ".F"
	case 5:
		return "uint16", o + ".G"
	case 6:
		return "int8", o + ".H"
	case 7:
		return "bool", o + ".I"
	case 8:
		return "uint64", o + ".J[" + p.index(4) + "]"
	case 9:
		return "uint32", o + ".T.Y[" + fmt.Sprint(p.IntN(3)) + "].P"
	case 10:
		return "uintptr", o + ".U"
	case 11:
		return "int16", o + ".N[" + p.index(5) + "]"
	}
	if o == "s.Next" {
		o = "s"
	}
	return "uint64", o + ".Z"
}

// word is the address of a word for atomics of a type.
func (p *programmer) word(t string) string {
	o := p.object()
	choices := map[string][]string{"uint64": {"A", "B", "J[" + p.index(4) + "]", "T.X", "T.Y[1].Q", "Z"}, "uint32": {"C", "D", "K[" + p.index(6) + "]"},
		"int64": {"E"}, "int32": {"F"}, "uintptr": {"U"}}[t]
	field := choices[p.IntN(len(choices))]
	if field == "Z" && o == "s.Next" {
		o = "q"
	}
	return "&" + o + "." + field
}

// constant is a constant expression, of which Go computes nothing at compile time: that might overflow.
func (p *programmer) constant(t string) string {
	c := p.number(t)
	p.consts[c] = true
	return c
}

func (p *programmer) number(t string) string {
	switch p.IntN(4) {
	case 0:
		return fmt.Sprintf("%s(%d)", t, p.IntN(3))
	case 1:
		return fmt.Sprintf("%s(%d)", t, p.IntN(128))
	}
	switch t {
	case "uint64", "uint", "uintptr":
		return fmt.Sprintf("%s(%#x)", t, p.Uint64()>>p.IntN(64))
	case "int64":
		return fmt.Sprintf("int64(%d)", p.Int64()>>p.IntN(63)*int64(1-2*p.IntN(2)))
	case "uint32":
		return fmt.Sprintf("uint32(%#x)", p.Uint32()>>p.IntN(32))
	case "int32":
		return fmt.Sprintf("int32(%d)", p.Int32()*int32(1-2*p.IntN(2)))
	case "int16":
		return fmt.Sprintf("int16(%d)", int16(p.Int()))
	case "uint16":
		return fmt.Sprintf("uint16(%d)", uint16(p.Int()))
	case "int8":
		return fmt.Sprintf("int8(%d)", int8(p.Int()))
	}
	return fmt.Sprintf("uint8(%d)", uint8(p.Int()))
}

// pure is an expression without memory.
func (p *programmer) pure(t string, depth int) string {
	return p.value(t, depth, false)
}

// expr is an expression that may read memory plainly.
func (p *programmer) expr(t string, depth int) string {
	return p.value(t, depth, true)
}

func (p *programmer) value(t string, depth int, reads bool) string {
	vs := p.vars[t]
	if depth == 0 || p.IntN(4) == 0 {
		switch {
		case t == "uint64" && p.IntN(6) == 0:
			ws := p.vars[pair]
			return ws[p.IntN(len(ws))] + []string{".Lo", ".Hi"}[p.IntN(2)]
		case len(vs) > 0 && p.IntN(3) > 0:
			return vs[p.IntN(len(vs))]
		case t == "bool" && len(vs) > 0:
			return vs[0]
		case len(p.loops) > 0 && t != "bool" && p.IntN(3) == 0:
			return t + "(" + p.loops[p.IntN(len(p.loops))] + ")"
		}
		return p.constant(t)
	}
	if reads && p.IntN(6) == 0 {
		for range 8 {
			if pt, place := p.place(); pt == t {
				return place
			}
		}
	}
	sub := func(t string) string { return p.value(t, depth-1, reads) }
	varying := func() string {
		if v := sub(t); !p.consts[v] {
			return v
		}
		return t + "(a)"
	}
	if t == "bool" {
		switch p.IntN(6) {
		case 5:
			return "(" + p.pair(false) + " " + []string{"==", "!="}[p.IntN(2)] + " " + p.pair(false) + ")"
		case 0:
			return "!(" + sub("bool") + ")"
		case 1:
			return "(" + sub("bool") + " && " + sub("bool") + ")"
		case 2:
			return "(" + sub("bool") + " || " + sub("bool") + ")"
		case 3:
			if len(p.vars["bool"]) > 0 {
				return "(f == " + sub("bool") + ")"
			}
		}
		o := kinds[p.IntN(len(kinds)-1)]
		if v := sub(o); p.IntN(4) == 0 && !p.consts[v] {
			return "(" + v + "&" + sub(o) + " " + []string{"==", "!="}[p.IntN(2)] + " 0)"
		}
		return "(" + sub(o) + " " + []string{"==", "!=", "<", "<=", ">", ">="}[p.IntN(6)] + " " + sub(o) + ")"
	}
	switch p.IntN(10) {
	case 0:
		return "-(" + varying() + ")"
	case 1:
		return "^(" + varying() + ")"
	case 2, 3:
		o := kinds[p.IntN(len(kinds)-1)]
		v := p.vars[o]
		if len(v) == 0 {
			return t + "(a)"
		}
		return t + "(" + v[p.IntN(len(v))] + ")"
	case 4:
		op := []string{"<<", ">>"}[p.IntN(2)]
		first := vs
		if len(first) == 0 {
			return p.constant(t)
		}
		v := first[p.IntN(len(first))]
		switch p.IntN(3) {
		case 0:
			return fmt.Sprintf("(%s %s %d)", v, op, p.IntN(70))
		case 1:
			return fmt.Sprintf("(%s %s (%s & %d))", v, op, p.value("uint64", 0, false), []int{7, 15, 31, 63}[p.IntN(4)])
		}
		return fmt.Sprintf("(%s %s (%s))", v, op, p.value([]string{"uint64", "uint8", "uint32"}[p.IntN(3)], 0, false))
	}
	return "(" + varying() + " " + []string{"+", "-", "*", "&", "|", "^", "&^"}[p.IntN(7)] + " " + sub(t) + ")"
}
