// Package lockedatomic finds variables that are accessed atomically although a lock is held wherever they are accessed. It
// is off unless asked for.
//
//	b.mu.Lock()
//	atomic.AddInt32(&b.successes, 1)   // b.successes++, if every access holds b.mu
//	b.mu.Unlock()
//
// To turn it on:
//
//	barriervet -lockedatomic.enable ./...
//
// All accesses of the package are looked at. A variable is reported if the writes hold one lock, and the reads hold it too; or if
// some reads hold another lock, and would need no atomic operation if they took that of the writers. One access without a lock, or
// an address that goes anywhere else, and nothing is said: readers without a lock need the stores to be atomic.
package lockedatomic

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/access"
	"github.com/barriergen/barriergen/analysis/internal/atomics"
	"github.com/barriergen/barriergen/analysis/internal/lazyssa"
	"github.com/barriergen/barriergen/analysis/internal/report"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
	"github.com/barriergen/barriergen/contract"
)

// Analyzer reports atomic accesses where a lock is held at every access.
var Analyzer = &analysis.Analyzer{
	Name:     "lockedatomic",
	Doc:      "find variables that are atomic although every access holds a lock (opt-in)\n\nIt reports only with its flag enable.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/lockedatomic",
	Requires: []*analysis.Analyzer{suppress.Analyzer, lazyssa.Analyzer},
	Run:      run,
}

var enable bool

func init() { Analyzer.Flags.BoolVar(&enable, "enable", false, "report findings") }

func run(pass *analysis.Pass) (any, error) {
	if !enable || atomics.Primitive(pass.Pkg) || !locks(pass.Pkg) {
		return nil, nil
	}
	silenced := suppress.New(pass)
	defer silenced.Unused()
	vars, calls := candidates(pass)
	if len(vars) == 0 {
		return nil, nil
	}
	all := access.Of(pass.ResultOf[lazyssa.Analyzer].(*lazyssa.Package).Functions(), vars)
	for _, v := range slices.SortedFunc(maps.Keys(all), func(a, b *types.Var) int { return int(a.Pos() - b.Pos()) }) {
		if s := all[v]; !s.Open {
			judge(pass, silenced, v, s.Accesses, calls)
		}
	}
	return nil, nil
}

// locks reports whether a package can hold a lock: it imports one, directly or in something else.
func locks(p *types.Package) bool {
	return slices.ContainsFunc(p.Imports(), func(i *types.Package) bool { return i.Path() != "sync/atomic" && i.Path() != "unsafe" })
}

// candidates are the variables that nobody outside the package can name and that atomic operations work on, and the calls
// by their parentheses.
func candidates(pass *analysis.Pass) (map[*types.Var]bool, map[token.Pos]*ast.CallExpr) {
	vars, calls := map[*types.Var]bool{}, map[token.Pos]*ast.CallExpr{}
	for _, f := range atomics.Files(pass) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			c, ok := atomics.Of(pass.TypesInfo, call)
			if !ok || c.Prim != nil && c.Prim.Op == contract.Fence {
				return true
			}
			v := c.Variable(pass.TypesInfo)
			if v != nil && v.Pkg() == pass.Pkg && !v.Exported() && (v.IsField() || v.Parent() == pass.Pkg.Scope()) {
				vars[v] = true
				calls[call.Lparen] = call
			}
			return true
		})
	}
	return vars, calls
}

// judge reports the atomic accesses to a variable if locks make them unnecessary.
func judge(pass *analysis.Pass, silenced *suppress.Silenced, v *types.Var, all []access.Access, calls map[token.Pos]*ast.CallExpr) {
	all = slices.DeleteFunc(all, func(a access.Access) bool { return a.Fresh })
	if len(all) < 2 {
		return
	}
	lock := common(all)
	if lock == "" {
		return
	}
	others := map[string]bool{}
	for _, a := range all {
		_, holds := a.Locks[lock]
		switch {
		case len(a.Locks) == 0, !a.Atomic && !holds:
			return
		case !holds:
			for name := range a.Locks {
				others[strings.TrimLeft(name, access.Outwards)] = true
			}
		}
	}
	for _, a := range all {
		call := calls[a.Pos]
		if !a.Atomic || call == nil {
			continue
		}
		why := fmt.Sprintf("every access to %s holds %s: it need not be atomic", v.Name(), strings.TrimLeft(lock, access.Outwards))
		if len(others) > 0 {
			why = fmt.Sprintf("every access to %s holds %s, except reads that hold %s: if they took it too, it need not be atomic",
				v.Name(), strings.TrimLeft(lock, access.Outwards), report.List(slices.Sorted(maps.Keys(others))))
		}
		d := analysis.Diagnostic{Pos: call.Pos(), End: call.End(), Message: why}
		for _, o := range all {
			if o.Pos != a.Pos {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: o.Pos, Message: "another access"})
			}
		}
		silenced.Report(d)
	}
}

// common is a lock that all writes hold exclusively, "" if there is none.
func common(all []access.Access) string {
	var names map[string]bool
	for _, a := range all {
		if !a.Writes {
			continue
		}
		if names == nil {
			names = maps.Clone(a.Locks)
		}
		maps.DeleteFunc(names, func(name string, _ bool) bool { return !a.Locks[name] })
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		return name
	}
	return ""
}
