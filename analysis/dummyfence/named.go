package dummyfence

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/atomics"
	"github.com/barriergen/barriergen/analysis/internal/order"
	"github.com/barriergen/barriergen/analysis/internal/report"
	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// NoFence is the fact that a function is a fence by name only.
type NoFence struct {
	Why string // a sentence part
	Use string // the primitive that its name promises
}

// AFact makes NoFence a fact.
func (*NoFence) AFact() {}

func (n *NoFence) String() string { return "no fence" }

// fenceNames are what people call fences, and the primitives that are that.
var fenceNames = []struct {
	primitive string
	names     []string
}{
	{"Full", []string{"memorybarrier", "membarrier", "memorybarriers", "memoryfence", "memfence", "threadfence", "fullfence", "fullbarrier", "fullmemorybarrier",
		"fullmemoryfence", "mfence", "smpmb", "cpubarrier", "hardwarebarrier", "hardwarefence", "storeloadfence", "storeloadbarrier"}},
	{"Acquire", []string{"acquirefence", "acquirebarrier", "loadfence", "loadbarrier", "lfence"}},
	{"Read", []string{"readfence", "readmemorybarrier", "loadloadfence", "loadloadbarrier", "smprmb"}},
	{"Release", []string{"releasefence", "releasebarrier"}},
	{"Write", []string{"storefence", "storebarrier", "writefence", "writememorybarrier", "storestorefence", "storestorebarrier", "sfence", "smpwmb"}},
}

// soundsLike is the primitive that a function's name promises, or "".
func soundsLike(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	for _, n := range fenceNames {
		if slices.Contains(n.names, name) {
			return n.primitive
		}
	}
	return ""
}

// named reports functions of the package that are called a fence and emit none.
func (c *checker) named() {
	for _, f := range c.Files {
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Body == nil || d.Type.Results != nil || d.Type.Params.NumFields() > 0 {
				continue
			}
			name := soundsLike(d.Name.Name)
			if name == "" {
				continue
			}
			if n := c.noFence(f, d, name); n != nil {
				c.byName[d] = true
				c.ExportObjectFact(c.TypesInfo.Defs[d.Name], n)
				c.silenced.Report(analysis.Diagnostic{Pos: d.Name.Pos(), End: d.Name.End(), Category: "name",
					Message: fmt.Sprintf("%s is no fence: %s; barrier.%s is one", d.Name.Name, n.Why, n.Use)})
			}
		}
	}
}

// foreign reports calls of such functions in other packages.
func (c *checker) foreign() {
	known := false
	for _, f := range c.AllObjectFacts() {
		_, no := f.Fact.(*NoFence)
		known = known || no && f.Object.Pkg() != c.Pkg
	}
	if !known {
		return
	}
	for _, f := range c.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			if !ok {
				return true
			}
			fn, ok := c.TypesInfo.Uses[sel.Sel].(*types.Func)
			if n := new(NoFence); ok && fn.Pkg() != c.Pkg && c.ImportObjectFact(fn.Origin(), n) {
				c.silenced.Report(analysis.Diagnostic{Pos: call.Pos(), End: call.End(), Category: "name",
					Message: fmt.Sprintf("%s is no fence: %s; barrier.%s is one", types.ExprString(sel), n.Why, n.Use)})
			}
			return true
		})
	}
}

// noFence says why a function does not order what its name says, nil if it may.
func (c *checker) noFence(f *ast.File, d *ast.FuncDecl, name string) *NoFence {
	var loads []contract.Op
	for _, s := range d.Body.List {
		call := discarded(s)
		if call == nil {
			return nil
		}
		if a, ok := atomics.Of(c.TypesInfo, call); ok && a.Sync == contract.Load {
			loads = append(loads, a.Sync)
			continue
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		if fn, ok := c.TypesInfo.Uses[sel.Sel].(*types.Func); !ok || fn.FullName() != "runtime.KeepAlive" {
			return nil
		}
	}
	p, _ := contract.Lookup(name)
	lacking := c.lacking(f, p)
	switch {
	case len(d.Body.List) == 0 && d.Recv == nil:
		return &NoFence{"an empty function is inlined to nothing, and does not even stop the compiler", name}
	case len(d.Body.List) == 0 || len(lacking) == 0:
		return nil
	case len(loads) > 0:
		return &NoFence{"an atomic load whose result nobody uses is " + describe(order.Gives(loads)), name}
	}
	return &NoFence{"runtime.KeepAlive stops the compiler only, and " + report.List(lacking) + needs(lacking) + " an instruction for " + p.Set().String(), name}
}

// discarded is the call that a statement is, its result unused.
func discarded(s ast.Stmt) *ast.CallExpr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "_" && len(s.Rhs) == 1 {
			e = s.Rhs[0]
		}
	}
	call, _ := e.(*ast.CallExpr)
	return call
}

// lacking are the architectures on which a file is built and a primitive needs an instruction.
func (c *checker) lacking(f *ast.File, p contract.Primitive) []string {
	var out []string
	for _, t := range targets.Native {
		if c.builtFor(f, t.Name) && !arch.Select(t, &t.Levels[0], p, arch.Use{}).Empty() {
			out = append(out, t.Name)
		}
	}
	return out
}

// goarch are the architectures that build constraints name.
var goarch = strings.Fields("386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm")

// builtFor reports whether a file may be part of a build for an architecture.
func (c *checker) builtFor(f *ast.File, arch string) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(c.Fset.Position(f.Package).Filename), ".go"), "_test")
	if i := strings.LastIndex(name, "_"); i >= 0 && slices.Contains(goarch, name[i+1:]) && name[i+1:] != arch {
		return false
	}
	for _, g := range f.Comments {
		for _, line := range g.List {
			if line.Pos() < f.Package && constraint.IsGoBuild(line.Text) {
				if x, err := constraint.Parse(line.Text); err == nil && !possible(x, arch, true) {
					return false
				}
			}
		}
	}
	return true
}

// possible reports whether a constraint can have a value on an architecture, whatever the other tags.
func possible(x constraint.Expr, arch string, value bool) bool {
	switch x := x.(type) {
	case *constraint.NotExpr:
		return possible(x.X, arch, !value)
	case *constraint.AndExpr:
		if value {
			return possible(x.X, arch, true) && possible(x.Y, arch, true)
		}
		return possible(x.X, arch, false) || possible(x.Y, arch, false)
	case *constraint.OrExpr:
		if value {
			return possible(x.X, arch, true) || possible(x.Y, arch, true)
		}
		return possible(x.X, arch, false) && possible(x.Y, arch, false)
	case *constraint.TagExpr:
		return !slices.Contains(goarch, x.Tag) || (x.Tag == arch) == value
	}
	return true
}

func needs(subjects []string) string {
	if len(subjects) == 1 {
		return " needs"
	}
	return " need"
}
