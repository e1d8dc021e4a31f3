package prover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// weakened is a sequence with one instruction taken out or made weaker.
type weakened struct {
	seq  arch.Seq
	what string
}

// weakerNames are the weaker forms of an instruction, by its name and the name of its operand if it has one; "" takes it out.
var weakerNames = map[string][]string{
	"DMB ISH": {"", "DMB ISHLD", "DMB ISHST", "DMB ISHLD; DMB ISHST"}, "DMB ISHLD": {"", "DMB ISHST"}, "DMB ISHST": {""},
	"LDAR": {"LDAPR", "MOV"}, "STLR": {"MOV"}, "LDAXR": {"LDXR"}, "STLXR": {"STXR"}, "STLXP": {"STXP"}, "LDAXP": {"LDXP"},
	"LOCK": {""}, "MFENCE": {"", "LFENCE", "SFENCE"},
}

// weakenings are all the ways to weaken one instruction of a sequence.
func weakenings(seq arch.Seq) []weakened {
	var out []weakened
	for i, in := range seq {
		if len(in.Events) == 0 && len(in.Orders) == 0 {
			continue
		}
		name := in.Name
		if len(in.Args) == 1 && in.Args[0].Name != "" {
			name += " " + in.Args[0].Name
		}
		forms, ok := weakerNames[name]
		if !ok {
			forms = weakerAMO(in.Name)
		}
		if in.Name == "XCHG" && in.Args[1].Role == arch.StackP { // a fence
			forms = []string{""}
		}
		for _, form := range forms {
			var put arch.Seq
			for _, f := range strings.Split(form, "; ") {
				if f == "" {
					continue
				}
				op := *in.Op
				in := in
				op.Name = f
				if base, option, ok := strings.Cut(f, " "); ok {
					op.Name, in.Args = base, []arch.Arg{{Imm: true, Name: option}}
				}
				in.Op = &op
				put = append(put, in)
			}
			what := name + " → " + form
			if form == "" {
				what = "without " + name
			}
			out = append(out, weakened{slices.Concat(seq[:i], put, seq[i+1:]), what})
		}
	}
	return out
}

// weakerAMO are the LSE forms with an annotation less.
func weakerAMO(name string) []string {
	for family := range armAMO {
		if rest, ok := strings.CutPrefix(name, family); ok {
			return fewer(family, rest)
		}
	}
	for _, family := range []string{"CASP", "CAS"} {
		if rest, ok := strings.CutPrefix(name, family); ok {
			return fewer(family, rest)
		}
	}
	return nil
}

func fewer(family, bits string) []string {
	return map[string][]string{"AL": {family + "A", family + "L", family}, "A": {family}, "L": {family}}[bits]
}

// weaker lists the weakenings of the generated code under which no program shows more than the contract allows, each with
// the reason why the code is as it is.
func (w *worker) weaker(j job, low arch.Lowering, r *targetRealizer, all []shape, allowed []bool) ([]string, error) {
	var out []string
	for _, weak := range weakenings(r.choose(low)) {
		weakR := *r
		weakR.sequence = func(p contract.Primitive, macro bool) (arch.Seq, error) {
			if p.Name == j.prim.Name && !macro {
				return weak.seq, nil
			}
			return r.sequence(p, macro)
		}
		needed := false
		for i, s := range all {
			if allowed[i] || needed {
				continue
			}
			got, err := w.machineAllows(&weakR, s)
			if err != nil {
				return nil, err
			}
			needed = got
		}
		if !needed && len(j.prim.Orders) > 0 {
			out = append(out, fmt.Sprintf("%s: %s", weak.what, reason(low, weak)))
		}
	}
	return out, nil
}

// Unexplained marks weaker code that would do, and for whose absence the table has no reason.
const Unexplained = "no reason is known"

// reason says why a stronger instruction is used than the contract needs.
func reason(low arch.Lowering, weak weakened) string {
	switch {
	case strings.Contains(weak.what, "LDAPR"):
		return "the Go assembler has no LDAPR"
	case low.Form == arch.Inline:
		return "sync/atomic has no weaker form, and a function of its own would cost a call"
	case low.Note != "":
		return low.Note
	}
	for _, c := range low.Level.Candidates()[low.Primitive.Op] {
		if c.Code.String() == weak.seq.String() && c.Code.Cost() >= low.Code.Cost() {
			return fmt.Sprintf("not cheaper, %d against %d cycles", c.Code.Cost(), low.Code.Cost())
		}
	}
	return Unexplained
}
