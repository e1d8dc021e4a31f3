package native

import "strings"

// print spells the instructions with their registers. Copies of a register to itself and labels that nothing jumps to are left out.
func print(code []inst, colors []string, m machine) *Code {
	name := func(x reg) string { return colors[x] }
	var kept []inst
	note := ""
	for _, in := range code {
		in.note = note + in.note
		note = ""
		if in.move && colors[in.use[0]] == colors[in.def[0]] {
			note = in.note
			continue
		}
		kept = append(kept, in)
	}
	wanted := map[string]bool{}
	for _, in := range kept {
		wanted[in.to] = true
	}
	out := &Code{}
	for _, in := range kept {
		if in.label != "" {
			if wanted[in.label] {
				out.Lines = append(out.Lines, Line{Op: in.label + ":"})
			}
			continue
		}
		args := make([]string, len(in.args))
		for i, a := range in.args {
			args[i] = m.spell(a, name)
		}
		l := m.encode(in.name, args)
		l.Note = strings.TrimPrefix(strings.TrimSuffix(in.note+": "+l.Note, ": "), ": ")
		out.Lines = append(out.Lines, l)
		out.Instructions++
		if in.fence {
			out.Fences++
		}
	}
	return out
}
