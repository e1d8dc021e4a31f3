package diy

import "strings"

// families are the names of the field, by the first and last accesses of the threads.
var families = map[string]string{
	"WW RR": "MP", "WR WR": "SB", "RW RW": "LB", "WW RW": "S", "WW WR": "R", "WW WW": "2+2W",
	"W RW RR": "WRC", "W RR WR": "RWC", "W RW RW": "WWC", "W RW WR": "WRW+WR", "W RR WW": "WRR+2W", "W RW WW": "WRW+2W",
	"WW RW RR": "ISA2", "WW RR WR": "W+RWC", "WR WR WR": "3.SB", "RW RW RW": "3.LB", "WW WW WW": "3.2W",
	"WW RW WR": "Z6.0", "WW WW RW": "Z6.1", "WW RW RW": "Z6.2", "WW WW RR": "Z6.3", "WW WR WR": "Z6.4", "WW WW WR": "Z6.5",
	"W RR W RR": "IRIW", "W RR W RW": "IRRWIW", "W RW W RW": "IRWIW",
	"WR WR WR WR": "4.SB", "RW RW RW RW": "4.LB", "WW WW WW WW": "4.2W",
	"W RR": "CoRR", "W RW": "CoRW", "W WR": "CoWR",
}

// kinds spells the first and last accesses of the threads: "WW RR".
func (c Cycle) kinds() string {
	var b strings.Builder
	for i, t := range c.threads() {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte(byte(c.edges[t.first].from))
		if t.end > t.first+1 {
			b.WriteByte(byte(c.edges[t.end-1].from))
		}
	}
	return b.String()
}

// mechanisms spells what is inside each thread. Threads of a single access are left out, unless one of them has an
// annotation.
func (c Cycle) mechanisms() []string {
	plain := c.arch.notes[0]
	threads := c.threads()
	lone := false
	for _, t := range threads {
		lone = lone || t.end == t.first+1 && c.notes[t.first] != plain
	}
	var out []string
	for _, t := range threads {
		if t.end == t.first+1 {
			if lone {
				out = append(out, c.notes[t.first].short)
			}
			continue
		}
		var parts []string
		for i := t.first; i < t.end-1; i++ {
			parts = append(parts, c.mechanismAt(i, t))
		}
		out = append(out, strings.Join(parts, "-"))
	}
	return out
}

// mechanismAt spells edge i inside thread t.
func (c Cycle) mechanismAt(i int, t span) string {
	e := c.edges[i]
	name := strings.ToLower(e.String())
	if e.com == "" {
		name = e.mech.name
		switch {
		case e.same && e.mech == programOrder:
			name = "pos"
		case e.same:
			name += ".s"
		}
		// The direction of an access in the middle, unless the edges around it tell.
		if next := c.edges[i+1]; i+2 < t.end && next.com == "" && next.mech.dep == depNone && e.mech.dep != depData {
			name += string(e.to)
		}
	}
	from, to := c.notes[i], c.notes[i+1]
	switch plain := c.arch.notes[0]; {
	case from == plain && to == plain:
	case len(from.short) == 1 && len(to.short) == 1:
		name += from.short + to.short
	default:
		name += "." + from.short + "." + to.short
	}
	return name
}

// Name is the name of the family, such as MP, or the threads' accesses where the field has no name, and what is inside the
// threads: MP+dmb.sy+addr. It is MP alone if that is program order everywhere, and LB+datas if it is the same everywhere.
// Different cycles of one architecture have different names.
func (c Cycle) Name() string {
	kinds := c.kinds()
	name := families[kinds]
	if name == "" {
		name = strings.ReplaceAll(kinds, " ", "-")
	}
	mechs := c.mechanisms()
	all := len(mechs) > 1
	for _, m := range mechs {
		all = all && m == mechs[0]
	}
	switch {
	case all && mechs[0] == programOrder.name, len(mechs) == 1 && mechs[0] == programOrder.name:
		return name
	case all:
		return name + "+" + mechs[0] + "s"
	}
	return strings.Join(append([]string{name}, mechs...), "+")
}
