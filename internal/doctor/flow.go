package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/internal/machine"
)

// A flow is a control-flow graph in which some nodes are events, that is, have a label. Node 0 is the way
// in, node 1 the way out.
type flow struct {
	label []string
	next  [][]int
	text  map[string]string // per label, an instruction that caused it
}

const (
	entry, exit           = 0, 1
	entryLabel, exitLabel = "the function's entry", "the function's end"
)

func newFlow() *flow {
	return &flow{label: []string{entryLabel, exitLabel}, next: [][]int{nil, nil}, text: map[string]string{}}
}

func (f *flow) add(label string, next ...int) int {
	f.label = append(f.label, label)
	f.next = append(f.next, next)
	return len(f.label) - 1
}

// sourceFlow is the flow that the model of a function asks for.
func sourceFlow(b block) *flow {
	f := newFlow()
	f.next[entry] = []int{f.block(b, exit, exit)}
	return f
}

// block builds backwards: it returns the node at which b starts when it goes on at next, and leaves a loop
// at out.
func (f *flow) block(b block, next, out int) int {
	for _, s := range slices.Backward(b) {
		label := ""
		if s.access != nil {
			label = s.access.String()
		}
		switch s.op {
		case opAccess:
			next = f.add(label, next)
		case opBreak:
			next = out
		case opReturn:
			next = exit
		case opIf:
			next = f.add(label, f.block(s.body, next, out), f.block(s.alt, next, out))
		case opLoop:
			head := f.add(label, next)
			f.next[head] = append(f.next[head], f.block(s.body, head, next))
			next = head
		}
	}
	return next
}

// machineFlow is the flow that the machine code has. Stack accesses, nil checks and what leads to a panic
// are no events; a call of anything else is one, since the probe calls nothing.
func machineFlow(code machine.Func) *flow {
	f := newFlow()
	first, last := make([]int, len(code.Insts)), make([]int, len(code.Insts))
	for i, in := range code.Insts {
		first[i] = f.add("")
		last[i] = first[i]
		for _, label := range events(in) {
			f.text[label] = in.String()
			node := f.add(label)
			f.next[last[i]] = []int{node}
			last[i] = node
		}
	}
	for i, next := range code.Next() {
		in := code.Insts[i]
		switch {
		case panics(in):
			continue
		case in.Kind&machine.Return != 0:
			next = nil
			f.next[last[i]] = append(f.next[last[i]], exit)
		}
		for _, j := range next {
			f.next[last[i]] = append(f.next[last[i]], first[j])
		}
	}
	if len(first) > 0 {
		f.next[entry] = []int{first[0]}
	}
	return f
}

func panics(in machine.Inst) bool {
	return in.Kind&machine.Call != 0 &&
		(strings.HasPrefix(in.Symbol, "runtime.panic") || strings.HasPrefix(in.Symbol, "runtime.goPanic"))
}

func events(in machine.Inst) []string {
	var out []string
	for _, a := range in.Shared() {
		for _, kind := range []machine.Kind{machine.Load, machine.Store} {
			if a.Kind.Has(kind) {
				half := a
				half.Kind = kind
				out = append(out, half.String())
			}
		}
	}
	grows := strings.HasPrefix(in.Symbol, "runtime.morestack")
	leaves := in.Kind&machine.Jump != 0 && in.Target == 0
	if in.Kind&machine.Unknown != 0 || in.Kind&machine.Call != 0 && !panics(in) && !grows || leaves {
		out = append(out, "the instruction "+in.Text)
	}
	return out
}

// after returns the first labelled nodes on every path from a node. With through, it returns all nodes.
func (f *flow) after(node int, through bool) []int {
	var out []int
	seen := map[int]bool{}
	todo := slices.Clone(f.next[node])
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if f.label[n] != "" {
			out = append(out, n)
		}
		if f.label[n] == "" || through {
			todo = append(todo, f.next[n]...)
		}
	}
	return out
}

// reachable returns the labelled nodes that control can come to.
func (f *flow) reachable() []int { return append(f.after(entry, true), entry) }

// step returns, per label, the nodes that may directly follow any of nodes.
func (f *flow) step(nodes []int) map[string][]int {
	out := map[string][]int{}
	for _, node := range nodes {
		for _, n := range f.after(node, false) {
			if label := f.label[n]; !slices.Contains(out[label], n) {
				out[label] = append(out[label], n)
			}
		}
	}
	for _, n := range out {
		slices.Sort(n)
	}
	return out
}

func (f *flow) counts() map[string]int {
	out := map[string]int{}
	for _, node := range f.reachable() {
		if node != entry && node != exit {
			out[f.label[node]]++
		}
	}
	return out
}

// accesses is the number of events, each counted as often as it stands there.
func (f *flow) accesses() int {
	n := 0
	for _, count := range f.counts() {
		n += count
	}
	return n
}

// A mismatch says in what the machine code departs from the source.
type mismatch struct{ problem, instruction string }

// compare returns nil if both flows have the same events, equally often, and allow the same sequences of
// them. Where every event is there once, that is the same as: each is followed by the same ones.
func compare(want, got *flow) *mismatch {
	wantCounts, gotCounts := want.counts(), got.counts()
	for _, label := range labels(wantCounts, gotCounts) {
		if wantCounts[label] != gotCounts[label] {
			return &mismatch{fmt.Sprintf("%s stands %s in the source and %s in the machine code", label,
				times(wantCounts[label]), times(gotCounts[label])), got.text[label]}
		}
	}
	// Both are walked at once, each as the set of places where it may be.
	type pair struct {
		last      string
		want, got []int
	}
	seen := map[string]bool{}
	todo := []pair{{entryLabel, []int{entry}, []int{entry}}}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		key := fmt.Sprint(at.want, at.got)
		if seen[key] {
			continue
		}
		seen[key] = true
		wantNext, gotNext := want.step(at.want), got.step(at.got)
		for _, label := range labels(wantNext, gotNext) {
			switch {
			case wantNext[label] == nil:
				return &mismatch{fmt.Sprintf("%s directly follows %s, against the source's order", label, at.last), got.text[label]}
			case gotNext[label] == nil:
				return &mismatch{fmt.Sprintf("%s does not directly follow %s, as it may in the source", label, at.last), got.text[label]}
			}
			todo = append(todo, pair{label, wantNext[label], gotNext[label]})
		}
	}
	return nil
}

// labels returns the keys of both maps, sorted.
func labels[V any](x, y map[string]V) []string {
	all := maps.Clone(x)
	maps.Copy(all, y)
	return slices.Sorted(maps.Keys(all))
}

func times(n int) string {
	switch n {
	case 0:
		return "nowhere"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
