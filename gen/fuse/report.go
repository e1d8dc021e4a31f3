package fuse

import (
	"fmt"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// counts are of the instructions that access or order memory.
type counts struct{ instructions, fences, calls int }

func (c *counts) add(seq arch.Seq) {
	for _, in := range seq {
		if in.Prefix || len(in.Events) == 0 && len(in.Orders) == 0 {
			continue
		}
		c.instructions++
		if len(in.Events) == 0 {
			c.fences++
		}
	}
}

// before counts what the primitives by themselves are at the highest level of the target, and the calls of its default build.
func before(f *Function, t *arch.Target) (c counts) {
	l := &t.Levels[len(t.Levels)-1]
	for _, in := range f.Operations() {
		p := in.Prim
		if in.Dst == ir.None {
			p.Result = contract.NoResult
		}
		low := arch.Select(t, l, p, arch.Use{})
		if fence := low.Code.Flat(); p.Op == contract.Fence && len(fence) > 0 { // one instruction or a locked one
			c.fences++
			c.instructions++
		} else {
			c.add(fence)
		}
		if goForm(*in, t).Form == arch.Assembly {
			c.calls++
		}
	}
	return c
}

func after(f *Function, b *Build) (c counts) {
	for slot, in := range f.Operations() {
		seq := b.Plans[0].Options[slot].Seq
		if in.Prim.Op == contract.Fence && len(seq) > 0 {
			c.fences++
			c.instructions++
			continue
		}
		c.add(seq)
	}
	c.calls = 1
	return c
}

// Report is a table: for each function and architecture the instructions that access or order memory, the fences and the calls, and the
// cost in cycles by the target's table, as they are and fused. Where LSE may be missing, instructions and fences are those
// with it, and calls those of the default build.
func Report(pkgs []*Package) string {
	rows := [][]string{{"function", "architecture", "instructions", "fences", "calls", "cycles", "form"}}
	for _, p := range pkgs {
		for _, s := range p.Sources {
			for _, f := range s.Functions {
				for _, b := range f.Builds {
					was := before(f, b.Target)
					form := "assembly"
					now := was
					cost := b.GoCost
					if b.Kept == "" {
						now, cost = after(f, b), b.Cost
					} else {
						form = "Go: " + b.Kept
					}
					change := func(a, b int) string { return fmt.Sprintf("%d -> %d", a, b) }
					rows = append(rows, []string{p.Name + "." + f.Name, b.Target.Name, change(was.instructions, now.instructions), change(was.fences, now.fences),
						change(was.calls, now.calls), change(b.GoCost, cost), form})
				}
			}
		}
	}
	return strings.Join(gen.Align(rows), "\n") + "\n"
}

// Explain says for each function and architecture what became of each fence.
func Explain(pkgs []*Package) string {
	var b strings.Builder
	for _, p := range pkgs {
		for _, s := range p.Sources {
			for _, f := range s.Functions {
				fmt.Fprintf(&b, "%v: %s\n", p.at(f.Pos), f.Name)
				for _, build := range f.Builds {
					if build.Kept != "" {
						fmt.Fprintf(&b, "  %s: the Go body stays: %s\n", build.Target.Name, build.Kept)
					}
					for _, plan := range build.Plans {
						fmt.Fprintf(&b, "  %s\n", plan.Machine.Name)
						for _, r := range plan.Reasons() {
							fmt.Fprintf(&b, "    line %d: %s: %s: it %s\n", p.at(r.Op.Pos).Line, r.Op.Name(), r.Code, r.Text)
						}
						if plan.Exhausted {
							b.WriteString("    the search for the cheapest code was cut short\n")
						}
					}
				}
			}
		}
	}
	return b.String()
}
