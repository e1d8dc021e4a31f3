// Barriervet finds memory fences that nothing needs, and other mistakes with them, in Go and in Go assembly.
//
//	barriervet ./...                        the packages of this module
//	barriervet -arch amd64,arm64 ./...      loaded for each, findings merged
//	barriervet -fix ./...                   apply the suggested fixes; with -diff, show them
//	go vet -vettool=$(which barriervet) ./...
//
// Exit status: 0, 1 if there are findings or a package can't be analysed, 2 for a wrong command line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/barriergen/barriergen/analysis/asmfence"
	"github.com/barriergen/barriergen/analysis/suite"
	"github.com/barriergen/barriergen/internal/goarch"
)

// Exit statuses.
const (
	exitOK       = 0
	exitFindings = 1
	exitUsage    = 2
)

func main() {
	if vettool(os.Args[1:]) {
		unitchecker.Main(suite.Analyzers...)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// vettool reports whether the go command runs this program: it asks for the version and the flags, then names a file.
func vettool(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-V=") || a == "-flags" || strings.HasSuffix(a, ".cfg")
	})
}

// options are the command line.
type options struct {
	arches    []string
	fix, diff bool
	json      bool
	sarif     string
	tests     bool
	tags      string
	analyzers []*analysis.Analyzer
	patterns  []string
}

const help = `Barriervet finds memory fences that nothing needs, and other mistakes with them, in Go and in Go assembly.

usage: barriervet [flags] [packages]

Packages are named as for the go command; the default is the one in the current directory. "go vet -vettool=barriervet"
runs the same analyzers.

analyzers (with -NAME, only those named run):
`

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) > 0 && args[0] == "help" {
		args = append([]string{"-h"}, args[1:]...)
	}
	o, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(out, err.Error()[len(flag.ErrHelp.Error())+1:])
		return exitOK
	case err != nil:
		fmt.Fprintf(errs, "barriervet: %v\nusage: barriervet [flags] [packages]; barriervet -h says more\n", err)
		return exitUsage
	}
	r, err := analyse(ctx, o)
	if err != nil {
		fmt.Fprintf(errs, "barriervet: %v\n", err)
		return exitFindings
	}
	for _, problem := range r.problems {
		fmt.Fprintf(errs, "%s\n", problem)
	}
	if err := r.print(o, out); err != nil {
		fmt.Fprintf(errs, "barriervet: %v\n", err)
		return exitFindings
	}
	if len(r.problems) > 0 || len(r.findings) > 0 && !(o.fix && !o.diff && r.fixed == len(r.findings)) {
		return exitFindings
	}
	return exitOK
}

// parse reads the command line. An ErrHelp carries the text.
func parse(args []string) (options, error) {
	o := options{}
	fs := flag.NewFlagSet("barriervet", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	arches := fs.String("arch", "", "load the packages for each `GOARCH` of a comma-separated list, and merge the findings (default: that of the environment)")
	fs.BoolVar(&o.fix, "fix", false, "apply the suggested fixes instead of printing the findings that have one")
	fs.BoolVar(&o.diff, "diff", false, "with -fix, show the changes and make none")
	fs.BoolVar(&o.json, "json", false, "print the findings in the form of go vet -json")
	fs.StringVar(&o.sarif, "sarif", "", "also write the findings to `FILE` in SARIF 2.1.0")
	fs.BoolVar(&o.tests, "tests", true, "look at test files too")
	fs.StringVar(&o.tags, "tags", "", "build `TAGS`, comma-separated")
	chosen := map[string]*bool{}
	for _, a := range suite.Analyzers {
		chosen[a.Name] = fs.Bool(a.Name, false, title(a))
		a.Flags.VisitAll(func(f *flag.Flag) { fs.Var(f.Value, a.Name+"."+f.Name, f.Usage) })
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, fmt.Errorf("%w\n%s", flag.ErrHelp, helpText(fs))
		}
		return o, err
	}
	if err := asmfence.Analyzer.Flags.Set("unread", "true"); err != nil { // the status depends on it
		return o, err
	}
	for _, a := range suite.Analyzers {
		if *chosen[a.Name] {
			o.analyzers = append(o.analyzers, a)
			if f := a.Flags.Lookup("enable"); f != nil { // opt-in
				if err := f.Value.Set("true"); err != nil {
					return o, err
				}
			}
		}
	}
	if o.analyzers == nil {
		o.analyzers = suite.Analyzers
	}
	if o.diff && !o.fix {
		return o, errors.New("-diff shows what -fix would change: it needs -fix")
	}
	for _, a := range strings.Split(*arches, ",") {
		a = strings.TrimSpace(a)
		if *arches == "" {
			a = environment("GOARCH", runtime.GOARCH)
		}
		if !slices.Contains(goarch.Known, a) {
			return o, fmt.Errorf("-arch: unknown GOARCH %q; known are %s", a, strings.Join(goarch.Known, ", "))
		}
		if !slices.Contains(o.arches, a) {
			o.arches = append(o.arches, a)
		}
	}
	o.patterns = fs.Args()
	if len(o.patterns) == 0 {
		o.patterns = []string{"."}
	}
	return o, nil
}

func environment(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

func title(a *analysis.Analyzer) string {
	first, _, _ := strings.Cut(a.Doc, "\n")
	return first
}

func helpText(fs *flag.FlagSet) string {
	var b strings.Builder
	b.WriteString(help)
	own := map[string]bool{}
	for _, a := range suite.Analyzers {
		own[a.Name] = true
		fmt.Fprintf(&b, "  -%-19s %s\n", a.Name, title(a))
	}
	b.WriteString("\nflags:\n")
	fs.VisitAll(func(f *flag.Flag) {
		if !own[f.Name] {
			value, text := flag.UnquoteUsage(f)
			fmt.Fprintf(&b, "  %-20s %s\n", strings.TrimSpace("-"+f.Name+" "+value), text)
		}
	})
	b.WriteString("\nExit status: 0, 1 if there are findings or a package can't be analysed, 2 for a wrong command line.\n")
	return b.String()
}
