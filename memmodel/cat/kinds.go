package cat

// kind is what an expression of `let rec` can be before its variables are known.
type kind uint8

const (
	unknown kind = iota
	setKind
	relKind
)

// kinds finds which of the variables of a `let rec` are relations. What nothing tells is taken for a relation.
func (c *compiler) kinds(l *letStmt, e *env) []bool {
	known := map[string]kind{}
	for _, b := range l.bindings {
		known[b.name] = unknown
	}
	for range l.bindings {
		for i := range l.bindings {
			b := &l.bindings[i]
			if known[b.name] == unknown {
				known[b.name] = c.kindOf(b.body, known, e)
			}
		}
	}
	rels := make([]bool, len(l.bindings))
	for i := range l.bindings {
		rels[i] = known[l.bindings[i].name] != setKind
	}
	return rels
}

func (c *compiler) kindOf(x *expr, known map[string]kind, e *env) kind {
	c.step(x)
	switch x.op {
	case "name":
		if k, ok := known[x.name]; ok {
			return k
		}
		v := c.lookup(x.name, x.pos, e)
		switch {
		case v.zero || v.fn != nil:
			return unknown
		case v.expr.Rel:
			return relKind
		}
		return setKind
	case "0":
		return unknown
	case "{}":
		return setKind
	case "let", "try":
		return unknown
	case "|", "&", "\\":
		if k := c.kindOf(x.args[0], known, e); k != unknown {
			return k
		}
		return c.kindOf(x.args[1], known, e)
	case "~":
		return c.kindOf(x.args[0], known, e)
	case "apply":
		if _, user := e.find(x.name); !user && (x.name == "domain" || x.name == "range") {
			return setKind
		}
		if v, ok := e.find(x.name); ok && v.fn != nil {
			return c.kindOfCall(v.fn, known)
		}
	}
	return relKind
}

// kindOfCall looks into the function, whose parameters hide the variables.
func (c *compiler) kindOfCall(f *function, known map[string]kind) kind {
	inner := map[string]kind{}
	for name, k := range known {
		inner[name] = k
	}
	for _, p := range f.b.params {
		inner[p] = unknown
	}
	return c.kindOf(f.b.body, inner, f.env)
}
