package fencecomment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/analysis/fencecomment"
	"github.com/barriergen/barriergen/analysis/internal/fixture"
)

func TestAnalyzer(t *testing.T) {
	require.NoError(t, fencecomment.Analyzer.Flags.Set("enable", "true"))
	fixture.Run(t, fencecomment.Analyzer, "a")
}
