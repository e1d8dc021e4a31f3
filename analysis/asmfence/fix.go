package asmfence

import (
	"strings"

	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/analysis/internal/asm/load"
)

// editable reports whether an instruction can be changed where it stands: not in a generated file, nor in a macro, nor where
// jumps count instructions.
func editable(fn *asm.Func, i int) bool {
	return !fn.File.Generated && fn.Instrs[i].Macro == "" && !fn.Relative
}

// deletion deletes one statement; nil if it must not. An arithmetic instruction that serves as a fence sets flags, so it is
// left to the author.
func deletion(fn *asm.Func, f *load.File, i int) *load.Fix {
	in := &fn.Instrs[i]
	if !editable(fn, i) || in.Locked >= 0 {
		return nil
	}
	at, end := statement(string(f.Text), in.Offset, in.End)
	return &load.Fix{Message: "Delete " + in.Op, Edits: []load.Edit{{At: at, End: end}}}
}

// exchanged makes a store an exchange and deletes the fence behind it, where the register is dead: the function returns, and
// returns nothing in registers.
func exchanged(fn *asm.Func, f *load.File, store, fence int, name string) *load.Fix {
	if !editable(fn, store) || !editable(fn, fence) || fence != store+1 || fn.ABI != "" || fence+1 >= len(fn.Instrs) || fn.Instrs[fence+1].Op != "RET" {
		return nil
	}
	at := fn.Instrs[store].Offset
	from, to := statement(string(f.Text), fn.Instrs[fence].Offset, fn.Instrs[fence].End)
	return &load.Fix{Message: "Exchange instead", Edits: []load.Edit{{At: at, End: at + len(fn.Instrs[store].Op), New: name}, {At: from, End: to}}}
}

// statement widens a statement to what goes with it: its line, if nothing but a comment is left of it, else one semicolon.
func statement(text string, at, end int) (int, int) {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	stop := len(text)
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		stop = end + i
	}
	before, after := strings.TrimSpace(text[start:at]), strings.TrimSpace(text[end:stop])
	switch {
	case before == "" && (after == "" || strings.HasPrefix(after, "//")):
		return start, min(stop+1, len(text))
	case strings.HasPrefix(after, ";"):
		end += strings.IndexByte(text[end:], ';') + 1
		for end < stop && (text[end] == ' ' || text[end] == '\t') {
			end++
		}
	case strings.HasSuffix(before, ";"):
		at = start + strings.LastIndexByte(text[start:at], ';')
	}
	return at, end
}
