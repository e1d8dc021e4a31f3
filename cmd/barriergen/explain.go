package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen"
)

var explainCommand = command{
	name:  "explain",
	args:  "NAME...",
	short: "say what a primitive promises, what is left of it where, and why",
	long: `Explain prints the contract of each named primitive, and for each architecture and feature level the code, its bytes where it is assembly,
its cost, the reason why it is empty or not, and the candidates that were not chosen. Names are Go's or the kernel's: AfterAtomic, smp_mb__after_atomic.
`,
	run: explain,
}

func explain(env environ, c command, fs *flag.FlagSet, args []string) int {
	if code, ok := parse(env, c, fs, args); !ok {
		return code
	}
	if fs.NArg() == 0 {
		return misuse(env, c, "name at least one primitive")
	}
	var prims []contract.Primitive
	for _, name := range fs.Args() {
		p, ok := byName(name)
		if !ok {
			return misuse(env, c, "%v", &gen.UnknownError{What: "primitive", Name: name, Near: gen.Nearest(name)})
		}
		prims = append(prims, p)
	}
	for i, p := range prims {
		if i > 0 {
			fmt.Fprintln(env.out)
		}
		if err := explainOne(env, p); err != nil {
			return fail(env, c, err)
		}
	}
	return exitOK
}

// byName finds a primitive by its Go name or its kernel name.
func byName(name string) (contract.Primitive, bool) {
	if p, ok := contract.Lookup(name); ok {
		return p, true
	}
	for _, p := range contract.Table() {
		if p.Kernel == name && name != "" {
			return p, true
		}
	}
	return contract.Primitive{}, false
}

var strengths = map[contract.Strength]string{
	contract.Local:       "local: between the accesses of one CPU",
	contract.ACumulative: "A-cumulative: it also covers writes of other CPUs that this one has read from",
	contract.Strong:      "strong: all CPUs agree on it",
}

func explainOne(env environ, p contract.Primitive) error {
	field := func(name, text string) {
		if text != "" {
			fmt.Fprintf(env.out, "  %-10s %s\n", name, strings.ReplaceAll(text, "\n", "\n             "))
		}
	}
	fmt.Fprintf(env.out, "%s (package %s)\n", p.Name, p.Family)
	field("does", p.Doc)
	field("kernel", p.Kernel)
	field("orders", fmt.Sprintf("%s (%v)", contract.Describe(p.Orders), p.Set()))
	if len(p.Orders) > 0 {
		field("strength", strengths[p.Strength()])
		field("for", p.Orders[0].Domain.String())
	}
	field("binds to", string(p.Binds))
	field("pitfall", p.Pitfall)
	field("source", p.Source)
	for _, t := range targets.All {
		for i := range t.Levels {
			l := &t.Levels[i]
			low := arch.Select(t, l, p, arch.Use{})
			fmt.Fprintf(env.out, "\n%s: %s\n", levelName(t, l), l.Doc)
			field("code", strings.ReplaceAll(low.Candidate.String(), "  |  ", "\nwithout LSE: "))
			field("form", string(low.Form))
			field("cost", fmt.Sprintf("%d cycles (%s)", low.Cost, t.CostSource))
			field("why", low.Why)
			field("not", strings.Join(low.Rejected, "\n"))
			if err := explainBytes(t, l, p, field); err != nil {
				return err
			}
		}
	}
	return nil
}

// explainBytes prints the assembly form, which header macros and assembly functions share, with its encoding.
func explainBytes(t *arch.Target, l *arch.Level, p contract.Primitive, field func(name, text string)) error {
	if _, native := targets.Lookup(t.Name); !native {
		return nil
	}
	ms, err := gen.Macros(t, l, p)
	if err != nil {
		return err
	}
	for _, m := range ms {
		lines := []string{m.Name + ": nothing"}
		if enc := gen.Encoding(t, l, m); len(enc) > 0 {
			lines[0] = m.Name + ":"
			for _, e := range enc {
				lines = append(lines, fmt.Sprintf("  %-32s %s", e.Text, e.Bytes))
			}
		}
		field("macro", strings.Join(lines, "\n"))
	}
	return nil
}
