package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen"
	"github.com/barriergen/barriergen/internal/doctor"
)

var doctorCommand = command{
	name:  "doctor",
	args:  "[-arch LIST] [-go CMD] [-seed N] [-accesses N] [-json]",
	short: "check what the generated code relies on, with your own Go toolchain",
	long: `Doctor compiles probes with your go command and your GOAMD64, GOARM64 and GOEXPERIMENT settings, decodes the machine code and says for each property
that inlined barriers rely on whether it holds. It runs none of what it compiles. If anything is broken, build with -tags barrier_conservative.
`,
	run: runDoctor,
}

func runDoctor(env environ, c command, fs *flag.FlagSet, args []string) int {
	arches := fs.String("arch", "", "64-bit GOARCHes to look at, a comma-separated `LIST` (default: the go command's own)")
	goCmd := fs.String("go", "go", "the go `CMD` to look at")
	seed := fs.Uint64("seed", 1, "seed `N` of the random probe")
	accesses := fs.Int("accesses", 840, "at least `N` accesses in the random probe")
	asJSON := fs.Bool("json", false, "print JSON")
	if code, ok := parse(env, c, fs, args); !ok {
		return code
	}
	if fs.NArg() > 0 {
		return misuse(env, c, "unexpected argument %q", fs.Arg(0))
	}
	if *accesses <= 0 {
		return misuse(env, c, "-accesses must be positive, not %d", *accesses)
	}
	cfg := doctor.Config{GoCommand: *goCmd, Arches: list(*arches), Seed: *seed, Accesses: *accesses,
		Generate: func(names []string) (map[string][]byte, error) {
			for i, n := range names { // of functions; the primitive is without the type
				names[i] = strings.TrimSuffix(strings.TrimSuffix(n, "Uint32"), "Uint64")
			}
			files, err := gen.Generate(gen.Config{Package: "prim", Only: names})
			return emitted(files), err
		},
		Empties: empties,
	}
	var progress func(string)
	if isTerminal(environ{out: env.err}) {
		progress = func(s string) { fmt.Fprintf(env.err, "\r\x1b[K%s", s) }
	}
	report, err := doctor.Run(env.ctx, cfg, progress)
	if progress != nil {
		fmt.Fprint(env.err, "\r\x1b[K")
	}
	if err != nil {
		return fail(env, c, err)
	}
	if *asJSON {
		enc := json.NewEncoder(env.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(report)
	} else {
		err = report.Print(env.out)
	}
	if err != nil {
		return fail(env, c, err)
	}
	if report.Broken() {
		return exitFindings
	}
	return exitOK
}

// empties are the fences that are claimed to be empty on a GOARCH with a setting such as GOARM64=v8.1.
func empties(goarch, setting string) []string {
	t, ok := targets.Lookup(goarch)
	if !ok {
		t = targets.Generic
	}
	l := &t.Levels[0]
	_, version, _ := strings.Cut(setting, "=")
	if len(t.Levels) > 1 && version != "" && !strings.HasPrefix(version, t.Levels[0].Name) {
		l = &t.Levels[1]
	}
	var names []string
	for _, p := range contract.Of(contract.Barrier) {
		if arch.Select(t, l, p, arch.Use{}).Empty() {
			names = append(names, p.Name)
		}
	}
	return names
}
