package fuse

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/gen/fuse/front"
	"github.com/barriergen/barriergen/gen/fuse/native"
)

// Whatever type-checks is compiled, or refused with a place.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		"return a", "for i := range 4 { x += s.B[i] }; return", "s.A = a << b; if b > 3 && s.D { return 1 }; return s.A",
		"p := &s.C.E; *p++; q := p; *q = int8(a); return uint64(*p)", "x, a = a, x; s.N = s; return", "for { }", "switch { }", "y := s.N; y = y.N; return y.A",
		"for i := uint8(255); i > 250; i-- { if s.D { break }; continue }; return uint64(s.C.E) % 8", "var z, w int16 = 1, int16(a); z, w = w, z; return uint64(z*w - ^z)",
		"return uint64(-b) >> (a & 7)", "goto l; l: return 1", "const c = 3; return a * c", "func() {}(); return 0", "_ = s.B[9:]; return 0", "s.B[a] = 1; return 0",
		"d := s.D == (a != 2); s.D = !d || d; return 7",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		const head = "package p\n\ntype S struct { A uint64; B [9]uint64; C struct { E int8 }; D bool; N *S; F [5000]byte; Z uint32 }\n\nfunc F(s *S, a uint64, b int32) (x uint64) {\n"
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "f.go", head+body+"\n}\n", parser.SkipObjectResolution)
		if err != nil {
			return
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}}
		sizes := types.SizesFor("gc", "amd64")
		conf := types.Config{Sizes: sizes, Error: func(error) {}}
		pkg, err := conf.Check("p", fset, []*ast.File{file}, info)
		if err != nil {
			return
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			fn, err := front.Read(&front.Package{Fset: fset, Info: info, Types: pkg, Sizes: sizes}, decl)
			if err != nil {
				var e *front.Error
				require.True(t, errors.As(err, &e) && e.Pos.Line > 0, "%v", err)
				continue
			}
			for _, target := range targets.Native {
				if _, err := compile(fn.Func, target, Options{Assembly: true}); err != nil {
					var e *native.Error
					require.True(t, errors.As(err, &e), "%v", err)
				}
			}
		}
	})
}
