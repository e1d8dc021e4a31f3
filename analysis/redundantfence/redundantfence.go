// Package redundantfence finds memory fences that nothing needs.
//
// A fence beside an operation that already orders what the fence orders costs time, and says something untrue about the
// code: that without it there would be a race.
//
//	barrier.Full()
//	barrier.Full() // barrier.Full on the line above orders already
//
// Findings have one of two grades. Proved: on every path, whatever callers did before and will do afterwards, machine and
// compiler order the same accesses without the fence; or whatever can happen there, if nobody but this package's functions
// can call. Local: the same for the accesses that the function shows; the
// message says which others would need it. A fence that is proved redundant on every architecture is deleted by -fix.
package redundantfence

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/order"
	"github.com/barriergen/barriergen/analysis/internal/report"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
)

// Analyzer reports fences that nothing needs.
var Analyzer = &analysis.Analyzer{
	Name: "redundantfence",
	Doc: "find memory fences that order nothing that is not ordered already\n\n" +
		"Each finding names the architectures for which it holds and the operation that orders already.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/redundantfence",
	Requires: []*analysis.Analyzer{order.Analyzer, suppress.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	silenced := suppress.New(pass)
	defer silenced.Unused()
	for _, f := range pass.ResultOf[order.Analyzer].(*order.Result).Fences {
		// Where a weaker fence would do everywhere, weakerfence says so.
		if f.Call == nil || !f.Redundant() || f.Weaker != nil && f.Weaker.Proved {
			continue
		}
		proved, local := f.First(order.Proved), f.First(order.Local)
		on, here := f.On(order.Proved), f.On(order.Local)
		var parts []string
		if len(on) > 0 {
			parts = append(parts, "redundant on "+report.Arches(on)+by(pass, f, proved)+f.KnownCallers())
		}
		if len(here) > 0 {
			parts = append(parts, "redundant on "+report.Arches(here)+" for the accesses seen here"+by(pass, f, local)+
				" (it is needed if "+local.Unless+")")
		}
		if needed := f.On(order.Needed); len(needed) > 0 {
			parts = append(parts, "needed on "+report.Arches(needed))
		}
		if free := f.On(order.Free); len(free) > 0 {
			parts = append(parts, "no instruction on "+report.Arches(free))
		}
		d := analysis.Diagnostic{Pos: f.Call.Pos(), End: f.Call.End(), Message: f.Op.Name + " is " + strings.Join(parts, "; "),
			Related: slices.Concat(report.Related(slices.Concat(proved.By, local.By), "orders already"), report.Related(f.Callers, "is called here"))}
		if edits := report.Deletion(pass, f.File, f.Call); f.Fix && edits != nil {
			d.SuggestedFixes = []analysis.SuggestedFix{{Message: "Delete the fence", TextEdits: edits}}
		}
		silenced.Report(d)
	}
	return nil, nil
}

// by says what orders already.
func by(pass *analysis.Pass, f *order.Fence, v order.Verdict) string {
	if len(v.By) == 0 {
		return ""
	}
	verb := " orders"
	if len(v.By) > 1 {
		verb = " order"
	}
	return ": " + report.Reasons(pass.Fset, f.Call.Pos(), v.By) + verb + " already"
}
