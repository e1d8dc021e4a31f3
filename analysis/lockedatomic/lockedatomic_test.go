package lockedatomic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/analysis/internal/fixture"
	"github.com/barriergen/barriergen/analysis/lockedatomic"
)

func TestAnalyzer(t *testing.T) {
	require.NoError(t, lockedatomic.Analyzer.Flags.Set("enable", "true"))
	fixture.Run(t, lockedatomic.Analyzer, "a")
}
