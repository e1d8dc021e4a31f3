package missingorder

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// locked are the functions that lock something, and those that such a function calls, with the lock held then. Another caller, without a
// lock, takes the function in and is judged with it.
func (c *checker) locked() map[*ssa.Function]bool {
	callers, open, out := map[*ssa.Function][]*ssa.Function{}, map[*ssa.Function]bool{}, map[*ssa.Function]bool{}
	for _, g := range c.graphs {
		if g.locked {
			out[g.fn] = true
		}
		for _, b := range g.fn.Blocks {
			for _, in := range b.Instrs {
				uses(in, func(fn *ssa.Function, called bool) {
					if called {
						callers[fn] = append(callers[fn], g.fn)
					} else {
						open[fn] = true
					}
				})
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for fn, by := range callers {
			if out[fn] || open[fn] || fn.Object() == nil || fn.Object().Exported() {
				continue
			}
			if slices.ContainsFunc(by, func(caller *ssa.Function) bool { return out[caller] }) {
				out[fn], changed = true, true
			}
		}
	}
	return out
}

// uses visits the functions that an instruction calls, now or when it returns, and those that it does something else with.
func uses(in ssa.Instruction, visit func(fn *ssa.Function, called bool)) {
	origin := func(fn *ssa.Function) *ssa.Function {
		if o := fn.Origin(); o != nil {
			return o
		}
		return fn
	}
	var callee *ssa.Function
	if call, ok := in.(ssa.CallInstruction); ok {
		callee = call.Common().StaticCallee()
	}
	if callee != nil {
		_, later := in.(*ssa.Go)
		visit(origin(callee), !later)
	}
	var space [8]*ssa.Value
	for _, op := range in.Operands(space[:0]) {
		if fn, ok := (*op).(*ssa.Function); ok && fn != callee {
			visit(origin(fn), false)
		}
	}
}
