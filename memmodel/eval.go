package memmodel

// maxRounds is how often a `let rec` is computed anew. One that only grows needs fewer rounds than there are pairs of events
// and variables; one that uses difference may never come to rest.
const maxRounds = 10_000

// machine runs compiled code on one execution.
type machine struct {
	code *code
	n    int // events
	all  uint64
	sets []uint64
	rels []uint64 // n rows for each register
	// diverged is set if a `let rec` does not come to rest.
	diverged bool
	rounds   int
	// raised are the flags that held in the execution evaluated last, a bit for each check; they count only if the
	// execution is allowed.
	raised uint64
}

func (m *machine) prepare(c *code, n int) {
	m.code, m.n = c, n
	m.all = ^uint64(0) >> (64 - n)
	if n == 0 {
		m.all = 0
	}
	m.sets = grow(m.sets, int(c.sets))
	m.rels = grow(m.rels, int(c.rels)*n)
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

func (m *machine) rel(r int32) []uint64 {
	at := int(r) * m.n
	return m.rels[at : at+m.n : at+m.n]
}

// run evaluates one level. It returns the first check that failed, or -1.
func (m *machine) run(l level) int {
	code := m.code.levels[l]
	for pc := 0; pc < len(code); pc++ {
		in := &code[pc]
		switch in.op {
		case cSetNone:
			m.sets[in.dst] = 0
		case cSetUnion:
			m.sets[in.dst] = m.sets[in.a] | m.sets[in.b]
		case cSetInter:
			m.sets[in.dst] = m.sets[in.a] & m.sets[in.b]
		case cSetDiff:
			m.sets[in.dst] = m.sets[in.a] &^ m.sets[in.b]
		case cSetCompl:
			m.sets[in.dst] = m.all &^ m.sets[in.a]
		case cDomain:
			m.sets[in.dst] = relDomain(m.rel(in.a))
		case cRange:
			m.sets[in.dst] = relRange(m.rel(in.a))
		case cRelNone:
			clear(m.rel(in.dst))
		case cRelUnion:
			d, a := m.rel(in.dst), m.rel(in.a)
			b := m.rel(in.b)[:len(d)]
			a = a[:len(d)]
			for i := range d {
				d[i] = a[i] | b[i]
			}
		case cRelInter:
			d, a := m.rel(in.dst), m.rel(in.a)
			b := m.rel(in.b)[:len(d)]
			a = a[:len(d)]
			for i := range d {
				d[i] = a[i] & b[i]
			}
		case cRelDiff:
			d, a := m.rel(in.dst), m.rel(in.a)
			b := m.rel(in.b)[:len(d)]
			a = a[:len(d)]
			for i := range d {
				d[i] = a[i] &^ b[i]
			}
		case cRelCompl:
			d, a := m.rel(in.dst), m.rel(in.a)
			for i := range d {
				d[i] = m.all &^ a[i]
			}
		case cSeq:
			relSeq(m.rel(in.dst), m.rel(in.a), m.rel(in.b))
		case cRestrictL:
			d, s, b := m.rel(in.dst), m.sets[in.a], m.rel(in.b)
			for i := range d {
				d[i] = b[i] & -(s >> i & 1)
			}
		case cRestrictR:
			d, a, s := m.rel(in.dst), m.rel(in.a), m.sets[in.b]
			for i := range d {
				d[i] = a[i] & s
			}
		case cToID:
			d, s := m.rel(in.dst), m.sets[in.a]
			for i := range d {
				d[i] = s & (1 << i)
			}
		case cProduct:
			d, s, t := m.rel(in.dst), m.sets[in.a], m.sets[in.b]
			for i := range d {
				d[i] = t & -(s >> i & 1)
			}
		case cInverse:
			relInverse(m.rel(in.dst), m.rel(in.a))
		case cPlus:
			d := m.rel(in.dst)
			copy(d, m.rel(in.a))
			relPlus(d)
		case cFixBegin:
			f := &m.code.fixes[in.a]
			m.rounds = 0
			for i, v := range f.vars {
				if f.rels[i] {
					clear(m.rel(v))
				} else {
					m.sets[v] = 0
				}
			}
		case cFixEnd:
			if m.step(&m.code.fixes[in.a]) {
				if m.rounds++; m.rounds > maxRounds {
					m.diverged = true
					continue
				}
				pc = m.code.fixes[in.a].start - 1
			}
		case cCheck:
			k := &m.code.checks[in.a]
			if m.holds(k) {
				if k.flag {
					m.raised |= 1 << in.a
				}
			} else if !k.flag {
				return int(in.a)
			}
		}
	}
	return -1
}

// step gives the variables of a `let rec` the values of their definitions and says whether that changed anything.
func (m *machine) step(f *fixCode) (changed bool) {
	for i, v := range f.vars {
		if !f.rels[i] {
			changed = changed || m.sets[v] != m.sets[f.defs[i]]
			m.sets[v] = m.sets[f.defs[i]]
			continue
		}
		from, to := m.rel(f.defs[i]), m.rel(v)
		for k, row := range from {
			changed = changed || row != to[k]
			to[k] = row
		}
	}
	return changed
}

func (m *machine) holds(k *check) bool {
	var ok bool
	switch {
	case !k.rel:
		ok = m.sets[k.reg] == 0
	case k.kind == Acyclic:
		ok = relAcyclic(m.rel(k.reg))
	case k.kind == Irreflexive:
		ok = relIrreflexive(m.rel(k.reg))
	default:
		ok = relEmpty(m.rel(k.reg))
	}
	return ok != k.neg
}
