// Package cat compiles memory models that are written in the cat language of the herd tools:
//
//	m, err := cat.Compile("mine.cat", text, models.Include)
//
// The language: `let` and `let rec ... and`, functions, `let ... in`, the operators | ; \ & * (product) ~ + * ? ^-1 and [S],
// domain(r) and range(r), 0 and {} and _, the axioms acyclic, irreflexive and empty with `as name`, ~ before an axiom,
// `flag`, `include`, `try ... with` for names that may be undefined; `show` and `with ... from` are read and ignored, since the search enumerates coherence itself. The
// names that it starts from are the sets and relations of memmodel, the tags of the front ends, and what Stdlib defines.
package cat

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/memmodel"
)

//go:embed stdlib.cat
var stdlib []byte

// value is what a name stands for.
type value struct {
	expr memmodel.Expr
	zero bool // the literal 0, which is a set or a relation as needed
	fn   *function
}

type function struct {
	b   *binding
	env *env
	in  string // the file
}

// env is a list of names, the innermost first.
type env struct {
	name string
	val  value
	next *env
}

func (e *env) find(name string) (value, bool) {
	for ; e != nil; e = e.next {
		if e.name == name {
			return e.val, true
		}
	}
	return value{}, false
}

type compiler struct {
	b       *memmodel.Builder
	name    string
	env     *env
	include func(string) ([]byte, error)
	stack   []string // files being included
	calls   int
	steps   int
}

// The bounds of a model's text: the depth of includes and calls, and the number of operations after all calls are expanded.
const (
	maxIncludes = 20
	maxCalls    = 100
	maxSteps    = 100_000
)

// Compile compiles the model text src. name appears in error messages, as name:line:column. include finds the text of an
// included file; nil means that nothing can be included.
func Compile(name string, src []byte, include func(name string) ([]byte, error)) (*memmodel.Model, error) {
	c := &compiler{b: memmodel.NewBuilder(strings.TrimSuffix(name, ".cat")), include: include}
	if err := c.file("stdlib.cat", stdlib); err != nil {
		return nil, err
	}
	if err := c.file(name, src); err != nil {
		return nil, err
	}
	return c.b.Model(), nil
}

// failure is what the compiler panics with.
type failure struct {
	err       error
	undefined bool // it is about a name that is not defined
}

func (c *compiler) errorf(at pos, format string, args ...any) error {
	return &Error{c.name, int(at.line), int(at.col), fmt.Sprintf(format, args...)}
}

func (c *compiler) failf(at pos, format string, args ...any) {
	panic(failure{err: c.errorf(at, format, args...)})
}

func (c *compiler) file(name string, src []byte) (err error) {
	stmts, err := parse(name, src)
	if err != nil {
		return err
	}
	outer := c.name
	c.name = name
	c.stack = append(c.stack, name)
	defer func() {
		c.name = outer
		c.stack = c.stack[:len(c.stack)-1]
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	for i := range stmts {
		c.stmt(&stmts[i])
	}
	return nil
}

func (c *compiler) stmt(s *stmt) {
	switch {
	case s.let != nil:
		c.env = c.let(s.let, c.env)
	case s.include != "":
		c.includeFile(s)
	default:
		v := c.operand(s.body, c.env)
		if v.zero {
			v.expr = c.b.None(true)
		}
		kind := map[string]memmodel.AxiomKind{"acyclic": memmodel.Acyclic, "irreflexive": memmodel.Irreflexive, "empty": memmodel.Empty}[s.check]
		if kind != memmodel.Empty && !v.expr.Rel {
			c.failf(s.body.pos, "'%s' needs a relation; this is a set", s.check)
		}
		name := s.name
		if name == "" {
			name = fmt.Sprintf("%s@%s:%d", s.check, c.name, s.pos.line)
		}
		c.b.Axiom(kind, s.neg, s.flag, v.expr, name)
	}
}

func (c *compiler) includeFile(s *stmt) {
	if slices.Contains(c.stack, s.include) || len(c.stack) > maxIncludes {
		c.failf(s.pos, "%q includes itself", s.include)
	}
	if c.include == nil {
		c.failf(s.pos, "cannot include %q here", s.include)
	}
	src, err := c.include(s.include)
	if err != nil {
		c.failf(s.pos, "include %q: %v", s.include, err)
	}
	if err := c.file(s.include, src); err != nil {
		panic(failure{err: err})
	}
}

// let adds the bindings of l to e.
func (c *compiler) let(l *letStmt, e *env) *env {
	if l.rec {
		return c.letRec(l, e)
	}
	out := e
	for i := range l.bindings {
		b := &l.bindings[i]
		if b.fn {
			out = &env{b.name, value{fn: &function{b, e, c.name}}, out}
			continue
		}
		v := c.eval(b.body, e)
		if v.fn == nil && !v.zero && b.body.op != "name" {
			c.b.Name(v.expr, b.name)
		}
		out = &env{b.name, v, out}
	}
	return out
}

func (c *compiler) letRec(l *letStmt, e *env) *env {
	rels := c.kinds(l, e)
	fix, vars := c.b.Fix(rels)
	inner := e
	for i := range l.bindings {
		inner = &env{l.bindings[i].name, value{expr: vars[i]}, inner}
	}
	defs := make([]memmodel.Expr, len(vars))
	for i := range l.bindings {
		b := &l.bindings[i]
		v := c.operand(b.body, inner)
		if v.zero {
			v.expr = c.b.None(rels[i])
		}
		if v.expr.Rel != rels[i] {
			c.failf(b.body.pos, "%s is used as %s in its definition, but this is %s", b.name, kindName(rels[i]), kindName(v.expr.Rel))
		}
		defs[i] = v.expr
		// What comes after sees this round's value already.
		inner = &env{b.name, v, inner}
	}
	out := e
	for i, r := range c.b.EndFix(fix, defs) {
		c.b.Name(r, l.bindings[i].name)
		out = &env{l.bindings[i].name, value{expr: r}, out}
	}
	return out
}

func kindName(rel bool) string {
	if rel {
		return "a relation"
	}
	return "a set"
}

func (c *compiler) lookup(name string, at pos, e *env) value {
	if v, ok := e.find(name); ok {
		return v
	}
	if x, ok := c.b.Base(name); ok {
		return value{expr: x}
	}
	if knownTag(name) {
		return value{expr: c.b.Tag(name)}
	}
	panic(failure{c.errorf(at, "undefined name '%s'", name), true})
}

// operand is eval for where a function makes no sense.
func (c *compiler) operand(x *expr, e *env) value {
	v := c.eval(x, e)
	if v.fn != nil {
		c.failf(x.pos, "'%s' is a function; it needs arguments", x.name)
	}
	return v
}

// set and rel are operands of one kind.
func (c *compiler) set(x *expr, e *env, what string) memmodel.Expr {
	return c.typed(x, e, false, what)
}

func (c *compiler) rel(x *expr, e *env, what string) memmodel.Expr {
	return c.typed(x, e, true, what)
}

func (c *compiler) typed(x *expr, e *env, rel bool, what string) memmodel.Expr {
	v := c.operand(x, e)
	if v.zero {
		return c.b.None(rel)
	}
	if v.expr.Rel != rel {
		c.failf(x.pos, "%s needs %s; this is %s", what, kindName(rel), kindName(v.expr.Rel))
	}
	return v.expr
}

// step counts an operation.
func (c *compiler) step(x *expr) {
	if c.steps++; c.steps > maxSteps {
		c.failf(x.pos, "the model is too big: more than %d operations", maxSteps)
	}
}

func (c *compiler) eval(x *expr, e *env) value {
	c.step(x)
	b := c.b
	switch x.op {
	case "name":
		return c.lookup(x.name, x.pos, e)
	case "0":
		return value{zero: true}
	case "{}":
		return value{expr: b.None(false)}
	case "apply":
		return c.apply(x, e)
	case "let":
		return c.eval(x.args[0], c.let(x.let, e))
	case "try":
		return c.try(x, e)
	case "[]":
		return value{expr: b.ToID(c.set(x.args[0], e, "'[ ]'"))}
	case ";":
		return value{expr: b.Seq(c.rel(x.args[0], e, "';'"), c.rel(x.args[1], e, "';'"))}
	case "*":
		return value{expr: b.Product(c.set(x.args[0], e, "the product '*'"), c.set(x.args[1], e, "the product '*'"))}
	case "~":
		v := c.operand(x.args[0], e)
		if v.zero {
			c.failf(x.pos, "the complement of 0 may be a set or a relation; write _ or _*_")
		}
		return value{expr: b.Compl(v.expr)}
	case "+":
		return value{expr: b.Plus(c.rel(x.args[0], e, "'+'"))}
	case "star":
		return value{expr: b.Star(c.rel(x.args[0], e, "'*'"))}
	case "?":
		return value{expr: b.Opt(c.rel(x.args[0], e, "'?'"))}
	case "^-1":
		return value{expr: b.Inverse(c.rel(x.args[0], e, "'^-1'"))}
	}
	return c.combine(x, e)
}

// try is the first operand, or the second if the first uses a name that is not defined.
func (c *compiler) try(x *expr, e *env) (v value) {
	name, calls := c.name, c.calls
	defer func() {
		if r := recover(); r != nil {
			if f, ok := r.(failure); !ok || !f.undefined {
				panic(r)
			}
			c.name, c.calls = name, calls
			v = c.eval(x.args[1], e)
		}
	}()
	return c.eval(x.args[0], e)
}

// combine is union, intersection or difference.
func (c *compiler) combine(x *expr, e *env) value {
	l, r := c.operand(x.args[0], e), c.operand(x.args[1], e)
	switch {
	case l.zero && r.zero:
		return l
	case l.zero:
		l.expr = c.b.None(r.expr.Rel)
	case r.zero:
		r.expr = c.b.None(l.expr.Rel)
	}
	if l.expr.Rel != r.expr.Rel {
		c.failf(x.pos, "'%s' needs two sets or two relations; the left side is %s, the right side %s", x.op, kindName(l.expr.Rel), kindName(r.expr.Rel))
	}
	switch x.op {
	case "|":
		return value{expr: c.b.Union(l.expr, r.expr)}
	case "&":
		return value{expr: c.b.Inter(l.expr, r.expr)}
	}
	return value{expr: c.b.Diff(l.expr, r.expr)}
}

func (c *compiler) apply(x *expr, e *env) value {
	v, user := e.find(x.name)
	if !user && (x.name == "domain" || x.name == "range") {
		c.arity(x, 1)
		r := c.rel(x.args[0], e, "'"+x.name+"'")
		if x.name == "domain" {
			return value{expr: c.b.Domain(r)}
		}
		return value{expr: c.b.Range(r)}
	}
	if !user {
		v = c.lookup(x.name, x.pos, e)
	}
	if v.fn == nil {
		c.failf(x.pos, "'%s' is no function", x.name)
	}
	f := v.fn
	c.arity(x, len(f.b.params))
	inner := f.env
	for i, p := range f.b.params {
		inner = &env{p, c.eval(x.args[i], e), inner}
	}
	if c.calls++; c.calls > maxCalls {
		c.failf(x.pos, "calls nested too deeply")
	}
	outer := c.name
	c.name = f.in
	out := c.eval(f.b.body, inner)
	c.name = outer
	c.calls--
	return out
}

func (c *compiler) arity(x *expr, n int) {
	if len(x.args) != n {
		c.failf(x.pos, "'%s' takes %d argument(s), found %d", x.name, n, len(x.args))
	}
}
