package fuse

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/front"
	"github.com/barriergen/barriergen/gen/fuse/ir"
	"github.com/barriergen/barriergen/gen/fuse/order"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/prover"
)

const (
	// proofThreads is how many threads the programs of a proof have at most: with three a write is seen by one thread and passed on.
	proofThreads = 3
	// proofPaths is how many ways through a function are tried. A function with more is refused.
	proofPaths = 2000
)

// Verify proves the functions of a package that was compiled: on no path, no pair of accesses shows an outcome, in no
// critical cycle, that the contracts of the primitives forbid. The contracts are the kernel's model's, the code is that
// of the plans, on the model of the machine.
func Verify(ctx context.Context, p *Package) error {
	comparers := map[string]*prover.Comparer{}
	var errs []error
	for _, s := range p.Sources {
		for _, f := range s.Functions {
			for _, b := range f.Builds {
				if b.Kept != "" {
					continue
				}
				c := comparers[b.Target.Name]
				if c == nil {
					var err error
					if c, err = prover.NewComparer(b.Target, proofThreads); err != nil {
						return err
					}
					comparers[b.Target.Name] = c
				}
				for _, plan := range b.Plans {
					got, err := Prove(ctx, f, plan, c)
					if large := (*TooLarge)(nil); errors.As(err, &large) {
						errs = append(errs, &front.Error{Pos: p.at(f.Pos), Text: large.Error()})
						continue
					}
					if err != nil {
						return err
					}
					for _, outcome := range got.New {
						errs = append(errs, &front.Error{Pos: p.at(f.Pos), Text: fmt.Sprintf("%s on %s shows what its primitives forbid: %s", f.Name, plan.Machine.Name, outcome)})
						break
					}
				}
			}
		}
	}
	return errors.Join(errs...)
}

// TooLarge is a function that a proof does not get through.
type TooLarge struct {
	f    *Function
	what string
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("%s has %s, more than the proof looks at: split it", e.f.Name, e.what)
}

// Prove compares a plan of a function with the contracts, on every path. A function that is too large for that is a *TooLarge.
func Prove(ctx context.Context, f *Function, plan *order.Plan, c *prover.Comparer) (prover.Comparison, error) {
	var out prover.Comparison
	ops := f.Operations()
	paths := order.Paths(f.Func, proofPaths+1)
	if len(paths) > proofPaths {
		return out, &TooLarge{f, fmt.Sprintf("more than %d paths, where loops run once and twice", proofPaths)}
	}
	for _, path := range paths {
		for _, before := range callers(ops, path, plan.Machine.Target) {
			line := prover.Line{Before: f.Entry != 0, After: f.Exit != 0, Operations: before}
			for _, v := range path {
				o := prover.Operation{Primitive: ops[v.Slot].Prim, Fails: v.Fails, Code: plan.Options[v.Slot].Seq}
				if ops[v.Slot].Dst < 0 && o.Primitive.Op.RMW() && !o.Primitive.Op.Conditional() && o.Primitive.Result != contract.NoResult {
					o.Primitive.Result = contract.OldValue // the model sees it read, though nobody wants the value
				}
				line.Operations = append(line.Operations, o)
			}
			got, err := c.Compare(ctx, line)
			if limit := (*memmodel.LimitError)(nil); errors.As(err, &limit) {
				return out, &TooLarge{f, fmt.Sprintf("a path of more than %d %s", limit.Limit, limit.What)}
			}
			if err != nil {
				return out, err
			}
			out.Programs, out.Forbidden, out.New = out.Programs+got.Programs, out.Forbidden+got.Forbidden, append(out.New, got.New...)
		}
	}
	return out, nil
}

// callers are the operations of the caller that a fence of the path binds to, in each form that they may have; one empty line if there is
// no such fence.
func callers(ops []*ir.Instr, path []order.Visit, t *arch.Target) [][]prover.Operation {
	var out [][]prover.Operation
	for _, v := range path {
		var p contract.Primitive
		var forms []arch.Candidate
		switch ops[v.Slot].Prim.Binds {
		case contract.LastSyncRMW: // as sync/atomic is compiled, with the least of a contract
			p, _ = contract.Lookup("AddRelaxed")
			forms = slices.DeleteFunc(slices.Clone(t.Levels[0].Candidates()[p.Op]), func(c arch.Candidate) bool { return c.Form != arch.Inline })
		case contract.LastSRCU:
			p, _ = contract.Lookup("AddFull")
			forms = []arch.Candidate{arch.Select(t, &t.Levels[0], p, arch.Use{}).Candidate}
		}
		for _, c := range forms {
			for _, seq := range c.Variants() {
				out = append(out, []prover.Operation{{Primitive: p, Code: seq.Flat()}})
			}
		}
	}
	if out == nil {
		return [][]prover.Operation{nil}
	}
	return out
}
