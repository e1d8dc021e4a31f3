package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mmcloughlin/avo/operand"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// Macro is one header macro at one level: the very sequence that the selection chose among those that are assembly.
type Macro struct {
	Name     string // without its parameters
	Params   []string
	Fixed    []string // "old in AX"
	Lines    []string // nothing if it is empty
	Lowering arch.Lowering
}

// macroWidths are the widths that a primitive has macros for; 0 for those without an operand of their own.
func macroWidths(p contract.Primitive) []int {
	switch p.Operand {
	case contract.Word:
		return []int{32, 64}
	case contract.Bit, contract.Byte, contract.Wide:
		return []int{64}
	}
	return []int{0}
}

// Macros returns the macros of a primitive on a target at a level, one per width. There are none for a spin loop, which
// belongs in Go, where it can be preempted.
func Macros(t *arch.Target, l *arch.Level, p contract.Primitive) ([]Macro, error) {
	if p.Op == contract.WaitLoad {
		return nil, nil
	}
	low := macroLowering(t, l, p)
	// A macro has the same parameters at every level: whoever calls it can't tell.
	var every arch.Seq
	for i := range t.Levels {
		every = append(every, macroLowering(t, &t.Levels[i], p).Code...)
	}
	var out []Macro
	for _, w := range macroWidths(p) {
		m := Macro{Name: macroName(p, w), Lowering: low}
		if low.Width != 0 {
			w = low.Width
		}
		fixed := fixedRegisters(every)
		m.Params = params(every, fixed)
		for _, f := range fixed {
			m.Fixed = append(m.Fixed, fmt.Sprintf("%s in %s", f.role, f.reg))
		}
		for i, in := range low.Code {
			if in.Go != "" {
				continue
			}
			line, err := macroLine(t.Name, in, i, cmp.Or(w, 32), fixed)
			if err != nil {
				return nil, err
			}
			m.Lines = append(m.Lines, line)
		}
		out = append(out, m)
	}
	return out, nil
}

// macroLowering is the cheapest sequence of assembly. A macro can't choose at run time: it is the code that every CPU has.
func macroLowering(t *arch.Target, l *arch.Level, p contract.Primitive) arch.Lowering {
	low := arch.Select(t, l, p, arch.Use{Macro: true})
	if low.Else != nil {
		low.Code, low.Else = low.Else, nil
	}
	return low
}

// macroName is BARRIER_FULL, ATOMICS_STORE_RELEASE_64, BITOPS_SET_BIT.
func macroName(p contract.Primitive, width int) string {
	var b strings.Builder
	b.WriteString(strings.ToUpper(string(p.Family)))
	lower := true
	for i, r := range p.Name {
		digit := unicode.IsDigit(r)
		if unicode.IsUpper(r) && (lower || nextLower(p.Name, i)) || digit && lower {
			b.WriteByte('_')
		}
		lower = !unicode.IsUpper(r) && !digit
		b.WriteRune(unicode.ToUpper(r))
	}
	if p.Operand == contract.Word {
		fmt.Fprintf(&b, "_%d", width)
	}
	return b.String()
}

func nextLower(s string, i int) bool { return i > 0 && i+1 < len(s) && unicode.IsLower(rune(s[i+1])) }

// binding is a role that an instruction ties to a register.
type binding struct {
	role arch.Role
	reg  string
}

// fixedRegisters are the roles that the caller can't place.
func fixedRegisters(seq arch.Seq) []binding {
	var out []binding
	uses := func(name string) bool {
		return slices.ContainsFunc(seq, func(in arch.Inst) bool { return in.Name == name })
	}
	if uses("CMPXCHG") {
		out = append(out, binding{arch.Old, "AX"})
	}
	if uses("CMPXCHG16B") {
		out = append(out, binding{arch.OldLo, "AX"}, binding{arch.OldHi, "DX"}, binding{arch.NewLo, "BX"}, binding{arch.NewHi, "CX"},
			binding{arch.SeenLo, "AX"}, binding{arch.SeenHi, "DX"})
	}
	if uses("CASPAL") {
		for _, r := range []arch.Role{arch.Addr, arch.SeenLo, arch.SeenHi, arch.NewLo, arch.NewHi} {
			out = append(out, binding{r, armReg(r)})
		}
	}
	return out
}

func fixedTo(fixed []binding, r arch.Role) (string, bool) {
	i := slices.IndexFunc(fixed, func(b binding) bool { return b.role == r })
	if i < 0 {
		return "", false
	}
	return fixed[i].reg, true
}

// params are the roles of a sequence, each once, in the order of a Go function's parameters.
func params(seq arch.Seq, fixed []binding) []string {
	var out []string
	for _, r := range []arch.Role{arch.Addr, arch.Val, arch.Old, arch.New, arch.OldLo, arch.OldHi, arch.NewLo, arch.NewHi, arch.SeenLo, arch.SeenHi,
		arch.Tmp, arch.Status, arch.Result} {
		if _, is := fixedTo(fixed, r); !is && mentions(seq, r) {
			out = append(out, string(r))
		}
	}
	return out
}

// macroLine is an instruction with parameters for registers. Jumps are relative, since a macro has no labels of its own.
func macroLine(goarch string, in arch.Inst, index, width int, fixed []binding) (string, error) {
	name := func(r arch.Role) string {
		if reg, is := fixedTo(fixed, r); is {
			return reg
		}
		return string(r)
	}
	// The dialect checks and spells the instruction; only the registers' names are replaced.
	spelled, err := dialects[goarch].inst(in, width, func(int) operand.Op { return operand.LabelRef("there") })
	if err != nil || in.Name == "CASPAL" {
		if err != nil {
			return "", err
		}
		return instText(spelled), nil
	}
	ops := make([]string, len(in.Args))
	for i, a := range in.Args {
		switch {
		case a.Jump:
			ops[i] = fmt.Sprintf("%d(PC)", int(a.N)-index)
		case a.Imm:
			ops[i] = fmt.Sprintf("$%#x", a.N)
		case a.Mem && a.N != 0:
			ops[i] = fmt.Sprintf("%d(%s)", a.N, name(a.Role))
		case a.Mem:
			ops[i] = "(" + name(a.Role) + ")"
		case a.Pair != "":
			ops[i] = "(" + name(a.Role) + ", " + name(a.Pair) + ")"
		default:
			ops[i] = name(a.Role)
		}
	}
	return strings.TrimSpace(spelled.Opcode + " " + strings.Join(ops, ", ")), nil
}

// Text is the definition.
func (m Macro) Text() string {
	head := "#define " + m.Name
	if len(m.Params) > 0 {
		head += "(" + strings.Join(m.Params, ", ") + ")"
	}
	if len(m.Lines) == 0 {
		return head + "\n"
	}
	return head + " \\\n\t" + strings.Join(m.Lines, "; \\\n\t") + "\n"
}

const headerNotes = `// Macros for hand-written Go assembly. Operands are registers, addr holds the word's address; tmp and status are scratch, and
// so is every operand that a sequence changes. Flags are not kept. A macro that is defined as nothing is one that the
// machine needs no instruction for.
`

// headers emits one header per target.
func headers(p *plan) ([]File, error) {
	if !p.Header {
		return nil, nil
	}
	var files []File
	for _, t := range p.targets {
		var b strings.Builder
		b.WriteString(Marker + "\n\n" + headerNotes)
		for _, prim := range p.prims {
			levels := make([][]Macro, len(t.Levels))
			for i := range t.Levels {
				ms, err := Macros(t, &t.Levels[i], prim)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", t.Name, prim.Name, err)
				}
				levels[i] = ms
			}
			if levels[0] == nil {
				fmt.Fprintf(&b, "\n// %s has no macro: a spin loop belongs in Go, where it can be preempted.\n", prim.Name)
			}
			for w := range levels[0] {
				m := levels[0][w]
				doc := m.Name + " " + prim.Doc
				if prim.Operand == contract.Bit && prim.Op != contract.Load {
					doc = m.Name + " is " + prim.Name + "; " + valMeans(m.Lowering, prim)
				}
				b.WriteString("\n" + comment(doc))
				text := defined(m)
				if len(levels) > 1 {
					if best := defined(levels[len(levels)-1][w]); best != text {
						text = "#ifdef GOARM64_LSE\n" + best + "#else\n" + text + "#endif\n"
					}
				}
				b.WriteString(text)
			}
		}
		files = append(files, File{"barriers_" + t.Name + ".h", []byte(b.String())})
	}
	return files, nil
}

// defined is a definition with the registers that it fixes.
func defined(m Macro) string {
	if len(m.Fixed) == 0 {
		return m.Text()
	}
	return "// " + strings.Join(m.Fixed, ", ") + ".\n" + m.Text()
}

func valMeans(low arch.Lowering, p contract.Primitive) string {
	switch {
	case low.BitNumber:
		return "val is the bit's number, 0 to 63; result becomes the bit."
	case p.Clears:
		return "val is the complement of the bit's mask; if there is old, it becomes the word before."
	}
	return "val is the bit's mask; if there is old, it becomes the word before."
}
