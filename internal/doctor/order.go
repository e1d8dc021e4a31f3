package doctor

import (
	"context"
	"fmt"

	"github.com/barriergen/barriergen/internal/machine"
)

const orderProperty = "a compiler barrier keeps the order of loads and stores"

// checkOrder compares the probe with its source, and then the control, which has an empty function in the
// barrier's place: a check that finds nothing wrong there would find nothing anywhere.
func (e *examination) checkOrder(_ context.Context, bin *machine.Binary) error {
	wrong, err := e.mismatches(bin, "probe")
	if err != nil {
		return err
	}
	control, err := e.mismatches(bin, "control")
	if err != nil {
		return err
	}
	total := len(e.probe.funcs)
	switch {
	case len(wrong) > 0:
		w := wrong[0]
		e.broken(orderProperty, fmt.Sprintf("%d of %d functions are wrong; in the first, %s", len(wrong), total, w.problem),
			w.function, w.instruction)
	case len(control) == 0:
		e.broken(orderProperty, fmt.Sprintf(
			"not decidable: negative control did not fail, that is, all %d functions are right even without the barrier", total), "", "")
	default:
		e.holds(orderProperty, fmt.Sprintf(
			"%d accesses in %d functions are neither reordered nor merged nor dropped; with an empty function as the barrier, %d functions are wrong",
			e.probe.accesses, total, len(control)))
	}
	return nil
}

type wrongFunc struct {
	function string
	*mismatch
}

func (e *examination) mismatches(bin *machine.Binary, pkg string) ([]wrongFunc, error) {
	var wrong []wrongFunc
	for _, f := range e.probe.funcs {
		code, err := bin.Func("doctor/" + pkg + "." + f.name)
		if err != nil {
			return nil, err
		}
		if m := compare(sourceFlow(f.body), machineFlow(code)); m != nil {
			wrong = append(wrong, wrongFunc{pkg + "." + f.name, m})
		}
	}
	return wrong, nil
}
