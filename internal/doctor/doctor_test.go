package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/internal/machine"
)

var (
	all        = flag.Bool("doctor.all", false, "examine every architecture, not only amd64 and arm64")
	toolchains = flag.String("doctor.toolchains", "", "comma-separated `versions` such as go1.27.3 to examine too, fetched through GOTOOLCHAIN")
	seed       = flag.Uint64("doctor.seed", 0, "seed of the random probe")
	accesses   = flag.Int("doctor.accesses", 0, "accesses in the random probe, at least")
)

// standIn takes the place of generated primitives.
func standIn([]string) (map[string][]byte, error) {
	return map[string][]byte{
		"prim.go": []byte(`package prim

import "runtime"

func AfterAtomic()  { runtime.KeepAlive(nil) }
func BeforeAtomic() { runtime.KeepAlive(nil) }
`),
		"store_amd64.go": []byte(`package prim

import "runtime"

func StoreReleaseUint32(p *uint32, v uint32) { runtime.KeepAlive(nil); *p = v; runtime.KeepAlive(nil) }
func StoreReleaseUint64(p *uint64, v uint64) { runtime.KeepAlive(nil); *p = v; runtime.KeepAlive(nil) }
`),
		"store_arm64.go": []byte(`package prim

import "sync/atomic"

func StoreReleaseUint32(p *uint32, v uint32) { atomic.StoreUint32(p, v) }
func StoreReleaseUint64(p *uint64, v uint64) { atomic.StoreUint64(p, v) }
`),
	}, nil
}

// only is standIn with some files replaced.
func only(files map[string]string) func([]string) (map[string][]byte, error) {
	return func(names []string) (map[string][]byte, error) {
		out, err := standIn(names)
		for name, text := range files {
			out[name] = []byte(text)
		}
		return out, err
	}
}

func config(arches ...string) Config {
	empties := func(string, string) []string { return []string{"AfterAtomic", "BeforeAtomic"} }
	return Config{Arches: arches, Seed: *seed, Accesses: *accesses, Generate: standIn, Empties: empties}
}

func run(t *testing.T, cfg Config) Report {
	t.Helper()
	r, err := Run(context.Background(), cfg, func(line string) { t.Log(line) })
	require.NoError(t, err)
	return r
}

func find(t *testing.T, r Report, goarch, property string) Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Arch == goarch && f.Property == property {
			return f
		}
	}
	require.Fail(t, "no finding", "%s: %s", goarch, property)
	return Finding{}
}

// requireHealthy wants every property that applies to hold.
func requireHealthy(t *testing.T, r Report, arches []string) {
	t.Helper()
	for _, goarch := range arches {
		order := find(t, r, goarch, orderProperty)
		t.Logf("%s %s: %s", r.GoVersion, goarch, order.Sentence)
		assert.Equal(t, Holds, order.Status, "%+v", order)
		assert.Equal(t, Holds, find(t, r, goarch, emptyProperty).Status, "%+v", find(t, r, goarch, emptyProperty))

		_, inline := releaseStores[goarch]
		assert.Equal(t, inline, find(t, r, goarch, releaseProperty).Status == Holds, "%+v", find(t, r, goarch, releaseProperty))
		assert.Equal(t, goarch == "arm64", find(t, r, goarch, lseProperty).Status == Holds, "%+v", find(t, r, goarch, lseProperty))
	}
	assert.False(t, r.Broken())
}

func TestHealthy(t *testing.T) {
	arches := []string{"amd64", "arm64"}
	if *all {
		arches = machine.Arches()
	}
	requireHealthy(t, run(t, config(arches...)), arches)
}

func TestToolchains(t *testing.T) {
	if *toolchains == "" {
		t.Skip("no versions given with -doctor.toolchains")
	}
	for version := range strings.SplitSeq(*toolchains, ",") {
		cfg := config(machine.Arches()...)
		cfg.Env = []string{"GOTOOLCHAIN=" + version}
		r := run(t, cfg)
		assert.Equal(t, version, r.GoVersion)
		requireHealthy(t, r, machine.Arches())
	}
}

func TestDefaultArch(t *testing.T) {
	if !slices.Contains(machine.Arches(), runtime.GOARCH) {
		t.Skipf("no decoder for this machine's %s", runtime.GOARCH)
	}
	r := run(t, Config{Accesses: 30, Env: []string{"GOARCH=" + runtime.GOARCH}})
	assert.Equal(t, runtime.GOARCH, r.Findings[0].Arch)
	assert.Equal(t, NotApplicable, find(t, r, runtime.GOARCH, releaseProperty).Status)
	assert.Equal(t, NotApplicable, find(t, r, runtime.GOARCH, emptyProperty).Status)
}

func TestUserSettings(t *testing.T) {
	cfg := Config{Arches: []string{"arm64"}, Accesses: 30, Env: []string{"GOARM64=v9.0"}}
	r := run(t, cfg)
	assert.Equal(t, "GOARM64=v9.0", r.Settings["arm64"])
	assert.Contains(t, find(t, r, "arm64", lseProperty).Sentence, "GOARM64=v9.0: all")
}

// An empty function is no barrier, and that has to be found.
func TestEmptyFunctionAsBarrier(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64"} {
		cfg := config(goarch)
		cfg.Barrier = "empty()"
		r := run(t, cfg)
		f := find(t, r, goarch, orderProperty)
		assert.True(t, r.Broken())
		assert.Equal(t, Broken, f.Status)
		assert.Regexp(t, `^\d+ of \d+ functions are wrong; in the first, `, f.Sentence)
		assert.Regexp(t, `^probe\.F\d+$`, f.Function)
		assert.Equal(t, Advice, f.Advice)
	}
}

func TestBrokenPrimitives(t *testing.T) {
	const head = "package prim\n\nimport (\n\t\"runtime\"\n\t\"sync/atomic\"\n)\n\nvar _ = runtime.KeepAlive\nvar global uint64\n\n"
	const stores = "func StoreReleaseUint32(p *uint32, v uint32) { %32 }\nfunc StoreReleaseUint64(p *uint64, v uint64) { %64 }\n"
	both := func(text string) string {
		n := strings.NewReplacer("%32", strings.ReplaceAll(text, "NN", "32"), "%64", strings.ReplaceAll(text, "NN", "64"))
		return head + n.Replace(stores)
	}
	cases := []struct {
		name, property, file, text, sentence, instruction string
	}{
		{"exchange", releaseProperty, "store_amd64.go", both("atomic.StoreUintNN(p, v)"), "of kind load", "XCHG"},
		{"call", releaseProperty, "store_amd64.go", both("store(); *p = v") + "//go:noinline\nfunc store() { atomic.AddUint64(&global, 1) }", "of kind call", "CALL"},
		{"two stores", releaseProperty, "store_amd64.go", both("*p = v; runtime.KeepAlive(nil); *p = v; _ = atomic.AddUint64"), "2 instructions of kind store", "MOVL"},
		{"dead store", releaseProperty, "store_amd64.go", both("*p = v; global := v; _ = global; _ = atomic.AddUint64"), "1 instructions of kind store, at least 2 expected", ""},
		{"extra work", releaseProperty, "store_amd64.go", both("runtime.KeepAlive(nil); *p = v*v*v + 7; _ = atomic.AddUint64"), "where a plain store takes", ""},
		{"load", emptyProperty, "prim.go", head + "func AfterAtomic() { atomic.LoadUint64(&global) }\nfunc BeforeAtomic() {}", "AfterAtomic: 1 instructions of kind load", "MOVQ"},
		{"locked", emptyProperty, "prim.go", head + "func BeforeAtomic() { atomic.AddUint64(&global, 1) }\nfunc AfterAtomic() {}", "BeforeAtomic: 1 instructions of kind load", "LOCK"},
		{"call", emptyProperty, "prim.go", head + "//go:noinline\nfunc AfterAtomic() { atomic.AddUint64(&global, 1) }\nfunc BeforeAtomic() {}", "of kind call", "CALL"},
	}
	for _, c := range cases {
		t.Run(c.property+"/"+c.name, func(t *testing.T) {
			cfg := config("amd64")
			cfg.Accesses = 30
			cfg.Generate = only(map[string]string{c.file: c.text})
			f := find(t, run(t, cfg), "amd64", c.property)
			assert.Equal(t, Broken, f.Status)
			assert.Contains(t, f.Sentence, c.sentence)
			assert.Contains(t, f.Instruction, c.instruction)
			assert.Contains(t, f.Function, "doctor/callers.")
		})
	}
}

// A single access can't be reordered, so the control comes out right, and the doctor must not be content.
func TestNotDecidable(t *testing.T) {
	tools, err := newToolchain(context.Background(), "go", nil)
	require.NoError(t, err)
	target, err := tools.target(context.Background(), "amd64")
	require.NoError(t, err)
	one := access{Access: machine.Access{Kind: machine.Store, Disp: 8, Width: 8}}
	p := probe{accesses: 1, funcs: []probeFunc{{"F0", block{{access: &one, text: "%s = a"}}, []access{one}}}}
	e := &examination{cfg: Config{Barrier: defaultBarrier}, tools: target, probe: p, arch: "amd64", dir: t.TempDir()}
	require.NoError(t, e.run(context.Background()))
	assert.Equal(t, Broken, e.findings[0].Status)
	assert.Contains(t, e.findings[0].Sentence, "not decidable: negative control did not fail")
}

func TestErrors(t *testing.T) {
	syntax := only(map[string]string{"prim.go": "package prim\n\nfunc AfterAtomic() { nonsense }\n"})
	cases := []struct {
		name string
		cfg  Config
		want string
	}{
		{"architecture", Config{Arches: []string{"wasm"}}, `no machine code decoder for GOARCH "wasm"; there is one for amd64, arm64, loong64`},
		{"user's architecture", Config{Env: []string{"GOARCH=386"}}, `no machine code decoder for GOARCH "386"`},
		{"go command", Config{GoCommand: "absent-go"}, `absent-go env -json GOVERSION GOARCH: exec: "absent-go": executable file not found`},
		{"setting", Config{Arches: []string{"arm64"}, Env: []string{"GOARM64=v1"}}, "invalid GOARM64"},
		{"compiler", Config{Arches: []string{"amd64"}, Accesses: 30, Generate: syntax, Empties: func(string, string) []string { return []string{"AfterAtomic"} }}, "undefined: nonsense"},
		{"generator", Config{Arches: []string{"amd64"}, Accesses: 30, Generate: func([]string) (map[string][]byte, error) { return nil, os.ErrInvalid }}, "generating StoreReleaseUint32, StoreReleaseUint64: invalid argument"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Run(context.Background(), c.cfg, nil)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// Nothing is left behind, neither normally nor when the user gives up while the compiler runs.
func TestCleansUp(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	left := func() []os.DirEntry {
		entries, err := os.ReadDir(tmp)
		require.NoError(t, err)
		return entries
	}
	run(t, Config{Arches: []string{"amd64"}, Accesses: 30})
	assert.Empty(t, left())

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := Run(ctx, Config{Arches: []string{"amd64"}, Accesses: 20_000, Seed: uint64(time.Now().UnixNano())}, func(string) {
		time.AfterFunc(500*time.Millisecond, cancel)
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, left())
}

func TestDeterministic(t *testing.T) {
	a, b, other := newProbe(5, 300), newProbe(5, 300), newProbe(6, 300)
	assert.Equal(t, a.source("probe", defaultBarrier), b.source("probe", defaultBarrier))
	assert.NotEqual(t, a.source("probe", defaultBarrier), other.source("probe", defaultBarrier))
	cfg := Config{Arches: []string{"amd64"}, Accesses: 60, Barrier: "empty()"}
	assert.Equal(t, run(t, cfg), run(t, cfg))
}

func TestReport(t *testing.T) {
	r := Report{GoVersion: "go1.26.8", Seed: 3, Settings: map[string]string{"arm64": "GOARM64=v8.0"}, Findings: []Finding{
		{Arch: "amd64", Property: "p", Status: Holds, Sentence: "fine"},
		{Arch: "arm64", Property: "p", Status: Broken, Sentence: "bad", Function: "f", Instruction: "MOVD R0, R1", Advice: Advice},
	}}
	var out bytes.Buffer
	require.NoError(t, r.Print(&out))
	assert.Equal(t, `go1.26.8, seed 3

amd64
  holds           p
                    fine

arm64 (GOARM64=v8.0)
  broken          p
                    bad
                    function: f
                    instruction: MOVD R0, R1
                    advice: `+Advice+"\n", out.String())
	assert.True(t, r.Broken())

	text, err := json.Marshal(r)
	require.NoError(t, err)
	var back Report
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, r, back)
	assert.Contains(t, string(text), `"status":"broken"`)
}

func TestGuaranteesLSE(t *testing.T) {
	for setting, want := range map[string]bool{
		"": false, "GOARM64=": false, "GOARM64=v8.0": false, "GOARM64=v8.0,crypto": false,
		"GOARM64=v8.0,lse": true, "GOARM64=v8.1": true, "GOARM64=v9.5,crypto": true,
	} {
		assert.Equal(t, want, guaranteesLSE(setting), setting)
	}
}
