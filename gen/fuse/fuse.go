// Package fuse turns Go functions made of this project's primitives into one assembly function per architecture, in which
// neighbouring operations order each other.
//
// The functions stand in a file with the line
//
//	//go:build barriergen
//
// They are ordinary Go, type-check, and run with -tags barriergen. For every other build there are generated files beside
// it: for amd64 and arm64 assembly where that is cheaper than the primitives by themselves, and else the same bodies. So the
// source is the fallback, the documentation and the specification.
//
//	pkgs, err := fuse.Load(ctx, ".", []string{"./..."})
//	...
//	err = fuse.Compile(pkg, fuse.Options{})
//	files, err := fuse.Files(pkg)
//
// A function may say in its doc comment that callers rely on less than they could:
//
//	//barriergen:entry none
//	//barriergen:exit none
//
// mean that nothing that a caller did before needs to be ordered by this function, and nothing that it does afterwards.
//
// A fault in assembly is fatal, and assembly checks no bounds. So a function that uses a 16-byte cell or a bitmap, which must be its parameter or at a
// constant distance from one, begins with a check in Go: that a handle has a cell, that an address is not nil and aligned to 16 bytes, that a bit is within.
// Where that does not hold, or the CPU lacks the instruction, the Go body runs: it panics where, and with the words that, the source says. A handle
// can't be misaligned: those who make one see to that.
package fuse

import (
	"errors"
	"fmt"
	"go/token"
	"slices"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/front"
	"github.com/barriergen/barriergen/gen/fuse/ir"
	"github.com/barriergen/barriergen/gen/fuse/native"
	"github.com/barriergen/barriergen/gen/fuse/order"
)

// Function is a function to fuse.
type Function struct {
	front.Function
	Builds []*Build // one per native target
	src    *Source
}

// Build is what a function became on an architecture.
type Build struct {
	Target *arch.Target
	Plans  []*order.Plan  // one, or a second for CPUs that lack a feature
	Codes  []*native.Code // of the plans; one if they are alike
	// Cost and GoCost are the memory operations in cycles, fused with the call of the function, and as the primitives by themselves
	// are built.
	Cost, GoCost int
	// Kept says why the Go body stays; empty if the assembly is used.
	Kept string
}

// Options say how to compile.
type Options struct {
	Assembly bool // also where the Go body costs no more
}

// Compile compiles the functions of a package.
func Compile(p *Package, opt Options) error {
	var errs []error
	for _, s := range p.Sources {
		for _, f := range s.Functions {
			f.Builds = nil
			for _, t := range targets.Native {
				b, err := compile(f.Func, t, opt)
				if err != nil {
					errs = append(errs, position(p, err))
					break
				}
				f.Builds = append(f.Builds, b)
			}
		}
	}
	return errors.Join(errs...)
}

// position gives an error its place in the source.
func position(p *Package, err error) error {
	var e *native.Error
	if errors.As(err, &e) {
		return &front.Error{Pos: p.Fset.Position(e.Pos), Text: e.Text}
	}
	return err
}

func compile(fn *ir.Func, t *arch.Target, opt Options) (*Build, error) {
	b := &Build{Target: t, GoCost: goCost(fn, t)}
	for _, m := range order.Machines(t) {
		plan, err := order.Choose(fn, m)
		var loop *order.LoopError
		if errors.As(err, &loop) {
			b.Plans, b.Codes, b.Kept = nil, nil, loop.Error()+", and such a loop in assembly can't be preempted"
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		code, err := native.Compile(fn, plan, "")
		if err != nil {
			return nil, err
		}
		if len(b.Codes) == 1 && !slices.Equal(b.Codes[0].Lines, code.Lines) { // labels of its own
			if code, err = native.Compile(fn, plan, "x"); err != nil {
				return nil, err
			}
		}
		b.Plans, b.Codes = append(b.Plans, plan), append(b.Codes, code)
		b.Cost += plan.Cost
	}
	b.Cost /= len(b.Plans)
	if len(b.Codes) == 2 && slices.Equal(b.Codes[0].Lines, b.Codes[1].Lines) {
		b.Codes = b.Codes[:1]
	}
	b.Cost += t.CallCost + dispatch*(len(b.Codes)-1)
	if !opt.Assembly && b.Cost >= b.GoCost {
		b.Kept = fmt.Sprintf("fusing gains nothing: %d cycles with the call, %d as it is", b.Cost, b.GoCost)
	}
	return b, nil
}

// dispatch is what the choice at run time costs: a load and a branch.
const dispatch = 2

// goCost is what the memory operations cost as the default build of the target has them.
func goCost(fn *ir.Func, t *arch.Target) int {
	n := 0
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.Memory {
				n += b.Weight * goForm(in, t).Cost
			}
		}
	}
	return n
}

// goForm is the primitive by itself.
func goForm(in ir.Instr, t *arch.Target) arch.Lowering {
	p := in.Prim
	if in.Dst == ir.None {
		p.Result = contract.NoResult // the compiler sees that nobody wants it
	}
	return arch.Select(t, &t.Levels[0], p, arch.Use{})
}

// at is a position in the package's files.
func (p *Package) at(pos token.Pos) token.Position { return p.Fset.Position(pos) }
