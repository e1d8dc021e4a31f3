package litmus

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel"
)

// folder is a part of the corpus with the seconds that herd7 takes for it, with all states and for the verdict only.
type folder struct {
	name            string
	states, verdict float64
}

var folders = []folder{
	{"x86", 1.16, 0.32}, {"aarch64", 21.3, 3.62},
	{"lkmm-gen", 3.02, 0.91}, {"lkmm-catalogue", 0.66, 0.23}, {"lkmm-luc", 7.21, 1.70}, {"lkmm-manual", 36.5, 2.15},
}

// corpus is the folder of tests with herd7's verdicts. They are not part of the module.
func corpus(t testing.TB) string {
	dir := os.Getenv("BARRIERGEN_LITMUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "litmus")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpus of litmus tests: set BARRIERGEN_LITMUS to its folder (%v)", err)
	}
	return dir
}

// verdict is a row of verdicts.tsv.
type verdict struct {
	file, validation, observation, states, flags, byDefault string
}

func verdicts(t testing.TB, dir string) []verdict {
	f, err := os.Open(filepath.Join(dir, "verdicts.tsv"))
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	require.NoError(t, err)
	column := func(row []string, name string) string {
		if i := slices.Index(rows[0], name); i >= 0 && i < len(row) {
			return row[i]
		}
		return ""
	}
	var vs []verdict
	for _, row := range rows[1:] {
		vs = append(vs, verdict{
			file: column(row, "file"), validation: column(row, "validation"), observation: column(row, "observation"),
			states: column(row, "states"), flags: column(row, "flags"), byDefault: column(row, "observation_herd_default"),
		})
	}
	return vs
}

// difference says how a result differs from the reference, or "".
func (v *verdict) difference(res *Result) string {
	var d []string
	if res.Observation != v.observation {
		d = append(d, fmt.Sprintf("observation %s, herd7 %s", res.Observation, v.observation))
	}
	// Where the reference was corrected by hand, its states are still those of the model that is wrong.
	if v.byDefault == "" || v.byDefault == v.observation {
		if res.Validation() != v.validation {
			d = append(d, fmt.Sprintf("%s, herd7 %s", res.Validation(), v.validation))
		}
		got := map[string]bool{}
		for _, s := range res.States {
			got[string(res.Test.AppendState(nil, s))] = true
		}
		want := map[string]bool{}
		for _, s := range strings.Split(v.states, " | ") {
			want[strings.TrimSpace(s)] = true
		}
		if !maps.Equal(got, want) {
			d = append(d, fmt.Sprintf("states: only here %q, only herd7 %q", without(got, want), without(want, got)))
		}
	}
	flags := strings.Join(res.Flags, ";")
	if herd := strings.Trim(v.flags, "-"); flags != herd && herd != "UNROLL-LIMIT" { // ours is a warning
		d = append(d, fmt.Sprintf("flags %q, herd7 %q", flags, herd))
	}
	return strings.Join(d, "; ")
}

func without(a, b map[string]bool) []string {
	var only []string
	for s := range a {
		if !b[s] {
			only = append(only, s)
		}
	}
	slices.Sort(only)
	return only
}

// knownDifferences are the tests on which this prover and the reference disagree, with the reason.
var knownDifferences = map[string]string{}

// Observation, set of final states, validation and flags agree with herd7 on every test, and the verdict alone with all states.
func TestCorpus(t *testing.T) {
	dir := corpus(t)
	for _, f := range folders {
		t.Run(f.name, func(t *testing.T) {
			states, observed := Runner{}, Runner{Mode: memmodel.Verdict}
			agree, total := 0, 0
			slowest, slowestFile := time.Duration(0), ""
			for _, v := range verdicts(t, filepath.Join(dir, f.name)) {
				total++
				name := f.name + "/" + v.file
				test, err := ParseFile(filepath.Join(dir, f.name, v.file))
				if !assert.NoError(t, err) {
					continue
				}
				res, err := states.Run(test)
				if !assert.NoError(t, err, name) {
					continue
				}
				if res.Time > slowest {
					slowest, slowestFile = res.Time, v.file
				}
				quick, err := observed.Run(test)
				if assert.NoError(t, err, name) {
					assert.Equal(t, res.Observation, quick.Observation, "%s: the verdict alone", name)
				}
				d := v.difference(res)
				if d == "" {
					agree++
				}
				if _, known := knownDifferences[name]; known != (d != "") {
					if known {
						t.Errorf("%s agrees: take it off the known differences", name)
					} else {
						t.Errorf("%s: %s", name, d)
					}
				}
			}
			t.Logf("%s: %d of %d agree; slowest %.3f s: %s", f.name, agree, total, slowest.Seconds(), slowestFile)
		})
	}
}

// BenchmarkFolder runs a whole folder with one worker, reading and parsing included: go test -bench Folder -cpu 1 ./litmus.
// times-faster compares with herd7's figure for the folder.
func BenchmarkFolder(b *testing.B) {
	dir := corpus(b)
	for _, f := range folders {
		for _, m := range []struct {
			name string
			mode memmodel.Mode
			herd float64
		}{{"states", memmodel.States, f.states}, {"verdict", memmodel.Verdict, f.verdict}} {
			b.Run(f.name+"/"+m.name, func(b *testing.B) {
				b.ReportAllocs()
				start := cpuTime()
				for b.Loop() {
					sum, err := RunPaths(context.Background(), []string{filepath.Join(dir, f.name)}, Options{Mode: m.mode, Workers: 1}, io.Discard, nil)
					if err != nil || !sum.Complete() {
						b.Fatal(err, sum.String())
					}
				}
				b.ReportMetric((cpuTime()-start).Seconds()*1000/float64(b.N), "cpu-ms/op")
				b.ReportMetric(m.herd/(b.Elapsed().Seconds()/float64(b.N)), "times-faster")
			})
		}
	}
}
