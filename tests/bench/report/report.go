// Package report writes what was measured: as Markdown, which a terminal shows as well, and as a chart.
package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/barriergen/barriergen/tests/bench/measure"
)

// Report is a run of the benchmark.
type Report struct {
	Machine Machine
	Results []measure.Result
}

// Machine is where and how it ran.
type Machine struct {
	Date       string
	Processor  string
	Processors int
	System     string  // GOOS/GOARCH and the kernel
	Go         string  // version
	Compiler   string  // of the peers; empty if there is none
	Membarrier string  // empty if the kernel has the call, else why not
	CyclesPer  float64 // nanosecond; 0 if unknown
	Reps       int
	Missing    []string // why peers are missing
}

// Markdown writes all of it, with the chart under the given name.
func (r Report) Markdown(w io.Writer, chart string) error {
	var b strings.Builder
	b.WriteString("# Measurements\n\nWritten by `go run ./tests/bench`, all of it in one run. The sides of an experiment ran in turn; a ratio is the median of the ratios of " +
		"neighbours, followed by minimum, maximum, standard deviation and number of runs. Published figures are others', from other machines: what compares is the ratio, " +
		"or, where the published figure is of a larger whole, the difference.\n\n")
	r.Machine.write(&b)
	fmt.Fprintf(&b, "\n![ratios](%s)\n\n## Goals\n\n", chart)
	r.goals(&b)
	for _, result := range r.Results {
		b.WriteString("\n")
		Section(&b, result, r.Machine.CyclesPer)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (m Machine) write(b *strings.Builder) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "- %s: %s\n", name, value)
		}
	}
	line("Date", m.Date)
	line("Machine", fmt.Sprintf("%s, %d processors, %s, %s", m.Processor, m.Processors, m.System, m.Go))
	if m.CyclesPer > 0 {
		line("Cycles", fmt.Sprintf("of the time-stamp counter, measured at %.3f GHz", m.CyclesPer))
	}
	line("Peers", m.Compiler)
	line("No membarrier(2)", m.Membarrier)
	for _, why := range m.Missing {
		line("Missing", why)
	}
	line("Runs", fmt.Sprintf("%d of each side, in turn, each thread pinned to a processor", m.Reps))
}

// Head writes what comes before the sections in a terminal.
func Head(w io.Writer, m Machine) error {
	var b strings.Builder
	m.write(&b)
	_, err := io.WriteString(w, b.String()+"\n")
	return err
}

// goals is what was promised, and what came of it.
func (r Report) goals(b *strings.Builder) {
	rows := [][]string{{"goal", "", "measured", "", "what it depends on"}}
	for _, result := range r.Results {
		for _, c := range result.Compared {
			if c.Goal == nil {
				continue
			}
			measured := "not measured"
			if c.Ours != nil {
				measured = number(c.Ours.Median)
			}
			rows = append(rows, []string{c.Name, c.Goal.String(), measured, verdict(c), c.Note})
		}
	}
	table(b, rows)
}

func verdict(c measure.Compared) string {
	switch {
	case c.Goal == nil:
		return ""
	case c.Met == nil:
		return "not measured"
	case *c.Met:
		return "met"
	}
	return "**not met**"
}

// Section writes one experiment.
func Section(w io.Writer, r measure.Result, cyclesPer float64) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", r.Name, r.About)
	sides(&b, r, cyclesPer)
	if len(r.Compared) > 0 {
		b.WriteString("\n")
		comparisons(&b, r, cyclesPer)
		notes(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func sides(b *strings.Builder, r measure.Result, cyclesPer float64) {
	head := []string{"side", "figure", "median", "minimum", "maximum", "deviation", "runs", "cycles"}
	inCycles := func(m measure.Metric) bool { return cyclesPer > 0 && m.Unit == "ns" }
	some := false
	for _, m := range r.Metrics {
		some = some || inCycles(m)
	}
	if !some {
		head = head[:len(head)-1]
	}
	rows := [][]string{head}
	for _, s := range r.Sides {
		if s.Missing != "" {
			rows = append(rows, []string{s.Name, "not measured: " + s.Missing})
			continue
		}
		for i, m := range r.Metrics {
			f := s.Figures[i]
			runs := fmt.Sprint(f.N)
			if s.Disturbed > 0 {
				runs += fmt.Sprintf(" (%d disturbed)", s.Disturbed)
			}
			figure := m.Name
			if m.Unit != "" {
				figure += ", " + m.Unit
			}
			row := []string{s.Name, figure, number(f.Median), number(f.Min), number(f.Max), number(f.Deviation), runs}
			if inCycles(m) {
				row = append(row, number(f.Median*cyclesPer))
			}
			rows = append(rows, row)
		}
	}
	table(b, rows)
}

func comparisons(b *strings.Builder, r measure.Result, cyclesPer float64) {
	rows := [][]string{{"comparison", "published", "ours", "difference", "peer", "goal"}}
	for _, c := range r.Compared {
		row := make([]string, 6)
		row[0] = c.Name
		if p := c.Published; p != nil {
			row[1] = published(p)
		}
		row[2], row[4] = summary(c.Ours), summary(c.Peer)
		if c.Difference != nil {
			row[3] = number(*c.Difference) + " " + c.Unit
			if c.Unit == "ns" && cyclesPer > 0 {
				row[3] += ", " + number(*c.Difference*cyclesPer) + " cycles"
			}
		}
		if c.Goal != nil {
			row[5] = c.Goal.String() + ": " + verdict(c)
		}
		rows = append(rows, row)
	}
	table(b, rows)
}

func published(p *measure.Published) string {
	if p.Under == 0 {
		return exact(p.Over) + " " + p.Unit
	}
	return fmt.Sprintf("%s / %s %s = %s", exact(p.Over), exact(p.Under), p.Unit, number(p.Figure()))
}

// exact is a figure as it was published.
func exact(v float64) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

func summary(s *measure.Summary) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf("%s (%s to %s, ± %s, %d)", number(s.Median), number(s.Min), number(s.Max), number(s.Deviation), s.N)
}

// notes are what the table has no room for.
func notes(b *strings.Builder, r measure.Result) {
	first := true
	for _, c := range r.Compared {
		var parts []string
		if c.PeerOver != "" {
			peer := c.PeerOver
			if c.PeerUnder != "" {
				peer += " / " + c.PeerUnder
			}
			parts = append(parts, "Peer: "+peer+".")
		}
		if c.Published != nil {
			parts = append(parts, "Published: "+c.Published.Source+".")
		}
		if c.Note != "" {
			parts = append(parts, c.Note)
		}
		if len(parts) == 0 {
			continue
		}
		if first {
			b.WriteString("\n")
			first = false
		}
		fmt.Fprintf(b, "- %s: %s\n", c.Name, strings.Join(parts, " "))
	}
}

// number has three significant digits, and a suffix from a million on.
func number(v float64) string {
	abs := math.Abs(v)
	switch {
	case abs >= 999.5e6:
		return number(v/1e9) + " G"
	case abs >= 999.5e3:
		return number(v/1e6) + " M"
	case abs >= 99.95 || v == 0:
		return fmt.Sprintf("%.0f", v)
	case abs >= 9.995:
		return fmt.Sprintf("%.1f", v)
	case abs >= 0.095:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// table writes rows, the first of which is the head, in Markdown whose columns are aligned.
func table(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			cell = strings.ReplaceAll(cell, "|", `\|`)
			row[i] = cell
			if len(row) == len(rows[0]) || i < len(row)-1 { // the last cell of a short row may run over
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	line := func(row []string) {
		text := "|"
		for i, width := range widths {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			text += fmt.Sprintf(" %-*s |", width, cell)
		}
		b.WriteString(text + "\n")
	}
	line(rows[0])
	rule := make([]string, len(widths))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", max(1, width))
	}
	line(rule)
	for _, row := range rows[1:] {
		line(row)
	}
}
