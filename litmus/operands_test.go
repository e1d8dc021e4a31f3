package litmus

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/cat"
	"github.com/barriergen/barriergen/memmodel/models"
)

// smaller are the texts of a model with one operand of a union or of a sequence gone, at every depth, by what was taken
// away: the name of the statement, the operand, and what is left around it.
func smaller(src string) map[string]string {
	blank := regexp.MustCompile(`(?s)\(\*.*?\*\)`).ReplaceAllStringFunc(src, func(c string) string {
		return regexp.MustCompile(`[^\n]`).ReplaceAllString(c, " ")
	})
	out := map[string]string{}
	heads := regexp.MustCompile(`(?m)^\s*(?:let rec|let|and) ([a-zA-Z0-9-]+)(?:\([a-z]+\))? =|^(?:flag )?~?(?:acyclic|irreflexive|empty) `).FindAllStringSubmatchIndex(blank, -1)
	for i, h := range heads {
		from, to := h[1], len(blank)
		if i+1 < len(heads) {
			to = heads[i+1][0]
		}
		name := ""
		if h[2] >= 0 {
			name = blank[h[2]:h[3]]
		} else if end := strings.LastIndex(blank[from:to], " as "); end >= 0 {
			name = strings.TrimSpace(blank[from+end+4 : to])
			to = from + end
		}
		cuts(blank, from, to, func(from, to, cutFrom, cutTo int) {
			words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
			what := fmt.Sprintf("%s: %s of %s", name, words(strings.Trim(blank[cutFrom:cutTo], "|; \n")), words(blank[from:to]))
			for n := 2; out[what] != ""; n++ {
				what = fmt.Sprintf("%s (%d)", strings.TrimSuffix(what, fmt.Sprintf(" (%d)", n-1)), n)
			}
			out[what] = blank[:cutFrom] + blank[cutTo:]
		})
	}
	return out
}

// cuts reports every operand in the expression blank[from:to]: the expression that it is an operand of, and the text to
// cut.
func cuts(text string, from, to int, report func(from, to, cutFrom, cutTo int)) {
	for _, operator := range []byte{'|', ';'} {
		parts := operands(text, from, to, operator)
		if len(parts) < 2 {
			continue
		}
		for i, p := range parts {
			cutFrom, cutTo := p[0], p[1]
			if i == 0 {
				cutTo++ // with the operator behind it
			} else {
				cutFrom--
			}
			report(from, to, cutFrom, cutTo)
			cuts(text, p[0], p[1], report)
		}
		return
	}
	// One operand, of nothing: what stands in its brackets.
	depth, start := 0, 0
	for i := from; i < to; i++ {
		switch text[i] {
		case '(', '[':
			if depth == 0 {
				start = i + 1
			}
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				cuts(text, start, i, report)
			}
		}
	}
}

// operands cuts text[from:to] at an operator outside of brackets.
func operands(text string, from, to int, operator byte) (out [][2]int) {
	depth := 0
	for i := from; i < to; i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case operator:
			if depth == 0 {
				out = append(out, [2]int{from, i})
				from = i + 1
			}
		}
	}
	return append(out, [2]int{from, to})
}

// unnoticed are the operands that a program can do without, with the reason: the model says the same without them.
var unnoticed = map[string]string{
	"acq-po: [M]":                    noAccess,
	"po-rel: [M]":                    noAccess,
	"acquire-fence: [M]":             noAccess,
	"release-fence: [M]":             noAccess,
	"full-rmw: [M]":                  noAccess,
	"mb: [M]":                        noAccess,
	"gp: [M]":                        noAccess,
	"Taken: LKR":                     "what reaches the read of a lock operation reaches its write as well",
	"carry: [_ \\ Srcu-unlock]":      "a lock that reads what an unlock stored is ordered behind the lock before it anyway",
	"critical: [UL]":                 "only unlocks are looked up in its range",
	"ctrl-acquire: [R]":              "a dependency begins at a read",
	"cumulative: strong-fence":       "what follows a full fence inside prop is happens-before, and pb ends with it",
	"full-rmw: po?":                  "[M]; po; [Full] leads to the operation itself, and from there it goes on",
	"mb: po":                         "the unlock is a release, and cumulative",
	"hb: [Marked]":                   "whatever goes on with hb starts at a marked access",
	"pb: [Marked]":                   "whatever goes on with pb starts at a marked access",
	"rb: [Marked]":                   "a cycle ends where it starts, and whatever else goes on with rb starts at a marked access",
	"r-post-bounded: [Marked]":       "xbstar, or else w-pre-bounded, starts at a marked access",
	"r-pre-bounded: [Marked]":        "a full fence that reaches a plain access reaches what comes behind it, too",
	"ppo: (po-unlock-lock-po & int)": "prop within a thread has it: it is in cumul-fence",
	"vis: [Marked]":                  "whatever goes on with vis starts at a marked access",
	"w-pre-bounded: [Marked]":        "as r-pre-bounded",
	"srcu-rscs: [Srcu-lock]":         "of a domain's events only locks return an index",
	"srcu-rscs: [Srcu-unlock]":       "of a domain's events only unlocks take an index",
	"to-r: [R]":                      "to-w has dependencies to writes",
	"to-w: [Plain]":                  "behind a marked write the two parts are orders of their own",
	"ww-safe: (Marked * W)":          "a marked write needs no bound, so that ww-vis is rw-xbstar",
	"ww-safe: (W * Marked)":          "a marked write needs no bound, so that ww-vis is wr-vis",
	"wr-race: co?":                   "where a read of a later write races, it races in another execution that reads the write itself",
	"rcu-order: rcu-gp":              strongGP,
	"rcu-order: srcu-gp":             strongGP,
}

const (
	noAccess = "an order into or out of a fence's own event goes on in program order only, where the same fence orders the accesses"
	strongGP = "a grace period alone is a full fence, which rcu-link has already, in pb"
)

// Each operand of a union or of a sequence in the kernel's model decides some test, or it is known why it does not.
func TestKernelModelOperands(t *testing.T) {
	tests := kernelTests(t)
	m, err := models.Load("linux")
	require.NoError(t, err)
	size := func(test *Test) (n int) {
		for _, th := range test.Program.Threads {
			n += len(th.Code)
		}
		return n
	}
	slices.SortStableFunc(tests, func(a, b *Test) int { return size(a) - size(b) }) // small ones first
	want := outcome(t, m, tests)
	src, err := models.Source("linux")
	require.NoError(t, err)
	tried, survived := 0, map[string]bool{}
	all := smaller(string(src))
	for _, what := range slices.Sorted(maps.Keys(all)) {
		mutant, err := cat.Compile("linux.cat", []byte(all[what]), models.Include)
		require.NoError(t, err, what)
		if strings.HasPrefix(what, wideAxiom) {
			continue
		}
		tried++
		i := first(t, mutant, tests, want)
		if i >= 0 { // which is likely to tell the next one, too
			tests[0], tests[i], want[0], want[i] = tests[i], tests[0], want[i], want[0]
			continue
		}
		operand, _, _ := strings.Cut(what, " of ")
		survived[operand] = true
		assert.Contains(t, unnoticed, operand, "no test notices that this is gone: %s", what)
	}
	for operand := range unnoticed {
		assert.True(t, survived[operand], "some test notices that this is gone: %s", operand)
	}
	assert.Greater(t, tried, 300)
	t.Logf("%d mutants, of which %d are equivalent", tried, len(survived))
}

// first is the first test on which a model says something else, or -1.
func first(t *testing.T, m *memmodel.Model, tests []*Test, want []string) int {
	r := &Runner{Model: m}
	for i, test := range tests {
		res, err := r.Run(test)
		if err != nil { // one that does not come to rest is something else
			return i
		}
		slices.Sort(res.Flags)
		if want[i] != res.Observation[:1]+strings.Join(res.Flags, " ") {
			return i
		}
	}
	return -1
}
