package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"time"

	"golang.org/x/term"
)

func comparisons() []comparison {
	p := &operand.v
	release := loop("StoreRelease", func(n int) { storeRelease(p, n) })
	list := []comparison{
		{
			name: "StoreRelease/plain store", target: "at most 1.1", a: release,
			b:  loop("plain store", func(n int) { plainStore(p, n) }),
			ok: func(r float64) bool { return r <= 1.1 },
		},
		{
			name: "sync/atomic Store/StoreRelease", target: "at least 15",
			a: loop("atomic.StoreUint64", func(n int) { syncStore(p, n) }), b: release,
			ok: func(r float64) bool { return r >= 15 },
		},
		{
			name: "Full/cheapest inlined LOCKed operation", target: "at most 1.1", a: loop("Full", full),
			b: loop("atomic.SwapUint32", lockedSwap),
			orElse: []side{
				loop("atomic.AddUint32", lockedAdd), loop("atomic.AndUint32", lockedAnd),
				loop("atomic.OrUint32", lockedOr), loop("atomic.CompareAndSwapUint32", lockedCompareAndSwap),
			},
			ok: func(r float64) bool { return r <= 1.1 },
		},
	}
	list = append(list, assembly()...)
	list = append(list, rings()...)
	list = append(list,
		comparison{
			name: "StoreFull/sync/atomic Store", a: loop("StoreFull", func(n int) { storeFull(p, n) }),
			b: loop("atomic.StoreUint64", func(n int) { syncStore(p, n) }),
		},
		comparison{
			name: "LoadAcquire/sync/atomic Load", a: loop("LoadAcquire", func(n int) { loadAcquire(p, n) }),
			b: loop("atomic.LoadUint64", func(n int) { syncLoad(p, n) }),
		},
		comparison{
			name: "TestAndSetBit/sync/atomic Or", a: loop("TestAndSetBit", func(n int) { testAndSetBit(p, n) }),
			b: loop("atomic.OrUint64, result used", func(n int) { syncTestAndSetBit(p, n) }),
		},
		comparison{
			name: "SetBit/sync/atomic Or", a: loop("SetBit", func(n int) { setBit(p, n) }),
			b: loop("atomic.OrUint64, result dropped", func(n int) { syncSetBit(p, n) }),
		},
	)
	for _, e := range empties {
		c := comparison{name: e.name + "/empty loop", a: loop(e.name, e.loop), b: loop("empty loop", emptyLoop)}
		if runtime.GOARCH == "amd64" {
			c.target = "about 1"
		}
		list = append(list, c)
	}
	return list
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, term.IsTerminal(int(os.Stderr.Fd())))
	stop()
	os.Exit(code)
}

// run is main without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, out, errOut io.Writer, progress bool) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	reps := flags.Int("reps", 51, "repetitions of each side")
	length := flags.Duration("time", 4*time.Millisecond, "about how long one side runs each time")
	asJSON := flags.Bool("json", false, "print one JSON object per comparison")
	match := flags.String("run", "", "only comparisons whose name matches this regular expression")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	only, err := regexp.Compile(*match)
	switch {
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *reps < 1:
		err = fmt.Errorf("-reps %d: at least 1 is needed", *reps)
	case *length <= 0:
		err = fmt.Errorf("-time %v: must be positive", *length)
	}
	if err != nil {
		fmt.Fprintln(errOut, "bench:", err)
		return 2
	}

	var chosen []comparison
	for _, c := range comparisons() {
		if only.MatchString(c.name) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		fmt.Fprintf(errOut, "bench: -run %q matches no comparison\n", *match)
		return 2
	}
	if !*asJSON {
		fmt.Fprintf(out, "%s/%s, %s, %d processors; ratios of time per operation, %d repetitions\n\n",
			runtime.GOOS, runtime.GOARCH, runtime.Version(), runtime.GOMAXPROCS(0), *reps)
		fmt.Fprintf(out, "%-44s %8s  %-17s %7s %9s %9s  %s\n", "comparison", "median", "quartiles", "best", "ns", "ns", "target")
	}
	for i, c := range chosen {
		if progress {
			fmt.Fprintf(errOut, "\r\x1b[K%d/%d %s", i+1, len(chosen), c.name)
		}
		r, err := measure(ctx, c, *reps, *length)
		if progress {
			fmt.Fprint(errOut, "\r\x1b[K")
		}
		if err != nil {
			fmt.Fprintf(errOut, "bench: interrupted after %d of %d comparisons\n", i, len(chosen))
			return 130
		}
		if *asJSON {
			err = json.NewEncoder(out).Encode(r)
		} else {
			err = r.print(out)
		}
		if err != nil {
			fmt.Fprintln(errOut, "bench:", err)
			return 1
		}
	}
	return 0
}

func (r result) print(out io.Writer) error {
	verdict := ""
	switch {
	case r.Met != nil && *r.Met:
		verdict = r.Target + ": met"
	case r.Met != nil:
		verdict = r.Target + ": missed"
	case r.Target != "":
		verdict = r.Target
	}
	if r.Name == "Full/cheapest inlined LOCKed operation" {
		verdict += ", cheapest is " + r.B
	}
	if r.Disturbed > 0 {
		verdict += fmt.Sprintf(" (busy machine: %d runs disturbed)", r.Disturbed)
	}
	_, err := fmt.Fprintf(out, "%-44s %8.2f  %7.2f..%-8.2f %7.2f %9.2f %9.2f  %s\n",
		r.Name, r.Ratio.Median, r.Ratio.Low, r.Ratio.High, r.Best, r.ANanos, r.BNanos, verdict)
	return err
}
