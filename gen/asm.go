package gen

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/printer"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// dialect is what an architecture's assembly needs beyond its table: registers, moves, and how an instruction is spelled.
type dialect interface {
	// inst is one instruction at a width, with registers in place of roles. Jumps go to labels.
	inst(in arch.Inst, width int, label func(index int) operand.Op) (*ir.Instruction, error)
	// load and store move a parameter or result of a width in bits.
	load(from operand.Mem, to arch.Role, width int) (*ir.Instruction, error)
	store(from arch.Role, to operand.Mem, width int) (*ir.Instruction, error)
}

var dialects = map[string]dialect{"amd64": x86Dialect{}, "arm64": armDialect{}}

// asmConstraint is where assembly functions exist: the race detector does not see assembly.
const asmConstraint = "!purego && !race"

// assembly emits the assembly files, and the stubs that declare their functions.
func assembly(p *plan) ([]File, error) {
	var files []File
	for _, t := range p.targets {
		for _, f := range contract.Families {
			fns := p.asmFuncs(t, f)
			if len(fns) == 0 {
				continue
			}
			file := &ir.File{Constraints: constraints("!purego", "!race"), Includes: []string{"textflag.h"}}
			stubs := goHeader(asmConstraint, p.Package)
			for _, fn := range fns {
				irf, err := build(fn, dialects[t.Name])
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", t.Name, fn.name, err)
				}
				file.AddSection(irf)
				stubs += fmt.Sprintf("// %s is %s.\n//\n//go:noescape\nfunc %s%s\n\n", fn.name, fn.candidate, fn.name, fn.signature)
			}
			src, err := printAsm(file)
			if err != nil {
				return nil, err
			}
			stub, err := formatGo(stubs)
			if err != nil {
				return nil, err
			}
			base := "z" + string(f)
			files = append(files, File{base + "_" + t.Name + ".s", src}, File{base + "_stubs_" + t.Name + ".go", stub})
		}
	}
	return files, nil
}

// constraints is the conjunction of terms such as "!purego".
func constraints(terms ...string) buildtags.Constraints {
	var out buildtags.Constraints
	for _, t := range terms {
		out = append(out, buildtags.Constraint{buildtags.Option{buildtags.Term(t)}})
	}
	return out
}

func printAsm(f *ir.File) ([]byte, error) {
	return printer.NewGoAsm(printer.Config{Name: "barriergen"}).Print(f)
}

// builder collects the nodes of one function and the first error.
type builder struct {
	*ir.Function
	err error
}

func (b *builder) add(in *ir.Instruction, err error) {
	if err != nil && b.err == nil {
		b.err = err
	}
	if err == nil {
		b.AddInstruction(in)
	}
}

// raw is a line that is no instruction of avo's: a prefix, a return, or the preprocessor.
func raw(opcode string, ops ...operand.Op) *ir.Instruction {
	return &ir.Instruction{Opcode: opcode, Operands: ops}
}

// ret ends a function; the printer leaves a line free behind it.
func ret() *ir.Instruction { return &ir.Instruction{Opcode: "RET", IsTerminal: true} }

// build makes the function: parameters into registers, the sequence, results out. Where a second sequence serves CPUs
// without the feature, it is chosen at run time, unless the build guarantees the feature.
func build(fn asmFunc, d dialect) (*ir.Function, error) {
	b := &builder{Function: ir.NewFunction(fn.name)}
	b.Attributes = attr.NOSPLIT
	sig, err := gotypes.ParseSignature("func" + fn.signature.String())
	if err != nil {
		return nil, err
	}
	b.SetSignature(sig)
	for i, role := range fn.signature.roles {
		c, err := sig.Params().At(i).Resolve()
		if err != nil {
			return nil, err
		}
		b.add(d.load(c.Addr, role, bitsOf(fn.signature.types[i])))
	}
	if fn.candidate.Else != nil {
		b.AddInstruction(raw("#ifndef GOARM64_LSE"))
		for _, in := range armDispatch("exclusive") {
			b.AddInstruction(in)
		}
		b.AddInstruction(raw("#endif"))
	}
	finish := func(seq arch.Seq, prefix string) {
		b.sequence(seq, fn.width, prefix, d)
		for i, role := range fn.signature.out {
			c, err := sig.Results().At(i).Resolve()
			if err != nil {
				b.err = err
				return
			}
			width := fn.width
			if role == arch.Result && fn.signature.result != fmt.Sprintf("uint%d", fn.width) {
				width = 8
			}
			b.add(d.store(role, c.Addr, width))
		}
		b.AddInstruction(ret())
	}
	finish(fn.candidate.Code, "l")
	if fn.candidate.Else != nil {
		b.AddInstruction(raw("#ifndef GOARM64_LSE"))
		b.AddLabel("exclusive")
		finish(fn.candidate.Else, "x")
		b.AddInstruction(raw("#endif"))
	}
	return b.Function, b.err
}

// sequence appends a sequence, with labels where it jumps to.
func (b *builder) sequence(seq arch.Seq, width int, prefix string, d dialect) {
	target := map[int]bool{}
	for _, in := range seq {
		for _, a := range in.Args {
			if a.Jump {
				target[int(a.N)] = true
			}
		}
	}
	name := func(i int) string { return fmt.Sprintf("%s%d", prefix, i) }
	label := func(i int) operand.Op { return operand.LabelRef(name(i)) }
	for i, in := range seq {
		if target[i] {
			b.AddLabel(ir.Label(name(i)))
		}
		b.add(d.inst(in, width, label))
	}
	if target[len(seq)] {
		b.AddLabel(ir.Label(name(len(seq))))
	}
}

func bitsOf(typ string) int {
	for _, w := range []int{8, 32} {
		if typ == fmt.Sprintf("uint%d", w) {
			return w
		}
	}
	return 64
}
