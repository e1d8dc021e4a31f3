package archparity

import (
	"go/types"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/barriergen/barriergen/analysis/internal/asm/asmtest"
	"github.com/barriergen/barriergen/analysis/internal/asm/load"
)

func build(t *testing.T, goarch string) {
	t.Setenv("GOARCH", goarch)
	t.Setenv("GOOS", "linux")
}

func Test(t *testing.T) {
	build(t, "arm64")
	for _, r := range analysistest.Run(t, analysistest.TestData(), Analyzer, "parity", "unknown") {
		for _, d := range r.Diagnostics {
			require.Len(t, d.Related, 1)
			assert.Equal(t, "parity_amd64.s", filepath.Base(r.Pass.Fset.Position(d.Related[0].Pos).Filename))
		}
	}
	build(t, "amd64")
	analysistest.Run(t, analysistest.TestData(), Analyzer, "weakamd64", "unknown")
}

type ignoring struct{}

func (ignoring) Errorf(string, ...any) {}

// Every build sees the same.
func TestEveryBuild(t *testing.T) {
	count := map[string]int{}
	for _, goarch := range []string{"amd64", "arm64", "riscv64"} {
		build(t, goarch)
		for _, d := range analysistest.Run(ignoring{}, analysistest.TestData(), Analyzer, "parity")[0].Diagnostics {
			count[d.Message]++
		}
	}
	require.NotEmpty(t, count)
	for m, n := range count {
		assert.Equal(t, 3, n, m)
	}
}

func TestAtDeclaration(t *testing.T) {
	build(t, "amd64")
	require.NoError(t, Analyzer.Flags.Set("godecl", "true"))
	defer Analyzer.Flags.Set("godecl", "false")
	r := analysistest.Run(ignoring{}, analysistest.TestData(), Analyzer, "parity")[0]
	require.NotEmpty(t, r.Diagnostics)
	assert.Equal(t, "decl.go:3:6", filepath.Base(r.Pass.Fset.Position(r.Diagnostics[0].Pos).String()))
	assert.Regexp(t, `^parity_arm64\.s:14:2: cas128 is`, r.Diagnostics[0].Message)
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"compareAndSwapUint128_": "compare and swap uint", "LoadAcq": "load acq", "smp_store_release": "smp store release", "SMPStoreRel64": "smp store rel", "XADD": "xadd", "": "",
	} {
		assert.Equal(t, want, strings.Join(words(name), " "), name)
	}
}

func TestFixturesAssemble(t *testing.T) { asmtest.Assembles(t) }

// In the standard library both architectures order alike.
func TestStandardLibrary(t *testing.T) {
	compared := 0
	asmtest.StandardLibrary(t, func(dir string, p *load.Package) {
		pkg := types.NewPackage(dir, path.Base(dir))
		here, there := p.Functions(pkg, "amd64"), p.Functions(pkg, "arm64")
		for name := range here {
			if len(there[name]) > 0 {
				compared++
			}
		}
		compare(p, pkg, func() map[string]string { return nil }, func(f *load.File, d load.Finding) { t.Errorf("%s: %s", f.Name, d.Message) })
	})
	assert.Greater(t, compared, 400)
}
