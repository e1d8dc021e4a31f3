package arch

import (
	"fmt"

	"github.com/barriergen/barriergen/contract"
)

// why is the sentence that explains a selection. It is computed from the same orders that decided it.
func why(low Lowering) string {
	t, p := low.Target, low.Primitive
	if p.Op != contract.Fence {
		return access(low)
	}
	switch {
	case len(p.Orders) == 0:
		return "It orders nothing in the machine, so only the compiler barrier is left."
	case !low.Empty():
		return fmt.Sprintf("It is not empty: %s. Of the candidates that give it, this is the cheapest (%d cycles).", lacking(low), low.Cost)
	case given(low, neighbour{}):
		return fmt.Sprintf("Empty: %s %s, which is all that is asked (%v).", t.Name, t.FreeDoc, p.Set())
	default:
		return fmt.Sprintf("Empty: %s already gives the order on %s.", p.Binds, t.Name)
	}
}

func access(low Lowering) string {
	t, p := low.Target, low.Primitive
	asked := "nothing is asked but one access that the compiler keeps"
	if len(p.Orders) > 0 {
		asked = "asked: " + contract.Describe(p.Orders)
	}
	form := "inlined, without a call"
	if low.Form == Assembly {
		form = fmt.Sprintf("an assembly function, %d cycles of call included", t.CallCost)
	}
	s := fmt.Sprintf("The cheapest candidate that covers the contract (%s): %s, %d cycles.", asked, form, low.Cost)
	if p.Op.RMW() && len(p.Orders) > 0 && len(t.WeakestRMW.Orders) > 0 {
		s += " Every locked operation of " + t.Name + " is full, so the order costs nothing extra."
	}
	if low.Note != "" {
		s += " " + low.Note
	}
	return s
}

// given reports whether an empty sequence has all demanded orders beside the given neighbour.
func given(low Lowering, near neighbour) bool {
	_, ok := uncovered(low.Target.Free, low.Primitive.Orders, place(low.Primitive, near, nil), low.Target.strength)
	return ok
}

// lacking says which demanded order nothing would give if the sequence were empty.
func lacking(low Lowering) string {
	t, p := low.Target, low.Primitive
	for _, near := range neighbours(t, low.Level, p.Binds) {
		if o, ok := uncovered(t.Free, p.Orders, place(p, near, nil), t.strength); !ok {
			beside := ""
			if p.Binds != contract.Anything {
				beside = ", not even beside " + string(p.Binds)
			}
			return fmt.Sprintf("%s by itself does not order %v%s", t.Name, o, beside)
		}
	}
	return "nothing lacks"
}
