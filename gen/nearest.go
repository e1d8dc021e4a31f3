package gen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/barriergen/barriergen/contract"
)

// Nearest returns the names that an unknown name may have meant: the closest primitives, by their Go or kernel name.
func Nearest(name string) []string {
	type hit struct {
		name string
		dist int
	}
	var hits []hit
	short := strings.ToLower(name)
	if len(short) > 64 { // longer than any name: the rest adds nothing but distance
		short = short[:64]
	}
	for _, p := range contract.Table() {
		d := levenshtein.ComputeDistance(short, strings.ToLower(p.Name))
		if p.Kernel != "" {
			d = min(d, levenshtein.ComputeDistance(short, p.Kernel))
		}
		if strings.Contains(strings.ToLower(p.Name), short) && short != "" {
			d = 0
		}
		hits = append(hits, hit{p.Name, d})
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.dist, b.dist) })
	var out []string
	for _, h := range hits[:3] {
		out = append(out, h.name)
	}
	return out
}
