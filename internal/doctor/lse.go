package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/barriergen/barriergen/internal/machine"
)

const (
	lseProperty = "with LSE guaranteed, sync/atomic's read-modify-writes are acquire-release LSE instructions that keep the old value"
	lseLevel    = "GOARM64=v8.1"
)

// lseCalls are the operations; the discarded forms matter most, as without a destination register the
// instruction would not be an acquire.
var lseCalls = []struct{ name, result, call string }{
	{"Add", "uint%[1]d", "atomic.AddUint%[1]d(p, v)"},
	{"And", "uint%[1]d", "atomic.AndUint%[1]d(p, v)"},
	{"Or", "uint%[1]d", "atomic.OrUint%[1]d(p, v)"},
	{"Swap", "uint%[1]d", "atomic.SwapUint%[1]d(p, v)"},
	{"CompareAndSwap", "bool", "atomic.CompareAndSwapUint%[1]d(p, w, v)"},
	{"CompareZeroAndSwap", "bool", "atomic.CompareAndSwapUint%[1]d(p, 0, v)"},
}

func lseSource() (source []byte, names []string) {
	var b strings.Builder
	b.WriteString("package lse\n\nimport \"sync/atomic\"\n\n")
	for _, width := range widths {
		for _, c := range lseCalls {
			name := fmt.Sprintf("%s%d", c.name, width)
			names = append(names, name+"Used", name+"Discarded")
			fmt.Fprintf(&b, "//go:noinline\nfunc "+name+"Used(p *uint%[1]d, v, w uint%[1]d) "+c.result+" { return "+c.call+" }\n\n", width)
			fmt.Fprintf(&b, "//go:noinline\nfunc "+name+"Discarded(p *uint%[1]d, v, w uint%[1]d) { "+c.call+" }\n\n", width)
		}
	}
	fmt.Fprintf(&b, "var Funcs = []any{%s}\n", strings.Join(names, ", "))
	return []byte(b.String()), names
}

// checkLSE compiles for v8.1, unless the user's level guarantees LSE already.
func (e *examination) checkLSE(ctx context.Context, _ *machine.Binary) error {
	if e.arch != "arm64" {
		e.notApplicable(lseProperty, "LSE is arm64's")
		return nil
	}
	setting := e.tools.level
	if !guaranteesLSE(setting) {
		setting = lseLevel
	}
	source, names := lseSource()
	m := module{"lse/lse.go": source, "lsemain/main.go": mainSource("lse")}
	bin, err := e.tools.build(ctx, e.dir, m, "./lsemain", setting)
	if err != nil {
		return err
	}
	limits := []limit{
		{machine.Load | machine.Store | machine.Atomic | machine.Acquire | machine.Release, 1, 1},
		{machine.Atomic, 1, 1}, {machine.NoResult, 0, 0}, {machine.Exclusive, 0, 0}, {machine.Call, 0, 0}, {machine.Unknown, 0, 0},
	}
	for _, name := range names {
		f, err := bin.Func("doctor/lse." + name)
		if err != nil {
			return err
		}
		if problem, inst := check(f, limits); problem != "" {
			if inst == "" && f.Count(machine.Atomic) > 0 {
				inst = f.Find(machine.Atomic)[0].String()
			}
			e.broken(lseProperty, setting+": "+problem, f.Name, inst)
			return nil
		}
	}
	e.holds(lseProperty, fmt.Sprintf("%s: all %d functions, with the result used and discarded", setting, len(names)))
	return nil
}

func guaranteesLSE(setting string) bool {
	level := strings.TrimPrefix(setting, "GOARM64=")
	return strings.Contains(level, ",lse") || level != "" && !strings.HasPrefix(level, "v8.0")
}
