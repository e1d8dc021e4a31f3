package asm

import (
	"strconv"
	"strings"
)

// OperandKind says what an operand is.
type OperandKind uint8

// The kinds of operand.
const (
	Other     OperandKind = iota // not one of these
	Register                     // also shifted, extended, or with an arrangement; conditions and labels look the same
	Immediate                    // a constant, or an address
	Memory                       //
	Pair                         // (R0, R1)
	List                         // [V0.B16, V1.B16]
)

// Operand is one operand.
type Operand struct {
	Kind  OperandKind
	Text  string // without white space
	Reg   string // a register; of memory the base: a register, or the pseudo-registers SB, FP, SP and PC
	Regs  []string
	Index string
	// Symbol is what memory or an address is named after, as in name+8(SB).
	Symbol string
	Value  int64 // of a constant, or the displacement
	Known  bool  // whether Value is known: it is not where a name stands for a number
}

// parseOperand reads one operand from its tokens; ok is false if it has no form that is known.
func parseOperand(ts []token, arch string) (o Operand, ok bool) {
	var text strings.Builder
	for _, t := range ts {
		text.WriteString(t.text)
	}
	o.Text = text.String()
	if len(ts) == 0 {
		return o, false
	}
	first := ts[0]
	switch {
	case first.is("$"):
		o.Kind = Immediate
		if base, groups := split(ts[1:], arch); len(groups) > 0 && base != nil {
			o.Symbol = symbol(base)
			return o, true
		}
		o.Value, o.Known = constant(ts[1:])
		return o, true
	case first.is("["):
		o.Kind = List
		o.Regs = names(ts[1:])
		return o, closed(ts)
	case first.is("(") && len(ts) >= 5 && ts[1].kind == ident && ts[2].is(",") && ts[3].kind == ident && ts[4].is(")"):
		o.Kind = Pair
		o.Regs = names(ts[1:4])
		return o, true
	}
	base, groups := split(ts, arch)
	if len(groups) > 0 {
		o.Kind = Memory
		for _, g := range groups {
			switch {
			case o.Reg == "" && (len(g) == 1 || o.Index != ""):
				o.Reg = g[0].text
			case o.Index == "":
				o.Index = g[0].text
			default:
				return o, false
			}
		}
		o.Symbol = symbol(base)
		if o.Symbol == "" {
			o.Value, o.Known = constant(base)
			if len(base) == 0 {
				o.Known = true
			}
		} else if i := after(base); i < len(base) {
			o.Value, o.Known = constant(base[i:])
		}
		return o, true
	}
	if first.kind == ident {
		o.Kind = Register
		o.Reg = first.text
		return o, closed(ts)
	}
	o.Value, o.Known = constant(ts)
	return o, closed(ts)
}

// split separates the groups in parentheses at the end of an operand, (base) and (index*scale), from what stands before
// them. A group is an address part if it starts with a register; where the arrangement leaves a doubt, what is not at
// the end is the displacement.
func split(ts []token, arch string) (before []token, groups [][]token) {
	end := len(ts)
	for end > 0 && ts[end-1].is(")") {
		depth, start := 0, end-1
		for ; start >= 0; start-- {
			if ts[start].is(")") {
				depth++
			} else if ts[start].is("(") {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if start < 0 {
			return ts, nil
		}
		g := ts[start+1 : end-1]
		address := len(g) > 0 && g[0].kind == ident && (len(g) == 1 || g[1].is("*") || g[1].is("<<") || g[1].is("."))
		if !address || len(groups) > 0 && !isRegister(g[0].text, arch) {
			break
		}
		groups = append([][]token{g}, groups...)
		end = start
	}
	return ts[:end], groups
}

// symbol is the name that an address starts with: a name alone or with an offset behind it, and <> if it is the file's own.
func symbol(ts []token) string {
	if len(ts) == 0 || ts[0].kind != ident {
		return ""
	}
	if i := after(ts); i < len(ts) && !ts[i].is("+") && !ts[i].is("-") {
		return "" // an expression
	}
	return ts[0].text
}

// after is the index behind a symbol and its <> or <ABI>.
func after(ts []token) int {
	if len(ts) > 2 && ts[1].is("<") {
		for i := 2; i < len(ts); i++ {
			if ts[i].is(">") {
				return i + 1
			}
		}
	}
	return 1
}

func names(ts []token) []string {
	var out []string
	for i, t := range ts {
		if t.kind == ident && (i == 0 || !ts[i-1].is(".")) {
			out = append(out, t.text)
		}
	}
	return out
}

// closed reports whether brackets and parentheses match.
func closed(ts []token) bool {
	var open []string
	for _, t := range ts {
		switch {
		case t.is("(") || t.is("["):
			open = append(open, t.text)
		case t.is(")") || t.is("]"):
			if len(open) == 0 || (open[len(open)-1] == "(") != (t.text == ")") {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// constant evaluates an expression of numbers; it does not know names.
func constant(ts []token) (int64, bool) {
	e := &expression{ts: ts}
	v := e.binary(0)
	return v, !e.failed && e.i == len(ts) && len(ts) > 0
}

type expression struct {
	ts     []token
	i      int
	depth  int
	failed bool
}

func (e *expression) fail() int64 { e.failed = true; return 0 }

var precedence = map[string]int{"|": 1, "^": 1, "+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "<<": 2, ">>": 2, "&": 2}

func (e *expression) binary(min int) int64 {
	v := e.unary()
	for e.i < len(e.ts) && !e.failed {
		op := e.ts[e.i]
		prec := precedence[op.text]
		if op.kind != punct || prec <= min {
			return v
		}
		e.i++
		w := e.binary(prec)
		switch op.text {
		case "|":
			v |= w
		case "^":
			v ^= w
		case "+":
			v += w
		case "-":
			v -= w
		case "*":
			v *= w
		case "&":
			v &= w
		case "/", "%":
			if w == 0 || w == -1 {
				return e.fail()
			}
			if op.text == "/" {
				v /= w
			} else {
				v %= w
			}
		case "<<", ">>":
			if w < 0 || w > 63 {
				return e.fail()
			}
			if op.text == "<<" {
				v <<= w
			} else {
				v >>= w
			}
		}
	}
	return v
}

func (e *expression) unary() int64 {
	if e.depth++; e.i >= len(e.ts) || e.depth > 1000 {
		return e.fail()
	}
	t := e.ts[e.i]
	e.i++
	switch {
	case t.is("-"):
		return -e.unary()
	case t.is("+"):
		return e.unary()
	case t.is("~"):
		return ^e.unary()
	case t.is("("):
		v := e.binary(0)
		if e.i >= len(e.ts) || !e.ts[e.i].is(")") {
			return e.fail()
		}
		e.i++
		return v
	case t.kind == number:
		if v, err := strconv.ParseInt(t.text, 0, 64); err == nil {
			return v
		}
		if v, err := strconv.ParseUint(t.text, 0, 64); err == nil {
			return int64(v)
		}
	}
	return e.fail()
}
