package native

import (
	"fmt"
	"slices"
	"sort"
)

// set is a set of registers.
type set []uint64

func newSet(n int) set       { return make(set, (n+63)/64) }
func (s set) has(x reg) bool { return s[x/64]&(1<<(x%64)) != 0 }
func (s set) add(x reg)      { s[x/64] |= 1 << (x % 64) }
func (s set) remove(x reg)   { s[x/64] &^= 1 << (x % 64) }
func (s set) each(f func(reg)) {
	for i, w := range s {
		for b := reg(0); w != 0; b, w = b+1, w>>1 {
			if w&1 != 0 {
				f(reg(i*64) + b)
			}
		}
	}
}

// liveness is, for each instruction, the registers that are read later.
func liveness(code []inst, n int) []set {
	labels := map[string]int{}
	for i, in := range code {
		if in.label != "" {
			labels[in.label] = i
		}
	}
	in, out := make([]set, len(code)), make([]set, len(code))
	for i := range code {
		in[i], out[i] = newSet(n), newSet(n)
	}
	for changed := true; changed; {
		changed = false
		for i := len(code) - 1; i >= 0; i-- {
			c := &code[i]
			join := func(j int) {
				for k := range out[i] {
					out[i][k] |= in[j][k]
				}
			}
			if c.to != "" {
				join(labels[c.to])
			}
			if !c.ret && (c.to == "" || c.falls) && i+1 < len(code) {
				join(i + 1)
			}
			next := slices.Clone(out[i])
			for _, d := range c.def {
				next.remove(d)
			}
			for _, u := range c.use {
				next.add(u)
			}
			if !slices.Equal(next, in[i]) {
				in[i], changed = next, true
			}
		}
	}
	return out
}

// dropDead leaves out what nobody reads, such as the zero that a result begins with.
func dropDead(code []inst, n int) []inst {
	for {
		live := liveness(code, n)
		var kept []inst
		for i, in := range code {
			if !in.idle || live[i].has(in.def[0]) {
				kept = append(kept, in)
			}
		}
		if len(kept) == len(code) {
			return code
		}
		code = kept
	}
}

// allocate gives each register one of the machine's. Copies vanish where they can.
func allocate(code []inst, n int, fixed map[reg]string, names []string) ([]string, error) {
	live := liveness(code, n)
	clash := make([]set, n)
	for i := range clash {
		clash[i] = newSet(n)
	}
	meet := func(a, b reg) {
		if a != b {
			clash[a].add(b)
			clash[b].add(a)
		}
	}
	for i, in := range code {
		for _, d := range in.def {
			live[i].each(func(x reg) {
				if !in.move || x != in.use[0] {
					meet(d, x)
				}
			})
			for _, e := range in.def {
				meet(d, e)
			}
			for _, u := range in.use {
				if in.early {
					meet(d, u)
				}
			}
		}
	}
	colors, ok := color(code, n, clash, fixed, names, true)
	if !ok {
		colors, ok = color(code, n, clash, fixed, names, false)
	}
	if !ok {
		return nil, crowded(code, live, len(names))
	}
	return colors, nil
}

// crowded is the error for more live values than registers, at the place where most are live.
func crowded(code []inst, live []set, registers int) error {
	most, where := 0, 0
	for i := range code {
		n := 0
		live[i].each(func(reg) { n++ })
		if n > most {
			most, where = n, i
		}
	}
	return &Error{code[where].pos, fmt.Sprintf("too many live values: %d are needed at the same time here, and there are %d registers; split the function, or read memory later", most, registers)}
}

// color assigns registers; with merge, both sides of a copy get the same one where nothing speaks against it.
func color(code []inst, n int, clash []set, fixed map[reg]string, names []string, merge bool) ([]string, bool) {
	group := make([]reg, n)
	for i := range group {
		group[i] = reg(i)
	}
	var find func(x reg) reg
	find = func(x reg) reg {
		if group[x] != x {
			group[x] = find(group[x])
		}
		return group[x]
	}
	adj := make([]set, n)
	pin := map[reg]string{}
	for i := range adj {
		adj[i] = slices.Clone(clash[i])
	}
	for x, name := range fixed {
		pin[x] = name
	}
	used := newSet(n)
	for _, in := range code {
		for _, x := range append(in.use[:len(in.use):len(in.use)], in.def...) {
			used.add(x)
		}
	}
	for _, in := range code {
		if !merge || !in.move {
			continue
		}
		a, b := find(in.use[0]), find(in.def[0])
		if a == b || adj[a].has(b) || pin[a] != "" && pin[b] != "" && pin[a] != pin[b] {
			continue
		}
		name := pin[a] + pin[b]
		if pin[a] == pin[b] {
			name = pin[a]
		}
		if name != "" && (pinnedNeighbour(adj[a], pin, name, find) || pinnedNeighbour(adj[b], pin, name, find)) {
			continue
		}
		group[b] = a
		adj[b].each(func(x reg) {
			adj[a].add(x)
			adj[x].add(a)
		})
		if name != "" {
			pin[a] = name
		}
	}
	var nodes []reg
	used.each(func(x reg) {
		if find(x) == x {
			nodes = append(nodes, x)
		}
	})
	// The neighbours of a group are those of all its members.
	neighbours := func(x reg) map[reg]bool {
		out := map[reg]bool{}
		adj[x].each(func(y reg) {
			if f := find(y); f != x {
				out[f] = true
			}
		})
		return out
	}
	near := map[reg]map[reg]bool{}
	for _, x := range nodes {
		near[x] = neighbours(x)
	}
	// Take away what is certain to find a place, the least crowded first; what is left has to try.
	var stack []reg
	left := slices.Clone(nodes)
	gone := map[reg]bool{}
	for len(left) > 0 {
		sort.SliceStable(left, func(i, j int) bool { return degree(near[left[i]], gone) > degree(near[left[j]], gone) })
		x := left[len(left)-1]
		left = left[:len(left)-1]
		gone[x] = true
		stack = append(stack, x)
	}
	chosen := map[reg]string{}
	for x, name := range pin {
		if find(x) == x {
			chosen[x] = name
			if pinnedNeighbour(adj[x], pin, name, find) {
				return nil, false
			}
		}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		x := stack[i]
		if chosen[x] != "" {
			continue
		}
		taken := map[string]bool{}
		for y := range near[x] {
			taken[chosen[y]] = true
		}
		k := slices.IndexFunc(names, func(name string) bool { return !taken[name] })
		if k < 0 {
			return nil, false
		}
		chosen[x] = names[k]
	}
	out := make([]string, n)
	for i := range out {
		out[i] = chosen[find(reg(i))]
	}
	return out, true
}

func degree(near map[reg]bool, gone map[reg]bool) int {
	n := 0
	for x := range near {
		if !gone[x] {
			n++
		}
	}
	return n
}

// pinnedNeighbour reports whether some neighbour is the named register already.
func pinnedNeighbour(adj set, pin map[reg]string, name string, find func(reg) reg) bool {
	found := false
	adj.each(func(x reg) { found = found || pin[find(x)] == name })
	return found
}
