package litmus

import "encoding/json"

// jsonResult is a result as -json prints it, one object in a line.
type jsonResult struct {
	File        string              `json:"file"`
	Test        string              `json:"test"`
	Arch        string              `json:"arch"`
	Model       string              `json:"model"`
	Kind        string              `json:"kind"`
	Condition   string              `json:"condition"`
	States      []map[string]string `json:"states"`
	Partial     bool                `json:"partial,omitempty"`
	Ok          bool                `json:"ok"`
	Observation string              `json:"observation"`
	Positive    int                 `json:"positive"`
	Negative    int                 `json:"negative"`
	Flags       []string            `json:"flags,omitempty"`
	Warnings    []string            `json:"warnings,omitempty"`
	Seconds     float64             `json:"seconds"`
}

// jsonError is a file without a result.
type jsonError struct {
	File    string `json:"file"`
	Error   string `json:"error"`
	Stopped bool   `json:"stopped,omitempty"` // by a limit of the search
}

// MarshalJSON gives the result as one object. Values are strings: a number, or a location's name for its address.
func (r *Result) MarshalJSON() ([]byte, error) {
	t := r.Test
	states := make([]map[string]string, len(r.States))
	for i, s := range r.States {
		states[i] = make(map[string]string, len(s))
		for k, v := range s {
			states[i][t.Observed[k].Name] = t.FormatValue(v)
		}
	}
	return json.Marshal(jsonResult{
		File: t.File, Test: t.Name, Arch: t.Program.Arch, Model: r.Model, Kind: t.Quantifier.Kind(), Condition: t.Condition(),
		States: states, Partial: r.Partial, Ok: r.Ok, Observation: r.Observation, Positive: r.Positive, Negative: r.Negative,
		Flags: r.Flags, Warnings: r.Warnings(), Seconds: r.Time.Seconds(),
	})
}
