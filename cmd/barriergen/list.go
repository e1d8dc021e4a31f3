package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"

	"golang.org/x/term"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/gen"
)

var listCommand = command{
	name:  "list",
	args:  "[-json] [NAME...]",
	short: "show every primitive with what is left of it on each architecture",
	long: `List prints a row for each primitive, or for those named (families too), and a column for each architecture and feature level.
"empty" means that no instruction is left; a star marks a call of an assembly function.
`,
	run: listPrimitives,
}

// listed is a row of list -json.
type listed struct {
	Name, Kernel, Family string
	Orders               string
	Lowerings            []lowered
}

type lowered struct {
	Arch, Level string
	Empty       bool
	Form, Code  string
	Cycles      int
	Why         string
}

func listPrimitives(env environ, c command, fs *flag.FlagSet, args []string) int {
	asJSON := fs.Bool("json", false, "print JSON")
	if code, ok := parse(env, c, fs, args); !ok {
		return code
	}
	prims, err := gen.Select(fs.Args())
	if err != nil {
		return misuse(env, c, "%v", err)
	}
	head := []string{"primitive", "orders"}
	eachLevel(func(t *arch.Target, l *arch.Level) { head = append(head, levelName(t, l)) })
	rows := [][]string{head}
	data := []listed{}
	for _, p := range prims {
		row := []string{p.Name, p.Set().String()}
		entry := listed{Name: p.Name, Kernel: p.Kernel, Family: string(p.Family), Orders: p.Set().String()}
		eachLevel(func(t *arch.Target, l *arch.Level) {
			low := arch.Select(t, l, p, arch.Use{})
			row = append(row, gen.Brief(low))
			entry.Lowerings = append(entry.Lowerings, lowered{t.Name, l.Name, low.Empty(), string(low.Form), low.Candidate.String(), low.Cost, low.Why})
		})
		rows, data = append(rows, row), append(data, entry)
	}
	if *asJSON {
		enc := json.NewEncoder(env.out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(data); err != nil {
			return fail(env, c, err)
		}
		return exitOK
	}
	bold := isTerminal(env)
	for _, line := range gen.Align(rows) {
		if bold {
			line = strings.ReplaceAll(line, "empty", "\x1b[1;32mempty\x1b[0m")
		}
		fmt.Fprintln(env.out, line)
	}
	return exitOK
}

// eachLevel visits every target and level, the generic one last.
func eachLevel(f func(*arch.Target, *arch.Level)) {
	for _, t := range targets.All {
		for i := range t.Levels {
			f(t, &t.Levels[i])
		}
	}
}

func levelName(t *arch.Target, l *arch.Level) string {
	if len(t.Levels) == 1 {
		return t.Name
	}
	return t.Name + " " + l.Name
}

func isTerminal(env environ) bool {
	f, ok := env.out.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}
