package weakerfence_test

import (
	"testing"

	"github.com/barriergen/barriergen/analysis/internal/fixture"
	"github.com/barriergen/barriergen/analysis/weakerfence"
)

func TestFindings(t *testing.T) { fixture.Run(t, weakerfence.Analyzer, "a") }

func TestFixedCodePassesVet(t *testing.T) { fixture.Vet(t) }
