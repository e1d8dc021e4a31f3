package order

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/internal/goarch"
)

// isArch reports whether a name constrains a file to an architecture.
func isArch(name string) bool { return slices.Contains(goarch.Known, name) }

// constraints knows which files are for some architectures only.
type constraints struct {
	fset  *token.FileSet
	files []*ast.File
	known map[*ast.File]func(goarch string) bool
}

// of returns whether the file that holds a position is part of a build for a GOARCH, or nil if it is whatever the GOARCH.
func (c *constraints) of(pos token.Pos) func(goarch string) bool {
	for _, f := range c.files {
		if f.FileStart <= pos && pos < f.FileEnd {
			ok, seen := c.known[f]
			if !seen {
				ok = constrained(c.fset.Position(f.Package).Filename, f)
				c.known[f] = ok
			}
			return ok
		}
	}
	return nil
}

func constrained(name string, f *ast.File) func(string) bool {
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".go"), "_test")
	if i := strings.LastIndexByte(base, '_'); i >= 0 && isArch(base[i+1:]) {
		only := base[i+1:]
		return func(name string) bool { return name == only }
	}
	for _, group := range f.Comments {
		for _, line := range group.List {
			if line.Pos() > f.Package || !constraint.IsGoBuild(line.Text) {
				continue
			}
			expr, err := constraint.Parse(line.Text)
			if err != nil {
				continue
			}
			mentions := false
			expr.Eval(func(tag string) bool { mentions = mentions || isArch(tag); return true })
			if mentions {
				return func(name string) bool {
					return expr.Eval(func(tag string) bool { return tag == name || !isArch(tag) })
				}
			}
		}
	}
	return nil
}

// only leaves of a body what holds where its file is part of the build. Elsewhere another file may say something else.
func (b *Body) only(holds func(goarch string) bool) *Body {
	for _, m := range everywhere() {
		if !m.builds(holds) {
			delete(b.Steps, m.Name)
			delete(b.Promised, m.Name)
		}
	}
	return b
}

// builds reports whether a file with that constraint is certainly part of every build for the machine.
func (m *Machine) builds(holds func(goarch string) bool) bool {
	return holds == nil || m.compiler || m.target != targets.Generic && holds(m.target.Name)
}
