// Barriergen generates memory barriers for Go that cost no more than the hardware asks, and explains them.
//
//	barriergen generate -o DIR     write a package of barriers
//	barriergen fuse                turn functions made of primitives into one assembly function each
//	barriergen list                show what is empty where
//	barriergen explain AfterAtomic say why, with the code and its bytes
//	barriergen verify              prove that the code keeps its contracts, and is minimal
//	barriergen litmus PATH...      run litmus tests under a memory model
//	barriergen doctor              check the claims about the Go compiler on this machine's toolchain
//
// In a module of your own, next to the code that needs them:
//
//	//go:generate go tool barriergen generate -o internal/barrier
//	//go:generate go tool barriergen fuse
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Exit statuses.
const (
	exitOK       = 0
	exitFindings = 1 // something is stale, broken or could not be written
	exitUsage    = 2
)

// environ is what a command runs in.
type environ struct {
	ctx      context.Context
	out, err io.Writer
}

// command is one subcommand.
type command struct {
	name, args, short string
	long              string
	run               func(env environ, c command, fs *flag.FlagSet, args []string) int
}

var commands = []command{generateCommand, listCommand, explainCommand, verifyCommand, litmusCommand, doctorCommand, fuseCommand}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(environ{ctx, os.Stdout, os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

// run executes one command line and returns the exit status.
func run(env environ, args []string) int {
	if len(args) == 0 {
		usage(env.err)
		return exitUsage
	}
	name := args[0]
	switch {
	case name == "-h" || name == "-help" || name == "--help" || name == "help" && len(args) == 1:
		usage(env.out)
		return exitOK
	case name == "help":
		args = []string{args[1], "-h"}
	case strings.HasPrefix(name, "-"): // generate is the default
		args = append([]string{"generate"}, args...)
	}
	for _, c := range commands {
		if c.name == args[0] {
			fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
			fs.SetOutput(io.Discard) // errors are printed once, below
			fs.Usage = func() {}
			return c.run(env, c, fs, args[1:])
		}
	}
	fmt.Fprintf(env.err, "barriergen: unknown command %q; the commands are %s\n", args[0], names())
	return exitUsage
}

func names() string {
	var out []string
	for _, c := range commands {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

func usage(w io.Writer) {
	fmt.Fprint(w, "Barriergen generates memory barriers for Go that cost no more than the hardware asks.\n\nusage: barriergen COMMAND [flags]\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\n\"barriergen COMMAND -h\" says more. Without a command, flags are those of generate.\n"+
		"Exit status: 0, 1 if something is stale, broken or can't be written, 2 for a wrong command line.\n")
}

// parse parses the flags of a command. It returns false, and the status to exit with, if the command is done.
func parse(env environ, c command, fs *flag.FlagSet, args []string) (int, bool) {
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(env.out, "usage: barriergen %s %s\n\n%s", c.name, c.args, c.long)
		first := true
		fs.VisitAll(func(f *flag.Flag) {
			if first {
				fmt.Fprint(env.out, "\nflags:\n")
				first = false
			}
			value, text := flag.UnquoteUsage(f)
			fmt.Fprintf(env.out, "  %-18s %s\n", strings.TrimSpace("-"+f.Name+" "+value), text)
		})
		return exitOK, false
	case err != nil:
		return misuse(env, c, "%v", err), false
	}
	return exitOK, true
}

// misuse reports a wrong command line.
func misuse(env environ, c command, format string, args ...any) int {
	fmt.Fprintf(env.err, "barriergen %s: %s\nusage: barriergen %s %s\n", c.name, fmt.Sprintf(format, args...), c.name, c.args)
	return exitUsage
}

// fail reports what went wrong.
func fail(env environ, c command, err error) int {
	fmt.Fprintf(env.err, "barriergen %s: %v\n", c.name, err)
	return exitFindings
}

// list splits a comma-separated flag; an empty one is no list.
func list(s string) []string {
	var out []string
	for _, part := range strings.Split(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
