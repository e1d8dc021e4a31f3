package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/barriergen/barriergen/internal/machine"
)

// A toolchain is the user's go command with the user's settings.
type toolchain struct {
	command string
	env     []string
	vars    map[string]string // from go env
	level   string            // of a target, such as GOARM64=v8.0
}

// levels names, per architecture, the variable that chooses the instructions the compiler may use.
var levels = map[string]string{
	"amd64": "GOAMD64", "arm64": "GOARM64", "mips64": "GOMIPS64", "mips64le": "GOMIPS64",
	"ppc64": "GOPPC64", "ppc64le": "GOPPC64", "riscv64": "GORISCV64",
}

// released matches what GOTOOLCHAIN takes; a development version has no such name.
var released = regexp.MustCompile(`^go1\.\d+(\.\d+|rc\d+)?$`)

func newToolchain(ctx context.Context, command string, env []string) (*toolchain, error) {
	t := &toolchain{command: command, env: append(os.Environ(), env...), vars: map[string]string{}}
	if err := t.readEnv(ctx, "GOVERSION", "GOARCH"); err != nil {
		return nil, err
	}
	// The probe's module is not the user's. Whatever chose the toolchain here must choose it there.
	if released.MatchString(t.vars["GOVERSION"]) {
		t.env = append(t.env, "GOTOOLCHAIN="+t.vars["GOVERSION"])
	}
	return t, nil
}

// target returns the toolchain for one architecture.
func (t *toolchain) target(ctx context.Context, goarch string) (*toolchain, error) {
	out := &toolchain{command: t.command, env: append(slices.Clone(t.env), "GOOS=linux", "GOARCH="+goarch), vars: map[string]string{}}
	if name := levels[goarch]; name != "" {
		if err := out.readEnv(ctx, name); err != nil {
			return nil, err
		}
		out.level = name + "=" + out.vars[name]
	}
	return out, nil
}

func (t *toolchain) readEnv(ctx context.Context, names ...string) error {
	out, err := t.run(ctx, "", append([]string{"env", "-json"}, names...)...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, &t.vars); err != nil {
		return fmt.Errorf("doctor: %s env -json: %w", t.command, err)
	}
	return nil
}

// run returns standard output. When ctx ends, the go command is asked to stop, so that it cleans up behind
// itself, and killed only if it does not.
func (t *toolchain) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, t.command, args...)
	cmd.Dir, cmd.Env = dir, t.env
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("doctor: %w", ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("doctor: %s %s: %w\n%s", t.command, strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}

// A module is what gets compiled: files by slash-separated name.
type module map[string][]byte

// build writes the module into dir, links package pkg and opens the result. The module needs nothing but
// the standard library. GOFLAGS are left out since they are about the user's module, and could strip the
// symbols; a value has to be set, as an empty one means the configured one.
func (t *toolchain) build(ctx context.Context, dir string, m module, pkg string, env ...string) (*machine.Binary, error) {
	tmp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		return nil, fmt.Errorf("doctor: %w", err)
	}
	for name, content := range m {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, fmt.Errorf("doctor: %w", err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return nil, fmt.Errorf("doctor: %w", err)
		}
	}
	at := *t
	at.env = append(slices.Clone(t.env), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off", "GO111MODULE=on", "GOTMPDIR="+tmp)
	at.env = append(at.env, env...)
	out := filepath.Join(dir, filepath.Base(pkg)+".bin")
	if _, err := at.run(ctx, dir, "build", "-ldflags=-w", "-o", out, pkg); err != nil {
		return nil, err
	}
	return machine.Open(out)
}
