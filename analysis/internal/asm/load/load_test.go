package load

import (
	"errors"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/barriergen/barriergen/contract"
)

// Bodies are known by what they do, on every architecture, whatever the build.
func TestBodies(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64", "riscv64"} {
		t.Setenv("GOARCH", goarch)
		analysistest.Run(t, analysistest.TestData(), Analyzer, "bodies", "include/sub")
	}
}

// They are known in packages that import the function's.
func TestBodiesOfImports(t *testing.T) {
	t.Setenv("GOARCH", "amd64")
	asks := &analysis.Analyzer{Name: "asks", Doc: "asks", Requires: []*analysis.Analyzer{Analyzer}, Run: func(pass *analysis.Pass) (any, error) {
		p := pass.ResultOf[Analyzer].(*Package)
		for id, obj := range pass.TypesInfo.Uses {
			if fn, ok := obj.(*types.Func); ok {
				for _, s := range p.Bodies(fn) {
					if s.Fence {
						pass.Reportf(id.Pos(), "%s: %v", s.Arch, contract.SetOf(s.Orders))
					}
				}
			}
		}
		return nil, nil
	}}
	r := analysistest.Run(ignoring{}, analysistest.TestData(), asks, "user")[0]
	require.Len(t, r.Diagnostics, 2)
	assert.Equal(t, "amd64: RR RW WR WW", r.Diagnostics[0].Message)
	assert.Equal(t, "arm64: RR RW WR WW", r.Diagnostics[1].Message)
}

type ignoring struct{}

func (ignoring) Errorf(string, ...any) {}

func TestServes(t *testing.T) {
	for _, tt := range []struct{ name, text, arch, want string }{
		{"f_amd64.s", "", "amd64", "any"},
		{"f_amd64.s", "", "arm64", ""},
		{"f_windows_amd64.s", "", "amd64", "windows"},
		{"f.s", "//go:build amd64 || arm64\n\n", "arm64", "any"},
		{"f.s", "//go:build !amd64\n\n", "amd64", ""},
		{"f.s", "// +build amd64,!gccgo\n\n", "amd64", "any"},
		{"f_amd64.s", "//go:build ignore\n\n", "amd64", ""},
		{"f_amd64.s", "//go:build gccgo\n\n", "amd64", ""},
		{"f_amd64.s", "//go:build !purego && !race\n\n", "amd64", "any"},
		{"f_amd64.s", "//go:build purego\n\n", "amd64", ""},
		{"f_arm64.s", "// Comment.\n\n//go:build arm64 && casp\n\n", "arm64", "any"},
		{"f_arm64.s", "//go:build arm64 && !casp\n\n", "arm64", "any"},
		{"f_amd64.s", "//go:build amd64.v3\n\n", "amd64", "any"},
		{"f_arm64.s", "//go:build darwin\n\n", "arm64", "darwin"},
	} {
		system, ok := serves("/x/"+tt.name, []byte(tt.text), tt.arch)
		assert.Equal(t, tt.want != "", ok, "%s %s %q", tt.name, tt.arch, tt.text)
		if ok && tt.want != "any" {
			assert.Equal(t, tt.want, system, tt.name)
		}
	}
}

func TestUnreadable(t *testing.T) {
	assert.Empty(t, Files(nil, []string{"/x/f_amd64.s"}, func(string) ([]byte, error) { return nil, errors.New("no") }))
}
