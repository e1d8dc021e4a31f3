package behaviour

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryPrimitiveIsCovered compares what the packages export, over all
// their build variants, with what the tests of this package mention, so that
// a new primitive can't stay untested.
func TestEveryPrimitiveIsCovered(t *testing.T) {
	for _, pkg := range []string{"barrier", "atomics", "bitops"} {
		t.Run(pkg, func(t *testing.T) {
			exported := exportedFuncs(t, filepath.Join("..", "..", "primitives", pkg))
			mentioned := selectors(t, pkg)
			require.Greater(t, len(exported), 10)
			for name := range exported {
				require.True(t, mentioned[name], "%s.%s has no behaviour test", pkg, name)
			}
		})
	}
}

func parseDir(t *testing.T, dir string, tests bool) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	return files
}

// exportedFuncs returns "Full" for functions and "Int32.AddFull" for methods.
func exportedFuncs(t *testing.T, dir string) map[string]bool {
	out := make(map[string]bool)
	for _, f := range parseDir(t, dir, false) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				recv := typeName(fn.Recv.List[0].Type)
				if !ast.IsExported(recv) {
					continue
				}
				name = recv + "." + name
			}
			out[name] = true
		}
	}
	return out
}

// selectors returns every pkg.F, and T.M for pkg.T.M, in this package's
// tests. Methods of 16-byte values are called on variables there, all of them
// named x or made on the spot, so for these their bare names count as well.
func selectors(t *testing.T, pkg string) map[string]bool {
	out := make(map[string]bool)
	for _, f := range parseDir(t, ".", true) {
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == pkg {
				out[sel.Sel.Name] = true
			}
			if recv := typeName(sel.X); recv != "" {
				out[recv+"."+sel.Sel.Name] = true
			}
			switch x := sel.X.(type) {
			case *ast.Ident:
				if x.Name == "x" {
					out["Uint128."+sel.Sel.Name] = true
				}
			case *ast.CallExpr:
				out["Uint128."+sel.Sel.Name] = true
			}
			return true
		})
	}
	return out
}

// typeName finds T in T, *T, (*T), T[E] and pkg.T.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ParenExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr: // a conversion
		return typeName(e.Fun)
	}
	return ""
}
