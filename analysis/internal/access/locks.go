package access

import (
	"go/token"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// place is where something is, within a function: a value and the way from there.
type place struct {
	root ssa.Value
	path string
}

// Path is the way to an address: fields by name, a star for each pointer that is followed.
func Path(v ssa.Value) (root ssa.Value, path string) {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		root, path = Path(v.X)
		f := fields(v.X.Type())
		if f == nil {
			return v, ""
		}
		return root, path + "." + f[v.Field].Name()
	case *ssa.UnOp:
		if v.Op == token.MUL {
			root, path = Path(v.X)
			return root, path + "*"
		}
	case *ssa.IndexAddr:
		if _, ok := v.X.Type().Underlying().(*types.Pointer); ok { // of an array, which is where the pointer points to
			root, path = Path(v.X)
			return root, path + "[]"
		}
	case *ssa.ChangeType:
		return Path(v.X)
	case *ssa.Convert:
		return Path(v.X)
	}
	return v, ""
}

// beside are the locks in the object that an address is in, or anywhere in one that contains it, by their place there, and
// those of the package. Each step outwards is a mark before the name. A lock in another object that this one points to is none of
// them.
func beside(root ssa.Value, path string, locks map[place]bool) map[string]bool {
	base := path[:strings.LastIndex(path, ".")+1]
	out := map[string]bool{}
	for l, exclusive := range locks {
		name := ""
		if g, global := l.root.(*ssa.Global); global {
			name = g.Name() + l.path
		}
		if common := shared(base, l.path); l.root == root && common != "" && !strings.Contains(base[len(common):], "*") {
			name = strings.Repeat(Outwards, strings.Count(base[len(common):], ".")) + l.path[len(common):]
		}
		if name = strings.TrimRight(name, "*"); name != "" && !strings.Contains(name, "*") {
			out[name] = exclusive
		}
	}
	return out
}

// shared is the way to the innermost object that two places are in.
func shared(a, b string) string {
	n := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '.' {
			n = i + 1
		}
	}
	return a[:n]
}

// Outwards is the mark.
const Outwards = "^"

// held follows which locks are held.
type held struct {
	releases map[*ssa.Function]map[string]bool // the last parts of the places that a function unlocks for its caller
}

func newHeld(fns []*ssa.Function) *held {
	h := &held{map[*ssa.Function]map[string]bool{}}
	calls := map[*ssa.Function][]*ssa.Function{}
	for _, fn := range fns {
		h.releases[fn] = h.released(fn)
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(ssa.CallInstruction); ok && c.Common().StaticCallee() != nil {
					calls[fn] = append(calls[fn], c.Common().StaticCallee())
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for fn, callees := range calls {
			for _, callee := range callees {
				for name := range h.releases[callee] {
					if !h.releases[fn][name] {
						h.releases[fn][name] = true
						changed = true
					}
				}
			}
		}
	}
	return h
}

// released are the locks that a function unlocks without having locked them.
func (h *held) released(fn *ssa.Function) map[string]bool {
	locked, unlocked := map[place]bool{}, map[place]bool{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(ssa.CallInstruction); ok {
				switch l, verb := locking(c.Common()); verb {
				case "Lock", "RLock":
					locked[l] = true
				case "Unlock", "RUnlock":
					unlocked[l] = true
				}
			}
		}
	}
	out := map[string]bool{}
	for l := range unlocked {
		if !locked[l] {
			out[last(l.path)] = true
		}
	}
	return out
}

func last(path string) string { return path[strings.LastIndex(path, ".")+1:] }

// each visits a function's instructions with the locks that are held on every path to them.
func (h *held) each(fn *ssa.Function, visit func(in ssa.Instruction, locks map[place]bool)) {
	before := map[*ssa.BasicBlock]map[place]bool{fn.Blocks[0]: {}}
	if fn.Recover != nil {
		before[fn.Recover] = map[place]bool{}
	}
	work := []*ssa.BasicBlock{fn.Blocks[0]}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		locks := maps.Clone(before[b])
		for _, in := range b.Instrs {
			h.step(in, locks)
		}
		for _, s := range b.Succs {
			old, seen := before[s]
			if !seen {
				before[s] = maps.Clone(locks)
				work = append(work, s)
				continue
			}
			n := len(old)
			weaker := false
			for l, exclusive := range old {
				now, still := locks[l]
				switch {
				case !still:
					delete(old, l)
				case exclusive && !now:
					old[l], weaker = false, true
				}
			}
			if len(old) != n || weaker {
				work = append(work, s)
			}
		}
	}
	for _, b := range fn.Blocks {
		locks, reached := before[b]
		if !reached {
			continue
		}
		locks = maps.Clone(locks)
		for _, in := range b.Instrs {
			visit(in, locks)
			h.step(in, locks)
		}
	}
}

func (h *held) step(in ssa.Instruction, locks map[place]bool) {
	c, ok := in.(*ssa.Call) // a deferred unlock comes at the end
	if !ok {
		return
	}
	l, verb := locking(c.Common())
	switch verb {
	case "Lock":
		locks[l] = true
	case "RLock":
		locks[l] = false
	case "Unlock", "RUnlock":
		delete(locks, l)
	default:
		if callee := c.Common().StaticCallee(); callee != nil {
			for name := range h.releases[callee] {
				maps.DeleteFunc(locks, func(l place, _ bool) bool { return last(l.path) == name })
			}
		}
	}
}

// locking recognises a call that locks or unlocks: a method of that name without parameters, of a type that has both.
func locking(c *ssa.CallCommon) (l place, verb string) {
	var fn *types.Func
	var recv ssa.Value
	if c.IsInvoke() {
		fn, recv = c.Method, c.Value
	} else {
		callee := c.StaticCallee()
		if callee == nil || len(c.Args) != 1 {
			return place{}, ""
		}
		fn, _ = callee.Object().(*types.Func)
		recv = c.Args[0]
	}
	if fn == nil || fn.Signature().Recv() == nil || fn.Signature().Params().Len() > 0 || fn.Signature().Results().Len() > 0 {
		return place{}, ""
	}
	pair := map[string]string{"Lock": "Unlock", "Unlock": "Lock", "RLock": "RUnlock", "RUnlock": "RLock"}
	other, ok := pair[fn.Name()]
	if !ok {
		return place{}, ""
	}
	obj, _, _ := types.LookupFieldOrMethod(recv.Type(), true, fn.Pkg(), other)
	if _, ok := obj.(*types.Func); !ok {
		return place{}, ""
	}
	root, path := Path(recv)
	return place{root, path}, fn.Name()
}
