package prover

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Failed reports whether any row is broken or not minimal without a reason.
func Failed(rows []Row) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Status == Broken || r.Status == NotMinimal })
}

// marks are what the matrix shows for a status.
var marks = map[Status]string{Proved: "proved", Broken: "BROKEN", Sourced: "sourced", NoModel: "no model", NoOrder: "nothing to do", NotMinimal: "NOT MINIMAL"}

// Print writes the matrix, a line per primitive and a column per architecture and level, and below it what needs words: what
// is broken, and where weaker code would do, with the reason why it is not used.
func Print(w io.Writer, rows []Row) error {
	type cell struct{ prim, column string }
	var prims, columns []string
	cells := map[cell]string{}
	notes := map[string][]string{}
	var order, empties []string
	note := func(text, where string) {
		if notes[text] == nil {
			order = append(order, text)
		}
		notes[text] = append(notes[text], where)
	}
	programs, forbidden, pairs, ordered := 0, 0, 0, 0
	for _, r := range rows {
		column := strings.TrimSpace(r.Arch + " " + r.Level)
		if !slices.Contains(prims, r.Primitive) {
			prims = append(prims, r.Primitive)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		text := marks[r.Status]
		if r.Code == "empty" && r.Status == Proved {
			text = "proved empty"
		}
		if len(r.NotMinimal) > 0 && r.Status == Proved {
			text += "*"
		}
		k := cell{r.Primitive, column}
		if old, ok := cells[k]; !ok || severity(text) > severity(old) {
			cells[k] = text
		}
		where := fmt.Sprintf("%s on %s", r.Primitive, column)
		if r.Variant != "" {
			where += " " + r.Variant
		}
		for _, b := range r.Breaks {
			note("broken: "+r.Code+" allows "+b, where)
		}
		for _, m := range r.NotMinimal {
			note(m, where)
		}
		pairs, ordered = pairs+r.Pairs, ordered+r.Ordered
		if text == "proved empty" {
			empties = append(empties, fmt.Sprintf("  %s on %s: %s\n    It keeps forbidden: %s.\n", r.Primitive, column, r.Why, r.Keeps))
		}
		programs, forbidden = programs+r.Programs, forbidden+r.Forbidden
	}
	width := len("primitive")
	for _, p := range prims {
		width = max(width, len(p))
	}
	line := func(first string, cellOf func(column string) string) string {
		s := fmt.Sprintf("%-*s", width, first)
		for _, c := range columns {
			s += fmt.Sprintf("  %-*s", max(len(c), 13), cellOf(c))
		}
		return strings.TrimRight(s, " ") + "\n"
	}
	out := line("primitive", func(c string) string { return c })
	for _, p := range prims {
		out += line(p, func(c string) string { return cells[cell{p, c}] })
	}
	if len(empties) > 0 {
		out += "\nempty, and why:\n" + strings.Join(empties, "")
	}
	if len(order) > 0 {
		out += "\n* weaker code would do:\n"
		for _, text := range order {
			at := notes[text]
			if len(at) > 3 {
				at = append(at[:3:3], fmt.Sprintf("and %d more", len(at)-3))
			}
			out += "  " + text + "\n    " + strings.Join(at, ", ") + "\n"
		}
	}
	out += fmt.Sprintf("\n%d pairs of accesses, of which the contracts order %d; every one of these is looked for in the code.\n", pairs, ordered)
	out += fmt.Sprintf("%d programs, of which the contracts forbid %d; every outcome that a contract forbids is tried on the machine.\n", programs, forbidden)
	_, err := io.WriteString(w, out)
	return err
}

// severity orders what stands in one cell for several variants.
func severity(text string) int {
	for i, s := range []string{"", "proved empty", "proved", "proved*", "NOT MINIMAL", "BROKEN"} {
		if s == text {
			return i
		}
	}
	return 0
}
