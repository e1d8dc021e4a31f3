package gen

import (
	_ "embed"
	"strings"

	"github.com/barriergen/barriergen/arch"
)

// encodings holds the bytes of every macro, as the Go assembler encodes it: the test that guards the file assembles them.
//
//go:embed encodings.txt
var encodings string

// Encoded is one instruction with the bytes that the assembler makes of it.
type Encoded struct{ Text, Bytes string }

// Encoding is the assembly sequence of a primitive on a target at a level and a width, with the registers that this
// package's functions use, instruction by instruction. An empty sequence has none.
func Encoding(t *arch.Target, l *arch.Level, m Macro) []Encoded {
	var out []Encoded
	in := false
	for line := range strings.Lines(encodings) {
		line = strings.TrimRight(line, "\n")
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			if in {
				asm, bytes, _ := strings.Cut(text, "\t")
				out = append(out, Encoded{asm, bytes})
			}
			continue
		}
		in = line == encodingKey(t, l, m)
	}
	return out
}

func encodingKey(t *arch.Target, l *arch.Level, m Macro) string {
	return t.Name + " " + l.Name + " " + m.Name
}

// Instance is the macro's lines with registers for its parameters.
func (m Macro) Instance() []string {
	regs := map[string]string{}
	for _, p := range m.Params {
		if m.Lowering.Target.Name == "amd64" {
			regs[p] = x86Reg(x86Regs[arch.Role(p)], 64).Asm()
		} else {
			regs[p] = armReg(arch.Role(p))
		}
	}
	out := make([]string, len(m.Lines))
	for i, l := range m.Lines {
		out[i] = substitute(l, regs)
	}
	return out
}

// substitute replaces whole words.
func substitute(line string, words map[string]string) string {
	var b strings.Builder
	for len(line) > 0 {
		n := 0
		for n < len(line) && isName(line[n]) && line[n] != '.' && line[n] != '/' {
			n++
		}
		if n == 0 {
			b.WriteByte(line[0])
			line = line[1:]
			continue
		}
		if w, ok := words[line[:n]]; ok {
			b.WriteString(w)
		} else {
			b.WriteString(line[:n])
		}
		line = line[n:]
	}
	return b.String()
}
