package emit

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const marker = "// Generated."

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	files := map[string][]byte{"x": []byte(marker + " x"), "y": []byte(marker + " y")}
	p, err := Prepare(dir, files, marker, []string{"?"})
	require.NoError(t, err)
	require.NotEmpty(t, p.Diff())
	require.NoError(t, p.Write(context.Background()))
	assert.Equal(t, []string{"x", "y"}, names(t, dir))

	p, err = Prepare(dir, files, marker, nil)
	require.NoError(t, err)
	assert.Empty(t, p.Diff(), "nothing to do the second time")

	p, err = Prepare(dir, map[string][]byte{"x": files["x"]}, marker, []string{"?"})
	require.NoError(t, err)
	assert.Contains(t, string(p.Diff()), "no longer generated")
	require.NoError(t, p.Write(context.Background()))
	assert.Equal(t, []string{"x"}, names(t, dir))
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte("by hand"), 0o644))
	_, err := Prepare(dir, map[string][]byte{"x": []byte(marker)}, marker, nil)
	require.ErrorContains(t, err, "x:1:1: found a file that barriergen did not write")

	// Under a name that this run does not need, somebody's own file stays.
	p, err := Prepare(dir, map[string][]byte{"y": []byte(marker)}, marker, []string{"?"})
	require.NoError(t, err)
	require.NoError(t, p.Write(context.Background()))
	assert.Equal(t, []string{"x", "y"}, names(t, dir))
}

func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	p, err := Prepare(dir, map[string][]byte{"x": []byte(marker)}, marker, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorContains(t, p.Write(ctx), "nothing was written")
	assert.Empty(t, names(t, dir), "nothing is left, not even a temporary file")
}

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	_, err := Prepare(filepath.Join(dir, "file"), map[string][]byte{"x": nil}, marker, nil)
	require.ErrorContains(t, err, "is a file, not a directory")

	// A directory where a file should go: found before anything is written.
	require.NoError(t, os.Mkdir(filepath.Join(dir, "x"), 0o755))
	_, err = Prepare(dir, map[string][]byte{"x": []byte(marker)}, marker, nil)
	require.Error(t, err)
}
