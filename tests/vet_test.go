package tests

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVetIsSilent vets the primitives for every architecture and variant. The
// architectures without assembly of their own are among them: a file that a
// build constraint forgot shows here as an undefined or doubled function.
func TestVetIsSilent(t *testing.T) {
	targets := []string{"linux/amd64", "linux/arm64"}
	if *allVariants { // vetting the standard library first takes a minute each
		targets = append(targets, "linux/riscv64", "linux/ppc64le", "linux/s390x", "linux/loong64", "linux/386", "linux/arm", "linux/mips64le", "js/wasm")
	}
	for _, target := range targets {
		for _, tags := range []string{"", "purego", "barrier_conservative"} {
			name := target
			if tags != "" {
				name += " " + tags
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				vet(t, target, tags)
			})
		}
	}
	// The level changes which functions are chosen when building for arm64.
	for _, level := range []string{"v8.1", "v8.0,lse", "v9.0"} {
		t.Run("linux/arm64 "+level, func(t *testing.T) {
			t.Parallel()
			vet(t, "linux/arm64", "", "GOARM64="+level)
		})
	}
	// -race wants cgo, which crossing to another architecture can't have; the
	// tag alone selects the same files.
	for _, target := range []string{"linux/amd64", "linux/arm64"} {
		for _, tags := range []string{"race", "race,purego", "race,barrier_conservative"} {
			t.Run(target+" "+tags, func(t *testing.T) {
				t.Parallel()
				vet(t, target, tags)
			})
		}
	}
}

func vet(t *testing.T, target, tags string, env ...string) {
	t.Helper()
	goos, goarch, _ := strings.Cut(target, "/")
	env = append(env, "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	out := goCommand(t, env, "vet", "-tags="+tags, "../primitives/...")
	require.Empty(t, out)
}
