// Package emit puts generated files into a directory, all of them or none, and never over a file that was not generated.
package emit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
)

// Plan is what would change in a directory.
type Plan struct {
	dir    string
	old    map[string][]byte // what is there, of the files that matter
	write  map[string][]byte
	remove []string
}

// Prepare compares files with a directory and changes nothing. A file begins with marker if it was generated; patterns match
// the names under which an earlier run may have left one.
func Prepare(dir string, files map[string][]byte, marker string, patterns []string) (*Plan, error) {
	p := &Plan{dir: dir, old: map[string][]byte{}, write: map[string][]byte{}}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file, not a directory", dir)
	}
	names := slices.Sorted(maps.Keys(files))
	candidates := slices.Clone(names)
	for _, pattern := range patterns {
		left, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, left...)
	}
	for _, name := range candidates {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_, wanted := files[name]
		if !bytes.HasPrefix(data, []byte(marker)) {
			if !wanted {
				continue // somebody's own file under a name that this run does not need
			}
			return nil, fmt.Errorf("%s:1:1: found a file that barriergen did not write (it does not begin with %q): move it away, or write elsewhere", path, marker)
		}
		p.old[name] = data
		if !wanted && !slices.Contains(p.remove, name) {
			p.remove = append(p.remove, name)
		}
	}
	for _, name := range names {
		if old, ok := p.old[name]; !ok || !bytes.Equal(old, files[name]) {
			p.write[name] = files[name]
		}
	}
	return p, nil
}

// Diff shows the changes, empty if there are none.
func (p *Plan) Diff() []byte {
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(p.write)) {
		out.Write(diff.Diff(name+" (on disk)", p.old[name], name+" (generated)", p.write[name]))
	}
	for _, name := range p.remove {
		out.Write(diff.Diff(name+" (on disk)", p.old[name], name+" (no longer generated)", nil))
	}
	return out.Bytes()
}

// Write makes the changes. New contents are complete on disk before the first file is replaced; if anything fails before
// that, or ctx ends, the directory is as it was.
func (p *Plan) Write(ctx context.Context) (err error) {
	if len(p.write)+len(p.remove) == 0 {
		return nil
	}
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return err
	}
	staged := map[string]string{}
	defer func() {
		for _, tmp := range staged {
			os.Remove(tmp)
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(p.write)) {
		if err := ctx.Err(); err != nil {
			return errors.New("interrupted: nothing was written")
		}
		tmp, err := stage(p.dir, p.write[name])
		if err != nil {
			return err
		}
		staged[name] = tmp
	}
	for _, name := range slices.Sorted(maps.Keys(staged)) {
		if err := os.Rename(staged[name], filepath.Join(p.dir, name)); err != nil {
			return err
		}
		delete(staged, name)
	}
	for _, name := range p.remove {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// stage writes a temporary file next to where it will go; the go command ignores its name.
func stage(dir string, data []byte) (string, error) {
	f, err := os.CreateTemp(dir, ".barriergen-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// File writes one file, complete or not at all.
func File(path string, data []byte) error {
	tmp, err := stage(filepath.Dir(path), data)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return err
	}
	return nil
}
