package litmus

import (
	"strings"

	"github.com/barriergen/barriergen/memmodel"
)

// TB is what Check needs of a *testing.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Check runs a test given as text and fails t if its condition does not hold: write exists for what must be possible, and
// ~exists for what must not be. The model is one of models.Names, or a *.cat file; an empty name is the model of the test's architecture.
// The failure shows the final states and the execution, or the cycle, that explains them.
func Check(t TB, model, source string) {
	t.Helper()
	test, err := Parse([]byte(source), "litmus")
	if err != nil {
		t.Fatalf("%v", err)
		return
	}
	var r Runner
	if model != "" {
		if r.Model, err = LoadModel(model); err != nil {
			t.Fatalf("%v", err)
			return
		}
	}
	res, err := r.Run(test)
	if err != nil {
		t.Fatalf("%v", err)
		return
	}
	if res.Ok {
		return
	}
	why := ""
	if e, err := r.Explain(test); err == nil {
		why = Explain(e)
	}
	t.Errorf("the condition does not hold under %s:\n%s%s", res.Model, res.AppendReport(nil), why)
}

// Explain puts an explanation into words: the execution's events, and the axiom that forbids it with its cycle.
func Explain(e *memmodel.Explanation) string {
	if e == nil {
		return "no execution satisfies the condition, whatever the model\n"
	}
	var b strings.Builder
	x := e.Execution
	if e.Violation == nil {
		b.WriteString("allowed by this execution:\n")
	} else {
		b.WriteString("forbidden by " + e.Violation.Axiom + " (" + e.Violation.Kind + "):\n")
		for _, edge := range e.Violation.Cycle {
			b.WriteString("  " + eventText(x, edge.From) + "  --" + edge.Name + "-->  " + eventText(x, edge.To) + "\n")
		}
		return b.String()
	}
	for i := range x.Events {
		b.WriteString("  " + eventText(x, i) + "\n")
	}
	for _, edge := range x.Edges {
		if edge.Name == "rf" || edge.Name == "co" {
			b.WriteString("  " + eventText(x, edge.From) + "  --" + edge.Name + "-->  " + eventText(x, edge.To) + "\n")
		}
	}
	return b.String()
}
