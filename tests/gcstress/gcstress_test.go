package gcstress

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var duration = flag.Duration("gcstress.for", 300*time.Millisecond, "how long to stress each family at least")

// settings make the collector run all the time, check each mark phase with a
// second one while the world stands still, and overwrite what it frees.
var settings = []string{"GOGC=1", "GODEBUG=gccheckmark=1,clobberfree=1"}

func TestPointersUnderCollection(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "stress")
	out, err := exec.Command("go", "build", "-o", bin, "./testdata/stress").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(bin, "list").Output()
	require.NoError(t, err)
	families := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Greater(t, len(families), 10)
	for _, name := range families {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(bin, "-for", duration.String(), name)
			cmd.Env = append(os.Environ(), settings...)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", head(out))
			require.Regexp(t, `^collections: [1-9]\d+ `, string(out), "the collector hardly ran")
			t.Logf("%s", out)
		})
	}
}

// head keeps the part of a crash that says why.
func head(out []byte) string {
	lines := strings.SplitN(string(out), "\n", 30)
	return strings.Join(lines[:len(lines)-1], "\n")
}
