package redundantfence_test

import (
	"testing"

	"github.com/barriergen/barriergen/analysis/internal/fixture"
	"github.com/barriergen/barriergen/analysis/redundantfence"
)

func TestReported(t *testing.T) { fixture.Run(t, redundantfence.Analyzer, "reported") }

func TestSilent(t *testing.T) { fixture.Run(t, redundantfence.Analyzer, "silent") }

func TestFencesInAssembly(t *testing.T) { fixture.Run(t, redundantfence.Analyzer, "assembly") }

func TestFactsAcrossPackages(t *testing.T) { fixture.Run(t, redundantfence.Analyzer, "facts", "lib") }

func TestCallersAreKnown(t *testing.T) { fixture.Run(t, redundantfence.Analyzer, "callers") }

func TestCallersAreNotKnown(t *testing.T) { fixture.Run(t, redundantfence.Analyzer, "open", "program") }

func TestOnce(t *testing.T) { fixture.Run(t, redundantfence.Analyzer, "once") }

func TestFixedCodePassesVet(t *testing.T) { fixture.Vet(t) }
