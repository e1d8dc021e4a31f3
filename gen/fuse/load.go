package fuse

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/barriergen/barriergen/gen/fuse/front"
)

// Tag is the build tag of the files with functions to fuse.
const Tag = "barriergen"

// Package is a Go package with functions to fuse.
type Package struct {
	Dir, Name string
	Sources   []*Source
	front.Package
}

// Source is a file with functions to fuse.
type Source struct {
	Name      string // without the extension
	Path      string
	text      []byte
	file      *ast.File
	Functions []*Function
}

// Load reads the packages that the patterns name, as the go command understands them in a directory. Mistakes in them come
// joined, each with its position.
func Load(ctx context.Context, dir string, patterns []string) ([]*Package, error) {
	cfg := &packages.Config{Context: ctx, Dir: dir, BuildFlags: []string{"-tags=" + Tag}, Fset: token.NewFileSet(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedTypesSizes | packages.NeedImports}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, err
	}
	var out []*Package
	var errs []error
	sources := 0
	for _, p := range pkgs {
		for _, e := range p.Errors {
			errs = append(errs, errors.New(plainly(e)))
		}
		if len(p.Errors) > 0 {
			continue
		}
		pkg, err := newPackage(cfg.Fset, p)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if sources += len(pkg.Sources); pkg.Dir != "" { // else it has tests only
			out = append(out, pkg)
		}
	}
	if named := strings.Join(patterns, " "); len(pkgs) == 0 { // also if go.mod is not tidy
		errs = append(errs, fmt.Errorf("%s names no package that the go command can load: go list %s says why", named, named))
	} else if len(errs) == 0 && sources == 0 {
		errs = append(errs, fmt.Errorf("no file of %s begins with //go:build %s: put the functions to fuse into a file that does", named, Tag))
	}
	return out, errors.Join(errs...)
}

// plainly is an error of the go command without what it says around it.
func plainly(e packages.Error) string {
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(e.Error(), "-: ")) {
		if !strings.HasPrefix(line, "# ") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

func newPackage(fset *token.FileSet, p *packages.Package) (*Package, error) {
	pkg := &Package{Name: p.Name, Package: front.Package{Fset: fset, Info: p.TypesInfo, Types: p.Types, Sizes: p.TypesSizes}}
	var errs []error
	if p.TypesSizes.Sizeof(types.Typ[types.Uintptr]) != 8 {
		return nil, fmt.Errorf("%s: GOARCH has words of 32 bits: run this for a GOARCH of 64 bits, as those are that get assembly", p.PkgPath)
	}
	for _, f := range p.Syntax {
		path := fset.Position(f.FileStart).Filename
		pkg.Dir = filepath.Dir(path)
		tagged, err := tagged(fset, f)
		if err != nil {
			errs = append(errs, err)
		}
		if !tagged {
			continue
		}
		if !everywhere(path) {
			errs = append(errs, &front.Error{Pos: fset.Position(f.Package), Text: filepath.Base(path) + " is for one GOOS or GOARCH by its name: rename it, since the generated files are for all"})
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s := &Source{Name: strings.TrimSuffix(filepath.Base(path), ".go"), Path: path, text: text, file: f}
		if err := s.read(&pkg.Package); err != nil {
			errs = append(errs, err)
		}
		pkg.Sources = append(pkg.Sources, s)
	}
	if pkg.Dir == "" && len(p.GoFiles) > 0 {
		pkg.Dir = filepath.Dir(p.GoFiles[0])
	}
	return pkg, errors.Join(errs...)
}

// everywhere reports whether a file's name leaves it to the build tags where it is built.
func everywhere(path string) bool {
	nowhere := build.Default
	nowhere.GOOS, nowhere.GOARCH, nowhere.BuildTags = "", "", []string{Tag}
	ok, err := nowhere.MatchFile(filepath.Dir(path), filepath.Base(path))
	return ok || err != nil
}

// tagged reports whether a file is for functions to fuse. A file that looks as if it were and is not is a mistake.
func tagged(fset *token.FileSet, f *ast.File) (bool, error) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				expr, err := constraint.Parse(c.Text)
				if err != nil {
					return false, err
				}
				if expr.String() == Tag {
					return true, nil
				}
				if expr.Eval(func(tag string) bool { return true }) && mentions(expr, Tag) {
					return false, &front.Error{Pos: fset.Position(c.Pos()), Text: fmt.Sprintf("the constraint is %s: it must be %s alone, since the generated files are for all other builds", expr, Tag)}
				}
			}
			if strings.HasPrefix(c.Text, "//barriergen:") {
				return false, &front.Error{Pos: fset.Position(c.Pos()), Text: fmt.Sprintf("a directive in a file without //go:build %s: its functions are not fused; add the line above the package clause", Tag)}
			}
		}
	}
	return false, nil
}

func mentions(e constraint.Expr, tag string) bool {
	switch x := e.(type) {
	case *constraint.TagExpr:
		return x.Tag == tag
	case *constraint.AndExpr:
		return mentions(x.X, tag) || mentions(x.Y, tag)
	case *constraint.OrExpr:
		return mentions(x.X, tag) || mentions(x.Y, tag)
	}
	return false // under a not it is there for the other builds
}

// read reads the functions of a file.
func (s *Source) read(p *front.Package) error {
	var errs []error
	mistake := func(pos token.Pos, format string, args ...any) {
		errs = append(errs, &front.Error{Pos: p.Fset.Position(pos), Text: fmt.Sprintf(format, args...)})
	}
	for _, im := range s.file.Imports {
		if im.Name != nil && (im.Name.Name == "." || im.Name.Name == "_") || im.Path.Value == `"C"` {
			mistake(im.Pos(), "this import is none that fused functions can use: import packages by name")
		}
	}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f, err := front.Read(p, d)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			s.Functions = append(s.Functions, &Function{Function: *f, src: s})
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				mistake(d.Pos(), "a declaration of %v: with the build tag this file holds functions only, since other builds do not see it; move it to a file without the tag", d.Tok)
			}
		}
	}
	if len(s.Functions) == 0 && len(errs) == 0 {
		mistake(s.file.Package, "the file has no function to fuse")
	}
	return errors.Join(errs...)
}
