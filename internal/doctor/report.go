package doctor

import (
	"fmt"
	"io"
	"strings"
)

// A Status is a property's outcome.
type Status string

const (
	Holds         Status = "holds"
	Broken        Status = "broken"
	NotApplicable Status = "not applicable"
)

// Advice goes with every broken property.
const Advice = "build with -tags barrier_conservative, which uses opaque assembly calls instead"

// A Finding is what was found of one property on one architecture.
type Finding struct {
	Arch        string `json:"arch"`
	Property    string `json:"property"`
	Status      Status `json:"status"`
	Sentence    string `json:"sentence"`
	Function    string `json:"function,omitempty"`    // the probe's function that broke it
	Instruction string `json:"instruction,omitempty"` // what is wrong in it, where one instruction is
	Advice      string `json:"advice,omitempty"`
}

// A Report is what Run found.
type Report struct {
	GoVersion string            `json:"goVersion"`
	Settings  map[string]string `json:"settings"` // per architecture, such as GOARM64=v8.0
	Seed      uint64            `json:"seed"`
	Findings  []Finding         `json:"findings"`
}

// Broken reports whether any property is.
func (r Report) Broken() bool {
	for _, f := range r.Findings {
		if f.Status == Broken {
			return true
		}
	}
	return false
}

// Print writes the report for people.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, seed %d\n", r.GoVersion, r.Seed)
	arch := ""
	for _, f := range r.Findings {
		if f.Arch != arch {
			arch = f.Arch
			fmt.Fprintf(&b, "\n%s", arch)
			if s := r.Settings[arch]; s != "" {
				fmt.Fprintf(&b, " (%s)", s)
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "  %-14s  %s\n", f.Status, f.Property)
		for _, line := range []struct{ head, text string }{
			{"", f.Sentence}, {"function: ", f.Function}, {"instruction: ", f.Instruction}, {"advice: ", f.Advice},
		} {
			if line.text != "" {
				fmt.Fprintf(&b, "  %-14s    %s%s\n", "", line.head, line.text)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
