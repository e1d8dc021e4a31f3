package asm

import (
	"fmt"
	"strings"
)

// reader turns tokens into functions and instructions.
type reader struct {
	file   *File
	tokens []token
	labels []string // seen since the last instruction
	fn     *Func
}

// statements reads {label:} WORD {.suffix} {operand,} up to a newline or a semicolon, again and again.
func (r *reader) statements() {
	for i := 0; i < len(r.tokens); {
		end := i
		for end < len(r.tokens) && r.tokens[end].kind != newline && !r.tokens[end].is(";") {
			end++
		}
		r.statement(r.tokens[i:end])
		i = end + 1
	}
}

func (r *reader) statement(ts []token) {
	for len(ts) >= 2 && ts[0].kind == ident && ts[1].is(":") {
		r.labels = append(r.labels, ts[0].text)
		ts = ts[2:]
	}
	if len(ts) == 0 {
		return
	}
	first := ts[0]
	if first.kind != ident {
		r.unknown(ts, fmt.Sprintf("want an instruction, found %q", first.text))
		return
	}
	op, rest := first.text, ts[1:]
	var suffix []string
	for len(rest) >= 2 && rest[0].is(".") && !rest[0].detached && (rest[1].kind == ident || rest[1].kind == number) {
		suffix, rest = append(suffix, rest[1].text), rest[2:]
	}
	switch op {
	case "TEXT":
		r.text(first, rest)
		return
	case "GLOBL", "DATA":
		return
	}
	if len(rest) > 0 && rest[0].is("(") && !rest[0].detached {
		r.unknown(ts, fmt.Sprintf("unknown macro %s", op))
		return
	}
	if strings.ToUpper(op) != op {
		r.unknown(ts, fmt.Sprintf("unknown instruction or macro %s", op))
		return
	}
	in := r.instr(ts)
	in.Op, in.Suffix = op, suffix
	for _, operand := range operands(rest) {
		o, ok := parseOperand(operand, r.file.Arch)
		if !ok {
			r.unknown(ts, fmt.Sprintf("%s: operand %q is not understood", op, o.Text))
			return
		}
		in.Args = append(in.Args, o)
	}
	r.add(in)
}

// instr is an instruction with the position of its tokens.
func (r *reader) instr(ts []token) Instr {
	return Instr{Offset: ts[0].at, End: ts[len(ts)-1].end, Macro: ts[0].through, Locked: -1, failed: none}
}

func (r *reader) add(in Instr) {
	if r.fn == nil {
		r.file.problem(in.Offset, fmt.Sprintf("%s stands before any TEXT", in.Op))
		return
	}
	in.Labels, r.labels = r.labels, nil
	r.fn.Instrs = append(r.fn.Instrs, in)
}

// unknown stands for a statement that is not understood: it may do anything.
func (r *reader) unknown(ts []token, message string) {
	r.file.problem(ts[0].at, message)
	in := r.instr(ts)
	in.Op = ts[0].text
	in.Effect.Kind = Opaque
	r.add(in)
}

// operands splits at commas outside of parentheses and brackets.
func operands(ts []token) [][]token {
	if len(ts) == 0 {
		return nil
	}
	var out [][]token
	depth, start := 0, 0
	for i, t := range ts {
		switch {
		case t.is("(") || t.is("["):
			depth++
		case t.is(")") || t.is("]"):
			depth--
		case t.is(",") && depth == 0:
			out = append(out, ts[start:i])
			start = i + 1
		}
	}
	return append(out, ts[start:])
}

// text begins a function: TEXT package·name<>(SB), flags, $frame.
func (r *reader) text(first token, rest []token) {
	r.labels = nil
	args := operands(rest)
	fn := &Func{File: r.file, Offset: first.at}
	if len(args) == 0 || len(args[0]) == 0 || args[0][0].kind != ident {
		r.file.problem(first.at, "TEXT without a symbol: want TEXT ·name(SB), flags, $frame-arguments")
	} else {
		sym := args[0]
		if i := after(sym); i > 1 {
			fn.Static = i == 3
			if !fn.Static {
				fn.ABI = sym[2].text
			}
		}
		fn.Package, fn.Name = name(sym[0].text)
	}
	r.fn = fn
	r.file.Funcs = append(r.file.Funcs, fn)
}

// name splits a symbol at its last middle dot.
func name(symbol string) (pkg, name string) {
	if i := strings.LastIndex(symbol, "·"); i >= 0 {
		return strings.ReplaceAll(strings.ReplaceAll(symbol[:i], "∕", "/"), "·", "."), symbol[i+len("·"):]
	}
	return "", symbol
}
