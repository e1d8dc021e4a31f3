package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/barriergen/barriergen/internal/emit"
)

// fix makes the first fix of every finding that has one, or shows what it would change, and prints the other findings.
// Of two fixes that overlap the first is made. No file is written unless every new content is ready.
func (r *result) fix(show bool, out io.Writer) error {
	edits := map[string][]edit{}
	for _, f := range r.findings {
		if len(f.fixes) == 0 || overlaps(edits, f.fixes[0]) {
			f.print(out)
			continue
		}
		r.fixed++
		for _, e := range f.fixes[0].edits {
			edits[e.file] = append(edits[e.file], e)
		}
	}
	type change struct{ old, new []byte }
	changes := map[string]change{}
	for name, list := range edits {
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fresh, err := apply(name, old, list)
		if err != nil {
			return err
		}
		changes[name] = change{old, fresh}
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		c := changes[name]
		if show {
			if _, err := out.Write(diff.Diff(local(name), c.old, local(name), c.new)); err != nil {
				return err
			}
		} else if err := emit.File(name, c.new); err != nil {
			return err
		}
	}
	return nil
}

// overlaps reports whether a fix touches what others change already.
func overlaps(edits map[string][]edit, x fix) bool {
	for _, e := range x.edits {
		for _, other := range edits[e.file] {
			if e != other && e.start < max(other.end, other.start+1) && other.start < max(e.end, e.start+1) {
				return true
			}
		}
	}
	return false
}

// apply makes the edits of one file. In Go, imports that the edits leave without a use are dropped, and the file is formatted.
func apply(name string, src []byte, edits []edit) ([]byte, error) {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	edits = slices.Compact(edits)
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at || e.end > len(src) {
			return nil, fmt.Errorf("%s: the file changed while it was analysed", name)
		}
		out.Write(src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(src[at:])
	if !strings.HasSuffix(name, ".go") {
		return out.Bytes(), nil
	}
	return tidy(name, src, out.Bytes())
}

func tidy(name string, old, fresh []byte) ([]byte, error) {
	before, err := parser.ParseFile(token.NewFileSet(), name, old, 0)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	after, err := parser.ParseFile(fset, name, fresh, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("a fix does not fit: %w", err)
	}
	dropped := false
	for _, imp := range before.Imports {
		path, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return nil, err
		}
		if astutil.UsesImport(before, path) && !astutil.UsesImport(after, path) {
			astutil.DeleteNamedImport(fset, after, nameOf(imp), path)
			dropped = true
		}
	}
	if !dropped {
		return format.Source(fresh)
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, after); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func nameOf(imp *ast.ImportSpec) string {
	if imp.Name == nil {
		return ""
	}
	return imp.Name.Name
}
