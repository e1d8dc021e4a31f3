package cat

import "slices"

// expr is an expression: a name, a literal, or an operator with operands.
type expr struct {
	pos  pos
	op   string // "name", "0", "{}", "tuple", "apply", "let", "try", "[]", or the operator
	name string
	args []*expr
	let  *letStmt // of "let": args[0] is the body
}

type binding struct {
	pos    pos
	name   string
	params []string // of a function
	fn     bool
	body   *expr
}

type letStmt struct {
	rec      bool
	bindings []binding
}

type stmt struct {
	pos     pos
	let     *letStmt
	include string
	check   string // acyclic, irreflexive, empty
	neg     bool
	flag    bool
	name    string
	body    *expr
}

type parser struct {
	lexer
	tok   token
	err   error
	depth int
	nodes []expr // the room for the next
	lists []*expr
}

// node makes an expression. Expressions and their operands are kept in chunks, since a model has many.
func (p *parser) node(x expr, args ...*expr) *expr {
	const chunk = 128
	if len(p.nodes) == 0 {
		p.nodes = make([]expr, chunk)
	}
	if len(p.lists) < len(args) {
		p.lists = make([]*expr, max(chunk, len(args)))
	}
	x.args = p.lists[:len(args):len(args)]
	p.lists = p.lists[copy(p.lists, args):]
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	*n = x
	return n
}

// maxDepth bounds the nesting of expressions.
const maxDepth = 200

func (p *parser) advance() {
	if p.err != nil {
		return
	}
	t, err := p.next()
	if err != nil {
		p.fail(err)
		return
	}
	p.tok = t
}

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
	p.tok = token{kind: tEOF, pos: p.tok.pos}
}

func (p *parser) failf(at pos, format string, args ...any) {
	p.fail(p.errorf(at, format, args...))
}

func (p *parser) is(text string) bool {
	return (p.tok.kind == tSymbol || p.tok.kind == tKeyword) && p.tok.text == text
}

func (p *parser) accept(text string) bool {
	if p.err == nil && p.is(text) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.failf(p.tok.pos, "found %v, wanted '%s'", p.tok, text)
	}
}

func (p *parser) ident() string {
	t := p.tok
	if t.kind != tIdent || t.text == "_" {
		p.failf(t.pos, "found %v, wanted a name", t)
		return ""
	}
	p.advance()
	return t.text
}

// axiomName is a name, in quotes or not.
func (p *parser) axiomName() string {
	if t := p.tok; t.kind == tString {
		p.advance()
		return t.text
	}
	return p.ident()
}

// parse reads a whole model.
func parse(name string, src []byte) ([]stmt, error) {
	p := &parser{lexer: lexer{name: name, src: src, line: 1}}
	p.advance()
	if p.tok.kind == tString || p.tok.kind == tIdent {
		p.advance() // the title
	}
	out := make([]stmt, 0, 64)
	for p.err == nil && p.tok.kind != tEOF {
		if s, ok := p.stmt(); ok {
			out = append(out, s)
		}
	}
	return out, p.err
}

func (p *parser) stmt() (s stmt, ok bool) {
	s.pos = p.tok.pos
	switch {
	case p.accept("let"):
		s.let = p.letStmt()
		return s, true
	case p.accept("include"):
		s.include = p.tok.text
		if p.tok.kind != tString {
			p.failf(p.tok.pos, "found %v, wanted the name of a file in quotes", p.tok)
		}
		p.advance()
		return s, true
	case p.accept("show"), p.accept("unshow"):
		// What herd draws: parsed, not used.
		for more := true; more; more = p.accept(",") {
			p.expr()
			if p.accept("as") {
				p.ident()
			}
		}
		return s, false
	case p.accept("with"):
		// The coherence order, and whatever else a model draws from a generator, comes from the search.
		p.ident()
		p.expect("from")
		p.expr()
		return s, false
	case p.accept("flag"):
		s.flag = true
	}
	s.neg = p.accept("~")
	for _, c := range []string{"acyclic", "irreflexive", "empty"} {
		if p.accept(c) {
			s.check = c
			s.body = p.expr()
			if p.accept("as") {
				s.name = p.axiomName()
			} else if s.flag {
				p.failf(p.tok.pos, "found %v, wanted 'as' and the flag's name", p.tok)
			}
			return s, true
		}
	}
	if supported, is := keywords[p.tok.text]; p.tok.kind == tKeyword && is && !supported {
		p.failf(p.tok.pos, "'%s' is not supported", p.tok.text)
	} else {
		p.failf(p.tok.pos, "found %v, wanted a definition or an axiom (let, include, acyclic, irreflexive, empty, flag, show)", p.tok)
	}
	return s, false
}

func (p *parser) letStmt() *letStmt {
	l := &letStmt{rec: p.accept("rec")}
	for more := true; more; more = p.accept("and") {
		b := binding{pos: p.tok.pos}
		b.name = p.ident()
		switch {
		case p.is("("):
			p.advance()
			b.fn = true
			for !p.is(")") && p.err == nil {
				b.params = append(b.params, p.ident())
				if !p.accept(",") {
					break
				}
			}
			p.expect(")")
		case p.tok.kind == tIdent:
			b.fn = true
			b.params = []string{p.ident()}
		}
		if l.rec && b.fn {
			p.failf(b.pos, "a recursive function: 'let rec' defines sets and relations only")
		}
		p.expect("=")
		b.body = p.expr()
		l.bindings = append(l.bindings, b)
	}
	return l
}

// levels are the binary operators, the loosest first.
var levels = []string{"|", ";", "\\", "&", "*"}

func (p *parser) expr() *expr {
	if p.depth++; p.depth > maxDepth {
		p.failf(p.tok.pos, "expressions nested too deeply")
	}
	defer func() { p.depth-- }()
	if at := p.tok.pos; p.accept("let") {
		l := p.letStmt()
		p.expect("in")
		return p.node(expr{pos: at, op: "let", let: l}, p.expr())
	}
	if at := p.tok.pos; p.accept("try") {
		x := p.expr()
		p.expect("with")
		return p.node(expr{pos: at, op: "try"}, x, p.expr())
	}
	return p.binary(0)
}

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	if level == 0 {
		p.accept("|") // a list of alternatives may begin with one
	}
	x := p.binary(level + 1)
	for p.is(levels[level]) && p.err == nil {
		at := p.tok.pos
		p.advance()
		x = p.node(expr{pos: at, op: levels[level]}, x, p.binary(level+1))
	}
	return x
}

func (p *parser) unary() *expr {
	if at := p.tok.pos; p.is("~") {
		if p.depth++; p.depth > maxDepth {
			p.failf(at, "expressions nested too deeply")
		}
		defer func() { p.depth-- }()
		p.advance()
		return p.node(expr{pos: at, op: "~"}, p.unary())
	}
	return p.postfix()
}

// starts says whether the current token begins an operand.
func (p *parser) starts() bool {
	switch p.tok.kind {
	case tIdent, tZero:
		return true
	case tSymbol:
		return slices.Contains([]string{"(", "[", "{", "~"}, p.tok.text)
	}
	return false
}

func (p *parser) postfix() *expr {
	x := p.primary()
	for p.err == nil {
		t := p.tok
		if t.kind != tSymbol || !slices.Contains([]string{"+", "*", "?", "^-1"}, t.text) {
			break
		}
		if t.text == "*" {
			// A product if an operand follows, a closure otherwise.
			saved := p.lexer
			p.advance()
			if p.starts() {
				p.lexer, p.tok = saved, t
				break
			}
			x = p.node(expr{pos: t.pos, op: "star"}, x)
			continue
		}
		p.advance()
		x = p.node(expr{pos: t.pos, op: t.text}, x)
	}
	return x
}

func (p *parser) primary() *expr {
	t := p.tok
	switch {
	case t.kind == tIdent:
		p.advance()
		if p.is("(") {
			return p.node(expr{pos: t.pos, op: "apply", name: t.text}, p.arguments()...)
		}
		if p.tok.kind == tIdent && t.text != "_" {
			arg := p.tok
			p.advance()
			return p.node(expr{pos: t.pos, op: "apply", name: t.text}, p.node(expr{pos: arg.pos, op: "name", name: arg.text}))
		}
		return p.node(expr{pos: t.pos, op: "name", name: t.text})
	case t.kind == tZero:
		p.advance()
		return p.node(expr{pos: t.pos, op: "0"})
	case p.accept("("):
		x := p.expr()
		p.expect(")")
		return x
	case p.accept("["):
		x := p.expr()
		p.expect("]")
		return p.node(expr{pos: t.pos, op: "[]"}, x)
	case p.accept("{"):
		p.expect("}")
		return p.node(expr{pos: t.pos, op: "{}"})
	}
	if supported, is := keywords[t.text]; t.kind == tKeyword && is && !supported {
		p.failf(t.pos, "'%s' is not supported", t.text)
	} else {
		p.failf(t.pos, "found %v, wanted a set or a relation", t)
	}
	return p.node(expr{pos: t.pos, op: "0"})
}

func (p *parser) arguments() (args []*expr) {
	p.expect("(")
	for !p.is(")") && p.err == nil {
		args = append(args, p.expr())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return args
}
