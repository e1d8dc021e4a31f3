// Package missingorder finds places where code that uses this project's primitives lacks an order that it seems to need.
// Its findings are hints: they rest on what the rest of the package does.
//
//	bitops.ClearBit(&d.control, on)
//	for i := range d.pending {              // barrier.AfterAtomic() is missing between the two
//		if atomics.LoadRelaxedUint64(&d.pending[i]) != 0 {
//
// Reported are
//
//   - a bit cleared without order and then an atomic read of the same object;
//   - two accesses without order of which another function of the package orders the counterpart: a write before a read
//     where the other side has a full fence between its write and its read; an index or a flag that is published without
//     release beside a reader with acquire, or read without acquire beside a writer with release;
//   - data published through a bit that is set and tested without any order;
//   - BeforeAtomic, AfterAtomic and AfterSyncAtomic beside something that is not the read-modify-write they bind to;
//   - a fence behind a compare-and-swap that may have failed, and then orders nothing.
package missingorder

import (
	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/atomics"
	"github.com/barriergen/barriergen/analysis/internal/lazyssa"
	"github.com/barriergen/barriergen/analysis/internal/suppress"
)

// Analyzer hints at missing orders.
var Analyzer = &analysis.Analyzer{
	Name:     "missingorder",
	Doc:      "find accesses that lack an order which their counterparts have, and fences in the wrong place\n\nThe findings are hints.",
	URL:      "https://github.com/barriergen/barriergen/tree/main/analysis/missingorder",
	Requires: []*analysis.Analyzer{suppress.Analyzer, lazyssa.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	silenced := suppress.New(pass)
	defer silenced.Unused()
	uses := false
	for _, p := range pass.Pkg.Imports() {
		uses = uses || atomics.Primitive(p)
	}
	if !uses {
		return nil, nil
	}
	c := &checker{pass: pass, silenced: silenced}
	for _, fn := range pass.ResultOf[lazyssa.Analyzer].(*lazyssa.Package).Functions() {
		c.graphs = append(c.graphs, newGraph(pass.Pkg, fn))
	}
	c.bindings()
	c.cleared()
	c.pairs()
	c.report()
	return nil, nil
}
