package order

import (
	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/contract"
)

// assembly turns what a function's assembly does into a body. For the compiler it is a call that it can't look into; of
// architectures without it nothing is known.
func assembly(summaries []asm.Summary) *Body {
	if len(summaries) == 0 {
		return nil
	}
	b := &Body{Steps: map[string][]contract.Step{}, Assembly: true}
	for _, m := range everywhere() {
		for _, s := range summaries {
			if m.compiler {
				step := contract.Step{Orders: carried}
				if !s.Fence {
					step.Events = contract.All.Each()
				}
				b.Steps[m.Name] = []contract.Step{step}
			} else if m.target.Name == s.Arch {
				b.Steps[m.Name] = []contract.Step{s.Step}
			}
		}
	}
	b.Promised = b.Steps
	return b
}
