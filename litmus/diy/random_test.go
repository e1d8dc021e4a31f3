package diy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomCycle walks from access to access, with an annotation here and there, and gives what Parse accepts.
func randomCycle(rng *rand.Rand, a *arch, fence string) (Cycle, bool) {
	var walk []string
	first := [...]dir{read, write}[rng.IntN(2)]
	at := first
	for n := 4 + rng.IntN(4); n > 0; n-- {
		to := [...]dir{read, write}[rng.IntN(2)]
		if n == 1 {
			to = first
		}
		if note := a.notes[rng.IntN(len(a.notes))]; rng.IntN(8) == 0 && note.code(at) != "" && note.name != "Plain" { // a plain access races
			walk = append(walk, note.name)
		}
		var words []string
		for _, c := range communications {
			if c.from == at && c.to == to {
				words = append(words, c.name+"e", c.name+"e", c.name+"i")
			}
		}
		for _, place := range []string{"d", "d", "s"} {
			words = append(words, fence+place+string(at)+string(to))
		}
		if len(a.rmws) > 0 && at == read && to == write {
			words = append(words, a.rmws[rng.IntN(len(a.rmws))].spelling)
		}
		walk = append(walk, words[rng.IntN(len(words))])
		at = to
	}
	c, err := Parse(a.name, strings.Join(walk, " "))
	return c, err == nil && slices.Max(c.plan().writes) <= 3 // more would keep the search busy
}

// Whatever the cycle, the strongest fence in its threads forbids it, and its condition could hold if nothing were forbidden.
// Different cycles have different names.
func TestRandomCycles(t *testing.T) {
	var j judge
	rng := rand.New(rand.NewPCG(1, 2))
	for _, a := range arches {
		fence := strongest[a.name]
		weaker, found := 0, map[string]string{}
		for tries := 0; len(found) < 300; tries++ {
			require.Less(t, tries, 100_000)
			c, ok := randomCycle(rng, a, fence)
			if !ok {
				continue
			}
			if other, taken := found[c.Name()]; taken {
				require.Equal(t, other, c.String())
				continue
			}
			found[c.Name()] = c.String()
			require.False(t, j.allows(t, c), "%s %s", a.name, c)
			require.NotNil(t, explained(t, c), "%s %s: the condition contradicts itself", a.name, c)
			plain := mustParse(t, a.name, strings.NewReplacer(fence+"d", "Pod", fence+"s", "Pos").Replace(c.String()))
			if j.allows(t, plain) {
				weaker++
			}
		}
		t.Logf("%s: %d cycles, %d of them allowed without fences", a.name, len(found), weaker)
		assert.Greater(t, weaker, 10)
	}
}
