// Package doctor finds out whether a Go toolchain keeps what inlined barriers rely on.
//
//	report, err := doctor.Run(ctx, doctor.Config{Arches: []string{"arm64"}}, nil)
//	report.Print(os.Stdout)
//	if report.Broken() { … }
//
// Run compiles small programs with the user's own go command, in a temporary module that needs no network,
// and decodes the machine code; it runs none of it. The properties are those of the compiler, not of the
// language: that is why they are looked at rather than believed.
package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/internal/machine"
)

// Config says what to look at. Its zero value is what most users want.
type Config struct {
	GoCommand string   // by default go
	Arches    []string // by default the go command's own GOARCH
	Env       []string // in addition to the environment, such as GOARM64=v8.1
	Seed      uint64   // of the random probe; the same seed makes the same probe
	Accesses  int      // in the random probe, at least; by default 840

	// Barrier is the Go statement whose effect on the compiler is looked at. By default it is
	// runtime.KeepAlive(nil), which generated code uses; empty() calls an empty function, which is none.
	Barrier string

	// Generate returns the files of a package named prim that holds these primitives. Without it, only
	// the compiler and the standard library are looked at.
	Generate func(names []string) (map[string][]byte, error)

	// Empties names the primitives that are claimed to be a compiler barrier only, on an architecture with
	// a setting such as GOARM64=v8.1.
	Empties func(goarch, setting string) []string
}

const (
	defaultAccesses = 840
	defaultBarrier  = "runtime.KeepAlive(nil)"
)

// Run looks at every property on every architecture. The error is about being unable to look; what was
// found, good or bad, is in the report. The temporary files are gone when Run returns, also when ctx ends
// it, so a program that wants that on an interrupt gives it a context from signal.NotifyContext.
func Run(ctx context.Context, cfg Config, progress func(string)) (Report, error) {
	if cfg.GoCommand == "" {
		cfg.GoCommand = "go"
	}
	if cfg.Accesses <= 0 {
		cfg.Accesses = defaultAccesses
	}
	if cfg.Barrier == "" {
		cfg.Barrier = defaultBarrier
	}
	if progress == nil {
		progress = func(string) {}
	}
	if err := checkArches(cfg.Arches); err != nil {
		return Report{}, err
	}
	tools, err := newToolchain(ctx, cfg.GoCommand, cfg.Env)
	if err != nil {
		return Report{}, err
	}
	if len(cfg.Arches) == 0 {
		cfg.Arches = []string{tools.vars["GOARCH"]}
		if err := checkArches(cfg.Arches); err != nil {
			return Report{}, err
		}
	}
	dir, err := os.MkdirTemp("", "barriergen-doctor-")
	if err != nil {
		return Report{}, fmt.Errorf("doctor: %w", err)
	}
	defer os.RemoveAll(dir)

	report := Report{GoVersion: tools.vars["GOVERSION"], Settings: map[string]string{}, Seed: cfg.Seed}
	p := newProbe(cfg.Seed, cfg.Accesses)
	for _, goarch := range cfg.Arches {
		target, err := tools.target(ctx, goarch)
		if err != nil {
			return Report{}, err
		}
		if target.level != "" {
			report.Settings[goarch] = target.level
		}
		progress(goarch + ": compiling and decoding the probes")
		e := &examination{cfg: cfg, tools: target, probe: p, arch: goarch, dir: filepath.Join(dir, goarch)}
		if cfg.Empties != nil {
			e.empties = cfg.Empties(goarch, target.level)
		}
		if err := e.run(ctx); err != nil {
			return Report{}, err
		}
		report.Findings = append(report.Findings, e.findings...)
	}
	return report, nil
}

func checkArches(arches []string) error {
	for _, a := range arches {
		if !slices.Contains(machine.Arches(), a) {
			return fmt.Errorf("doctor: no machine code decoder for GOARCH %q; there is one for %s",
				a, strings.Join(machine.Arches(), ", "))
		}
	}
	return nil
}

// An examination is of one architecture.
type examination struct {
	cfg      Config
	tools    *toolchain
	probe    probe
	arch     string
	dir      string
	empties  []string
	findings []Finding
}

func (e *examination) run(ctx context.Context) error {
	m := module{
		"go.mod":             []byte("module doctor\n\ngo 1.23\n"),
		"probe/probe.go":     e.probe.source("probe", e.cfg.Barrier),
		"control/control.go": e.probe.source("control", "empty()"),
	}
	packages := []string{"probe", "control"}
	if names := e.primitives(); len(names) > 0 {
		files, err := e.cfg.Generate(names)
		if err != nil {
			return fmt.Errorf("doctor: generating %s: %w", strings.Join(names, ", "), err)
		}
		for name, content := range files {
			m["prim/"+name] = content
		}
		m["callers/callers.go"] = e.callers()
		packages = append(packages, "callers")
	}
	m["main/main.go"] = mainSource(packages...)
	bin, err := e.tools.build(ctx, e.dir, m, "./main")
	if err != nil {
		return err
	}
	for _, check := range []func(context.Context, *machine.Binary) error{
		e.checkOrder, e.checkRelease, e.checkEmpties, e.checkLSE,
	} {
		if err := check(ctx, bin); err != nil {
			return err
		}
	}
	return nil
}

// primitives are the names that the callers package uses.
func (e *examination) primitives() []string {
	if e.cfg.Generate == nil {
		return nil
	}
	names := slices.Clone(e.empties)
	if _, inline := releaseStores[e.arch]; inline {
		for _, width := range widths {
			names = append(names, releaseName(width))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// mainSource keeps every function of the packages in the binary.
func mainSource(packages ...string) []byte {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "\t%q\n", "doctor/"+p)
	}
	b.WriteString(")\n\nfunc main() {\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "\tprintln(len(%s.Funcs), %[1]s.Funcs[0] != nil)\n", p)
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

func (e *examination) holds(property, sentence string) {
	e.findings = append(e.findings, Finding{Arch: e.arch, Property: property, Status: Holds, Sentence: sentence})
}

func (e *examination) notApplicable(property, sentence string) {
	e.findings = append(e.findings, Finding{Arch: e.arch, Property: property, Status: NotApplicable, Sentence: sentence})
}

func (e *examination) broken(property, sentence, function, instruction string) {
	e.findings = append(e.findings, Finding{Arch: e.arch, Property: property, Status: Broken, Sentence: sentence,
		Function: function, Instruction: instruction, Advice: Advice})
}
