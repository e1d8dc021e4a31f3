// Package suite lists the analyzers of barriervet, for drivers of one's own.
//
//	multichecker.Main(suite.Analyzers...)
package suite

import (
	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/redundantfence"
	"github.com/barriergen/barriergen/analysis/weakerfence"
)

// Analyzers are all of them. Those that are opt-in say nothing unless their enable flag is set.
var Analyzers = []*analysis.Analyzer{
	redundantfence.Analyzer,
	weakerfence.Analyzer,
}
