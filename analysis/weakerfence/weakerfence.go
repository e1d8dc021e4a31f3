// Package weakerfence finds memory fences of which less would do.
//
//	bitops.ClearBit(&d.control, on)
//	barrier.Full() // barrier.AfterAtomic would do: on amd64 it is nothing
//
// Where the weaker fence gives the same order on every architecture, whatever the callers do, -fix puts it in. Else the
// finding is about the accesses that the function shows: a full fence with only reads around it, for instance.
package weakerfence

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/order"
	"github.com/barriergen/barriergen/analysis/internal/report"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
)

// Analyzer reports fences of which less would do.
var Analyzer = &analysis.Analyzer{
	Name: "weakerfence",
	Doc: "find memory fences of which a weaker and cheaper one would do\n\n" +
		"Each finding names the primitive, and the architectures on which it costs less.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/weakerfence",
	Requires: []*analysis.Analyzer{order.Analyzer, suppress.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	silenced := suppress.New(pass)
	defer silenced.Unused()
	for _, f := range pass.ResultOf[order.Analyzer].(*order.Result).Fences {
		w := f.Weaker
		if f.Call == nil || w == nil {
			continue
		}
		name := string(w.Prim.Family) + "." + w.Prim.Name
		d := analysis.Diagnostic{Pos: f.Call.Pos(), End: f.Call.End()}
		why := " for the accesses seen here (more is needed if accesses that are not seen here rely on it)"
		if w.Proved {
			why = ""
			if len(w.By) > 0 {
				why = fmt.Sprintf(": %s wrote, and no access lies between", report.Reasons(pass.Fset, f.Call.Pos(), w.By))
			}
			why += f.KnownCallers()
			if edits := report.Renaming(f.File, f.Call, w.Prim.Name); edits != nil {
				d.SuggestedFixes = []analysis.SuggestedFix{{Message: "Call " + name, TextEdits: edits}}
			}
		}
		d.Message = fmt.Sprintf("%s would do instead of %s, and costs less on %s%s", name, f.Op.Name, report.Arches(w.Arch), why)
		d.Related = slices.Concat(report.Related(w.By, "is what it binds to"), report.Related(f.Callers, "is called here"))
		silenced.Report(d)
	}
	return nil, nil
}
