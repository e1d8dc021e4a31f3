package main

import (
	"flag"
	"fmt"

	"github.com/barriergen/barriergen/gen/fuse"
	"github.com/barriergen/barriergen/internal/emit"
)

var fuseCommand = command{
	name:  "fuse",
	args:  "[-verify] [-asm] [-report | -explain | -check] [PACKAGE...]",
	short: "turn functions made of primitives into one assembly function each",
	long: `Fuse reads the files of the packages (default: the one here) that begin with //go:build barriergen. Their functions are ordinary Go on integers, booleans,
pointers and pairs, with if, switch, loops with constant bounds, and calls of this project's primitives. Beside each file NAME.go it writes zNAME_amd64.s and zNAME_arm64.s
with their declarations, in which neighbouring operations order each other, and zNAME_generic.go with the same bodies for all other builds. Where the
primitives by themselves cost no more, the Go body is used.

A function's doc comment may say //barriergen:entry none: nothing that callers did before needs to be ordered by it; and //barriergen:exit none: nothing
that they do afterwards.

A file that barriergen fuse did not write is never overwritten. Files of an earlier run that are no longer needed are removed.
`,
	run: runFuse,
}

func runFuse(env environ, c command, fs *flag.FlagSet, args []string) int {
	verify := fs.Bool("verify", false, "first prove that no function shows an outcome that its primitives by themselves do not")
	assembly := fs.Bool("asm", false, "use assembly also where the Go body costs no more")
	report := fs.Bool("report", false, "write no files; print the instructions, fences and calls before and after")
	explain := fs.Bool("explain", false, "write no files; print which fences disappeared, and what made them unnecessary")
	check := fs.Bool("check", false, "write no files; print what would change, and exit with 1 if anything would")
	if code, ok := parse(env, c, fs, args); !ok {
		return code
	}
	if *report && *explain || *report && *check || *explain && *check {
		return misuse(env, c, "-report, -explain and -check exclude each other")
	}
	patterns := fs.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	pkgs, err := fuse.Load(env.ctx, ".", patterns)
	if err != nil {
		return fail(env, c, err)
	}
	var plans []*emit.Plan
	for _, p := range pkgs {
		if err := fuse.Compile(p, fuse.Options{Assembly: *assembly}); err != nil {
			return fail(env, c, err)
		}
		if *verify {
			if err := fuse.Verify(env.ctx, p); err != nil {
				return fail(env, c, err)
			}
		}
		files, err := fuse.Files(p)
		if err != nil {
			return fail(env, c, err)
		}
		plan, err := emit.Prepare(p.Dir, emitted(files), fuse.Marker, fuse.FilePatterns)
		if err != nil {
			return fail(env, c, err)
		}
		plans = append(plans, plan)
	}
	switch {
	case *report:
		return print(env, c, fuse.Report(pkgs))
	case *explain:
		return print(env, c, fuse.Explain(pkgs))
	case *check:
		stale := false
		for i, plan := range plans {
			if diff := plan.Diff(); len(diff) > 0 {
				env.out.Write(diff)
				fmt.Fprintf(env.err, "barriergen fuse: %s is not up to date; run the same command without -check\n", pkgs[i].Dir)
				stale = true
			}
		}
		if stale {
			return exitFindings
		}
		return exitOK
	}
	for _, plan := range plans {
		if err := plan.Write(env.ctx); err != nil {
			return fail(env, c, err)
		}
	}
	return exitOK
}

func print(env environ, c command, text string) int {
	if _, err := fmt.Fprint(env.out, text); err != nil {
		return fail(env, c, err)
	}
	return exitOK
}
