package goarch

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The go command knows these and no others.
func TestKnown(t *testing.T) {
	out, err := exec.Command("go", "tool", "dist", "list").Output()
	require.NoError(t, err)
	var want []string
	for _, pair := range strings.Fields(string(out)) {
		_, arch, _ := strings.Cut(pair, "/")
		want = append(want, arch)
	}
	slices.Sort(want)
	assert.Equal(t, slices.Compact(want), Known)
}
