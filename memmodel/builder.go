package memmodel

import "fmt"

// Expr is a set of events or a relation between events, a node of a Builder's graph.
type Expr struct {
	id  int32
	Rel bool
}

type op uint8

const (
	opNone op = iota // the empty set, the empty relation
	opBase           // a base set or relation, b = its index
	opTag            // the set of events with a tag, b = index into the graph's tags
	opUnion
	opInter
	opDiff
	opCompl
	opDomain
	opRange
	opSeq
	opRestrictL // [a]; b
	opRestrictR // a; [b]
	opToID
	opProduct
	opInverse
	opPlus
	opVar    // what `let rec` number a binds at position b, inside its definition
	opFixRes // the same, outside
)

type node struct {
	op   op
	rel  bool
	a, b int32
}

// fixpoint is one `let rec`: the variables and their definitions, in order.
type fixpoint struct {
	vars, defs []int32
}

// graph is a model as expressions without repetitions. Operands come before what uses them, except for the definitions of
// `let rec`.
type graph struct {
	nodes  []node
	slots  []int32 // open addressing: 1 + index into nodes, 0 for none
	fixes  []fixpoint
	tags   []string
	axioms []axiom
	names  map[int32]string
	from   []int   // which axioms of the model those of a specialized graph are
	levels []level // of the nodes, as far as asked for
}

// AxiomKind is what an axiom asks of its expression.
type AxiomKind uint8

// The kinds of axioms.
const (
	Acyclic AxiomKind = iota
	Irreflexive
	Empty
)

func (k AxiomKind) String() string { return [...]string{"acyclic", "irreflexive", "empty"}[k] }

type axiom struct {
	name string
	kind AxiomKind
	neg  bool
	flag bool
	expr int32
}

func newGraph() *graph {
	return &graph{nodes: make([]node, 0, 512), slots: make([]int32, 1024), names: map[int32]string{}}
}

// reset empties the graph and keeps its memory.
func (g *graph) reset() {
	clear(g.slots)
	*g = graph{nodes: g.nodes[:0], slots: g.slots, fixes: g.fixes[:0], axioms: g.axioms[:0], from: g.from[:0], levels: g.levels[:0]}
}

// slot is where n stands in slots, or where it belongs.
func (g *graph) slot(n node) int {
	h := (uint64(n.op)<<57 ^ uint64(uint32(n.a))<<28 ^ uint64(uint32(n.b))) * 0x9e3779b97f4a7c15
	mask := len(g.slots) - 1
	i := int(h>>32) & mask
	for g.slots[i] != 0 && g.nodes[g.slots[i]-1] != n {
		i = (i + 1) & mask
	}
	return i
}

func (g *graph) add(n node) int32 {
	i := g.slot(n)
	if g.slots[i] != 0 {
		return g.slots[i] - 1
	}
	g.nodes = append(g.nodes, n)
	id := int32(len(g.nodes))
	g.slots[i] = id
	if 2*len(g.nodes) > len(g.slots) {
		g.slots = make([]int32, 2*len(g.slots))
		for k, n := range g.nodes {
			g.slots[g.slot(n)] = int32(k + 1)
		}
	}
	return id - 1
}

func (g *graph) empty(id int32) bool { return g.nodes[id].op == opNone }

// make adds a node, simplified: what is empty, and the identities of `[S];r`, of union, intersection and closure.
func (g *graph) make(o op, rel bool, a, b int32) int32 {
	switch o {
	case opUnion, opInter:
		if a > b {
			a, b = b, a
		}
		if a == b {
			return a
		}
		ea, eb := g.empty(a), g.empty(b)
		if o == opUnion && ea || o == opInter && eb {
			return b
		}
		if o == opUnion && eb || o == opInter && ea {
			return a
		}
		if o == opInter && !rel {
			if g.isBase(a, baseAll) {
				return b
			}
			if g.isBase(b, baseAll) {
				return a
			}
		}
	case opDiff:
		if a == b || g.empty(a) {
			return g.none(rel)
		}
		if g.empty(b) {
			return a
		}
	case opCompl:
		if n := g.nodes[a]; n.op == opCompl {
			return n.a
		}
		if g.empty(a) && !rel {
			return g.add(node{op: opBase, b: int32(baseAll)})
		}
	case opDomain, opRange:
		if g.empty(a) {
			return g.none(false)
		}
		if n := g.nodes[a]; n.op == opToID {
			return n.a
		}
	case opSeq:
		if g.empty(a) || g.empty(b) {
			return g.none(true)
		}
		if g.isBase(a, baseID) {
			return b
		}
		if g.isBase(b, baseID) {
			return a
		}
		if n := g.nodes[a]; n.op == opToID {
			return g.make(opRestrictL, true, n.a, b)
		}
		if n := g.nodes[b]; n.op == opToID {
			return g.make(opRestrictR, true, a, n.a)
		}
	case opRestrictL, opRestrictR:
		if g.empty(a) || g.empty(b) {
			return g.none(true)
		}
		s, r := a, b
		if o == opRestrictR {
			s, r = b, a
		}
		if g.isBase(s, baseAll) {
			return r
		}
		if n := g.nodes[r]; n.op == opToID {
			return g.make(opToID, true, g.make(opInter, false, s, n.a), 0)
		}
	case opToID:
		if g.empty(a) {
			return g.none(true)
		}
		if g.isBase(a, baseAll) {
			return g.add(node{op: opBase, rel: true, b: int32(baseID)})
		}
	case opProduct:
		if g.empty(a) || g.empty(b) {
			return g.none(true)
		}
	case opInverse:
		if n := g.nodes[a]; n.op == opInverse {
			return n.a
		}
		if n := g.nodes[a]; n.op == opToID || n.op == opNone || g.symmetric(a) {
			return a
		}
	case opPlus:
		if n := g.nodes[a]; n.op == opNone || n.op == opToID || n.op == opPlus {
			return a
		}
	}
	return g.add(node{op: o, rel: rel, a: a, b: b})
}

func (g *graph) none(rel bool) int32 { return g.add(node{op: opNone, rel: rel}) }

func (g *graph) isBase(id int32, b base) bool {
	n := g.nodes[id]
	return n.op == opBase && base(n.b) == b
}

func (g *graph) symmetric(id int32) bool {
	return g.isBase(id, baseLoc) || g.isBase(id, baseInt) || g.isBase(id, baseExt) || g.isBase(id, baseID) || g.isBase(id, baseSI)
}

// Builder makes a Model from expressions. Its methods panic on operands of the wrong kind, which its caller has checked.
type Builder struct {
	g    *graph
	name string
}

// NewBuilder starts a model.
func NewBuilder(name string) *Builder { return &Builder{g: newGraph(), name: name} }

func (b *Builder) expr(o op, rel bool, x, y int32) Expr { return Expr{b.g.make(o, rel, x, y), rel} }

func same(x, y Expr) bool {
	if x.Rel != y.Rel {
		panic("memmodel: a set where a relation is wanted")
	}
	return x.Rel
}

func want(x Expr, rel bool) int32 {
	if x.Rel != rel {
		panic(fmt.Sprintf("memmodel: operand is a relation: %v, wanted %v", x.Rel, rel))
	}
	return x.id
}

// Base is the base set or relation of that name.
func (b *Builder) Base(name string) (Expr, bool) {
	for i, d := range bases {
		if d.name == name {
			return Expr{b.g.add(node{op: opBase, rel: d.rel, b: int32(i)}), d.rel}, true
		}
	}
	return Expr{}, false
}

// Tag is the set of the events with a tag.
func (b *Builder) Tag(name string) Expr {
	for i, t := range b.g.tags {
		if t == name {
			return Expr{b.g.add(node{op: opTag, b: int32(i)}), false}
		}
	}
	b.g.tags = append(b.g.tags, name)
	return Expr{b.g.add(node{op: opTag, b: int32(len(b.g.tags) - 1)}), false}
}

// None is the empty relation or the empty set.
func (b *Builder) None(rel bool) Expr { return Expr{b.g.none(rel), rel} }

// Union is x | y, of sets or of relations.
func (b *Builder) Union(x, y Expr) Expr { return b.expr(opUnion, same(x, y), x.id, y.id) }

// Inter is x & y.
func (b *Builder) Inter(x, y Expr) Expr { return b.expr(opInter, same(x, y), x.id, y.id) }

// Diff is x \ y.
func (b *Builder) Diff(x, y Expr) Expr { return b.expr(opDiff, same(x, y), x.id, y.id) }

// Compl is ~x.
func (b *Builder) Compl(x Expr) Expr { return b.expr(opCompl, x.Rel, x.id, 0) }

// Seq is x; y.
func (b *Builder) Seq(x, y Expr) Expr { return b.expr(opSeq, true, want(x, true), want(y, true)) }

// ToID is [x].
func (b *Builder) ToID(x Expr) Expr { return b.expr(opToID, true, want(x, false), 0) }

// Product is x * y.
func (b *Builder) Product(x, y Expr) Expr {
	return b.expr(opProduct, true, want(x, false), want(y, false))
}

// Inverse is x^-1.
func (b *Builder) Inverse(x Expr) Expr { return b.expr(opInverse, true, want(x, true), 0) }

// Plus is x+.
func (b *Builder) Plus(x Expr) Expr { return b.expr(opPlus, true, want(x, true), 0) }

// Opt is x?.
func (b *Builder) Opt(x Expr) Expr {
	id, _ := b.Base("id")
	return b.Union(x, id)
}

// Star is x*.
func (b *Builder) Star(x Expr) Expr { return b.Opt(b.Plus(x)) }

// Domain is domain(x).
func (b *Builder) Domain(x Expr) Expr { return b.expr(opDomain, false, want(x, true), 0) }

// Range is range(x).
func (b *Builder) Range(x Expr) Expr { return b.expr(opRange, false, want(x, true), 0) }

// Fix starts a `let rec` of len(rels) definitions, those with true being relations, and returns the variables for use inside
// the definitions. EndFix takes the definitions and returns the fixpoint. It is computed from empty until nothing changes; as
// in herd each definition sees what those before it have become in the same round, if the caller uses these definitions
// themselves there in place of their variables.
func (b *Builder) Fix(rels []bool) (fix int, vars []Expr) {
	fix = len(b.g.fixes)
	f := fixpoint{}
	for i, rel := range rels {
		id := b.g.add(node{op: opVar, rel: rel, a: int32(fix), b: int32(i)})
		f.vars = append(f.vars, id)
		vars = append(vars, Expr{id, rel})
	}
	b.g.fixes = append(b.g.fixes, f)
	return fix, vars
}

// EndFix ends a `let rec`.
func (b *Builder) EndFix(fix int, defs []Expr) (results []Expr) {
	f := &b.g.fixes[fix]
	for i, d := range defs {
		f.defs = append(f.defs, d.id)
		id := b.g.add(node{op: opFixRes, rel: d.Rel, a: int32(fix), b: int32(i)})
		results = append(results, Expr{id, d.Rel})
	}
	return results
}

// Name records what the model's text calls an expression; the first name stays.
func (b *Builder) Name(x Expr, name string) {
	if _, ok := b.g.names[x.id]; !ok {
		b.g.names[x.id] = name
	}
}

// Axiom adds an axiom; neg asks for the opposite. A flag does not forbid executions: it is raised where the condition holds.
func (b *Builder) Axiom(kind AxiomKind, neg, flag bool, x Expr, name string) {
	b.g.axioms = append(b.g.axioms, axiom{name: name, kind: kind, neg: neg, flag: flag, expr: x.id})
}

// Model ends the building.
func (b *Builder) Model() *Model { return newModel(b.name, b.g) }
