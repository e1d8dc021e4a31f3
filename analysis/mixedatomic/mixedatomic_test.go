package mixedatomic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/analysis/internal/fixture"
	"github.com/barriergen/barriergen/analysis/mixedatomic"
)

func TestAnalyzer(t *testing.T) {
	require.NoError(t, mixedatomic.Analyzer.Flags.Set("enable", "true"))
	fixture.Run(t, mixedatomic.Analyzer, "a")
}
