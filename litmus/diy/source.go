package diy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// text is a test in the making.
type text struct {
	name, cycle string
	arch        *arch
	threads     []*writer
	final       []string // what locations must hold in the end
}

// writer writes the code of one thread.
type writer struct {
	arch      *arch
	thread    int
	lines     []string
	depth     int // of open braces
	registers int
	bases     [][2]string // locations whose address is in a register, or which are parameters, with that register
	labels    int
	wanted    [][2]string // registers and what they must hold in the end
	short     bool        // there were not enough registers
}

func (w *writer) emit(line string) {
	w.lines = append(w.lines, strings.Repeat("\t", w.depth)+line)
}

// register takes a register.
func (w *writer) register() string {
	r := w.arch.register(w.registers)
	if r == "" {
		w.short = true
		return w.arch.register(0)
	}
	w.registers++
	return r
}

// label is a new label.
func (w *writer) label() string {
	w.labels++
	return fmt.Sprintf("LC%d%d", w.thread, w.labels-1)
}

// base is the register that holds a location's address from the start.
func (w *writer) base(loc string, form func(reg string) string) string {
	for _, b := range w.bases {
		if b[0] == loc {
			return b[1]
		}
	}
	reg := form(w.register())
	w.bases = append(w.bases, [2]string{loc, reg})
	return reg
}

// parameter is a location that the thread has as a parameter.
func (w *writer) parameter(loc string) string {
	if !slices.Contains(w.bases, [2]string{loc, loc}) {
		w.bases = append(w.bases, [2]string{loc, loc})
	}
	return loc
}

// access writes an access that depends on a register in some way, and gives the register that it reads into. A
// read-modify-write is an access that reads, and writes the next value.
func (w *writer) access(a access, code string, dep depKind, on string) string {
	loc, memory := locName(a.loc), ""
	if dep == depAddr {
		memory = w.arch.dependent(w, loc, on, a.note != nil && a.note.indexed)
	} else {
		memory = w.arch.address(w, loc)
	}
	has := func(part string) bool { return strings.Contains(code, part) }
	target, value, written := "", "", a.val
	if a.dir == read {
		written++
	}
	switch {
	case !has("%v"):
	case a.dir == read:
		target = w.register()
		value = w.arch.prefix + target
		w.want(target, a.val)
	default:
		if dep != depData {
			on = ""
		}
		value = w.arch.value(w, a.val, on)
	}
	parts := []string{"%v", value, "%m", memory, "%e", strconv.Itoa(a.val)}
	if has("%c") {
		parts = append(parts, "%c", w.arch.value(w, written, ""))
	}
	if has("%n") {
		parts = append(parts, "%n", w.arch.value(w, written, ""))
	}
	if has("%i") {
		parts = append(parts, "%i", w.arch.value(w, 1, ""))
	}
	if has("%t") {
		parts = append(parts, "%t", w.arch.prefix+w.register())
	}
	if has("%s") {
		status := w.register()
		parts = append(parts, "%s", status)
		w.want(status, 0)
	}
	for _, line := range strings.Split(strings.NewReplacer(parts...).Replace(code), "\n") {
		w.emit(line)
	}
	return target
}

// want makes a register's last value a part of the condition.
func (w *writer) want(register string, val int) {
	w.wanted = append(w.wanted, [2]string{register, strconv.Itoa(val)})
}

// locName names a location.
func locName(loc int) string { return "xyzabcdefghijklmnopqrstuvw"[loc : loc+1] }

// Source is the test: its name, its cycle, the threads, and as the condition that the cycle happens. It fails if an
// architecture has not enough registers for a long thread.
func (c Cycle) Source() ([]byte, error) {
	p := c.plan()
	t := &text{name: c.Name(), cycle: c.String(), arch: c.arch}
	for n, s := range c.threads() {
		w := &writer{arch: c.arch, thread: n}
		reg := ""
		for i := s.first; i < s.end; i++ {
			dep, a := depNone, p.accesses[i]
			if i > s.first {
				if m := c.edges[i-1].mech; m != nil {
					dep = m.dep
					if m.pick {
						reg = c.arch.pick(w, reg)
					}
					if dep == depCtrl {
						c.arch.branch(w, reg, p.accesses[i-1].val)
					}
					if m.code != "" {
						w.emit(m.code)
					}
				}
			}
			if r := c.edges[i].rmw; r != nil {
				reg = w.access(a, r.code[a.note.name+" "+c.notes[i+1].name], dep, reg)
				i++ // the same instruction writes
				continue
			}
			reg = w.access(a, a.note.code(a.dir), dep, reg)
		}
		t.threads = append(t.threads, w)
	}
	for l, k := range p.writes {
		if k > 1 {
			t.final = append(t.final, "["+locName(l)+"]="+strconv.Itoa(k))
		}
		if !p.observed[l] {
			continue
		}
		w := &writer{arch: c.arch, thread: len(t.threads)}
		for v := 1; v < k; v++ {
			w.access(access{dir: read, loc: l, val: v}, c.arch.notes[0].read, depNone, "")
		}
		t.threads = append(t.threads, w)
	}
	for _, w := range t.threads {
		if w.short {
			return nil, fmt.Errorf("%s: thread %d needs more registers than %s has", t.name, w.thread, c.arch.name)
		}
	}
	return c.arch.layout(t), nil
}

// heading is the first lines.
func (t *text) heading() string {
	return t.arch.name + " " + t.name + "\n\"" + t.cycle + "\"\n"
}

// condition is the last line; form is how it names a register.
func (t *text) condition(form func(reg string) string) string {
	var all []string
	for _, w := range t.threads {
		for _, r := range w.wanted {
			all = append(all, strconv.Itoa(w.thread)+":"+form(r[0])+"="+r[1])
		}
	}
	return "exists (" + strings.Join(append(all, t.final...), ` /\ `) + ")\n"
}

// table lays out assembly, a column per thread; form is how the initial state and the condition name a register.
func (t *text) table(form func(reg string) string) []byte {
	var b strings.Builder
	b.WriteString(t.heading())
	b.WriteString("{\n")
	rows := 0
	for _, w := range t.threads {
		for i, base := range w.bases {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%d:%s=%s;", w.thread, base[1], base[0])
		}
		if len(w.bases) > 0 {
			b.WriteByte('\n')
		}
		rows = max(rows, len(w.lines))
	}
	b.WriteString("}\n")
	for row := -1; row < rows; row++ {
		for i, w := range t.threads {
			cell, width := "P"+strconv.Itoa(i), 2
			for _, l := range w.lines {
				width = max(width, len(l))
			}
			if row >= 0 {
				cell = ""
				if row < len(w.lines) {
					cell = w.lines[row]
				}
			}
			if i > 0 {
				b.WriteString(" |")
			}
			fmt.Fprintf(&b, " %-*s", width, cell)
		}
		b.WriteString(" ;\n")
	}
	b.WriteString(t.condition(form))
	return []byte(b.String())
}

// functions lays out C.
func (t *text) functions() []byte {
	var b strings.Builder
	b.WriteString(t.heading())
	b.WriteString("\n{}\n")
	for i, w := range t.threads {
		var parameters []string
		for _, base := range w.bases {
			parameters = append(parameters, "int *"+base[0])
		}
		fmt.Fprintf(&b, "\nP%d(%s)\n{\n", i, strings.Join(parameters, ", "))
		for r := range w.registers {
			fmt.Fprintf(&b, "\tint %s;\n", t.arch.register(r))
		}
		if w.registers > 0 {
			b.WriteByte('\n')
		}
		for _, l := range w.lines {
			b.WriteString("\t" + l + "\n")
		}
		for d := w.depth; d >= 0; d-- {
			b.WriteString(strings.Repeat("\t", d) + "}\n")
		}
	}
	b.WriteString("\n" + t.condition(asIs))
	return []byte(b.String())
}
