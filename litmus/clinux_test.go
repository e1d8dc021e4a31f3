package litmus

import (
	"os"
	"path/filepath"
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

// kernelTests reads the tests of testdata that are written in C. Their quantifiers say what must hold: exists for what the
// kernel's model allows, ~exists for what it forbids.
func kernelTests(t *testing.T) []*Test {
	var tests []*Test
	for _, dir := range []string{"bugs", "linux"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*.litmus"))
		require.NoError(t, err)
		for _, f := range files {
			test, err := ParseFile(f)
			require.NoError(t, err)
			if test.Program.Arch == "C" {
				tests = append(tests, test)
			}
		}
	}
	require.Greater(t, len(tests), 150, "tests in testdata")
	return tests
}

// flagged are the tests that raise flags, with these; no other may.
var flagged = map[string]string{
	"flag-unlock":             "unmatched-unlock",
	"flag-rcu-lock":           "unmatched-rcu-lock",
	"flag-rcu-unlock":         "unmatched-rcu-unlock",
	"flag-rcu-sleep":          "invalid-sleep",
	"flag-srcu-lock":          "unmatched-srcu-lock",
	"flag-srcu-unlock":        "unmatched-srcu-unlock",
	"flag-srcu-twice":         "multiple-srcu-matches",
	"flag-mixed-plain-first":  "mixed-accesses",
	"flag-mixed-marked-first": "mixed-accesses",
	"flag-race":               "data-race",
	"flag-race-plain-first":   "data-race",
	"flag-race-plain-second":  "data-race",
	"flag-plain-rmb-noreturn": "data-race",
	"flag-read-rmb-noreturn":  "data-race",
	"flag-race-read-rmb":      "data-race",
	"flag-race-rmb-read":      "data-race",
	"flag-race-writes":        "data-race",
	"plain-R-read-allowed":    "data-race",
	"plain-RWC-read-allowed":  "data-race",
	"plain-RWC-write-allowed": "data-race",
	"plain-WRC-read-allowed":  "data-race",
	"plain-WRC-write-allowed": "data-race",
	"plain-flag-mb-allowed":   "data-race",
	"flag-race-relay-read":    "data-race",
	"flag-race-relay-write":   "data-race",
	"plain-vis-read-allowed":  "data-race",
	"plain-relseq-allowed":    "data-race",
}

func TestKernelSources(t *testing.T) {
	for _, mode := range []memmodel.Mode{memmodel.States, memmodel.Verdict, memmodel.All} {
		r := &Runner{Mode: mode}
		for _, test := range kernelTests(t) {
			res, err := r.Run(test)
			require.NoError(t, err, test.Name)
			assert.True(t, res.Ok, "%s: %s %s", test.Name, test.Quantifier, res.Observation)
			if mode != memmodel.Verdict {
				slices.Sort(res.Flags)
				assert.Equal(t, flagged[test.Name], strings.Join(res.Flags, " "), test.Name)
			}
		}
	}
}

// outcome is what a model says of all tests: one byte each, and the flags.
func outcome(t *testing.T, m *memmodel.Model, tests []*Test) []string {
	r := &Runner{Model: m}
	out := make([]string, len(tests))
	for i, test := range tests {
		res, err := r.Run(test)
		require.NoError(t, err, test.Name)
		slices.Sort(res.Flags)
		out[i] = res.Observation[:1] + strings.Join(res.Flags, " ")
	}
	return out
}

// changed names a test on which two models differ, or nothing.
func changed(tests []*Test, a, b []string) string {
	for i := range a {
		if a[i] != b[i] {
			return tests[i].Name
		}
	}
	return ""
}

// Every axiom and every flag of the kernel's model decides some test.
func TestKernelModelWithoutAxiom(t *testing.T) {
	tests := kernelTests(t)
	m, err := models.Load("linux")
	require.NoError(t, err)
	want := outcome(t, m, tests)
	require.NotEmpty(t, m.Axioms())
	for _, axiom := range m.Axioms() {
		without, ok := m.Without(axiom)
		require.True(t, ok, axiom)
		by := changed(tests, want, outcome(t, without, tests))
		// The search itself keeps to coherence and atomicity.
		if axiom == "coherence" || axiom == "atomic" || axiom == wideAxiom {
			continue
		}
		assert.NotEmpty(t, by, "no test notices that %s is gone", axiom)
	}
}

// equivalent are the places of the model where the empty set changes nothing that a program can show.
var equivalent = map[string]string{
	"let Taken = (LKR | LKW) \\ Failed/LKR":                      "what reaches the read of a lock operation reaches its write as well",
	"let carry = (data ; [_ \\ Srcu-unlock] ; rfi)*/Srcu-unlock": "a lock that reads what an unlock stored is ordered behind the lock before it anyway",
}

// Every place where the kernel's model names a kind of event matters: with the empty set in its stead some test changes.
func TestKernelModelMutants(t *testing.T) {
	tests := kernelTests(t)
	m, err := models.Load("linux")
	require.NoError(t, err)
	want := outcome(t, m, tests)
	src, err := os.ReadFile(filepath.Join("..", "memmodel", "models", "linux.cat"))
	require.NoError(t, err)
	comments := regexp.MustCompile(`(?s)\(\*.*?\*\)`).FindAllIndex(src, -1)
	names := regexp.MustCompile(`[A-Za-z][A-Za-z0-9-]*`)
	mutants := 0
	for _, at := range names.FindAllIndex(src, -1) {
		name := string(src[at[0]:at[1]])
		inComment := slices.ContainsFunc(comments, func(c []int) bool { return c[0] <= at[0] && at[0] < c[1] })
		if inComment || !slices.Contains(cTags, name) {
			continue
		}
		line := strings.Count(string(src[:at[0]]), "\n") + 1
		text := slices.Concat(src[:at[0]], []byte("emptyset"), src[at[1]:])
		mutant, err := cat.Compile("linux.cat", text, nil)
		require.NoError(t, err)
		mutants++
		where := strings.TrimSpace(strings.Split(string(src), "\n")[line-1])
		by := ""
		if i := first(t, mutant, tests, want); i >= 0 {
			by = tests[i].Name
		}
		if _, ok := equivalent[where+"/"+name]; ok {
			assert.Empty(t, by, "linux.cat:%d: %s matters in %s", line, name, where)
			continue
		}
		assert.NotEmpty(t, by, "linux.cat:%d: no test notices that %s is empty in %s", line, name, where)
	}
	t.Logf("%d mutants", mutants)
}

// A loop is cut, and the result says after how many turns; one that ends by itself is not.
func TestKernelLoops(t *testing.T) {
	for body, cut := range map[string]bool{
		"while (READ_ONCE(*x) == 0)\n\t;":                  true,
		"do {\n\tr0 = READ_ONCE(*x);\n} while (r0 == 0);":  true,
		"for (r0 = 0; r0 < 1; r0++)\n\tWRITE_ONCE(*x, 3);": false,
	} {
		test, err := Parse([]byte("C loop\n{}\nP0(int *x)\n{\nint r0;\n"+body+"\n}\nP1(int *x) { WRITE_ONCE(*x, 1); }\nexists (x=1)\n"), "t.litmus")
		require.NoError(t, err)
		r := &Runner{}
		res, err := r.Run(test)
		require.NoError(t, err)
		assert.Equal(t, cut, res.Unrolled > 0, body)
		assert.NotEmpty(t, res.States, body)
	}
}
