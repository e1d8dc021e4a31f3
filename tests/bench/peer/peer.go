// Package peer builds and runs the C programs that the primitives are compared with: readers and writers of liburcu, and
// locks and rings of Concurrency Kit. The programs are in directory c; each prints one line, its figures and whether a
// thread lost its processor.
package peer

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/barriergen/barriergen/tests/bench/measure"
)

//go:embed c
var sources embed.FS

// Install is what provides all that Build needs, on Debian and its relatives.
const Install = "apt-get install gcc liburcu-dev libck-dev"

// program is a C program that can be built.
type program struct {
	name   string
	source string
	flags  []string // of the compiler, behind the source
}

// rcuFlavour is a flavour of liburcu.
func rcuFlavour(name, library string, flags ...string) program {
	return program{
		name: name, source: "rcu.c",
		flags: append(flags, "-DFLAVOUR=urcu_"+library, "-DHEADER=<urcu/urcu-"+library+".h>", "-lurcu-"+library, "-lurcu-common"),
	}
}

// The programs.
const (
	RCUFenced    = "rcu-mb"
	RCUChecked   = "rcu-memb"        // tests at run time whether the system call is there
	RCUAssumed   = "rcu-memb-forced" // built for kernels that have it
	RCUSignal    = "rcu-signal"
	RCUQuiescent = "rcu-qsbr"
	Lock         = "lock"
	Ring         = "ring"
)

var programs = []program{
	rcuFlavour(RCUFenced, "mb"),
	rcuFlavour(RCUChecked, "memb"),
	rcuFlavour(RCUAssumed, "memb", "-DCONFIG_RCU_FORCE_SYS_MEMBARRIER"),
	rcuFlavour(RCUSignal, "signal"),
	rcuFlavour(RCUQuiescent, "qsbr", "-DQUIESCENT"),
	{name: Lock, source: "lock.c", flags: []string{"-lck"}},
	{name: Ring, source: "ring.c", flags: []string{"-lck"}},
}

// Set is the programs that were built.
type Set struct {
	Compiler string // and its version; empty if there is none
	dir      string
	missing  map[string]string // program: why it is not there
}

// Build compiles all programs with cc into a directory of its own. What can't be built is missing, which is no error.
func Build(ctx context.Context, cc string) (*Set, error) {
	s := &Set{missing: make(map[string]string)}
	version, err := exec.CommandContext(ctx, cc, "--version").Output()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, p := range programs {
			s.missing[p.name] = cc + " can't be run: " + Install
		}
		return s, nil
	}
	s.Compiler, _, _ = strings.Cut(string(version), "\n")
	if s.dir, err = os.MkdirTemp("", "bench-peers-"); err != nil {
		return nil, err
	}
	if err := s.build(ctx, cc); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Set) build(ctx context.Context, cc string) error {
	if err := os.CopyFS(s.dir, sources); err != nil {
		return err
	}
	for _, p := range programs {
		args := []string{"-O2", "-pthread", "-o", s.path(p.name), filepath.Join(s.dir, "c", p.source)}
		out, err := exec.CommandContext(ctx, cc, append(args, p.flags...)...).CombinedOutput()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.missing[p.name] = fmt.Sprintf("%s does not build (%s): %s", p.name, firstError(out, err), Install)
		}
	}
	return nil
}

// firstError is the line of a compiler's output that says what is wrong.
func firstError(out []byte, err error) string {
	for line := range strings.Lines(string(out)) {
		if _, what, found := strings.Cut(line, "error: "); found {
			return strings.TrimSpace(what)
		}
		if strings.Contains(line, "cannot find -l") {
			return strings.TrimSpace(line)
		}
	}
	return err.Error()
}

func (s *Set) path(name string) string { return filepath.Join(s.dir, name) }

// Close removes what Build has made.
func (s *Set) Close() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// Missing says why programs are missing, each reason once, in the order of the programs.
func (s *Set) Missing() []string {
	var list []string
	seen := make(map[string]bool)
	for _, p := range programs {
		if why := s.missing[p.name]; why != "" && !seen[why] {
			seen[why] = true
			list = append(list, why)
		}
	}
	return list
}

// Side is a side that runs a program, with the time to run, the processors, and args.
func (s *Set) Side(name, program string, args ...string) measure.Side {
	if why := s.missing[program]; why != "" {
		return measure.Side{Name: name, Missing: why}
	}
	cpus := make([]string, len(measure.CPUs))
	for i, c := range measure.CPUs {
		cpus[i] = strconv.Itoa(c)
	}
	return measure.Side{Name: name, Run: func(ctx context.Context, length time.Duration) (measure.Sample, error) {
		all := append([]string{strconv.FormatInt(int64(length), 10), strings.Join(cpus, ",")}, args...)
		cmd := exec.CommandContext(ctx, s.path(program), all...)
		var errOut bytes.Buffer
		cmd.Stderr = &errOut
		out, err := cmd.Output()
		if err != nil {
			return measure.Sample{}, fmt.Errorf("%s: %w %s", program, err, strings.TrimSpace(errOut.String()))
		}
		return parse(program, string(out))
	}}
}

// parse reads the line that a program prints.
func parse(program, line string) (measure.Sample, error) {
	fields := strings.Fields(line)
	var s measure.Sample
	for _, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return measure.Sample{}, fmt.Errorf("%s printed %q", program, line)
		}
		s.Values = append(s.Values, v)
	}
	if len(s.Values) < 2 {
		return measure.Sample{}, fmt.Errorf("%s printed %q", program, line)
	}
	last := len(s.Values) - 1
	s.Disturbed = s.Values[last] != 0
	s.Values = s.Values[:last]
	return s, nil
}
