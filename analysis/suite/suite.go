// Package suite lists the analyzers of barriervet, for drivers of one's own.
//
//	multichecker.Main(suite.Analyzers...)
package suite

import (
	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/archparity"
	"github.com/barriergen/barriergen/analysis/asmfence"
	"github.com/barriergen/barriergen/analysis/dummyfence"
	"github.com/barriergen/barriergen/analysis/fencecomment"
	"github.com/barriergen/barriergen/analysis/lockedatomic"
	"github.com/barriergen/barriergen/analysis/missingorder"
	"github.com/barriergen/barriergen/analysis/mixedatomic"
	"github.com/barriergen/barriergen/analysis/redundantfence"
	"github.com/barriergen/barriergen/analysis/unpublishedatomic"
	"github.com/barriergen/barriergen/analysis/weakerfence"
)

// Analyzers are all of them. Those with a flag "enable" say nothing unless it is set.
var Analyzers = []*analysis.Analyzer{
	redundantfence.Analyzer,
	weakerfence.Analyzer,
	dummyfence.Analyzer,
	missingorder.Analyzer,
	archparity.Analyzer,
	asmfence.Analyzer,
	unpublishedatomic.Analyzer,
	fencecomment.Analyzer,
	lockedatomic.Analyzer,
	mixedatomic.Analyzer,
}
