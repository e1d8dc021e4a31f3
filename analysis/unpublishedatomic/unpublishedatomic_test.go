package unpublishedatomic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/analysis/internal/fixture"
	"github.com/barriergen/barriergen/analysis/unpublishedatomic"
)

func TestAnalyzer(t *testing.T) {
	require.NoError(t, unpublishedatomic.Analyzer.Flags.Set("enable", "true"))
	fixture.Run(t, unpublishedatomic.Analyzer, "a")
}
