// Package asmtest helps to test analyzers of assembly.
package asmtest

import (
	"go/build"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/analysis/internal/asm/load"
)

// StandardLibrary visits the assembly of every package of the standard library, under its directory's name.
func StandardLibrary(t *testing.T, visit func(dir string, p *load.Package)) {
	t.Helper()
	root := filepath.Join(build.Default.GOROOT, "src")
	files := map[string][]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "cmd") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".s" {
			files[filepath.Dir(path)] = append(files[filepath.Dir(path)], path)
		}
		return nil
	}))
	require.NotEmpty(t, files)
	for dir, names := range files {
		slices.Sort(names)
		visit(strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(dir, root)), "/"), &load.Package{Files: load.Files(token.NewFileSet(), names, os.ReadFile)})
	}
}

// Assembles checks that the toolchain accepts all fixtures in the packages below testdata/src but those named.
func Assembles(t *testing.T, but ...string) {
	t.Helper()
	include := filepath.Join(build.Default.GOROOT, "pkg", "include")
	for _, goarch := range asm.Architectures {
		files, err := filepath.Glob("testdata/src/*/*_" + goarch + ".s")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			if slices.Contains(but, filepath.Base(filepath.Dir(f))) {
				continue
			}
			cmd := exec.Command("go", "tool", "asm", "-p", "p", "-I", include, "-o", filepath.Join(t.TempDir(), "object"), filepath.Base(f))
			cmd.Dir = filepath.Dir(f)
			cmd.Env = append(cmd.Environ(), "GOARCH="+goarch)
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, "%s: %s", f, out)
		}
	}
}
