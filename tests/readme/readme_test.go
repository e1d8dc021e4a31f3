// Package readme keeps the README true: its code stands in files that are compiled, its table is what the command prints.
package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	return string(data)
}

// blocks are the fenced blocks of a language.
func blocks(text, lang string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+lang+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func TestTable(t *testing.T) {
	out, err := exec.Command("go", "run", "../../cmd/barriergen", "list", "barrier").Output()
	require.NoError(t, err)
	_, after, ok := strings.Cut(readme(t), "<!-- barriergen list barrier -->\n```\n")
	require.True(t, ok)
	table, _, _ := strings.Cut(after, "```")
	assert.Equal(t, string(out), table)
}

// Every function shown is one that is compiled and tested.
func TestCode(t *testing.T) {
	var source strings.Builder
	files, err := filepath.Glob("../../examples/*/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		source.Write(data)
	}
	found := 0
	for _, b := range blocks(readme(t), "go") {
		if strings.Contains(b, "func ") {
			found++
			assert.Contains(t, source.String(), b)
		}
	}
	assert.NotZero(t, found)
}

// The README's commands exist, and CI runs the test command.
func TestCommands(t *testing.T) {
	text := readme(t)
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", strings.ReplaceAll(mainJob(t, text), "DIR", filepath.Join(dir, "bar")))
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	_, err = os.Stat(filepath.Join(dir, "bar", "zatomics_amd64.go"))
	assert.NoError(t, err)

	assert.Contains(t, blocks(text, "sh"), "go test ./...\n")
	ci, err := os.ReadFile("../../.ci/run")
	require.NoError(t, err)
	assert.Contains(t, string(ci), "\ngo test ./...\n")
}

func mainJob(t *testing.T, text string) string {
	for _, b := range blocks(text, "sh") {
		if strings.Contains(b, "-o DIR") {
			return strings.TrimSpace(b)
		}
	}
	t.Fatal("no main job in the README")
	return ""
}
