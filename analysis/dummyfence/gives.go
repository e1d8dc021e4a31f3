package dummyfence

import (
	"slices"

	"github.com/barriergen/barriergen/analysis/internal/report"
	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// given is what operations order around themselves on one architecture: pairs of an earlier and a later access, for an
// operation nothing, the machine's own order.
type given struct {
	arch       string
	free, have contract.Set
}

// gives says what operations, one behind the other, order on each architecture, in every variant that may run.
func gives(operations []contract.Op) []given {
	var out []given
	for _, t := range targets.All {
		for i := range t.Levels {
			l := &t.Levels[i]
			name := t.Name
			switch {
			case t == targets.Generic:
				name = "other architectures"
			case len(t.Levels) > 1:
				name += " " + l.Name
			}
			g := given{name, across(t, nil), contract.Full}
			for _, steps := range variants(t, l, operations) {
				g.have &= across(t, steps)
			}
			out = append(out, g)
		}
	}
	return out
}

// variants are the sequences that operations may be.
func variants(t *arch.Target, l *arch.Level, operations []contract.Op) [][]contract.Step {
	var out [][]contract.Step
	for _, rmw := range l.SyncRMW {
		lines := [][]contract.Step{nil}
		for _, op := range operations {
			steps := []contract.Step{rmw.Step}
			switch op {
			case contract.Load:
				steps = []contract.Step{l.SyncLoad.Step}
			case contract.Store:
				steps = []contract.Step{l.SyncStore.Step}
			case contract.CompareAndSwap: // it may find another value
				steps = append(steps, failed(t, rmw.Step))
			}
			var next [][]contract.Step
			for _, line := range lines {
				for _, s := range steps {
					next = append(next, append(slices.Clone(line), s))
				}
			}
			lines = next
		}
		out = append(out, lines...)
	}
	return out
}

// failed is a compare-and-swap that did not write. What the fallback's machines order then is not known.
func failed(t *arch.Target, s contract.Step) contract.Step {
	s.Events = slices.DeleteFunc(slices.Clone(s.Events), func(c contract.Classes) bool { return c&contract.Writes != 0 })
	if t == targets.Generic {
		s.Orders = nil
	}
	return s
}

// across are the pairs of plain accesses that are ordered with steps between them.
func across(t *arch.Target, steps []contract.Step) contract.Set {
	plain := map[bool]contract.Classes{true: contract.PlainRead, false: contract.PlainWrite}
	var set contract.Set
	for _, pair := range []struct {
		from, to bool
		set      contract.Set
	}{{true, true, contract.RR}, {true, false, contract.RW}, {false, true, contract.WR}, {false, false, contract.WW}} {
		line := []contract.Step{{Events: []contract.Classes{plain[pair.from]}}}
		line = append(append(line, steps...), contract.Step{Events: []contract.Classes{plain[pair.to]}})
		m := contract.LocalOrder(t.Free, contract.Normal, contract.Local, line)
		last := len(line) - 1
		if m.Ordered(0, m.Of(last)[0]) {
			set |= pair.set
		}
	}
	return set
}

// describe is a sentence part: "a full fence on amd64, no fence on arm64 v8.0 and other architectures".
func describe(all []given) string {
	var kinds []string
	where := map[string][]string{}
	for _, g := range all {
		kind := "no fence"
		switch {
		case g.have == contract.Full:
			kind = "a full fence"
		case g.have != g.free:
			kind = "a fence for " + (g.have &^ g.free).String() + " only"
		}
		if where[kind] == nil {
			kinds = append(kinds, kind)
		}
		where[kind] = append(where[kind], g.arch)
	}
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		if len(kinds) == 1 {
			return kind + " on any architecture"
		}
		parts[i] = kind + " on " + report.List(where[kind])
	}
	return report.List(parts)
}
