// Package uptodate checks that the generated files of this module are what the generator writes.
package uptodate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen"
	"github.com/barriergen/barriergen/internal/emit"
)

const raceSync = "github.com/barriergen/barriergen/primitives/racesync"

// stale is the difference between a directory and what would be generated into it.
func stale(t *testing.T, dir string, cfg gen.Config) string {
	t.Helper()
	files, err := gen.Generate(cfg)
	require.NoError(t, err)
	want := map[string][]byte{}
	for _, f := range files {
		want[f.Name] = f.Data
	}
	plan, err := emit.Prepare(dir, want, gen.Marker, gen.FilePatterns)
	require.NoError(t, err)
	return string(plan.Diff())
}

func config(f contract.Family) gen.Config {
	return gen.Config{Package: string(f), Only: []string{string(f)}, Header: true, RaceSync: raceSync}
}

func TestPrimitives(t *testing.T) {
	for _, f := range contract.Families {
		dir := filepath.Join("../../primitives", string(f))
		if diff := stale(t, dir, config(f)); diff != "" {
			t.Errorf("%s is stale: run go generate ./primitives\n%s", dir, diff)
		}
		names, err := filepath.Glob(filepath.Join(dir, "z*"))
		require.NoError(t, err)
		files, err := gen.Generate(config(f))
		require.NoError(t, err)
		require.Len(t, names, len(files)-2, "a file too many or too few; two are headers") // barriers_*.h
	}
}

// The check sees a changed file, a missing one and one too many.
func TestCheckCanFail(t *testing.T) {
	dir := t.TempDir()
	files, err := gen.Generate(config(contract.Barrier))
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644))
	}
	require.Empty(t, stale(t, dir, config(contract.Barrier)))

	path := filepath.Join(dir, "zbarrier_amd64.go")
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(old, "// more\n"...), 0o644))
	require.Contains(t, stale(t, dir, config(contract.Barrier)), "-// more")
	require.NoError(t, os.Remove(path))
	require.Contains(t, stale(t, dir, config(contract.Barrier)), "+func Full()")
	require.NoError(t, os.WriteFile(path, old, 0o644))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "zbitops_amd64.go"), []byte(gen.Marker+"\n"), 0o644))
	require.Contains(t, stale(t, dir, config(contract.Barrier)), "no longer generated")
}
