package litmus

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/barriergen/barriergen/memmodel"
)

// eventText describes an event: its thread, what it does, and the tags that the model knows it by.
func eventText(x *memmodel.Execution, i int) string {
	e := &x.Events[i]
	var b strings.Builder
	if e.Thread < 0 {
		b.WriteString("init: ")
	} else {
		b.WriteString("P" + strconv.Itoa(e.Thread) + ": ")
	}
	b.WriteString(eventLabel(x, i))
	if e.Line > 0 {
		b.WriteString(" (line " + strconv.Itoa(e.Line) + ")")
	}
	return b.String()
}

// eventLabel is what an event does, as R[x]=1, with its tags in parentheses.
func eventLabel(x *memmodel.Execution, i int) string {
	e := &x.Events[i]
	p := x.Program
	var tags []string
	for k, name := range p.Tags {
		if e.Tags>>k&1 != 0 {
			tags = append(tags, name)
		}
	}
	label := "F"
	if e.Kind != memmodel.KindF {
		value := strconv.FormatInt(e.Value, 10)
		if l, ok := p.LocAt(e.Value); ok {
			value = p.Locs[l].Name
		}
		label = map[memmodel.Kind]string{memmodel.KindR: "R", memmodel.KindW: "W"}[e.Kind] + "[" + p.Locs[e.Loc].Name + "]=" + value
	}
	if len(tags) > 0 {
		label += " (" + strings.Join(tags, ",") + ")"
	}
	return label
}

// edgeColors are the colours of the relations that a drawing shows; others are drawn in purple.
var edgeColors = map[string]string{
	"po": "black", "rf": "red", "co": "blue", "fr": "darkorange", "rmw": "gray40", "addr": "darkgreen", "data": "darkgreen", "ctrl": "darkgreen",
}

// WriteDot draws an explanation for Graphviz: the events by thread with their relations, and in bold the cycle that forbids
// the execution, if one does.
func WriteDot(w io.Writer, t *Test, e *memmodel.Explanation) error {
	var b strings.Builder
	b.WriteString("digraph litmus {\n\tnode [shape=plaintext, fontname=\"Helvetica\"];\n\tedge [fontname=\"Helvetica\", fontsize=11];\n")
	if e == nil {
		fmt.Fprintf(&b, "\tlabel=%q;\n}\n", t.Name+": no execution satisfies the condition, whatever the model")
		_, err := io.WriteString(w, b.String())
		return err
	}
	x := e.Execution
	title := t.Name + ": allowed"
	if e.Violation != nil {
		title = t.Name + ": forbidden by " + e.Violation.Axiom
	}
	fmt.Fprintf(&b, "\tlabel=%q;\n\tlabelloc=t;\n", title)
	for thread := -1; thread < len(x.Program.Threads); thread++ {
		if thread >= 0 {
			fmt.Fprintf(&b, "\tsubgraph cluster_%d {\n\t\tlabel=\"P%d\";\n\t\tcolor=gray80;\n", thread, thread)
		}
		for i := range x.Events {
			if x.Events[i].Thread == thread {
				fmt.Fprintf(&b, "\t\te%d [label=%q];\n", i, eventLabel(x, i))
			}
		}
		if thread >= 0 {
			b.WriteString("\t}\n")
		}
	}
	onCycle := map[[2]int]string{}
	if e.Violation != nil {
		for _, c := range e.Violation.Cycle {
			onCycle[[2]int{c.From, c.To}] = c.Name
		}
	}
	for _, edge := range x.Edges {
		color, known := edgeColors[edge.Name]
		if !known {
			continue
		}
		style := ""
		key := [2]int{edge.From, edge.To}
		if onCycle[key] == edge.Name {
			style = ", penwidth=3"
			delete(onCycle, key)
		}
		fmt.Fprintf(&b, "\te%d -> e%d [label=%q, color=%q, fontcolor=%q%s];\n", edge.From, edge.To, edge.Name, color, color, style)
	}
	if e.Violation != nil {
		for _, c := range e.Violation.Cycle {
			if name, left := onCycle[[2]int{c.From, c.To}]; left && name == c.Name {
				fmt.Fprintf(&b, "\te%d -> e%d [label=%q, color=\"purple\", fontcolor=\"purple\", penwidth=3];\n", c.From, c.To, c.Name)
			}
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// SVG has Graphviz render a drawing. ok is false where Graphviz is not installed.
func SVG(ctx context.Context, dot []byte) (svg []byte, ok bool, err error) {
	path, err := exec.LookPath("dot")
	if err != nil {
		return nil, false, nil
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "-Tsvg")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(dot), &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, true, fmt.Errorf("graphviz: %w: %s", err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out.Bytes(), true, nil
}
