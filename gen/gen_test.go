package gen

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/x86form"
)

func generate(t testing.TB, cfg Config) map[string]string {
	t.Helper()
	files, err := Generate(cfg)
	require.NoError(t, err)
	out := map[string]string{}
	for _, f := range files {
		require.NotContains(t, out, f.Name, "two files of one name")
		out[f.Name] = string(f.Data)
	}
	return out
}

func TestSameEveryTime(t *testing.T) {
	cfg := Config{Package: "p", Header: true}
	first := generate(t, cfg)
	assert.Equal(t, first, generate(t, cfg))
	t.Chdir(t.TempDir())
	t.Setenv("GOARCH", "s390x")
	assert.Equal(t, first, generate(t, cfg), "host and directory must not show")
}

func TestEveryFileIsMarked(t *testing.T) {
	for name, data := range generate(t, Config{Package: "p", Header: true}) {
		assert.True(t, strings.HasPrefix(data, Marker+"\n"), name)
		assert.False(t, bytes.Contains([]byte(data), []byte("\r")), name)
		assert.True(t, strings.HasSuffix(data, "\n"), name)
		assert.True(t, slices.ContainsFunc(FilePatterns, func(p string) bool { ok, err := path.Match(p, name); return ok && err == nil }), name)
	}
}

// For every GOARCH, level and set of tags exactly one file defines each function: no combination is without, none has two.
func TestVariantsPartition(t *testing.T) {
	for _, arches := range [][]string{nil, {"amd64"}, {"arm64"}} {
		files := generate(t, Config{Package: "p", Arches: arches})
		type file struct {
			expr  constraint.Expr
			arch  string
			names []string
		}
		var parsed []file
		suffix := regexp.MustCompile(`_([a-z0-9]+)\.go$`)
		for name, data := range files {
			if !strings.HasSuffix(name, ".go") {
				continue
			}
			f := file{names: declared(t, name, data)}
			if m := suffix.FindStringSubmatch(name); m != nil && goarches[m[1]] {
				f.arch = m[1]
			}
			for line := range strings.Lines(data) {
				if constraint.IsGoBuild(line) {
					expr, err := constraint.Parse(line)
					require.NoError(t, err)
					f.expr = expr
				}
			}
			parsed = append(parsed, f)
		}
		levels := map[string][][]string{"arm64": {{}, {"arm64.v8.1"}}, "arm": {{}, {"arm.7"}}}
		for goarch := range goarches {
			for _, level := range append(levels[goarch], []string{}) {
				for mask := range 8 {
					tags := map[string]bool{goarch: true}
					for _, l := range level {
						tags[l] = true
					}
					for i, tag := range []string{"purego", "race", "barrier_conservative"} {
						tags[tag] = mask&(1<<i) != 0
					}
					count := map[string]int{}
					for _, f := range parsed {
						if (f.arch == "" || f.arch == goarch) && (f.expr == nil || f.expr.Eval(func(tag string) bool { return tags[tag] })) {
							for _, n := range f.names {
								count[n]++
							}
						}
					}
					for _, n := range []string{"Full", "StoreReleaseUint64", "Uint64.StoreRelease", "SetBit", "Bitmap.Set", "fullFence", "deviceFence",
						"spinWait", "swapCell", "Uint128.CompareAndSwap", "Uint64", "Bitmap"} {
						assert.Equalf(t, 1, count[n], "%s on %s with %v, native: %v", n, goarch, tags, arches)
					}
					for n, c := range count {
						assert.Equalf(t, 1, c, "%s on %s with %v", n, goarch, tags)
					}
				}
			}
		}
	}
}

var goarches = map[string]bool{"386": true, "amd64": true, "arm": true, "arm64": true, "loong64": true, "mips": true, "mips64": true, "mips64le": true,
	"mipsle": true, "ppc64": true, "ppc64le": true, "riscv64": true, "s390x": true, "wasm": true}

// declared lists the top-level names of a file; methods with their type.
func declared(t *testing.T, name, src string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	require.NoError(t, err)
	var out []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			out = append(out, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					out = append(out, s.Name.Name)
				case *ast.ValueSpec:
					out = append(out, s.Names[0].Name)
				}
			}
		}
	}
	return out
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if s, ok := typ.(*ast.StarExpr); ok {
		typ = s.X
	}
	if x, ok := typ.(*ast.IndexExpr); ok {
		typ = x.X
	}
	return typ.(*ast.Ident).Name + "."
}

// What is inlined must be plain statements: a helper would leave one more NOP.
func TestEmptyBodies(t *testing.T) {
	src := generate(t, Config{Package: "p"})["zbarrier_amd64.go"]
	assert.Regexp(t, `(?m)^func AfterAtomic\(\) \{\n\truntime\.KeepAlive\(nil\)\n\}`, src)
	assert.NotContains(t, generate(t, Config{Package: "p"})["zatomics_conservative_amd64.go"], "KeepAlive")
}

func TestDocumented(t *testing.T) {
	for name, src := range generate(t, Config{Package: "p"}) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				assert.Truef(t, strings.HasPrefix(fn.Doc.Text(), fn.Name.Name+" "), "%s: %s", name, fn.Name.Name)
			}
		}
	}
}

// Only dispatching code needs x/sys: a package of fences alone has no dependency.
func TestDependencies(t *testing.T) {
	for _, only := range [][]string{{"barrier"}, {"StoreRelease", "LoadAcquire"}} {
		for name, src := range generate(t, Config{Package: "p", Only: only}) {
			assert.NotContains(t, src, "golang.org/x/sys", "%v: %s", only, name)
		}
	}
	assert.Contains(t, generate(t, Config{Package: "p", Only: []string{"AddFull"}})["zlse_arm64.go"], "golang.org/x/sys/cpu")
}

func TestOnly(t *testing.T) {
	prims, err := Select([]string{"StoreRelease", "Full", "StoreRelease"})
	require.NoError(t, err)
	require.Len(t, prims, 2)
	assert.Equal(t, "Full", prims[0].Name, "table order")
	files := generate(t, Config{Package: "p", Only: []string{"Full"}})
	assert.NotContains(t, files, "zatomics_amd64.go")
	assert.NotContains(t, files["zbarrier_amd64.go"], "Acquire()")
	for _, h := range []string{"barriers_amd64.h", "barriers_arm64.h"} {
		assert.NotContains(t, files, h)
	}
}

func TestHeaderEmptyMacros(t *testing.T) {
	files := generate(t, Config{Package: "p", Header: true})
	assert.Contains(t, files["barriers_amd64.h"], "#define BARRIER_AFTER_ATOMIC\n")
	assert.Contains(t, files["barriers_amd64.h"], "#define BARRIER_FULL \\\n\tLOCK; \\\n\tADDL $0x0, -8(SP)\n")
	assert.Contains(t, files["barriers_arm64.h"], "#ifdef GOARM64_LSE\n#define BARRIER_AFTER_SYNC_ATOMIC\n#else\n#define BARRIER_AFTER_SYNC_ATOMIC \\\n\tDMB $0xb\n#endif\n")
	// The same parameters in both branches: whoever writes the call can't tell.
	for _, part := range strings.Split(files["barriers_arm64.h"], "#ifdef GOARM64_LSE\n")[1:] {
		heads := regexp.MustCompile(`(?m)^#define (\w+(\([^)]*\))?)`).FindAllStringSubmatch(part[:strings.Index(part, "#endif")], -1)
		require.Len(t, heads, 2)
		assert.Equal(t, heads[0][1], heads[1][1])
	}
}

func TestMistakes(t *testing.T) {
	for _, tt := range []struct {
		cfg  Config
		want string
	}{
		{Config{Package: "a-b"}, `package name "a-b" is not a Go identifier`},
		{Config{Package: ""}, `package name "" is not a Go identifier`},
		{Config{Package: "func"}, `package name "func" is not a Go identifier`},
		{Config{Package: "p", Only: []string{"StoreRelase"}}, `unknown primitive "StoreRelase"; did you mean StoreRelease,`},
		{Config{Package: "p", Only: []string{"smp_wmbb"}}, "did you mean Write,"},
		{Config{Package: "p", Arches: []string{"vax"}}, `unknown architecture "vax"; did you mean amd64, arm64?`},
		{Config{Package: "p", RaceSync: `a"b`}, "is not an import path"},
	} {
		_, err := Generate(tt.cfg)
		assert.ErrorContains(t, err, tt.want)
	}
}

// avo's instruction forms reject what the machine has no encoding for.
func TestFormsAreChecked(t *testing.T) {
	_, err := x86form.Inst("XADDL", reg.RAX, operand.Mem{Base: reg.RDI})
	assert.Error(t, err, "a 64-bit register for a 32-bit instruction")
	_, err = x86form.Inst("XADDL", reg.EAX, operand.Mem{Base: reg.RDI})
	assert.NoError(t, err)
	_, err = x86form.Inst("FROB")
	assert.ErrorContains(t, err, "no form of FROB")
	_, err = EncodeCASPAL(1, 2, 0, 4, 5)
	assert.ErrorContains(t, err, "pairs")
	word, err := EncodeCASPAL(2, 3, 0, 4, 5)
	require.NoError(t, err)
	assert.EqualValues(t, 0x4862fc04, word)
}

func TestMacroNames(t *testing.T) {
	for prim, want := range map[string]string{"Full": "BARRIER_FULL", "AfterSRCUReadUnlock": "BARRIER_AFTER_SRCU_READ_UNLOCK", "DMAWrite": "BARRIER_DMA_WRITE",
		"CompareAndSwap128": "ATOMICS_COMPARE_AND_SWAP_128", "SetBit": "BITOPS_SET_BIT"} {
		p, ok := contract.Lookup(prim)
		require.True(t, ok)
		assert.Equal(t, want, macroName(p, 64))
	}
	p, _ := contract.Lookup("StoreRelease")
	assert.Equal(t, "ATOMICS_STORE_RELEASE_32", macroName(p, 32))
}

// The shared package and the package's own copy tell the race detector the same.
func TestRaceSyncAgrees(t *testing.T) {
	data, err := os.ReadFile("../primitives/racesync/racesync.go")
	require.NoError(t, err)
	calls := func(src string) []string {
		return regexp.MustCompile(`runtime\.Race\w+\([^\n]*`).FindAllString(src, -1)
	}
	own := calls(strings.NewReplacer("raceFences", "fences", "raceOps", "ops").Replace(raceSupport))
	require.NotEmpty(t, own)
	assert.Equal(t, own, calls(string(data)))
}

func FuzzSelect(f *testing.F) {
	for _, s := range []string{"Full", "barrier", "", "smp_mb", strings.Repeat("x", 1000), "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		prims, err := Select([]string{name})
		if err == nil {
			require.NotEmpty(t, prims)
			return
		}
		var unknown *UnknownError
		require.ErrorAs(t, err, &unknown)
		require.Len(t, unknown.Near, 3)
		for _, n := range unknown.Near {
			_, ok := contract.Lookup(n)
			require.True(t, ok)
		}
	})
}

func FuzzPackageName(f *testing.F) {
	f.Add("p")
	f.Add("a b")
	f.Add("type")
	f.Fuzz(func(t *testing.T, name string) {
		files, err := Generate(Config{Package: name, Only: []string{"Full"}})
		if err != nil {
			return
		}
		for _, file := range files {
			if strings.HasSuffix(file.Name, ".go") {
				_, err := parser.ParseFile(token.NewFileSet(), file.Name, file.Data, 0)
				require.NoError(t, err)
			}
		}
	})
}

func TestTargetsListed(t *testing.T) {
	for _, tg := range targets.Native {
		assert.Contains(t, dialects, tg.Name)
		assert.Contains(t, pauses, tg.Name)
	}
}
