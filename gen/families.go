package gen

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// variant is one build of a family: where it applies, and how a function's body comes about.
type variant struct {
	file       string // what stands between "z<family>" and ".go"
	constraint string
	body       func(it item) []string
	brief      bool // comments of one sentence: a build that nobody reads documentation in
}

// variants are the builds of a family; exactly one applies to any combination of GOARCH, GOARM64 and tags.
func (p *plan) variants() []variant {
	const plain = "!purego && !race && !barrier_conservative"
	var out []variant
	for _, t := range p.targets {
		for i := range t.Levels {
			l := &t.Levels[i]
			v := variant{file: "_" + t.Name, constraint: plain, body: func(it item) []string { return it.body(p.lower(t, l, it)) }}
			if len(t.Levels) > 1 {
				// The build tag covers all levels above; the lowest is what is left.
				tag := t.Name + "." + t.Levels[1].Name
				if i == 0 {
					v.constraint = "!" + tag + " && " + plain
				} else {
					v.file, v.constraint = "_"+strings.ReplaceAll(l.Name, ".", "")+"_"+t.Name, tag+" && "+plain
				}
			}
			out = append(out, v)
		}
		l := &t.Levels[0] // right at every level
		out = append(out, variant{file: "_conservative_" + t.Name, constraint: "barrier_conservative && " + asmConstraint,
			body: func(it item) []string { return opaque(it.body(p.lower(t, l, it))) }, brief: true})
	}
	g := targets.Generic
	generic := func(it item) arch.Lowering { return p.lower(g, &g.Levels[0], it) }
	return append(out,
		variant{"_generic", "(purego || !(" + p.natives() + ")) && !race", func(it item) []string { return it.body(generic(it)) }, false},
		variant{"_race", "race", func(it item) []string { return p.raceBody(it, generic(it)) }, true})
}

// lower is the lowering of an item, selected once.
func (p *plan) lower(t *arch.Target, l *arch.Level, it item) arch.Lowering {
	k := lowerKey{t, l, it.prim.Name, it.word.ptr}
	low, ok := p.lowered[k]
	if !ok {
		low = arch.Select(t, l, it.prim, arch.Use{Pointer: it.word.ptr})
		p.lowered[k] = low
	}
	return low
}

type lowerKey struct {
	target  *arch.Target
	level   *arch.Level
	prim    string
	pointer bool
}

// opaque puts a call that the compiler can't see through wherever a body relies on the compiler barrier.
func opaque(body []string) []string {
	out := slices.Clone(body)
	for i, line := range out {
		if line == arch.Barrier.Go {
			out[i] = "compilerBarrier()"
		}
	}
	return out
}

// families emits each family in each variant, and the types they share.
func families(p *plan) ([]File, error) {
	var files []File
	for _, f := range contract.Families {
		var its []item
		for _, prim := range p.of(f) {
			its = append(its, items(prim)...)
		}
		if len(its) == 0 {
			continue
		}
		for _, v := range p.variants() {
			src, err := p.source(v, its)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", f, v.file, err)
			}
			files = append(files, File{"z" + string(f) + v.file + ".go", src})
		}
		if types := p.types(f, its); types != "" {
			src, err := formatGo(goHeader("", p.Package) + types)
			if err != nil {
				return nil, err
			}
			files = append(files, File{"z" + string(f) + ".go", src})
		}
	}
	return files, nil
}

// source is one variant of one family.
func (p *plan) source(v variant, its []item) ([]byte, error) {
	var b strings.Builder
	for _, it := range its {
		fmt.Fprintf(&b, "%sfunc %s {\n%s\n}\n\n", comment(p.doc(it, v.brief)), it.signature(), strings.Join(v.body(it), "\n"))
	}
	return formatGo(goHeader(v.constraint, p.Package) + p.imports(b.String()) + b.String())
}

// imports is the import declaration that a text needs.
func (p *plan) imports(text string) string {
	var std, other []string
	for _, pkg := range []string{"runtime", "sync", "sync/atomic", "unsafe"} {
		if name := pkg[strings.LastIndex(pkg, "/")+1:]; uses(text, name) {
			std = append(std, `"`+pkg+`"`)
		}
	}
	if p.RaceSync != "" && uses(text, "racesync") {
		other = append(other, `racesync "`+p.RaceSync+`"`)
	}
	if uses(text, "cpu") {
		other = append(other, `"golang.org/x/sys/cpu"`)
	}
	if len(std)+len(other) == 0 {
		return ""
	}
	return "import (\n" + strings.Join(std, "\n") + "\n\n" + strings.Join(other, "\n") + "\n)\n\n"
}

// uses reports whether code, as opposed to a comment, mentions a package.
func uses(text, pkg string) bool {
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "//")
		for rest := code; ; {
			i := strings.Index(rest, pkg+".")
			if i < 0 {
				break
			}
			if i == 0 || !isName(rest[i-1]) {
				return true
			}
			rest = rest[i+1:]
		}
	}
	return false
}

func isName(c byte) bool {
	return c == '_' || c == '/' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// types emits the typed values, or the bitmap.
func (p *plan) types(f contract.Family, its []item) string {
	var b strings.Builder
	for _, w := range words {
		if !slices.ContainsFunc(its, func(it item) bool { return it.method && it.word == w && it.prim.Operand == contract.Word }) {
			continue
		}
		switch {
		case w.ptr:
			b.WriteString(comment("Pointer is a *E with this package's operations as methods. The zero value is nil. It must not be copied after first use.") +
				"type Pointer[E any] struct {\n_ [0]atomic.Pointer[E]\nv *E\n}\n\n")
		default:
			fmt.Fprintf(&b, "%stype %s struct {\n_ [0]atomic.%s\nv %s\n}\n\n",
				comment(fmt.Sprintf("%s is %s with this package's operations as methods. The zero value is zero. It must not be copied after first use.",
					w.name, article(w.goTyp))), w.name, w.name, w.goTyp)
		}
	}
	if f == contract.Bitops && slices.ContainsFunc(its, func(it item) bool { return it.method }) {
		b.WriteString(comment("Bitmap is a slice of words whose bits are numbered from 0: bit n is bit n%64 of word n/64. An index past the end panics, as for any slice.") +
			"type Bitmap []uint64\n\n" +
			comment("Len returns the number of bits.") + "func (b Bitmap) Len() int { return len(b) * 64 }\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return p.imports(b.String()) + b.String()
}

func article(typ string) string {
	if strings.HasPrefix(typ, "int") {
		return "an " + typ
	}
	return "a " + typ
}

// comment wraps text as a Go comment.
func comment(text string) string {
	var b strings.Builder
	for para := range strings.SplitSeq(text, "\n") {
		line := "//"
		for word := range strings.FieldsSeq(para) {
			if len(line)+1+len(word) > 120 && line != "//" {
				b.WriteString(line + "\n")
				line = "//"
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func formatGo(src string) ([]byte, error) {
	out, err := format.Source([]byte(src))
	if err != nil {
		return nil, fmt.Errorf("internal error: emitted Go does not parse: %w", err)
	}
	return append(bytes.TrimRight(out, "\n\t "), '\n'), nil
}
