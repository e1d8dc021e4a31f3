package fused

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Both sides of the measurement do the same.
func TestSameBodies(t *testing.T) {
	bodies := func(file string) map[string]string {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, 0)
		require.NoError(t, err)
		out := map[string]string{}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				var b bytes.Buffer
				require.NoError(t, printer.Fprint(&b, fset, fn))
				out[fn.Name.Name] = b.String()
			}
		}
		return out
	}
	fused := bodies("sequences.go")
	assert.NotEmpty(t, fused)
	assert.Equal(t, fused, bodies("onebyone/sequences.go"))
}
