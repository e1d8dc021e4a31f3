package dummyfence_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/barriergen/barriergen/analysis/dummyfence"
	"github.com/barriergen/barriergen/analysis/internal/fixture"
)

func TestAnalyzer(t *testing.T) {
	fixture.Run(t, dummyfence.Analyzer, "dummy", "named", "importer", "single")
}

// TestNoFix has findings that must not be edited: the primitives may not be at hand, or the file is generated.
func TestNoFix(t *testing.T) {
	for _, r := range fixture.Run(t, dummyfence.Analyzer, "bare", "generated") {
		for _, d := range r.Diagnostics {
			assert.Empty(t, d.SuggestedFixes, d.Message)
		}
	}
}

// TestFixedCompiles builds what the fixes make, for both architectures.
func TestFixedCompiles(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		overlay := map[string][]byte{}
		golden, err := filepath.Glob("testdata/*/*.go.golden")
		require.NoError(t, err)
		require.NotEmpty(t, golden)
		for _, name := range golden {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			name, err = filepath.Abs(name[:len(name)-len(".golden")])
			require.NoError(t, err)
			overlay[name] = text
		}
		loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
			Env: append(os.Environ(), "GOARCH="+arch), Overlay: overlay}, "./testdata/dummy", "./testdata/single")
		require.NoError(t, err)
		require.Len(t, loaded, 2)
		for _, p := range loaded {
			assert.Empty(t, p.Errors, arch)
			assert.NotNil(t, p.Imports["github.com/barriergen/barriergen/primitives/barrier"])
		}
	}
}
