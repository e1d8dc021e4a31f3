package main

import (
	"encoding/json"
	"flag"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/gen"
	"github.com/barriergen/barriergen/prover"
)

var verifyCommand = command{
	name:  "verify",
	args:  "[-arch LIST] [-threads N] [-json] [NAME...]",
	short: "prove that the generated code keeps its contracts, and is minimal",
	long: `Verify compares the local order of the code of every primitive, or of those named, with that of its contract, between accesses of every class. Then it tries
the code in the critical cycles of small concurrent programs, at every position where it fits. What the contract forbids comes from the Linux kernel's
memory model, what the code forbids from the model of the machine; the column "compiler" is the Go compiler's. Each instruction is also taken out, and replaced by every weaker one. The exit status is 1 if anything is broken, or stronger than it must be without a reason.
`,
	run: verify,
}

func verify(env environ, c command, fs *flag.FlagSet, args []string) int {
	arches := fs.String("arch", "", "architectures to verify, a comma-separated `LIST` of amd64, arm64 (default: all)")
	threads := fs.Int("threads", 4, "cycles of up to `N` threads, 2 to 4")
	asJSON := fs.Bool("json", false, "print JSON")
	if code, ok := parse(env, c, fs, args); !ok {
		return code
	}
	if *threads < 2 || *threads > 4 {
		return misuse(env, c, "-threads must be 2, 3 or 4, not %d", *threads)
	}
	prims, err := gen.Select(fs.Args())
	if err != nil {
		return misuse(env, c, "%v", err)
	}
	ts, err := gen.Targets(list(*arches))
	if err != nil {
		return misuse(env, c, "%v", err)
	}
	if *arches == "" {
		ts = targets.All
	}
	rows, err := prover.Verify(env.ctx, prims, ts, prover.Options{Threads: *threads, Minimal: true, Progress: counter(env, "primitives")})
	if err != nil {
		return fail(env, c, err)
	}
	if *asJSON {
		enc := json.NewEncoder(env.out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		err = enc.Encode(rows)
	} else {
		err = prover.Print(env.out, rows)
	}
	if err != nil {
		return fail(env, c, err)
	}
	if prover.Failed(rows) {
		return exitFindings
	}
	return exitOK
}
