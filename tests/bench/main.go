package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/barriergen/barriergen/primitives/membarrier"
	"github.com/barriergen/barriergen/tests/bench/measure"
	"github.com/barriergen/barriergen/tests/bench/peer"
	"github.com/barriergen/barriergen/tests/bench/report"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader that went away is an error, behind which the peers are still to be removed
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, term.IsTerminal(int(os.Stderr.Fd())))
	stop()
	os.Exit(code)
}

// The files that a run writes.
const (
	markdownFile = "BENCHMARKS.md"
	chartFile    = "BENCHMARKS.svg"
)

// options are what the command line says.
type options struct {
	plan   measure.Plan
	match  *regexp.Regexp
	out    string // directory; empty if nothing is to be written
	asJSON bool
}

func parse(args []string, errOut io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	quick := flags.Bool("quick", false, "few short runs: shows that everything works; the figures are rough")
	reps := flags.Int("reps", 25, "runs of each side (with -quick 5)")
	match := flags.String("run", "", "only experiments of which the name, or that of a comparison, matches this regular expression")
	flags.StringVar(&o.out, "out", ".", "directory for "+markdownFile+" and "+chartFile+"; with -quick or -run nothing is written unless it is given")
	flags.BoolVar(&o.asJSON, "json", false, "print one JSON object per experiment")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	o.plan = measure.Plan{Reps: *reps, Scale: 1, Patience: patience}
	if *quick {
		o.plan = measure.Plan{Reps: 5, Scale: 0.25, Patience: 3}
		if given["reps"] {
			o.plan.Reps = *reps
		}
	}
	if (*quick || *match != "") && !given["out"] {
		o.out = ""
	}
	o.match, err = regexp.Compile(*match)
	switch {
	case err != nil:
		return o, err
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *reps < 1:
		return o, fmt.Errorf("-reps %d: at least 1 is needed", *reps)
	}
	if o.out != "" { // to be found out now, not after ten minutes
		if info, err := os.Stat(o.out); err != nil {
			return o, fmt.Errorf("-out: %w", err)
		} else if !info.IsDir() {
			return o, fmt.Errorf("-out %s: not a directory", o.out)
		}
	}
	return o, nil
}

// run is main without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, out, errOut io.Writer, progress bool) int {
	o, err := parse(args, errOut)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(errOut, "bench:", err)
		return 2
	}
	peers, err := peer.Build(ctx, "gcc")
	if err == nil {
		defer peers.Close()
		err = o.measure(ctx, peers, out, errOut, progress)
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(errOut, "bench: interrupted; nothing was written")
		return 130
	case errors.As(err, new(noMatch)):
		fmt.Fprintln(errOut, "bench:", err)
		return 2
	case err != nil:
		fmt.Fprintln(errOut, "bench:", err)
		return 1
	}
	return 0
}

// noMatch is a -run that nothing matches.
type noMatch struct{ pattern string }

func (e noMatch) Error() string { return fmt.Sprintf("-run %q matches no experiment", e.pattern) }

func (o options) measure(ctx context.Context, peers *peer.Set, out, errOut io.Writer, progress bool) error {
	chosen := slices.DeleteFunc(experiments(peers), func(e measure.Experiment) bool { return !o.chooses(e) })
	if len(chosen) == 0 {
		return noMatch{o.match.String()}
	}
	for _, why := range peers.Missing() {
		fmt.Fprintln(errOut, "bench: going on without a peer:", why)
	}
	// One more than there are processors, so that whoever stops the others can run, and the collector when it is told to.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(len(measure.CPUs) + 1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))

	r := report.Report{Machine: machine(peers, o.plan.Reps)}
	hasMembarrier = r.Machine.Membarrier == ""
	if !o.asJSON {
		if err := report.Head(out, r.Machine); err != nil {
			return err
		}
	}
	for i, e := range chosen {
		plan := o.plan
		if progress {
			plan.Progress = func(done, of int, side string) {
				fmt.Fprintf(errOut, "\r\x1b[K%d/%d %s: %d/%d %s", i+1, len(chosen), e.Name, done+1, of, side)
			}
		}
		result, err := plan.Run(ctx, e)
		if progress {
			fmt.Fprint(errOut, "\r\x1b[K")
		}
		if err != nil {
			return err
		}
		r.Results = append(r.Results, result)
		if o.asJSON {
			err = json.NewEncoder(out).Encode(result)
		} else if err = report.Section(out, result, r.Machine.CyclesPer); err == nil {
			_, err = fmt.Fprintln(out)
		}
		if err != nil {
			return err
		}
	}
	if o.out == "" {
		return nil
	}
	return write(r, o.out)
}

// chooses reports whether the experiment is to be run.
func (o options) chooses(e measure.Experiment) bool {
	return o.match.MatchString(e.Name) ||
		slices.ContainsFunc(e.Comparisons, func(c measure.Comparison) bool { return o.match.MatchString(c.Name) })
}

// write puts the files into a directory: both, or none.
func write(r report.Report, dir string) error {
	var markdown, chart bytes.Buffer
	if err := errors.Join(r.Markdown(&markdown, chartFile), r.Chart(&chart)); err != nil {
		return err
	}
	names := []string{markdownFile, chartFile}
	for i, content := range []*bytes.Buffer{&markdown, &chart} {
		temporary := filepath.Join(dir, names[i]+".new")
		defer os.Remove(temporary) // what is left of a failure
		if err := os.WriteFile(temporary, content.Bytes(), 0o644); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// machine describes where this runs.
func machine(peers *peer.Set, reps int) report.Machine {
	m := report.Machine{
		Date:       time.Now().UTC().Format(time.DateOnly),
		Processor:  firstMatch("/proc/cpuinfo", `model name\s*: (.*)`),
		Processors: len(measure.CPUs),
		System:     runtime.GOOS + "/" + runtime.GOARCH,
		Go:         runtime.Version(),
		Compiler:   peers.Compiler,
		CyclesPer:  measure.Frequency(),
		Reps:       reps,
		Missing:    peers.Missing(),
	}
	if kernel := firstMatch("/proc/version", `^Linux version (\S+)`); kernel != "" {
		m.System += ", Linux " + kernel
	}
	if m.Processor == "" {
		m.Processor = "processor unknown"
	}
	if err := membarrier.Register(); err != nil {
		m.Membarrier = err.Error()
	}
	return m
}

// firstMatch is the group of an expression in a file, or empty.
func firstMatch(file, expression string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	m := regexp.MustCompile(expression).FindSubmatch(text)
	if m == nil {
		return ""
	}
	return string(m[1])
}
