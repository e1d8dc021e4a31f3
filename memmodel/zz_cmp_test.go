package memmodel_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/barriergen/barriergen/litmus"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/models"
	"syscall"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func stateStr(t *litmus.Test, st []memmodel.Value) string {
	var b strings.Builder
	for i, v := range st {
		fmt.Fprintf(&b, "%s=%s; ", t.Observed[i].Name, t.FormatValue(v))
	}
	return strings.TrimSpace(b.String())
}

func norm(s string) string {
	parts := strings.Split(s, " | ")
	sort.Strings(parts)
	return strings.Join(parts, " | ")
}

func TestZZ(t *testing.T) {
	folder := os.Getenv("ZZ")
	mode := memmodel.States
	counts := 0
	if os.Getenv("ZZMODE") == "v" {
		mode = memmodel.Verdict
	}
	if os.Getenv("ZZMODE") == "a" {
		mode = memmodel.All
	}
	r := &litmus.Runner{Mode: mode}
	if mn := os.Getenv("ZZMODEL"); mn != "" {
		r.Model, _ = models.Load(mn)
	}
	base := "/work/shared/litmus/" + folder
	data, _ := os.ReadFile(base + "/verdicts.tsv")
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	agree, bad, errs := 0, 0, 0
	var total time.Duration
	cpu0 := cpu()
	type slow struct {
		n string
		d time.Duration
	}
	var slows []slow
	for _, l := range lines {
		f := strings.Split(l, "\t")
		if only := os.Getenv("ONLY"); only != "" && !strings.Contains(f[0], only) {
			continue
		}
		start := time.Now()
		test, err := litmus.ParseFile(filepath.Join(base, f[0]))
		if err != nil {
			errs++
			if errs < 10 {
				fmt.Println("ERR", err)
			}
			continue
		}
		res, err := r.Run(test)
		d := time.Since(start)
		total += d
		slows = append(slows, slow{f[0], d})
		if err != nil {
			errs++
			if errs < 10 {
				fmt.Println("ERR", f[0], err)
			}
			continue
		}
		var ss []string
		for _, s := range res.States {
			ss = append(ss, stateStr(test, s))
		}
		got := norm(strings.Join(ss, " | "))
		want := norm(f[11])
		statesBad := got != want && mode == memmodel.States
		if folder == "x86" && len(f) > 14 && f[14] != f[6] {
			statesBad = false
		}
		fl := strings.Join(res.Flags, ",")
		if fl == "" {
			fl = "-"
		}
		if fl != f[12] && mode != memmodel.Verdict {
			fmt.Println("FLAGS", f[0], "got", fl, "want", f[12])
		}
		if os.Getenv("ZZMODE") == "a" && (fmt.Sprint(res.Positive) != f[7] || fmt.Sprint(res.Negative) != f[8]) {
			counts++
			if counts < 12 {
				fmt.Println("COUNT", f[0], "got", res.Positive, res.Negative, "want", f[7], f[8])
			}
		}
		if res.Observation != f[6] || statesBad {
			bad++
			if bad <= 40 {
				fmt.Println("DIFF", f[0], "got", res.Observation, "want", f[6])
				if os.Getenv("ONLY") != "" {
					fmt.Println("  got ", got, "\n  want", want)
				}
			}
		} else {
			agree++
		}
	}
	sort.Slice(slows, func(i, j int) bool { return slows[i].d > slows[j].d })
	for i := 0; i < 5 && i < len(slows); i++ {
		fmt.Println("SLOW", slows[i])
	}
	fmt.Println(folder, "agree", agree, "bad", bad, "errs", errs, "counts", counts, "total", total, "cpu", cpu()-cpu0)
}
