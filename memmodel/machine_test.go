package memmodel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// world is one assignment of sets and relations to the names that random models use.
type world struct {
	n    int
	sets map[base]uint64
	rels map[base][]uint64
	tag  uint64
}

var setBases = []base{baseR, baseW, baseIW, baseFW}

var relBases = []base{basePo, baseLoc, baseRF, baseCO, baseFR, baseAddr, baseRMW}

func randomWorld(r *rand.Rand) *world {
	w := &world{n: 1 + r.IntN(9), sets: map[base]uint64{}, rels: map[base][]uint64{}}
	for _, b := range setBases {
		w.sets[b] = r.Uint64() & (1<<w.n - 1)
	}
	w.tag = r.Uint64() & (1<<w.n - 1)
	for _, b := range relBases {
		w.rels[b] = randomRel(r, w.n, densities[r.IntN(len(densities))])
	}
	// The builder knows that this one is symmetric.
	for i, row := range w.rels[baseLoc] {
		for j := range w.n {
			w.rels[baseLoc][j] |= row >> j & 1 << i
		}
	}
	// Some things do not occur in a program at all; a model specialized for it folds them away.
	for _, b := range []base{baseAddr, baseRMW} {
		if r.IntN(2) == 0 {
			w.rels[b] = make([]uint64, w.n)
		}
	}
	return w
}

// pairExpr is an expression with its value in a world, computed with pairs.
type pairExpr struct {
	x   Expr
	val pairs // a set is pairs (i, i)
}

func setPairs(s uint64) pairs {
	p := pairs{}
	for i := range 64 {
		if s>>i&1 != 0 {
			p[[2]int{i, i}] = true
		}
	}
	return p
}

func filter(p pairs, keep func(e [2]int) bool) pairs {
	out := pairs{}
	for e := range p {
		if keep(e) {
			out[e] = true
		}
	}
	return out
}

// randomExpr builds an expression of the given kind from those made before and from the world.
func randomExpr(r *rand.Rand, b *Builder, w *world, rel bool, depth int) pairExpr {
	all := uint64(1)<<w.n - 1
	if depth == 0 {
		if !rel {
			switch r.IntN(3) {
			case 0:
				return pairExpr{b.Tag("T"), setPairs(w.tag)}
			case 1:
				x, _ := b.Base("_")
				return pairExpr{x, setPairs(all)}
			}
			k := setBases[r.IntN(len(setBases))]
			x, _ := b.Base(bases[k].name)
			return pairExpr{x, setPairs(w.sets[k])}
		}
		k := relBases[r.IntN(len(relBases))]
		x, _ := b.Base(bases[k].name)
		return pairExpr{x, naive(w.rels[k])}
	}
	sub := func(rel bool) pairExpr { return randomExpr(r, b, w, rel, depth-1) }
	full := pairs{}
	for i := range w.n {
		for j := range w.n {
			if rel || i == j {
				full[[2]int{i, j}] = true
			}
		}
	}
	switch op := r.IntN(10); {
	case op == 0:
		x, y := sub(rel), sub(rel)
		return pairExpr{b.Union(x.x, y.x), x.val.union(y.val)}
	case op == 1:
		x, y := sub(rel), sub(rel)
		return pairExpr{b.Inter(x.x, y.x), filter(x.val, func(e [2]int) bool { return y.val[e] })}
	case op == 2:
		x, y := sub(rel), sub(rel)
		return pairExpr{b.Diff(x.x, y.x), filter(x.val, func(e [2]int) bool { return !y.val[e] })}
	case op == 3:
		x := sub(rel)
		return pairExpr{b.Compl(x.x), filter(full, func(e [2]int) bool { return !x.val[e] })}
	case !rel:
		x, out := sub(true), pairs{}
		side := r.IntN(2)
		for e := range x.val {
			out[[2]int{e[side], e[side]}] = true
		}
		if side == 0 {
			return pairExpr{b.Domain(x.x), out}
		}
		return pairExpr{b.Range(x.x), out}
	case op == 4:
		x := sub(false)
		return pairExpr{b.ToID(x.x), x.val}
	case op == 5:
		x, y := sub(false), sub(false)
		return pairExpr{b.Product(x.x, y.x), filter(full, func(e [2]int) bool { return x.val[[2]int{e[0], e[0]}] && y.val[[2]int{e[1], e[1]}] })}
	case op == 6:
		x, out := sub(true), pairs{}
		for e := range x.val {
			out[[2]int{e[1], e[0]}] = true
		}
		return pairExpr{b.Inverse(x.x), out}
	case op == 7:
		x := sub(true)
		return pairExpr{b.Plus(x.x), x.val.plus()}
	case op == 8: // let rec v = x | v; y
		x, y := sub(true), sub(true)
		fix, vars := b.Fix([]bool{true})
		res := b.EndFix(fix, []Expr{b.Union(x.x, b.Seq(vars[0], y.x))})
		return pairExpr{res[0], x.val.union(x.val.seq(y.val.plus()))}
	}
	x, y := sub(true), sub(true)
	return pairExpr{b.Seq(x.x, y.x), x.val.seq(y.val)}
}

// load puts a world into a machine's registers.
func (w *world) load(m *machine, c *code) {
	m.prepare(c, w.n)
	for _, b := range c.bases {
		switch {
		case b.base == baseAll:
			m.sets[b.reg] = m.all
		case b.base == baseID:
			for i := range m.rel(b.reg) {
				m.rel(b.reg)[i] = 1 << i
			}
		case bases[b.base].rel:
			copy(m.rel(b.reg), w.rels[b.base])
		default:
			m.sets[b.reg] = w.sets[b.base]
		}
	}
	for _, tr := range c.tags {
		m.sets[tr.reg] = w.tag
	}
}

// TestMachineAgainstPairs evaluates random axioms both as written and specialized for what the world lacks.
func TestMachineAgainstPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var m machine
	var s specializer
	var em emitter
	all := func(int) bool { return true }
	held, failed := 0, 0
	for round := range 3000 {
		w := randomWorld(r)
		b := NewBuilder("random")
		e := randomExpr(r, b, w, r.IntN(4) > 0, 1+r.IntN(4))
		kind := AxiomKind(r.IntN(3))
		if !e.x.Rel {
			kind = Empty
		}
		neg := r.IntN(4) == 0
		b.Axiom(kind, neg, false, e.x, "axiom")
		model := b.Model()
		want := map[AxiomKind]bool{Acyclic: e.val.plus().irreflexive(), Irreflexive: e.val.irreflexive(), Empty: len(e.val) == 0}[kind] != neg

		f := facts{bases: 1<<numBases - 1, tags: 1}
		for _, k := range []base{baseAddr, baseRMW} {
			if relEmpty(w.rels[k]) {
				f.bases &^= 1 << k
			}
		}
		bit := []int8{0}
		if w.tag == 0 {
			f.tags = 0
		}
		written, specialized := em.emit(model.g, bit), em.emit(s.specialize(model, f, bit, all), bit)
		fresh := new(emitter).emit(new(specializer).specialize(model, f, bit, all), bit)
		require.Equal(t, fmt.Sprint(*fresh), fmt.Sprint(*specialized), "used memory must not show")
		for name, c := range map[string]*code{"as written": written, "specialized": specialized} {
			w.load(&m, c)
			got := true
			for l := range numLevels {
				got = got && m.run(l) < 0
			}
			require.Equal(t, want, got, "round %d, %s: %v, neg %v", round, name, kind, neg)
		}
		if want {
			held++
		} else {
			failed++
		}
	}
	require.Greater(t, held, 300, "both answers must occur")
	require.Greater(t, failed, 300)
}

// A graph holds each node once, however many there are, and nothing of what it held before.
func TestGraphNodesOnce(t *testing.T) {
	g := newGraph()
	for range 2 {
		for i := range int32(3000) {
			require.Equal(t, i, g.add(node{op: opSeq, rel: true, a: i, b: i % 7}))
		}
	}
	g.reset()
	require.Zero(t, g.add(node{op: opSeq, rel: true, a: 2999, b: 2999 % 7}))
}
