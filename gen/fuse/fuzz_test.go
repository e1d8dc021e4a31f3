package fuse

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/gen/fuse/front"
	"github.com/barriergen/barriergen/gen/fuse/native"
)

// packagesOf imports the primitives.
type packagesOf map[string]*types.Package

func (m packagesOf) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return m[path], nil
}

// Whatever type-checks is compiled, or refused with a place.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		"return a", "for i := range 4 { x += s.B[i] }; return", "s.A = a << b; if b > 3 && s.D { return 1 }; return s.A",
		"p := &s.C.E; *p++; q := p; *q = int8(a); return uint64(*p)", "x, a = a, x; s.N = s; return", "for { }", "switch { }; return 0", "y := s.N; y = y.N; return y.A",
		"for i := uint8(255); i > 250; i-- { if s.D { break }; continue }; return uint64(s.C.E) % 8", "var z, y int16 = 1, int16(a); z, y = y, z; return uint64(z*y - ^z)",
		"return uint64(-b) >> (a & 7)", "goto l; l: return 1", "const c = 3; return a * c", "func() {}(); return 0", "_ = s.B[9:]; return 0", "s.B[a] = 1; return 0",
		"d := s.D == (a != 2); s.D = !d || d; return 7",
		"switch a { case 1, 2: x = 3; case 4: return 5; default: x = 6 }; return", "switch { case a < 3: x = 1; case s.D: x = 2 }; return",
		"for range 3 { switch b { case -1: continue; case 2: break; case 3: return 9 }; x++ }; return x", "l: switch a { default: for range 2 { break l } }; return",
	} {
		f.Add(body)
	}
	for _, body := range []string{
		"w = h.Load(); w.Lo++; _, ok := h.CompareAndSwap(w, atomics.Pair{Hi: a}); if ok { return w.Hi }; return", "seen, ok := h.CompareAndSwap(w, w); if seen != w && !ok { w = seen }; return w.Lo",
		"g := h; g.Load(); return g.Load().Hi", "c := atomics.Uint128At(unsafe.Pointer(&s.G[1])); w, _ = c.CompareAndSwap(atomics.Pair{a, 2}, w); return w.Lo",
		"for i := range 2 { w = atomics.Uint128At(unsafe.Pointer(&s.G[i])).Load() }; return w.Hi", "v := w; v, w = w, v; w.Hi, v.Lo = v.Lo, w.Hi; return v.Lo ^ w.Hi", "h.Swap(w); return",
		"m.Set(n); barrier.AfterAtomic(); if m.TestAndClear(77) { m.Change(n) }; return", "barrier.AfterSyncAtomic(); return s.A", "s.A = 1; barrier.AfterSRCUReadUnlock(); return s.A",
		"if a == 3 { barrier.Full() } else { barrier.Compiler() }; return s.A", "h = atomics.Uint128{}; return", "m = nil; m.Set(1); return", "(*atomics.Uint128)(nil).Load(); return",
		"atomics.Uint128.Load(h); bitops.Bitmap.Set(m, 1); return",
	} {
		f.Add(body)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedImports, Dir: "../../primitives"}, "./atomics", "./barrier", "./bitops")
	require.NoError(f, err)
	known := packagesOf{}
	for _, p := range loaded {
		known[p.PkgPath] = p.Types
	}
	f.Fuzz(func(t *testing.T, body string) {
		const head = "package p\n\n" + imports + "var _, _, _, _ = atomics.LoadRelaxedInt32, bitops.SetBit, barrier.Full, unsafe.Pointer(nil)\n\n" +
			"type S struct { A uint64; B [9]uint64; C struct { E int8 }; D bool; N *S; F [5000]byte; Z uint32; G [2][2]uint64 }\n\n" +
			"func F(s *S, a uint64, b int32, h atomics.Uint128, w atomics.Pair, m bitops.Bitmap, n uint) (x uint64) {\n"
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "f.go", head+body+"\n}\n", parser.SkipObjectResolution)
		if err != nil {
			return
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}}
		sizes := types.SizesFor("gc", "amd64")
		conf := types.Config{Sizes: sizes, Importer: known, Error: func(error) {}}
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
