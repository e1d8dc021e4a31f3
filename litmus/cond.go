package litmus

import (
	"slices"
	"strconv"
	"strings"

	"github.com/barriergen/barriergen/memmodel"
)

// PropOp is what a proposition says.
type PropOp uint8

// The forms of propositions.
const (
	PropTrue PropOp = iota
	PropFalse
	PropAnd
	PropOr
	PropImplies
	PropNot    // of Kids[0]
	PropEq     // Observed[A] == Val
	PropEqAtom // Observed[A] == Observed[B]
	PropNe     // Observed[A] != Val
	PropNeAtom // Observed[A] != Observed[B]
)

// Prop is a proposition on a final state.
type Prop struct {
	Op   PropOp
	Kids []Prop
	A, B int // indices into Test.Observed
	Val  memmodel.Value
}

// Eval says whether the state, the values of Test.Observed, satisfies the proposition.
func (p *Prop) Eval(state []memmodel.Value) bool {
	switch p.Op {
	case PropTrue:
		return true
	case PropAnd:
		for i := range p.Kids {
			if !p.Kids[i].Eval(state) {
				return false
			}
		}
		return true
	case PropOr:
		for i := range p.Kids {
			if p.Kids[i].Eval(state) {
				return true
			}
		}
	case PropImplies:
		return !p.Kids[0].Eval(state) || p.Kids[1].Eval(state)
	case PropNot:
		return !p.Kids[0].Eval(state)
	case PropEq:
		return state[p.A] == p.Val
	case PropNe:
		return state[p.A] != p.Val
	case PropEqAtom:
		return state[p.A] == state[p.B]
	case PropNeAtom:
		return state[p.A] != state[p.B]
	}
	return false
}

// condition reads what stands behind the code: locations, a filter, the quantifier and its proposition. A test may have
// none, which is forall true.
func (b *builder) condition(s *scanner) error {
	t := b.test
	t.Quantifier, t.Prop = ForAll, Prop{Op: PropTrue}
	c := condParser{builder: b, scanner: s}
	b.shown, b.props, b.open = b.shown[:0], b.props[:0], b.open[:0]
	s.skipSpace()
	if s.acceptWord("locations") {
		if err := c.locations(); err != nil {
			return err
		}
		s.skipSpace()
	}
	c.hidden = true
	if s.acceptWord("filter") {
		filter, err := c.implication()
		if err != nil {
			return err
		}
		t.Filter = &filter
		s.skipSpace()
	}
	c.hidden = false
	at := s.pos
	switch {
	case s.eof():
		if len(t.Observed) == 0 {
			return s.errorf(at, "the file ends before the condition")
		}
		c.order()
		return nil
	case s.acceptWord("exists"):
		t.Quantifier = Exists
	case s.acceptText("~"):
		s.skipSpace()
		if !s.acceptWord("exists") {
			return s.errorf(s.pos, "expected exists behind ~, found %s", s.found())
		}
		t.Quantifier = NotExists
	case s.acceptWord("forall"):
	default:
		return s.errorf(at, "expected a condition (exists, ~exists, forall, filter or locations), found %s", s.found())
	}
	var err error
	if t.Prop, err = c.implication(); err != nil {
		return err
	}
	s.skipSpace()
	if !s.eof() {
		return s.errorf(s.pos, "unexpected %s behind the condition", s.found())
	}
	c.order()
	return nil
}

// condParser reads propositions.
type condParser struct {
	*builder
	*scanner
	hidden bool // what is named now is not part of a final state as printed
	depth  int
}

// locations reads [a; b; c].
func (c *condParser) locations() error {
	c.skipSpace()
	open := c.pos
	if !c.accept('[') {
		return c.errorf(open, "expected [ behind locations, found %s", c.found())
	}
	for {
		c.skipSpace()
		switch {
		case c.eof():
			return c.errorf(open, "the list of locations is not closed")
		case c.accept(']'):
			return nil
		case c.accept(';'):
		default:
			if _, err := c.atom(); err != nil {
				return err
			}
			c.skipSpace()
			if next := c.peek(); next != ';' && next != ']' && !c.eof() {
				return c.errorf(c.pos, "expected ; or ] in the list of locations, found %s", c.found())
			}
		}
	}
}

// implication reads a proposition; => binds weakest, then \/, then /\.
func (c *condParser) implication() (Prop, error) {
	left, err := c.chain(PropOr)
	if err != nil {
		return left, err
	}
	c.skipSpace()
	if !c.acceptText("=>") {
		return left, nil
	}
	right, err := c.implication()
	return Prop{Op: PropImplies, Kids: c.kids(left, right)}, err
}

// chain reads one or more operands joined by the operator.
func (c *condParser) chain(op PropOp) (Prop, error) {
	text, word := "/\\", "and"
	if op == PropOr {
		text, word = "\\/", "or"
	}
	first, err := c.operand(op)
	if err != nil {
		return first, err
	}
	from := len(c.open)
	c.open = append(c.open, first)
	for {
		c.skipSpace()
		if !c.acceptText(text) && !c.acceptWord(word) {
			break
		}
		next, err := c.operand(op)
		if err != nil {
			return next, err
		}
		c.open = append(c.open, next)
	}
	kids := c.open[from:]
	c.open = c.open[:from]
	if len(kids) == 1 {
		return first, nil
	}
	return Prop{Op: op, Kids: c.kids(kids...)}, nil
}

// kids keeps operands as long as the test.
func (b *builder) kids(p ...Prop) []Prop {
	from := len(b.props)
	b.props = append(b.props, p...)
	return b.props[from:len(b.props):len(b.props)]
}

// operand reads what the operator joins.
func (c *condParser) operand(op PropOp) (Prop, error) {
	if op == PropOr {
		return c.chain(PropAnd)
	}
	return c.unary()
}

// maxNesting bounds the nesting of parentheses, for files that are no tests.
const maxNesting = 200

func (c *condParser) unary() (Prop, error) {
	c.skipSpace()
	at := c.pos
	if c.depth++; c.depth > maxNesting {
		return Prop{}, c.errorf(at, "the condition is nested too deep")
	}
	defer func() { c.depth-- }()
	switch {
	case c.acceptText("~"), c.acceptWord("not"):
		p, err := c.unary()
		return Prop{Op: PropNot, Kids: c.kids(p)}, err
	case c.accept('('):
		p, err := c.implication()
		if err != nil {
			return p, err
		}
		c.skipSpace()
		if !c.accept(')') {
			return p, c.errorf(c.pos, "expected ) in the condition, found %s", c.found())
		}
		return p, nil
	case c.acceptWord("true"):
		return Prop{Op: PropTrue}, nil
	case c.acceptWord("false"):
		return Prop{Op: PropFalse}, nil
	}
	return c.comparison()
}

// comparison reads atom = value, or with != or <>.
func (c *condParser) comparison() (Prop, error) {
	a, err := c.atom()
	if err != nil {
		return Prop{}, err
	}
	c.skipSpace()
	op, opAtom := PropEq, PropEqAtom
	switch {
	case c.acceptText("=="), c.acceptText("="):
	case c.acceptText("!="), c.acceptText("<>"):
		op, opAtom = PropNe, PropNeAtom
	default:
		return Prop{}, c.errorf(c.pos, "expected = in the condition, found %s", c.found())
	}
	c.skipSpace()
	at := c.pos
	if n, ok := c.number(); ok {
		if c.peek() != ':' {
			return Prop{Op: op, A: a, Val: n}, nil
		}
		c.pos = at // a register
	}
	if ch := c.peek(); digit(ch) < 10 || ch == '[' {
		b, err := c.atom()
		return Prop{Op: opAtom, A: a, B: b}, err
	}
	c.accept('&')
	id := c.name()
	if id == "" {
		return Prop{}, c.errorf(at, "expected a value in the condition, found %s", c.found())
	}
	l := c.findLoc(id)
	if l < 0 {
		return Prop{}, c.errorf(at, "no location is called %q", id)
	}
	return Prop{Op: op, A: a, Val: c.test.Program.Addr(l)}, nil
}

// atom reads P:R, x, [x] or *x and gives its index among the observed.
func (c *condParser) atom() (int, error) {
	c.skipSpace()
	at := c.pos
	if digit(c.peek()) < 10 {
		thread, name, err := c.registerName(c.scanner)
		if err != nil {
			return 0, err
		}
		r := c.findReg(thread, name)
		if r == memmodel.NoReg {
			return 0, c.errorf(at, "thread %d has no register %s: its code does not name it, and neither does the initial state", thread, name)
		}
		return c.observe(Atom{Thread: thread, Reg: r, Name: c.text[at:c.pos]}), nil
	}
	bracket := c.accept('[')
	if !bracket {
		c.accept('*')
	}
	id := c.name()
	if id == "" || bracket && !c.accept(']') {
		return 0, c.errorf(at, "expected a register (0:R), a location or [location], found %s", c.found())
	}
	l := c.findLoc(id)
	if l < 0 {
		return 0, c.errorf(at, "no location is called %q", id)
	}
	name := c.text[at:c.pos]
	if !bracket {
		name = "[" + id + "]"
	}
	return c.observe(Atom{Thread: -1, Loc: l, Name: name}), nil
}

// observe gives the index of an atom among the observed.
func (c *condParser) observe(a Atom) int {
	t := c.test
	i := slices.IndexFunc(t.Observed, func(o Atom) bool { return o.Thread == a.Thread && o.Reg == a.Reg && o.Loc == a.Loc })
	if i < 0 {
		i = len(t.Observed)
		t.Observed = append(t.Observed, a)
		c.shown = append(c.shown, false)
	}
	if !c.hidden {
		c.shown[i] = true
	}
	return i
}

// order sorts the observed as reports print them: registers by thread, then locations, and last what only the filter needs.
func (c *condParser) order() {
	t := c.test
	c.perm, c.sorted, c.index = c.perm[:0], c.sorted[:0], c.index[:0]
	for i := range t.Observed {
		c.perm, c.index = append(c.perm, i), append(c.index, i)
	}
	slices.SortFunc(c.perm, func(i, j int) int {
		if c.shown[i] != c.shown[j] {
			if c.shown[i] {
				return -1
			}
			return 1
		}
		return c.compareAtoms(&t.Observed[i], &t.Observed[j])
	})
	for to, from := range c.perm {
		c.sorted = append(c.sorted, t.Observed[from])
		c.index[from] = to
		if c.shown[from] {
			t.Shown = to + 1
		}
	}
	copy(t.Observed, c.sorted)
	t.Prop.renumber(c.index)
	if t.Filter != nil {
		t.Filter.renumber(c.index)
	}
}

func (b *builder) compareAtoms(x, y *Atom) int {
	switch {
	case x.Thread < 0 && y.Thread < 0:
		return strings.Compare(x.Name, y.Name)
	case x.Thread < 0:
		return 1
	case y.Thread < 0:
		return -1
	case x.Thread != y.Thread:
		return x.Thread - y.Thread
	}
	regs := b.test.Program.Threads[x.Thread].Regs
	return b.fe.compareRegs(regs[x.Reg].Name, regs[y.Reg].Name)
}

// renumber maps the indices of atoms.
func (p *Prop) renumber(index []int) {
	for i := range p.Kids {
		p.Kids[i].renumber(index)
	}
	switch p.Op {
	case PropEqAtom, PropNeAtom:
		p.A, p.B = index[p.A], index[p.B]
	case PropEq, PropNe:
		p.A = index[p.A]
	}
}

// Condition is the quantifier and the proposition as a report prints them.
func (t *Test) Condition() string { return string(t.appendCondition(nil)) }

func (t *Test) appendCondition(out []byte) []byte {
	out = append(out, t.Quantifier.String()...)
	out = append(out, ' ')
	return t.appendProp(out, &t.Prop, true)
}

// connectives is how the forms with operands are printed.
var connectives = [...]string{PropAnd: " /\\ ", PropOr: " \\/ ", PropImplies: " => "}

// appendProp prints a proposition. A comparison has parentheses only where it stands alone.
func (t *Test) appendProp(out []byte, p *Prop, alone bool) []byte {
	switch p.Op {
	case PropNot:
		return t.appendProp(append(out, "not "...), &p.Kids[0], true)
	case PropAnd, PropOr, PropImplies:
		out = append(out, '(')
		for i := range p.Kids {
			if i > 0 {
				out = append(out, connectives[p.Op]...)
			}
			out = t.appendProp(out, &p.Kids[i], false)
		}
		return append(out, ')')
	case PropNe, PropNeAtom:
		equal := *p
		equal.Op -= PropNe - PropEq
		return t.appendProp(append(out, "not "...), &equal, true)
	}
	if alone {
		return append(t.appendProp(append(out, '('), p, false), ')')
	}
	switch p.Op {
	case PropTrue:
		return append(out, "true"...)
	case PropFalse:
		return append(out, "false"...)
	}
	out = append(out, t.Observed[p.A].Name...)
	out = append(out, '=')
	if p.Op == PropEqAtom {
		return append(out, t.Observed[p.B].Name...)
	}
	return t.appendValue(out, p.Val)
}

// appendValue prints a value: a location's name for its address, a decimal number otherwise.
func (t *Test) appendValue(out []byte, v memmodel.Value) []byte {
	if l, ok := t.Program.LocAt(v); ok {
		return append(out, t.Program.Locs[l].Name...)
	}
	return strconv.AppendInt(out, v, 10)
}

// FormatValue is a value as reports print it.
func (t *Test) FormatValue(v memmodel.Value) string { return string(t.appendValue(nil, v)) }
