package cat_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/cat"
	"github.com/barriergen/barriergen/memmodel/models"
)

// TestErrors: one clear message with line and column for each mistake.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"acyclic po | rff", "m.cat:1:14: undefined name 'rff'"},
		{"\"title\"\n\nlet a = po ;\nlet b = rf", "m.cat:4:1: found 'let', wanted a set or a relation"},
		{"let a = R | po", "m.cat:1:11: '|' needs two sets or two relations; the left side is a set, the right side a relation"},
		{"let a = R & 0 \\ rf", "m.cat:1:15: '\\' needs two sets or two relations; the left side is a set, the right side a relation"},
		{"let a = po; R", "m.cat:1:13: ';' needs a relation; this is a set"},
		{"let a = [po]", "m.cat:1:10: '[ ]' needs a set; this is a relation"},
		{"let a = po * W", "m.cat:1:9: the product '*' needs a set; this is a relation"},
		{"let a = W+", "m.cat:1:9: '+' needs a relation; this is a set"},
		{"let a = W*\nlet b = R^-1", "m.cat:1:9: '*' needs a relation; this is a set"},
		{"let a = domain(R)", "m.cat:1:16: 'domain' needs a relation; this is a set"},
		{"acyclic W as broken", "m.cat:1:9: 'acyclic' needs a relation; this is a set"},
		{"let f(x) = x; po\nacyclic f", "m.cat:2:9: 'f' is a function; it needs arguments"},
		{"let f(x, y) = x | y\nacyclic f(po)", "m.cat:2:9: 'f' takes 2 argument(s), found 1"},
		{"acyclic po(rf)", "m.cat:1:9: 'po' is no function"},
		{"let f(x) = [x]\nacyclic f(po)", "m.cat:1:13: '[ ]' needs a set; this is a relation"},
		{"let rec f(x) = f(x)", "m.cat:1:9: a recursive function: 'let rec' defines sets and relations only"},
		{"let rec a = b and b = a | W\nacyclic a", "m.cat:2:9: 'acyclic' needs a relation; this is a set"},
		{"let a = ~0", "m.cat:1:9: the complement of 0 may be a set or a relation; write _ or _*_"},
		{"flag ~empty rf", "m.cat:1:15: found the end of the text, wanted 'as' and the flag's name"},
		{"acyclic po as", "m.cat:1:14: found the end of the text, wanted a name"},
		{"po | rf", "m.cat:1:4: found '|', wanted a definition or an axiom (let, include, acyclic, irreflexive, empty, flag, show)"},
		{"(* open\n(* closed *)", "m.cat:1:1: this comment does not end"},
		{"include \"open", "m.cat:1:9: this string does not end"},
		{"include po", "m.cat:1:9: found 'po', wanted the name of a file in quotes"},
		{"include \"nowhere.cat\"", "m.cat:1:1: include \"nowhere.cat\": no such file in the library"},
		{"let a = po ^ rf", "m.cat:1:12: '^' must be the beginning of '^-1'"},
		{"let a = po % rf", "m.cat:1:12: unexpected character '%'"},
		{"let a = (po", "m.cat:1:12: found the end of the text, wanted ')'"},
		{"let = po", "m.cat:1:5: found '=', wanted a name"},
		{"procedure p() = acyclic po end", "m.cat:1:1: 'procedure' is not supported"},
		{"let a = if \"x\" then po else rf", "m.cat:1:9: 'if' is not supported"},
		{"let a = " + strings.Repeat("(", 300) + "po", "m.cat:1:209: expressions nested too deeply"},
		{"let a = " + strings.Repeat("~", 300) + "po", "m.cat:1:208: expressions nested too deeply"},
	} {
		_, err := cat.Compile("m.cat", []byte(c.src), models.Include)
		assert.EqualError(t, err, c.want, "%s", c.src)
	}
}

func TestErrorInInclude(t *testing.T) {
	files := map[string]string{"a.cat": "include \"b.cat\"", "b.cat": "\nlet x = y", "loop.cat": "include \"loop.cat\""}
	include := func(name string) ([]byte, error) {
		if src, ok := files[name]; ok {
			return []byte(src), nil
		}
		return nil, errors.New("not here")
	}
	_, err := cat.Compile("m.cat", []byte("include \"a.cat\""), include)
	assert.EqualError(t, err, "b.cat:2:9: undefined name 'y'")
	_, err = cat.Compile("m.cat", []byte("include \"loop.cat\""), include)
	assert.EqualError(t, err, "loop.cat:1:1: \"loop.cat\" includes itself")
	_, err = cat.Compile("m.cat", []byte("include \"c.cat\""), include)
	assert.EqualError(t, err, "m.cat:1:1: include \"c.cat\": not here")
	_, err = cat.Compile("m.cat", []byte("include \"c.cat\""), nil)
	assert.EqualError(t, err, "m.cat:1:1: cannot include \"c.cat\" here")
}

// twice is a program with all that the expressions below talk about: x = 1; r = x (an acquire) || x = 2, a release.
func twice() *memmodel.Program {
	p := &memmodel.Program{Name: "twice", Tags: []string{"A", "L"}, Locs: []memmodel.Location{{Name: "x", Size: 8}}}
	at, zero := memmodel.K(p.Addr(0)), memmodel.K(0)
	p.Threads = []memmodel.Thread{
		{Regs: make([]memmodel.Register, 1), Code: []memmodel.Instr{
			{Op: memmodel.OpStore, A: at, B: zero, C: memmodel.K(1)},
			{Op: memmodel.OpLoad, Dst: 0, A: at, B: zero, Tags: 1}}},
		{Code: []memmodel.Instr{{Op: memmodel.OpStore, A: at, B: zero, C: memmodel.K(2), WTags: 2}}},
	}
	return p
}

// TestEquivalences: each pair of expressions means the same in every execution of twice, coherent or not, and is not empty in
// all of them (unless both are literally so).
func TestEquivalences(t *testing.T) {
	p := twice()
	for _, c := range [][2]string{
		{"po | rf; co & ext", "po | (rf; (co & ext))"},
		{"po \\ rf; fr", "(po \\ rf); fr"},
		{"rf; fr; co", "rf; (fr; co)"},
		{"rf \\ id & co", "rf \\ (id & co)"},
		{"co & W * W", "co & (W * W)"},
		{"~co & co | rf", "rf"},
		{"rf^-1; co \\ id", "rf^-1; (co \\ id)"},
		{"rf^-1; co", "fr"},
		{"po*; [R]", "(po | id); [R]"},
		{"(po | rf)+", "let rec r = po | rf | r; r in r"},
		{"po?", "po | id"},
		{"[W]; po; [R]", "po & (W * R)"},
		{"[A]", "id & (A * A)"},
		{"[L]", "[W & L]"},
		{"domain(rf) * range(rf)", "[domain(rf)]; (_ * _); [range(rf)]"},
		{"po-loc", "po & loc"},
		{"rf & ext", "rfe"},
		{"let f(x) = x; x in f(po | co)", "(po | co); (po | co)"},
		{"let f x = x^-1 in f rf", "rf^-1"},
		{"let f(s, r) = [s]; r in f(IW, co)", "[IW]; co"},
		{"let s = R and t = W in s * t", "R * W"},
		{"let s = W in let s = R in [s]; id", "[R]"},
		{"try nonsense with rf", "rf"},
		{"try rf with nonsense", "rf"},
		{"try (let f(x) = x & nonsense in f(rf)) with po", "po"},
		{"{} * _ | rf", "rf"},
		{"0 | rf", "rf"},
		{"rf \\ 0", "rf"},
		{"[R | 0]", "[R]"},
		{"int | ext", "_ * _"},
		{"[~R]", "[W]"},
		{"let rec s = W | range([s]; rf) in [s]", "[W] | [range(rf)]"},
		{"let rec a = rf | b; b and b = co | a in a", "let rec a = rf | b; b and b = co | a in a | rf"},
		{"fencerel(A)", "0"},
		{"WR(po)", "[W]; po; [R]"},
		{"noid(loc)", "loc \\ id"},
	} {
		x, y := c[0], c[1]
		same := fmt.Sprintf("let x = %s\nlet y = %s\nempty (x \\ y) | (y \\ x) as same", x, y)
		require.NotZero(t, verdicts(t, p, same), "%s is not %s", x, y)
		require.Equal(t, verdicts(t, p, "empty 0"), verdicts(t, p, same), "%s is not %s everywhere", x, y)
		if y != "0" {
			require.NotZero(t, verdicts(t, p, "~empty "+paren(x)), "%s is empty everywhere: this shows nothing", x)
		}
	}
}

// paren makes x one operand.
func paren(x string) string { return "(" + x + ")" }

// verdicts is how many executions of p a model allows.
func verdicts(t *testing.T, p *memmodel.Program, src string) int {
	m, err := cat.Compile("m.cat", []byte(src), nil)
	require.NoError(t, err, "%s", src)
	s := memmodel.Search{Model: m, Mode: memmodel.All}
	res, err := s.Run(p, []memmodel.Observable{memmodel.ObserveReg(0, 0)}, nil)
	require.NoError(t, err)
	return res.Positive
}

func TestAxiomsAndFlags(t *testing.T) {
	m, err := cat.Compile("m.cat", []byte(`"named"
acyclic po as first
empty rf & co
~empty _ as "in quotes"
flag ~empty rf & int as own-read
flag empty [L] as none
show rf, po as order
unshow co
with co from generate_cos(co0)
`), func(string) ([]byte, error) { return nil, nil })
	require.NoError(t, err) // generate_cos(co0) is read, not evaluated
	assert.Equal(t, []string{"first", "empty@m.cat:3", "in quotes"}, m.Axioms())
	assert.Equal(t, []string{"own-read", "none"}, m.Flags())
	for _, mode := range []memmodel.Mode{memmodel.States, memmodel.All} {
		s := memmodel.Search{Model: m, Mode: mode}
		res, err := s.Run(twice(), []memmodel.Observable{memmodel.ObserveLoc(0)}, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"own-read"}, res.Flags, "mode %d", mode)
	}

	less, ok := m.Without("first")
	require.True(t, ok)
	assert.Equal(t, []string{"empty@m.cat:3", "in quotes"}, less.Axioms())
	assert.Len(t, m.Axioms(), 3, "the model itself stays")
	_, ok = m.Without("own-read")
	assert.False(t, ok, "a flag is no axiom")
}

func TestNativeAxiomsAreRecognized(t *testing.T) {
	for _, c := range []struct {
		src                  string
		coherence, atomicity bool
	}{
		{"acyclic po-loc | com", true, false},
		{"acyclic rf | co | fr | (po & loc)", true, false},
		{"acyclic po-loc | rf | fr | co\nempty rmw & (fre; coe)", true, true},
		{"empty rmw & ((fr & ext); (ext & co))", false, true},
		{"empty (rmw \\ (po-loc; [W]; po-loc)) & (fre; coe)", false, true},
		{"acyclic po-loc | rfe | fr | co", false, false},
		{"acyclic po | com", false, false},
		{"flag ~acyclic po-loc | com as incoherent", false, false},
		{"~acyclic po-loc | com", false, false},
		{"~empty rmw & (fre; coe)", false, false},
	} {
		m, err := cat.Compile("m.cat", []byte(c.src), nil)
		require.NoError(t, err)
		coherence, atomicity := m.Native()
		assert.Equal(t, [2]bool{c.coherence, c.atomicity}, [2]bool{coherence, atomicity}, "%s", c.src)
	}
}

func FuzzCompile(f *testing.F) {
	names, err := filepath.Glob("../models/*.cat")
	require.NoError(f, err)
	require.NotEmpty(f, names)
	for _, name := range names {
		src, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(src))
		f.Add(string(src[:len(src)/2]))
	}
	for _, src := range []string{"let f(x) = f(x)\nacyclic f(po)", "let rec a = let rec b = a | b in b\nempty a", "((((", "let a = W*\n", "flag ~empty _ as x"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		m, err := cat.Compile("m.cat", []byte(src), models.Include)
		if err != nil {
			var at *cat.Error
			if !errors.As(err, &at) || at.Line < 1 || at.Col < 1 {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		// What compiles can be run.
		s := memmodel.Search{Model: m, Limits: memmodel.Limits{Candidates: 100}}
		if _, err := s.Run(twice(), []memmodel.Observable{memmodel.ObserveLoc(0)}, nil); err != nil && !strings.Contains(err.Error(), "come to rest") && !strings.Contains(err.Error(), "without a verdict") {
			t.Fatal(err)
		}
	})
}
