package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/barriergen/barriergen/internal/emit"
	"github.com/barriergen/barriergen/litmus"
	"github.com/barriergen/barriergen/memmodel"
)

var litmusCommand = command{
	name:  "litmus",
	args:  "[-model M] [-verdict] [-why] [-json] [-dot FILE] [-j N] PATH...",
	short: "run litmus tests under a memory model",
	long: `Litmus reads tests in herd7's format (X86_64, AArch64, RISCV, and C in the Linux kernel's style) from files and from folders, and prints their final
states and whether their condition holds, in herd7's form. A file that can't be read, or whose search was stopped by a limit, is named with line and
column and counted; then the exit status is 1.
`,
	run: runLitmus,
}

func runLitmus(env environ, c command, fs *flag.FlagSet, args []string) int {
	model := fs.String("model", "", "memory model `M`, by name or as a .cat file (default: that of each test's architecture)")
	verdict := fs.Bool("verdict", false, "stop each test as soon as its observation is known; the states are then those met on the way")
	asJSON := fs.Bool("json", false, "print one JSON object in a line per test, and the summary")
	why := fs.Bool("why", false, "say behind each report which execution has the outcome, or which axiom forbids it, by which cycle")
	dot := fs.String("dot", "", "draw the witness, or the cycle that forbids it, of the only test into `FILE`, and next to it as SVG if Graphviz is there")
	workers := fs.Int("j", 0, "run `N` tests at the same time (default: one per processor)")
	if code, ok := parse(env, c, fs, args); !ok {
		return code
	}
	if fs.NArg() == 0 {
		return misuse(env, c, "name at least one file or folder")
	}
	if *workers < 0 {
		return misuse(env, c, "-j must not be negative, and is %d", *workers)
	}
	if *asJSON && *why {
		return misuse(env, c, "-json and -why exclude each other")
	}
	opt := litmus.Options{JSON: *asJSON, Why: *why, Workers: *workers}
	if *verdict {
		opt.Mode = memmodel.Verdict
	}
	if *model != "" {
		m, err := litmus.LoadModel(*model)
		if err != nil {
			return misuse(env, c, "%v", err)
		}
		opt.Model = m
	}
	var drawing bytes.Buffer
	if *dot != "" {
		opt.Dot = &drawing
	}
	sum, err := litmus.RunPaths(env.ctx, fs.Args(), opt, env.out, counter(env, "tests"))
	if err != nil {
		return fail(env, c, err)
	}
	if *dot != "" && drawing.Len() > 0 {
		if err := draw(env, *dot, drawing.Bytes()); err != nil {
			return fail(env, c, err)
		}
	}
	if !sum.Complete() {
		return exitFindings
	}
	return exitOK
}

// draw writes a drawing, and its rendering where Graphviz is there.
func draw(env environ, file string, dot []byte) error {
	if err := emit.File(file, dot); err != nil {
		return err
	}
	svg, ok, err := litmus.SVG(env.ctx, dot)
	if err != nil || !ok {
		return err
	}
	return emit.File(strings.TrimSuffix(file, ".dot")+".svg", svg)
}

// counter shows how far a long command is, on a terminal only.
func counter(env environ, what string) func(done, total int) {
	f, ok := env.err.(*os.File)
	if !ok || !isTerminal(environ{out: f}) {
		return nil
	}
	return func(done, total int) {
		fmt.Fprintf(f, "\r\x1b[K%d of %d %s", done, total, what)
		if done == total {
			fmt.Fprint(f, "\r\x1b[K")
		}
	}
}
