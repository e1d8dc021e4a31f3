package fuse

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/gen/fuse"
	"github.com/barriergen/barriergen/internal/emit"
)

var all = flag.Bool("all", false, "every GOARCH, GOARM64 and tag in the scripts: compiling the standard library for each takes minutes at first")

// goarches are those that the foundation has code for, besides amd64 and arm64.
var goarches = []string{"riscv64", "ppc64le", "s390x", "loong64", "386", "arm", "mips64le"}

// run runs the scripts of a directory as a user would, in a module of one's own; ROOT is the tree here.
func run(t *testing.T, dir string, vars ...string) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	if _, err := exec.LookPath("qemu-aarch64"); err != nil {
		require.False(t, *requireQemu, "install qemu-user")
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"} {
				if v, ok := os.LookupEnv(name); ok {
					env.Setenv(name, v)
				}
			}
			env.Setenv("ROOT", root)
			env.Setenv("GOTOOLCHAIN", "local")
			env.Vars = append(env.Vars, vars...)
			return nil
		},
		Condition: func(cond string) (bool, error) { return cond == "all" && *all, nil },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// everywhere: everything builds for every other GOARCH.
			"everywhere": func(ts *testscript.TestScript, neg bool, args []string) {
				for _, target := range goarches {
					ts.Setenv("GOARCH", target)
					ts.Check(ts.Exec("go", "build", "./..."))
				}
				ts.Setenv("GOARCH", "")
			},
		},
	})
}

// TestScripts is what a user does: go generate, build, vet, test, race, on every GOARCH.
func TestScripts(t *testing.T) { run(t, "testdata/script") }

// inUse are the packages of this module with fused functions, compiled.
var inUse = sync.OnceValues(func() (out []*fuse.Package, err error) {
	pkgs, err := fuse.Load(context.Background(), "../..", []string{"./examples/...", "./primitives/..."})
	if err != nil {
		return nil, err
	}
	for _, p := range pkgs {
		if len(p.Sources) > 0 {
			err = errors.Join(err, fuse.Compile(p, fuse.Options{}))
			out = append(out, p)
		}
	}
	return out, err
})

// isExample reports whether a package is an example.
func isExample(p *fuse.Package) bool { return filepath.Base(filepath.Dir(p.Dir)) == "examples" }

// TestExamples does the same with each example, in a module of its own.
func TestExamples(t *testing.T) {
	pkgs, err := inUse()
	require.NoError(t, err)
	found := 0
	for _, p := range pkgs {
		if isExample(p) {
			found++
			t.Run(p.Name, func(t *testing.T) { run(t, "testdata/example", "EXAMPLE="+p.Name) })
		}
	}
	require.Equal(t, 3, found)
}

// The generated files of this module are what the command writes, and are proved.
func TestInUse(t *testing.T) {
	pkgs, err := inUse()
	require.NoError(t, err)
	for _, p := range pkgs {
		files, err := fuse.Files(p)
		require.NoError(t, err)
		want := map[string][]byte{}
		for _, f := range files {
			want[f.Name] = f.Data
		}
		plan, err := emit.Prepare(p.Dir, want, fuse.Marker, fuse.FilePatterns)
		require.NoError(t, err)
		if diff := plan.Diff(); len(diff) > 0 {
			t.Errorf("%s is stale: run go generate there\n%s", p.Dir, diff)
		}
		require.NoError(t, fuse.Verify(t.Context(), p))
	}
}

// What they become: amd64, arm64, and arm64 without LSE. A fence that is taken out of the source shows here.
func TestInUseBecomes(t *testing.T) {
	want := map[string][]string{
		"publish":       {"XCHG; MOV", "STLR; DMB ISH; MOV", "STLR; DMB ISH; MOV"},
		"doze":          {"LOCK OR; MOV", "LDORAL; MOV", "LDXR; STXR; DMB ISH; MOV"},
		"arm":           {"XCHG; MOV", "MOV; DMB ISH; LDAR", "MOV; DMB ISH; LDAR"},
		"publishDevice": {"SFENCE; MOV; MFENCE; MOV; MOV", "DSB ST; STLR; DSB SY; MOV; MOV", "DSB ST; STLR; DSB SY; MOV; MOV"},
		"pop":           {"LOCK CMPXCHG16B; MOV; LOCK CMPXCHG16B", "CASPAL; MOV; CASPAL", "LDAXP; STLXP; DMB ISH; MOV; LDAXP; STLXP; DMB ISH"},
		"push":          {"LOCK CMPXCHG16B; MOV; LOCK CMPXCHG16B", "CASPAL; MOV; CASPAL", "LDAXP; STLXP; DMB ISH; MOV; LDAXP; STLXP; DMB ISH"},
		"clearFlag":     {"LOCK BTR", "LDCLRAL", "LDXR; STXR; DMB ISH"},
	}
	pkgs, err := inUse()
	require.NoError(t, err)
	for _, p := range pkgs {
		for _, s := range p.Sources {
			for _, f := range s.Functions {
				var got []string
				for _, b := range f.Builds {
					for _, plan := range b.Plans {
						got = append(got, emitted(plan))
					}
				}
				assert.Equal(t, want[f.Name], got, "%s.%s", p.Name, f.Name)
			}
		}
	}
}

// The table in an example's documentation has what the report counts.
func TestDocumented(t *testing.T) {
	pkgs, err := inUse()
	require.NoError(t, err)
	columns := regexp.MustCompile(` {2,}`)
	for _, p := range pkgs {
		if !isExample(p) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(p.Dir, p.Name+".go"))
		require.NoError(t, err)
		documented := map[string][]string{}
		for line := range strings.Lines(string(src)) {
			if row, ok := strings.CutPrefix(line, "//\t"); ok {
				if f := columns.Split(strings.TrimSpace(row), -1); len(f) > 4 {
					documented[f[0]+" "+f[1]] = f[2:5]
				}
			}
		}
		for line := range strings.Lines(fuse.Report([]*fuse.Package{p})) {
			f := columns.Split(strings.TrimSpace(line), -1)
			name, ok := strings.CutPrefix(f[0], p.Name+".")
			if !ok {
				continue
			}
			var want []string
			for _, cell := range []string{f[4], f[3], f[2]} { // calls, fences, instructions
				if before, now, _ := strings.Cut(cell, " -> "); before == now {
					cell = now
				}
				want = append(want, cell)
			}
			assert.Equal(t, want, documented[name+" "+f[1]], "%s on %s", name, f[1])
		}
	}
}

// The assembly that the README shows is what was generated.
func TestReadme(t *testing.T) {
	pkgs, err := inUse()
	require.NoError(t, err)
	var generated strings.Builder
	for _, p := range pkgs {
		require.NoError(t, fuse.Compile(p, fuse.Options{Assembly: true}))
		files, err := fuse.Files(p)
		require.NoError(t, err)
		for _, f := range files {
			generated.Write(f.Data)
		}
		require.NoError(t, fuse.Compile(p, fuse.Options{}))
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```asm\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, blocks)
	for _, b := range blocks {
		assert.Contains(t, generated.String(), b[1])
	}
}
