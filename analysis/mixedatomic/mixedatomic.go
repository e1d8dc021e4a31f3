// Package mixedatomic finds plain accesses to variables that are accessed atomically elsewhere. It is off unless asked for.
//
//	atomic.StoreInt32(&s.closed, 1)
//
//	if s.closed == 1 {   // atomic.LoadInt32(&s.closed)
//
// To turn it on:
//
//	barriervet -mixedatomic.enable ./...
//
// A plain access beside an atomic one is a data race, unless something else keeps them apart. What is reported is where nothing is
// likely to: a plain access to a variable of the package; a plain write below a lock, to a field that is read atomically
// without it; and a plain access to a field where at least twice as many are atomic. Nothing is said where the object is not
// published yet, in a function that sets up (init, New..., Reset...), in a test, of a whole object, in a function that also changes the
// variable atomically, and so owns it, and where a read holds a lock that all writes hold.
package mixedatomic

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/barriergen/barriergen/analysis/internal/access"
	"github.com/barriergen/barriergen/analysis/internal/atomics"
	"github.com/barriergen/barriergen/analysis/internal/lazyssa"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
)

// Analyzer reports plain accesses to variables that are atomic elsewhere.
var Analyzer = &analysis.Analyzer{
	Name:     "mixedatomic",
	Doc:      "find plain accesses to variables that are accessed atomically elsewhere (opt-in)\n\nIt reports only with its flag enable.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/mixedatomic",
	Requires: []*analysis.Analyzer{suppress.Analyzer, lazyssa.Analyzer},
	Run:      run,
}

var enable bool

func init() { Analyzer.Flags.BoolVar(&enable, "enable", false, "report findings") }

func run(pass *analysis.Pass) (any, error) {
	if !enable || atomics.Primitive(pass.Pkg) {
		return nil, nil
	}
	silenced := suppress.New(pass)
	defer silenced.Unused()
	vars := candidates(pass)
	if len(vars) == 0 {
		return nil, nil
	}
	all := access.Of(pass.ResultOf[lazyssa.Analyzer].(*lazyssa.Package).Functions(), vars)
	for _, v := range slices.SortedFunc(maps.Keys(all), func(a, b *types.Var) int { return int(a.Pos() - b.Pos()) }) {
		judge(pass, silenced, v, all[v].Accesses)
	}
	return nil, nil
}

// candidates are the package's own variables that functions of sync/atomic work on; its types have no plain accesses.
func candidates(pass *analysis.Pass) map[*types.Var]bool {
	vars := map[*types.Var]bool{}
	for _, f := range atomics.Files(pass) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			c, ok := atomics.Of(pass.TypesInfo, call)
			if !ok || c.Sync == "" || c.Method {
				return true
			}
			if v := c.Variable(pass.TypesInfo); v != nil && v.Pkg() == pass.Pkg {
				vars[v] = true
			}
			return true
		})
	}
	return vars
}

// setup is the name of a function that runs before others do.
var setup = regexp.MustCompile(`^(?i:init|new|make|setup|reset|clear|clone|copy|create)`)

func judge(pass *analysis.Pass, silenced *suppress.Silenced, v *types.Var, all []access.Access) {
	owners := map[*ssa.Function]bool{}
	var atomic, writes *access.Access
	all = slices.DeleteFunc(all, func(a access.Access) bool {
		return a.Fresh || setup.MatchString(outermost(a.Instr.Parent()).Name())
	})
	for i, a := range all {
		if a.Atomic && atomic == nil {
			atomic = &all[i]
		}
		if a.Writes {
			writes = &all[i]
		}
		if a.Atomic && a.Writes {
			owners[outermost(a.Instr.Parent())] = true
		}
	}
	if atomic == nil || writes == nil {
		return
	}
	suspect := suspicion(v, all)
	for _, a := range all {
		if a.Atomic || a.Whole || owners[outermost(a.Instr.Parent())] || !a.Writes && guarded(a, all) || test(pass, a) || !suspect(a) {
			continue
		}
		what := "read"
		if a.Writes {
			what = "written"
		}
		silenced.Report(analysis.Diagnostic{Pos: a.Pos, Message: fmt.Sprintf("%s is %s plainly here and atomically elsewhere", v.Name(), what),
			Related: []analysis.RelatedInformation{{Pos: atomic.Pos, Message: "an atomic access"}}})
	}
}

// suspicion says which plain accesses to a variable are likely to race with the atomic ones.
func suspicion(v *types.Var, all []access.Access) func(a access.Access) bool {
	atomics, free := 0, false
	for _, a := range all {
		if a.Atomic {
			atomics++
			free = free || a.Reads && len(a.Locks) == 0
		}
	}
	few := atomics >= 2*(len(all)-atomics)
	return func(a access.Access) bool {
		switch {
		case !v.IsField():
			return true // nobody can have it for himself
		case len(a.Locks) > 0:
			return a.Writes && free && beside(a.Locks)
		}
		return few
	}
}

// beside reports whether one of the locks is in the same struct: structs that are parts of others may be atomic in some of
// them only.
func beside(locks map[string]bool) bool {
	for name := range locks {
		if !strings.HasPrefix(name, access.Outwards) {
			return true
		}
	}
	return false
}

// guarded reports whether a read holds a lock that every write holds.
func guarded(read access.Access, all []access.Access) bool {
	for name := range read.Locks {
		if !slices.ContainsFunc(all, func(a access.Access) bool { return a.Writes && !a.Locks[name] }) {
			return true
		}
	}
	return false
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// test reports an access in a test, which often has the object for itself.
func test(pass *analysis.Pass, a access.Access) bool {
	return strings.HasSuffix(pass.Fset.Position(a.Pos).Filename, "_test.go")
}
