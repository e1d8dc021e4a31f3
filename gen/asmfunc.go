package gen

import (
	"fmt"
	"slices"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// asmFunc is an assembly function: a candidate at a width.
type asmFunc struct {
	name      string
	candidate arch.Candidate
	width     int // of its instructions, in bits
	signature signature
}

// signature is its Go declaration. Parameters are named by the roles they fill.
type signature struct {
	roles  []arch.Role // parameters in order
	types  []string
	val    int // bits of the operand
	result string
	out    []arch.Role // what is returned
}

// String is the declaration without the name.
func (s signature) String() string {
	params := ""
	for i, r := range s.roles {
		if i > 0 {
			params += ", "
		}
		name := string(r)
		if r == arch.Addr {
			name = "p"
		}
		params += name + " " + s.types[i]
	}
	result := s.result
	if result != "" {
		result = " " + result
	}
	return fmt.Sprintf("(%s)%s", params, result)
}

// funcOf is the function for a lowering that is assembly.
func funcOf(low arch.Lowering, bits int) asmFunc {
	f := asmFunc{name: low.Name, candidate: low.Candidate, width: bits}
	if low.Width != 0 {
		f.width = low.Width
	}
	if low.Primitive.Op == contract.Fence {
		return f
	}
	typ := fmt.Sprintf("uint%d", f.width)
	s := signature{roles: []arch.Role{arch.Addr}, types: []string{fmt.Sprintf("*uint%d", bits)}, val: f.width}
	if low.Primitive.Operand == contract.Wide {
		// The name says its width already.
		f.signature = signature{roles: []arch.Role{arch.Addr, arch.OldLo, arch.OldHi, arch.NewLo, arch.NewHi},
			types:  []string{"*[2]uint64", "uint64", "uint64", "uint64", "uint64"},
			result: "(seenlo, seenhi uint64, swapped bool)", out: []arch.Role{arch.SeenLo, arch.SeenHi, arch.Result}}
		return f
	}
	f.name += fmt.Sprint(f.width)
	if low.Primitive.Op == contract.CompareAndSwap {
		s.roles, s.types = append(s.roles, arch.Old, arch.New), append(s.types, typ, typ)
	} else {
		s.roles, s.types = append(s.roles, arch.Val), append(s.types, typ)
	}
	switch {
	case mentions(low.Code, arch.Result):
		s.out, s.result = []arch.Role{arch.Result}, "bool"
		if low.Primitive.Op == contract.Add {
			s.result = typ
		}
	case mentions(low.Code, arch.Old):
		s.out, s.result = []arch.Role{arch.Old}, typ
	}
	f.signature = s
	return f
}

func mentions(s arch.Seq, r arch.Role) bool {
	return slices.ContainsFunc(s, func(in arch.Inst) bool {
		return slices.ContainsFunc(in.Args, func(a arch.Arg) bool { return !a.Imm && !a.Jump && (a.Role == r || a.Pair == r) })
	})
}

// asmFuncs are the functions that a family's lowerings on a target need, at any level, in table order, but for those that
// an earlier family of the same package has.
func (p *plan) asmFuncs(t *arch.Target, f contract.Family) []asmFunc {
	var out []asmFunc
	taken := map[string]bool{fullFence: true} // every package has it, on every architecture: see support.go
	for _, earlier := range contract.Families[:slices.Index(contract.Families, f)] {
		for _, fn := range p.asmFuncs(t, earlier) {
			taken[fn.name] = true
		}
	}
	add := func(fn asmFunc) {
		if taken[fn.name] {
			return
		}
		i := slices.IndexFunc(out, func(x asmFunc) bool { return x.name == fn.name })
		switch {
		case i < 0:
			out = append(out, fn)
		case out[i].candidate.Else == nil:
			out[i] = fn // the one that serves every level
		}
	}
	for _, prim := range p.of(f) {
		for i := range t.Levels {
			if prim.Operand == contract.Wide {
				add(funcOf(p.lower(t, &t.Levels[i], item{prim: prim}), 64))
			}
			for _, it := range items(prim) {
				low := p.lower(t, &t.Levels[i], it)
				if low.Form == arch.Assembly {
					add(funcOf(low, it.word.asmBits()))
				}
			}
		}
	}
	return out
}
