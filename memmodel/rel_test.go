package memmodel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// pairs is a relation as a set of pairs, the slow and obvious way.
type pairs map[[2]int]bool

func naive(r []uint64) pairs {
	p := pairs{}
	for i, row := range r {
		for j := range 64 {
			if row>>j&1 != 0 {
				p[[2]int{i, j}] = true
			}
		}
	}
	return p
}

func (p pairs) rows(n int) []uint64 {
	r := make([]uint64, n)
	for e := range p {
		r[e[0]] |= 1 << e[1]
	}
	return r
}

func (p pairs) seq(q pairs) pairs {
	out := pairs{}
	for a := range p {
		for b := range q {
			if a[1] == b[0] {
				out[[2]int{a[0], b[1]}] = true
			}
		}
	}
	return out
}

func (p pairs) union(q pairs) pairs {
	out := pairs{}
	for e := range p {
		out[e] = true
	}
	for e := range q {
		out[e] = true
	}
	return out
}

func (p pairs) plus() pairs {
	out := p
	for {
		next := out.union(out.seq(p))
		if len(next) == len(out) {
			return out
		}
		out = next
	}
}

func (p pairs) irreflexive() bool {
	for e := range p {
		if e[0] == e[1] {
			return false
		}
	}
	return true
}

func randomRel(r *rand.Rand, n int, density float64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		for j := range n {
			if r.Float64() < density {
				out[i] |= 1 << j
			}
		}
	}
	return out
}

// densities are from nearly empty to nearly full; the small ones make relations with and without cycles.
var densities = []float64{0, 0.02, 0.08, 0.15, 0.5, 0.95}

func TestRelationsAgainstPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	acyclic, cyclic := 0, 0
	for round := range 400 {
		n := []int{0, 1, 2, 3, 7, 12, 64}[round%7]
		a, b := randomRel(r, n, densities[r.IntN(6)]), randomRel(r, n, densities[r.IntN(6)])
		if n == 64 { // pairs are slow
			a, b = randomRel(r, n, 0.01), randomRel(r, n, 0.01)
		}
		pa, pb := naive(a), naive(b)
		got := make([]uint64, n)
		relSeq(got, a, b)
		require.Equal(t, pa.seq(pb).rows(n), got, "%b ; %b", a, b)

		inverse := pairs{}
		for e := range pa {
			inverse[[2]int{e[1], e[0]}] = true
		}
		relInverse(got, a)
		require.Equal(t, inverse.rows(n), got)

		copy(got, a)
		relPlus(got)
		plus := pa.plus()
		require.Equal(t, plus.rows(n), got, "%b +", a)

		require.Equal(t, plus.irreflexive(), relAcyclic(a), "%b", a)
		if relAcyclic(a) {
			acyclic++
		} else {
			cyclic++
		}
		require.Equal(t, pa.irreflexive(), relIrreflexive(a))
		require.Equal(t, len(pa) == 0, relEmpty(a))
		var domain, rng uint64
		for e := range pa {
			domain |= 1 << e[0]
			rng |= 1 << e[1]
		}
		require.Equal(t, domain, relDomain(a))
		require.Equal(t, rng, relRange(a))
	}
	require.Greater(t, acyclic, 50, "both answers must occur")
	require.Greater(t, cyclic, 50)
}

func TestShortestCycle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		rel := randomRel(r, 8, 0.12)
		cycle := shortestCycle(rel)
		if relAcyclic(rel) {
			require.Nil(t, cycle)
			continue
		}
		require.NotEmpty(t, cycle)
		// The length of the shortest cycle: the first power of the relation with something on its diagonal.
		power, want := naive(rel), 1
		for power.irreflexive() {
			power, want = power.seq(naive(rel)), want+1
		}
		require.Len(t, cycle, want)
		for i, from := range cycle {
			require.NotZero(t, rel[from]>>cycle[(i+1)%len(cycle)]&1, "%v is no cycle of %b", cycle, rel)
		}
	}
}
