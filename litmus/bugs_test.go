package litmus

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The bugs that were found in the field, at the level of instructions: what was wrong is possible in the broken form and
// impossible in the mended one. On amd64 some have no broken form, since the machine orders what the source forgot.
func TestBugsInInstructions(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		files, err := filepath.Glob(filepath.Join("testdata", "bugs", arch, "*.litmus"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		patterns := map[string]map[string]bool{}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".litmus")
			t.Run(arch+"/"+name, func(t *testing.T) {
				test, err := ParseFile(file)
				require.NoError(t, err)
				assert.Equal(t, name, test.Name)
				assert.Equal(t, Exists, test.Quantifier)
				var r Runner
				res, err := r.Run(test)
				require.NoError(t, err)
				broken := strings.HasSuffix(name, "-broken")
				require.True(t, broken || strings.HasSuffix(name, "-mended"))
				assert.Equal(t, broken, res.Ok, "%s", res.AppendReport(nil))
				pattern := strings.Join(strings.Split(name, "-")[:2], "-")
				if patterns[pattern] == nil {
					patterns[pattern] = map[string]bool{}
				}
				patterns[pattern][map[bool]string{true: "broken", false: "mended"}[broken]] = true
			})
		}
		for pattern, forms := range patterns {
			assert.True(t, forms["mended"], "%s: %s has no mended form", arch, pattern)
			if arch == "arm64" && pattern != "redundant-fence" {
				assert.True(t, forms["broken"], "%s: %s has no broken form", arch, pattern)
			}
		}
	}
}
