package models_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/litmus"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/cat"
	"github.com/barriergen/barriergen/memmodel/models"
)

// corpus is where the folders of litmus tests are.
func corpus(t testing.TB) string {
	dir := os.Getenv("BARRIERGEN_LITMUS")
	if dir == "" {
		dir = "../../../shared/litmus"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no litmus tests at %s (BARRIERGEN_LITMUS says where): this test did NOT run", dir)
	}
	return dir
}

// program is a litmus test with what a model says about it.
type program struct {
	name string
	test *litmus.Test
	want string
}

// answer is everything that a model says about a test.
func answer(t testing.TB, r *litmus.Runner, test *litmus.Test) string {
	res, err := r.Run(test)
	require.NoError(t, err)
	return fmt.Sprint(res.Observation, res.States, res.Flags)
}

// read parses every test of the folder, under the texts that edit makes of it.
func read(t testing.TB, dir string, edit func(name string, src []byte) map[string][]byte) []program {
	var out []program
	r := &litmus.Runner{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".litmus" {
			return err
		}
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		for name, text := range edit(filepath.Base(path), src) {
			test, err := litmus.Parse(text, name)
			require.NoError(t, err)
			out = append(out, program{name, test, answer(t, r, test)})
		}
		return nil
	}))
	require.NotEmpty(t, out)
	return out
}

// as returns the texts unchanged.
func as(name string, src []byte) map[string][]byte { return map[string][]byte{name: src} }

// caught is the first test that tells a mutant from its model, or "".
func caught(t testing.TB, mutant *memmodel.Model, tests []program) string {
	r := &litmus.Runner{Model: mutant}
	for _, p := range tests {
		if answer(t, r, p.test) != p.want {
			return p.name
		}
	}
	return ""
}

// mutants are the texts with one line of a union gone, or one tag of a set, by what was taken away.
func mutants(src []byte) map[string]string {
	out := map[string]string{}
	lines := strings.Split(string(src), "\n")
	replace := func(i int, with, what string) {
		m := slices.Clone(lines)
		m[i] = with
		out[fmt.Sprintf("line %d: %s", i+1, what)] = strings.Join(m, "\n")
	}
	for i, l := range lines {
		head, body, isLet := strings.Cut(l, " = ")
		trimmed := strings.TrimSpace(l)
		switch {
		case strings.Count(l, "(") != strings.Count(l, ")"): // part of something longer
		case strings.HasPrefix(trimmed, "| "):
			replace(i, "", trimmed)
		case isLet && strings.HasPrefix(l, "let ") && i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "| "):
			replace(i, head+" = 0", body)
		}
		// One-line unions: each operand at the outermost level.
		if isLet && strings.HasPrefix(l, "let ") || strings.HasPrefix(l, "acyclic ") {
			if !isLet {
				head, body = "acyclic", strings.TrimPrefix(l, "acyclic ")
			}
			parts := split(body)
			for k := range parts {
				if len(parts) > 1 {
					rest := strings.Join(slices.Delete(slices.Clone(parts), k, k+1), "|")
					eq := " = "
					if !isLet {
						eq = " "
					}
					if _, name, ok := strings.Cut(parts[k], " as "); ok {
						rest += " as " + name
					}
					replace(i, head+eq+rest, "operand "+strings.TrimSpace(parts[k]))
				}
			}
		}
	}
	return out
}

// split cuts a union at its outermost operators.
func split(body string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range body {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '|':
			if depth == 0 {
				out = append(out, body[from:i])
				from = i + 1
			}
		}
	}
	return append(out, body[from:])
}

// equivalent mutants: what the line says follows from the rest of the model, so no test can tell.
var equivalent = map[string]map[string]string{
	"aarch64": {
		"rmw": "whatever is ordered before the read half of a read-modify-write is ordered before its write half too",
	},
	"riscv": {
		"operand r1": "co and fr say it",
		"operand r2": "fr and rfe say it: what the second read sees, another thread wrote after what the first one saw",
		"operand r8": "the read half is in fr with the write half",
	},
}

// TestMutants takes away each axiom and each line of the models in turn. Some test must notice.
func TestMutants(t *testing.T) {
	dir := corpus(t)
	// The options of DMB and DSB that no test of the folder has.
	options := func(name string, src []byte) map[string][]byte {
		out := as(name, src)
		if !strings.HasPrefix(name, "MP+dmb") && !strings.HasPrefix(name, "SB+dmb") && !strings.HasPrefix(name, "R+dmb") {
			return out
		}
		for _, barrier := range []string{"DMB ", "DSB "} {
			for _, domain := range []string{"ISH", "OSH", "NSH"} {
				text := bytes.ReplaceAll(src, []byte("DMB SY"), []byte(barrier+domain))
				text = bytes.ReplaceAll(text, []byte("DMB LD"), []byte(barrier+domain+"LD"))
				text = bytes.ReplaceAll(text, []byte("DMB ST"), []byte(barrier+domain+"ST"))
				out[name+" with "+barrier+domain] = text
			}
		}
		return out
	}
	for name, folder := range map[string]struct {
		dirs []string
		edit func(string, []byte) map[string][]byte
	}{
		"x86tso":  {[]string{"x86"}, as},
		"aarch64": {[]string{"aarch64"}, options},
	} {
		t.Run(name, func(t *testing.T) {
			var tests []program
			for _, d := range folder.dirs {
				tests = append(tests, read(t, filepath.Join(dir, d), folder.edit)...)
			}
			mutate(t, name, append(tests, widePrograms(t, name)...))
		})
	}
}

// mutate takes away each axiom and each line of a model. Some test must notice.
func mutate(t *testing.T, name string, tests []program) {
	m, err := models.Load(name)
	require.NoError(t, err)
	require.Empty(t, caught(t, m, tests), "the model itself must agree with itself")
	for _, axiom := range m.Axioms() {
		mutant, ok := m.Without(axiom)
		require.True(t, ok)
		assert.NotEmpty(t, caught(t, mutant, tests), "nothing notices that axiom %s is gone", axiom)
	}
	src, err := models.Source(name)
	require.NoError(t, err)
	survived := map[string]bool{}
	for what, text := range mutants(src) {
		mutant, err := cat.Compile(name+".cat", []byte(text), models.Include)
		require.NoError(t, err, "%s", what)
		if caught(t, mutant, tests) == "" {
			survived[what] = true
		}
	}
	for what := range survived {
		_, line, _ := strings.Cut(what, ": ")
		assert.Contains(t, equivalent[name], line, "nothing notices that this is gone: %s", what)
	}
}
