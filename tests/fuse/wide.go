package fuse

import "fmt"

// pair is the type of what a cell of 16 bytes holds.
const pair = "atomics.Pair"

// cell is a handle on a cell of 16 bytes.
func (p *programmer) cell() string {
	switch p.IntN(4) {
	case 0, 1:
		return "x"
	case 2:
		return "atomics.Uint128At(unsafe.Pointer(&" + []string{"s", "q"}[p.IntN(2)] + ".X))"
	}
	return "atomics.Uint128At(unsafe.Pointer(&" + []string{"s", "q"}[p.IntN(2)] + ".W[" + p.index(4) + "]))"
}

// pair is a value of a cell; reads says that it may be read from one.
func (p *programmer) pair(reads bool) string {
	vs := p.vars[pair]
	switch k := p.IntN(8); {
	case k == 0:
		return "(" + pair + "{})" // what a cell often holds
	case k == 1:
		return "(" + pair + "{Hi: " + p.pure("uint64", 1) + "})"
	case k == 2:
		return "(" + pair + "{Lo: " + p.pure("uint64", 1) + ", Hi: " + p.pure("uint64", 1) + "})"
	case k < 6 && reads:
		return p.cell() + ".Load()"
	}
	return vs[p.IntN(len(vs))]
}

// wide is a statement about cells of 16 bytes.
func (p *programmer) wide(n int) {
	vs := p.vars[pair]
	old, v := p.pair(false), vs[p.IntN(len(vs))]
	exchange := func() string { return p.cell() + ".CompareAndSwap(" + old + ", " + p.pair(false) + ")" }
	local := func() string {
		p.names++
		return fmt.Sprintf("v%d", p.names)
	}
	switch k := p.IntN(8); {
	case k == 0:
		name := local()
		p.line("var %s %s = %s", name, pair, p.pair(true))
		p.line("_ = %s", name)
		p.vars[pair] = append(vs, name)
	case k == 1:
		p.line("%s = %s", v, p.pair(true))
	case k == 2:
		p.line("%s, %s = %s, %s", v, p.other(v), vs[p.IntN(len(vs))], p.pair(false))
	case k == 3:
		bs := p.vars["bool"]
		p.line("%s, %s = %s", []string{v, "_"}[p.IntN(2)], []string{bs[p.IntN(len(bs))], "_"}[p.IntN(2)], exchange())
	case k == 4: // what callers do: read, and replace what was read
		name, c := local(), p.cell()
		p.line("%s := %s.Load()", name, c)
		p.line("%s, _ = %s.CompareAndSwap(%s, %s)", v, c, name, p.pair(false))
	case k < 7 && p.depth < 3:
		name := local()
		p.depth++
		p.line("if %s, ok := %s; ok == %v {", name, exchange(), p.IntN(2) == 0)
		p.line("\t%s = %s", v, name)
		p.nested(n, p.IntN(4) == 0)
		p.line("}")
		p.depth--
	default:
		p.line("%s", exchange())
	}
}

// other is a variable of a Pair, or a blank, that is not v.
func (p *programmer) other(v string) string {
	for _, o := range p.vars[pair] {
		if o != v {
			return o
		}
	}
	return "_"
}
