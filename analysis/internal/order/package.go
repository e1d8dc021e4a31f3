// Package order finds the fences of a package and says of each whether anything needs it: it is what redundantfence,
// weakerfence and their kin report from.
//
// Functions become graphs of operations, as package flow takes them, one for each machine: every target at every level,
// in every variant of code that is chosen at run time, and the Go compiler. A function that nothing but this package can
// call stands in the graphs of its callers in the place of each call. A fence is any call that accesses nothing
// others can see and orders something: a primitive, or a function whose body is one, in Go or in assembly.
package order

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/barriergen/barriergen/analysis/internal/asm/load"
	"github.com/barriergen/barriergen/analysis/internal/lazyssa"
	"github.com/barriergen/barriergen/contract"
)

// Analyzer finds fences and what needs them; it reports nothing itself. Its result is a *Result.
var Analyzer = &analysis.Analyzer{
	Name:       "fenceorder",
	Doc:        "find memory fences and what needs them",
	Run:        run,
	Requires:   []*analysis.Analyzer{load.Analyzer, lazyssa.Analyzer},
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(Body)},
}

// Result is what was found in a package.
type Result struct {
	Fences    []*Fence
	functions []*function // all of the package
}

// pkg is a package under analysis.
type pkg struct {
	pass      *analysis.Pass
	bodies    map[*ssa.Function]*Body // nil while in progress
	functions map[*ssa.Function]*function
	asm       *load.Package
	constraints
}

func run(pass *analysis.Pass) (any, error) {
	p := &pkg{pass: pass, bodies: map[*ssa.Function]*Body{}, functions: map[*ssa.Function]*function{}, asm: pass.ResultOf[load.Analyzer].(*load.Package),
		constraints: constraints{pass.Fset, pass.Files, map[*ast.File]func(string) bool{}}}
	res := &Result{}
	if !p.mentionsFences() {
		return res, nil
	}
	all := pass.ResultOf[lazyssa.Analyzer].(*lazyssa.Package).Functions()
	for _, fn := range all {
		f := p.function(fn)
		f.graph, f.holds = newGraph(fn, p.callee), p.constraints.of(fn.Pos())
		res.functions = append(res.functions, f)
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == pass.Pkg {
			if b := p.summary(fn); b != nil && b.telling() {
				pass.ExportObjectFact(obj, b)
			}
		}
	}
	p.callers(all)
	for _, u := range units(res.functions) {
		res.Fences = append(res.Fences, u.judge()...)
	}
	p.locate(res.Fences)
	return res, nil
}

// mentionsFences reports whether the package uses anything that may be a fence: without one there is nothing to say, and
// no need for the work.
func (p *pkg) mentionsFences() bool {
	for _, obj := range p.pass.TypesInfo.Uses {
		fn, ok := obj.(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Pkg().Path() == "sync/atomic" {
			continue
		}
		if op, ok := Known(fn); ok && op.Prim != nil && op.Prim.Op == contract.Fence {
			return true
		}
		if b := p.fact(fn); b != nil && b.fence() {
			return true
		}
	}
	return false
}

// function is what is known of a function of the package.
func (p *pkg) function(fn *ssa.Function) *function {
	f := p.functions[fn]
	if f == nil {
		f = &function{name: fn.Name()}
		if obj, ok := fn.Object().(*types.Func); ok {
			f.name = short(obj)
		}
		p.functions[fn] = f
	}
	return f
}

// callee says what a call does.
func (p *pkg) callee(c *ssa.CallCommon) []Op {
	fn := c.StaticCallee()
	if fn == nil {
		return []Op{unknown}
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, _ := fn.Object().(*types.Func)
	if op, ok := Known(obj); ok {
		return []Op{op}
	}
	if obj != nil && obj.FullName() == "(*sync.Once).Do" {
		return p.once(c.Args[1])
	}
	return []Op{p.body(fn)}
}

// once is sync.Once.Do: whoever calls it reads whether the function is done. If not, the function may run here, and what it
// does is done for the compiler when the call returns. No order of the function's is one of every call.
func (p *pkg) once(f ssa.Value) []Op {
	const name = "sync.Once.Do"
	acquire, _ := contract.Lookup("LoadAcquire")
	done, _ := contract.Lookup("Compiler")
	op := unknown
	if closure, ok := f.(*ssa.MakeClosure); ok {
		f = closure.Fn
	}
	if fn, ok := f.(*ssa.Function); ok {
		op = p.body(fn)
	}
	op.May, op.Uncertain, op.callee = true, true, nil
	return []Op{{Name: name, Prim: &acquire}, op, {Name: name, Prim: &done}}
}

// body is a function that is known by what it does, if at all.
func (p *pkg) body(fn *ssa.Function) Op {
	obj, _ := fn.Object().(*types.Func)
	op := Op{Name: fn.Name()}
	if obj != nil {
		op.Name = short(obj)
	}
	if len(fn.Blocks) > 0 {
		op.Body = p.summary(fn)
		op.callee = p.function(fn)
	} else if obj != nil {
		op.Body = p.fact(obj)
	}
	if op.Body == nil {
		return unknown
	}
	op.May = !op.Body.Line
	return op
}

// fact is what is known of a function without syntax here: its assembly, or what another package said of it.
func (p *pkg) fact(fn *types.Func) *Body {
	if b := assembly(p.asm.Bodies(fn)); b != nil {
		return b
	}
	if b := new(Body); fn.Pkg() != p.pass.Pkg && p.pass.ImportObjectFact(fn, b) {
		return b
	}
	return nil
}

// summary is the body of a function of this package, or nil where it calls itself.
func (p *pkg) summary(fn *ssa.Function) *Body {
	b, ok := p.bodies[fn]
	if !ok {
		p.bodies[fn] = nil
		b = newGraph(fn, p.callee).body(p.constraints.of(fn.Pos()))
		p.bodies[fn] = b
	}
	return b
}

// locate finds the calls in the syntax: SSA knows the position of the parenthesis only.
func (p *pkg) locate(fences []*Fence) {
	at := map[token.Pos]*Fence{}
	for _, f := range fences {
		at[f.pos] = f
	}
	if len(at) == 0 {
		return
	}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && at[call.Lparen] != nil {
				at[call.Lparen].Call, at[call.Lparen].File = call, file
			}
			return true
		})
	}
}
