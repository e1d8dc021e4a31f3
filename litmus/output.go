package litmus

import (
	"strconv"
	"time"

	"github.com/barriergen/barriergen/memmodel"
)

// AppendReport appends the result in herd7's form.
func (r *Result) AppendReport(out []byte) []byte {
	t := r.Test
	out = append(out, "Test "...)
	out = append(out, t.Name...)
	out = append(out, ' ')
	out = append(out, t.Quantifier.Kind()...)
	out = append(out, "\nStates "...)
	out = strconv.AppendInt(out, int64(len(r.States)), 10)
	out = append(out, '\n')
	for _, s := range r.States {
		out = t.AppendState(out, s)
		out = append(out, '\n')
	}
	out = append(out, r.Validation()...)
	out = append(out, "\nWitnesses\nPositive: "...)
	out = strconv.AppendInt(out, int64(r.Positive), 10)
	out = append(out, " Negative: "...)
	out = strconv.AppendInt(out, int64(r.Negative), 10)
	out = append(out, '\n')
	for _, f := range r.Flags {
		out = append(out, "Flag "...)
		out = append(out, f...)
		out = append(out, '\n')
	}
	for _, w := range r.Warnings() {
		out = append(out, "Warning "...)
		out = append(out, w...)
		out = append(out, '\n')
	}
	out = append(out, "Condition "...)
	out = t.appendCondition(out)
	out = append(out, "\nObservation "...)
	out = append(out, t.Name...)
	out = append(out, ' ')
	out = append(out, r.Observation...)
	out = append(out, ' ')
	out = strconv.AppendInt(out, int64(r.Positive), 10)
	out = append(out, ' ')
	out = strconv.AppendInt(out, int64(r.Negative), 10)
	out = append(out, "\nTime "...)
	out = append(out, t.Name...)
	out = append(out, ' ')
	out = strconv.AppendFloat(out, r.Time.Round(10*time.Millisecond).Seconds(), 'f', 2, 64)
	return append(out, "\n\n"...)
}

// Validation is Ok or No, and Loop before it where a loop was cut.
func (r *Result) Validation() string {
	v := "No"
	if r.Ok {
		v = "Ok"
	}
	if r.Unrolled > 0 {
		return "Loop " + v
	}
	return v
}

// AppendState appends a final state, as in "0:X1=1; [x]=2;".
func (t *Test) AppendState(out []byte, state []memmodel.Value) []byte {
	for i, v := range state {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, t.Observed[i].Name...)
		out = append(out, '=')
		out = t.appendValue(out, v)
		out = append(out, ';')
	}
	return out
}
