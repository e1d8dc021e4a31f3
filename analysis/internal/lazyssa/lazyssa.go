// Package lazyssa builds a package in SSA form when the first analyzer asks for it, and once for all of them: most packages
// have nothing that needs it.
package lazyssa

import (
	"go/ast"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer prepares a *Package.
var Analyzer = &analysis.Analyzer{
	Name:       "lazyssa",
	Doc:        "build SSA form on demand",
	Run:        run,
	ResultType: reflect.TypeFor[*Package](),
}

// Package is a package that may be built.
type Package struct {
	// Functions are those with bodies: the initialization of the package's variables, and then the others in the order of
	// their positions, literals behind what contains them.
	Functions func() []*ssa.Function
}

func run(pass *analysis.Pass) (any, error) {
	return &Package{sync.OnceValue(func() []*ssa.Function { return build(pass) })}, nil
}

func build(pass *analysis.Pass) []*ssa.Function {
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	created := map[*types.Package]bool{}
	var create func(all []*types.Package)
	create = func(all []*types.Package) {
		for _, imp := range all {
			if !created[imp] {
				created[imp] = true
				prog.CreatePackage(imp, nil, nil, true)
				create(imp.Imports())
			}
		}
	}
	create(pass.Pkg.Imports())
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	var out []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if len(fn.Blocks) > 0 {
			out = append(out, fn)
		}
		for _, literal := range fn.AnonFuncs {
			add(literal)
		}
	}
	add(pkg.Func("init"))
	for _, f := range pass.Files {
		for _, decl := range f.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok {
				if obj, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					if fn := prog.FuncValue(obj); fn != nil {
						add(fn)
					}
				}
			}
		}
	}
	return out
}
