package prover

import (
	"fmt"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/models"
)

// targetRealizer is what a primitive becomes on a machine: the very sequences that the generator prints.
type targetRealizer struct {
	target  *arch.Target
	level   *arch.Level
	variant int // 0: with the level's feature; 1: without it, where that is known at run time only
	// sequence returns the code of a primitive; tests of minimality put a weakened one in its place.
	sequence func(p contract.Primitive, macro bool) (arch.Seq, error)
}

// machineModels are the models of the native targets.
var machineModels = map[string]struct {
	model, arch string
	tags        []string
}{
	"amd64": {"x86tso", "X86_64", []string{"X", "MFENCE", "LFENCE", "SFENCE"}},
	"arm64": {"aarch64", "AArch64", []string{"A", "Q", "L", "X", "NoRet", "ISB", "DMB.ISH", "DMB.ISHLD", "DMB.ISHST", "DMB.OSH", "DMB.OSHLD", "DMB.OSHST",
		"DSB.SY", "DSB.LD", "DSB.ST"}},
}

func newTarget(t *arch.Target, l *arch.Level, variant int) *targetRealizer {
	r := &targetRealizer{target: t, level: l, variant: variant}
	type key struct {
		name  string
		macro bool
	}
	known := map[key]arch.Seq{}
	r.sequence = func(p contract.Primitive, macro bool) (arch.Seq, error) {
		k := key{p.Name, macro}
		if seq, ok := known[k]; ok {
			return seq, nil
		}
		low, err := arch.Find(t, l, p, arch.Use{Macro: macro})
		if err != nil {
			return nil, err
		}
		known[k] = r.choose(low)
		return known[k], nil
	}
	return r
}

// choose is the variant's code of a lowering.
func (r *targetRealizer) choose(low arch.Lowering) arch.Seq {
	if r.variant == 1 && low.Else != nil {
		return low.Else.Flat()
	}
	return low.Code.Flat()
}

func (r *targetRealizer) model() (*memmodel.Model, error) { return models.Load(r.machine().model) }
func (r *targetRealizer) arch() string                    { return r.machine().arch }
func (r *targetRealizer) tags() []string                  { return r.machine().tags }

func (r *targetRealizer) machine() struct {
	model, arch string
	tags        []string
} {
	return machineModels[r.target.Name]
}

func (r *targetRealizer) tag(names ...string) memmodel.Tags { return tagSet(r.tags(), names...) }

func (r *targetRealizer) plain(b *builder, a access) memmodel.Reg { return contractAccess(b, a, 0, 0) }

func (r *targetRealizer) strong(b *builder) {
	tag := "MFENCE"
	if r.target.Name == "arm64" {
		tag = "DMB.ISH"
	}
	b.emit(memmodel.Instr{Op: memmodel.OpFence, Tags: r.tag(tag)})
}

// frame holds the registers of one sequence: a role is a register.
type frame struct {
	*builder
	regs  map[arch.Role]memmodel.Reg
	addr  memmodel.Value
	jumps []forward
	stack memmodel.Value // a slot of the stack, once there is one
	flags memmodel.Reg   // nonzero if the last comparison found a difference
	noRet bool
}

// forward is a jump: the instruction of the thread, and where in the sequence it goes.
type forward struct{ from, to int }

// jump goes to an instruction of the sequence further on if the condition holds.
func (f *frame) jump(fn memmodel.Fn, a, b memmodel.Operand, to int) {
	f.jumps = append(f.jumps, forward{len(f.thread.Code), to})
	f.emit(memmodel.Instr{Op: memmodel.OpBranch, Fn: fn, A: a, B: b})
}

func (f *frame) role(r arch.Role) memmodel.Reg {
	reg, ok := f.regs[r]
	if !ok {
		reg = f.reg(string(r), 0)
		f.regs[r] = reg
	}
	return reg
}

func (f *frame) set(r arch.Role, v memmodel.Value) { f.regs[r] = f.reg(string(r), v) }

func (r *targetRealizer) primitive(b *builder, p piece, a *access) (memmodel.Reg, error) {
	prim := *p.prim
	seq, err := r.sequence(prim, p.macro)
	if err != nil {
		return memmodel.NoReg, err
	}
	f := &frame{builder: b, regs: map[arch.Role]memmodel.Reg{}, flags: memmodel.NoReg, noRet: p.macro && prim.Op.RMW() && prim.Result == contract.NoResult}
	if prim.Op != contract.Fence {
		f.operands(prim, p, a)
	}
	starts := make([]int, len(seq)+1)
	for i, in := range seq {
		starts[i] = len(b.thread.Code)
		locked := i > 0 && seq[i-1].Prefix
		to, jumps := jump(in)
		if err := r.inst(f, in, locked, jumps && to > i); err != nil {
			return memmodel.NoReg, fmt.Errorf("%s on %s: %s: %w", prim.Name, r.target.Name, seq, err)
		}
	}
	starts[len(seq)] = len(b.thread.Code)
	for _, j := range f.jumps {
		b.thread.Code[j.from].Target = starts[j.to]
	}
	if prim.Operand == contract.Wide {
		b.hi = f.role(arch.SeenHi)
	}
	return f.observed(prim, r.target.Name), nil
}

// observed is the register that holds what an operation read, if it shows.
func (f *frame) observed(prim contract.Primitive, target string) memmodel.Reg {
	roles := []arch.Role{arch.SeenLo, arch.Old, arch.Result}
	if prim.Op == contract.CompareAndSwap && target == "arm64" { // there Old stays what was expected
		roles = []arch.Role{arch.Tmp}
	}
	for _, role := range roles {
		if reg, ok := f.regs[role]; ok {
			return reg
		}
	}
	return memmodel.NoReg
}

// operands puts the operands into the registers of their roles.
func (f *frame) operands(prim contract.Primitive, p piece, a *access) {
	switch {
	case prim.Op.RMW():
		addr, operand, expected := operandsOf(f.builder, prim, p, a)
		f.addr = addr
		f.set(arch.Val, operand)
		if prim.Op == contract.CompareAndSwap || prim.Op == contract.CompareAndSwap2 {
			f.set(arch.Old, expected)
			f.set(arch.New, operand)
			f.set(arch.OldLo, expected)
			f.set(arch.NewLo, operand)
			f.set(arch.OldHi, f.half(expected))
			f.set(arch.NewHi, f.half(operand))
		}
	case a == nil:
		f.addr = f.scratch()
		f.set(arch.Val, f.values[0])
	default:
		f.addr = f.builder.addr(a.loc)
		val := f.values[a.val]
		if prim.Op == contract.UnlockBit { // and: it keeps the bits of the value to write
			val = ^(f.values[max(a.val-1, 0)] &^ val)
		}
		f.set(arch.Val, val)
	}
}

// at is the operand for an address.
func (f *frame) at(a arch.Arg) memmodel.Operand {
	if a.Role == arch.StackP {
		if f.stack == 0 {
			f.stack = f.scratch()
		}
		return memmodel.K(f.stack)
	}
	return memmodel.K(f.addr + memmodel.Value(a.N/8)*(f.prog.Addr(1)-f.prog.Addr(0)))
}

func (f *frame) value(a arch.Arg) memmodel.Operand {
	if a.Imm {
		return memmodel.K(a.N)
	}
	return memmodel.R(f.role(a.Role))
}

// inst appends an instruction. A jump that does not go forward ends a round of a loop, and this round is the last one.
func (r *targetRealizer) inst(f *frame, in arch.Inst, locked, forward bool) error {
	if r.target.Name == "amd64" {
		return r.x86(f, in, locked)
	}
	return r.arm(f, in, forward)
}

// x86Fn are the operations of amd64 on registers and memory.
var x86Fn = map[string]memmodel.Fn{"ADD": memmodel.FnAdd, "AND": memmodel.FnAnd, "OR": memmodel.FnOr, "XOR": memmodel.FnXor, "XADD": memmodel.FnAdd, "SHR": memmodel.FnShr,
	"XCHG": memmodel.FnB, "BTS": memmodel.FnOr, "BTR": memmodel.FnAndNot, "BTC": memmodel.FnXor} // of the bit's mask

func (r *targetRealizer) x86(f *frame, in arch.Inst, locked bool) error {
	x := r.tag("X")
	fn, computes := x86Fn[in.Name]
	switch {
	case in.Prefix:
	case strings.HasSuffix(in.Name, "FENCE"):
		f.emit(memmodel.Instr{Op: memmodel.OpFence, Tags: r.tag(in.Name)})
	case in.Name == "CMPXCHG16B":
		f.compareExchange16(in, locked, x)
	case in.Name == "CMPXCHG":
		repl := in.Args[0].Role
		expected := f.role(arch.Old)
		wanted := f.reg("wanted", 0)
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: wanted, A: memmodel.R(expected)})
		if locked {
			f.emit(memmodel.Instr{Op: memmodel.OpCAS, Dst: expected, A: memmodel.K(f.addr), C: memmodel.R(f.role(repl)), D: memmodel.R(expected), Tags: x, WTags: x})
		} else { // it stores in any case, the old value if the comparison fails
			stored := f.reg("stored", 0)
			f.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: expected, A: memmodel.K(f.addr)})
			f.emit(memmodel.Instr{Op: memmodel.OpPick, Fn: memmodel.FnEq, Dst: stored, A: memmodel.R(expected), B: memmodel.R(wanted),
				C: memmodel.R(f.role(repl)), D: memmodel.R(expected)})
			f.emit(memmodel.Instr{Op: memmodel.OpStore, A: memmodel.K(f.addr), C: memmodel.R(stored)})
		}
		f.flags = f.reg("flags", 0)
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnSub, Dst: f.flags, A: memmodel.R(expected), B: memmodel.R(wanted)})
	case in.Name == "JNE": // the loop ends when the exchange succeeds
		f.emit(memmodel.Instr{Op: memmodel.OpAssume, Fn: memmodel.FnEq, A: memmodel.R(f.flags), B: memmodel.K(0)})
	case in.Name == "MOV" && in.Args[0].Mem:
		f.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: f.role(in.Args[1].Role), A: f.at(in.Args[0])})
	case in.Name == "MOV" && in.Args[1].Mem:
		f.emit(memmodel.Instr{Op: memmodel.OpStore, A: f.at(in.Args[1]), C: f.value(in.Args[0])})
	case in.Name == "MOV":
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: f.role(in.Args[1].Role), A: f.value(in.Args[0])})
	case computes && len(in.Args) == 2 && in.Args[1].Mem:
		// The register gets the old value of XADD and XCHG; of the others it does not show.
		dst := f.reg("old", 0)
		if in.Name == "XADD" || in.Name == "XCHG" {
			dst = f.role(in.Args[0].Role)
		}
		if locked || in.Name == "XCHG" {
			f.emit(memmodel.Instr{Op: memmodel.OpRMW, Fn: fn, Dst: dst, A: f.at(in.Args[1]), C: f.value(in.Args[0]), Tags: x, WTags: x})
			break
		}
		old, sum := f.reg("old", 0), f.reg("new", 0)
		f.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: old, A: f.at(in.Args[1])})
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: fn, Dst: sum, A: memmodel.R(old), B: f.value(in.Args[0])})
		f.emit(memmodel.Instr{Op: memmodel.OpStore, A: f.at(in.Args[1]), C: memmodel.R(sum)})
	case computes:
		dst := f.role(in.Args[1].Role)
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: fn, Dst: dst, A: memmodel.R(dst), B: f.value(in.Args[0])})
	case strings.HasPrefix(in.Name, "SET"): // the result
	default:
		return fmt.Errorf("no meaning is known for %s", in.Name)
	}
	return nil
}

// armAMO are the LSE families.
var armAMO = map[string]memmodel.Fn{"LDADD": memmodel.FnAdd, "LDCLR": memmodel.FnAndNot, "LDOR": memmodel.FnOr, "LDEOR": memmodel.FnXor, "SWP": memmodel.FnB}

var armALU = map[string]memmodel.Fn{"ADD": memmodel.FnAdd, "AND": memmodel.FnAnd, "ORR": memmodel.FnOr, "EOR": memmodel.FnXor}

func (r *targetRealizer) arm(f *frame, in arch.Inst, forward bool) error {
	read, write := memmodel.Tags(0), memmodel.Tags(0)
	if strings.HasSuffix(in.Name, "A") || strings.HasSuffix(in.Name, "AL") {
		read = r.tag("A")
	}
	if strings.HasSuffix(in.Name, "L") {
		write = r.tag("L")
	}
	if f.noRet {
		read |= r.tag("NoRet")
	}
	exclusive := r.tag("X")
	for family, fn := range armAMO {
		if rest, ok := strings.CutPrefix(in.Name, family); ok && (rest == "" || rest == "A" || rest == "L" || rest == "AL") {
			f.emit(memmodel.Instr{Op: memmodel.OpRMW, Fn: fn, Dst: f.role(in.Args[2].Role), A: f.at(in.Args[1]), C: f.value(in.Args[0]), Tags: read, WTags: write})
			return nil
		}
	}
	if fn, ok := armALU[in.Name]; ok {
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: fn, Dst: f.role(in.Args[2].Role), A: f.value(in.Args[1]), B: f.value(in.Args[0])})
		return nil
	}
	switch in.Name {
	case "DMB", "DSB":
		f.emit(memmodel.Instr{Op: memmodel.OpFence, Tags: r.tag(in.Name + "." + in.Args[0].Name)})
	case "MOV":
		if in.Args[0].Mem {
			f.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: f.role(in.Args[1].Role), A: f.at(in.Args[0])})
		} else {
			f.emit(memmodel.Instr{Op: memmodel.OpStore, A: f.at(in.Args[1]), C: f.value(in.Args[0])})
		}
	case "LDAR", "LDAPR":
		f.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: f.role(in.Args[1].Role), A: f.at(in.Args[0]), Tags: r.tag(map[string]string{"LDAR": "A", "LDAPR": "Q"}[in.Name])})
	case "STLR":
		f.emit(memmodel.Instr{Op: memmodel.OpStore, A: f.at(in.Args[1]), C: f.value(in.Args[0]), WTags: r.tag("L")})
	case "LDXR", "LDAXR", "LDXP", "LDAXP":
		tags := exclusive
		if strings.HasPrefix(in.Name, "LDA") {
			tags |= r.tag("A")
		}
		f.emit(memmodel.Instr{Op: memmodel.OpLoadEx, Dst: f.role(in.Args[1].Role), A: f.at(in.Args[0]), Tags: tags, Hi: f.pair(in, &in.Args[1], nil, nil)})
	case "STXR", "STLXR", "STXP", "STLXP":
		tags := exclusive
		if strings.HasPrefix(in.Name, "STL") {
			tags |= r.tag("L")
		}
		f.emit(memmodel.Instr{Op: memmodel.OpStoreEx, Dst: f.role(in.Args[2].Role), A: f.at(in.Args[1]), C: f.value(in.Args[0]), WTags: tags, Hi: f.pair(in, nil, &in.Args[0], nil)})
		// The loop ends when the store succeeds; a round that fails leaves nothing behind.
		f.emit(memmodel.Instr{Op: memmodel.OpAssume, Fn: memmodel.FnEq, A: memmodel.R(f.role(in.Args[2].Role)), B: memmodel.K(0)})
	case "CAS", "CASA", "CASL", "CASAL", "CASP", "CASPA", "CASPL", "CASPAL":
		expected, repl := in.Args[0].Role, in.Args[2].Role
		reg := f.role(expected)
		f.emit(memmodel.Instr{Op: memmodel.OpCAS, Dst: reg, A: memmodel.K(f.addr), C: memmodel.R(f.role(repl)), D: memmodel.R(reg), Tags: read, WTags: write,
			Hi: f.pair(in, &in.Args[0], &in.Args[2], &in.Args[0])})
	case "MOVD":
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: f.role(in.Args[1].Role), A: f.value(in.Args[0])})
	case "MVN":
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnXor, Dst: f.role(in.Args[1].Role), A: f.value(in.Args[0]), B: memmodel.K(-1)})
	case "CMP":
		f.flags = f.reg("flags", 0)
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnSub, Dst: f.flags, A: f.value(in.Args[1]), B: f.value(in.Args[0])})
	case "CCMP EQ,": // equal only if the comparison before it was
		low, high := f.flags, f.reg("high", 0)
		f.flags = f.reg("flags", 0)
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnSub, Dst: high, A: f.value(in.Args[1]), B: f.value(in.Args[0])})
		f.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnOr, Dst: f.flags, A: memmodel.R(low), B: memmodel.R(high)})
	case "BNE":
		to, _ := jump(in)
		if forward {
			f.jump(memmodel.FnNe, memmodel.R(f.flags), memmodel.K(0), to)
		} else {
			f.emit(memmodel.Instr{Op: memmodel.OpAssume, Fn: memmodel.FnEq, A: memmodel.R(f.flags), B: memmodel.K(0)})
		}
	case "B":
		to, _ := jump(in)
		f.jump(memmodel.FnEq, memmodel.K(0), memmodel.K(0), to)
	case "CSET EQ,", "CBNZ": // results, and the retry of a loop
	default:
		return fmt.Errorf("no meaning is known for %s", in.Name)
	}
	return nil
}
