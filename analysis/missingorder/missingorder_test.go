package missingorder_test

import (
	"testing"

	"github.com/barriergen/barriergen/analysis/internal/fixture"
	"github.com/barriergen/barriergen/analysis/missingorder"
)

func TestAnalyzer(t *testing.T) { fixture.Run(t, missingorder.Analyzer, "field", "beside", "quiet") }
