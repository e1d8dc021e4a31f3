package order

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/contract/flow"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/cat"
	"github.com/barriergen/barriergen/memmodel/models"
)

func tokenPos(n int) token.Pos { return token.Pos(n) }

// isa is how a machine's model calls events.
type isa struct {
	model, arch string
	tags        []string
	rmw         string                         // of both halves
	fences      map[[2]contract.Classes]string // by what they order
	class       map[contract.Classes]string    // of one half
	order       [2]string                      // of the model's text, where it joins its orders, and that with one more
	searches    [2]*memmodel.Search            // of the model, and of it with the orders of contracts
	alike       map[string]string              // the tags of what orders as a fence does
}

// The orders of contracts are those of pairs of kinds, by the tags of a fence between the two, of the earlier access or of
// the later one.
const contracts = `
let contracts = %s
`

// kinds are those of accesses. The tags of contracts are names that neither model has another use for: of a later access
// behind which earlier ones of the kind come, and of an earlier one before which later ones come.
var kinds = []struct {
	name          string
	classes       contract.Classes
	before, after string
}{{"R", contract.Reads, "Rmb", "Acquire"}, {"W", contract.Writes, "Wmb", "Release"}}

// across is the tag of a fence between accesses of two kinds.
func across(from, to string) string { return "Fence." + strings.ToLower(from+"."+to) }

// text is the model's, with the orders of contracts.
func (a *isa) text(t *testing.T) []byte {
	src, err := models.Source(a.model)
	require.NoError(t, err)
	var rels []string
	for _, from := range kinds {
		rels = append(rels, fmt.Sprintf("[%s]; po; [%s]", from.name, from.before), fmt.Sprintf("[%s]; po; [%s]", from.after, from.name))
		for _, to := range kinds {
			rels = append(rels, fmt.Sprintf("[%s]; po; [%s]; po; [%s]", from.name, across(from.name, to.name), to.name))
		}
	}
	require.Equal(t, 1, strings.Count(string(src), a.order[0]))
	return []byte(strings.Replace(string(src), a.order[0], fmt.Sprintf(contracts, strings.Join(rels, " | "))+a.order[1], 1))
}

// load is a search of the model.
func (a *isa) load(t *testing.T, promised bool) *memmodel.Search {
	i := 0
	if promised {
		i = 1
	}
	if a.searches[i] == nil {
		model, err := models.Load(a.model)
		if promised {
			model, err = cat.Compile(a.model, a.text(t), models.Include)
		}
		require.NoError(t, err)
		a.searches[i] = &memmodel.Search{Model: model}
	}
	return a.searches[i]
}

var isas = map[string]*isa{
	"amd64": {model: "x86tso", arch: "X86_64", tags: tags("X", "MFENCE", "LFENCE", "SFENCE"), rmw: "X",
		order:  [2]string{"acyclic kept | fenced", "acyclic contracts | kept | fenced"},
		fences: map[[2]contract.Classes]string{{contract.All, contract.All}: "MFENCE"}},
	"arm64": {model: "aarch64", arch: "AArch64", tags: tags("A", "L", "X", "NoRet", "DMB.ISH", "DMB.ISHLD", "DMB.ISHST"),
		order: [2]string{"let bob = ", "let bob = contracts | "},
		fences: map[[2]contract.Classes]string{{contract.All, contract.All}: "DMB.ISH", {contract.FenceReads, contract.All}: "DMB.ISHLD",
			{contract.Writes, contract.Writes}: "DMB.ISHST"},
		class: map[contract.Classes]string{contract.AcquireRead: "A", contract.RMWAcquireRead: "A", contract.ReleaseWrite: "L",
			contract.RMWReleaseWrite: "L", contract.NoReturnRead: "NoRet"}},
}

// tags are a model's own and those of contracts.
func tags(own ...string) []string {
	for _, k := range kinds {
		own = append(own, k.before, k.after)
		for _, to := range kinds {
			own = append(own, across(k.name, to.name))
		}
	}
	return own
}

func (a *isa) tag(names ...string) memmodel.Tags {
	var out memmodel.Tags
	for _, n := range names {
		if i := slices.Index(a.tags, n); i >= 0 {
			out |= 1 << i
		}
	}
	return out
}

// like is the fence that orders what a step does, which may be an operation on the stack.
func (a *isa) like(t *testing.T, m *Machine, s contract.Step) string {
	key := m.Name + contract.Describe(s.Orders)
	tag, ok := a.alike[key]
	if !ok {
		tag = a.find(t, m, s)
		if a.alike == nil {
			a.alike = map[string]string{}
		}
		a.alike[key] = tag
	}
	return tag
}

func (a *isa) find(t *testing.T, m *Machine, s contract.Step) string {
	sum := func(s contract.Step) contract.Step {
		return flow.Summary(flow.Graph{Nodes: []flow.Node{{Give: []contract.Step{s}}}, Free: m.free(), Domain: contract.Normal})
	}
	if len(sum(s).Orders) == 0 { // it is there for devices
		return ""
	}
	for classes, tag := range a.fences {
		o := contract.Order{Side: contract.Across, From: classes[0], To: classes[1], Domain: contract.Normal}
		if reflect.DeepEqual(sum(s), sum(contract.Step{Orders: []contract.Order{o}})) {
			return tag
		}
	}
	require.Fail(t, "no such fence", "%s: %s", m.Name, contract.Describe(s.Orders))
	return ""
}

// thread is one under construction.
type thread struct {
	*isa
	prog    *memmodel.Program
	t       *memmodel.Thread
	number  int
	locs    map[int]int
	observe *[]memmodel.Observable
	hidden  bool // what is read does not show
}

// promise tags what orders on one side say of an access, or of a fence.
func (b *thread) promise(orders []contract.Order, side contract.Side, e contract.Classes) memmodel.Tags {
	var out []string
	for _, o := range orders {
		if o.Side != side {
			continue
		}
		for _, k := range kinds {
			switch {
			case side == contract.Before && o.From&k.classes != 0 && o.To&e != 0:
				out = append(out, k.before)
			case side == contract.After && o.From&e != 0 && o.To&k.classes != 0:
				out = append(out, k.after)
			case side == contract.Across && o.From&k.classes != 0:
				for _, to := range kinds {
					if o.To&to.classes != 0 {
						out = append(out, across(k.name, to.name))
					}
				}
			}
		}
	}
	return b.tag(out...)
}

func (b *thread) addr(loc int) memmodel.Operand {
	l, ok := b.locs[loc]
	if !ok {
		l = len(b.prog.Locs)
		b.locs[loc] = l
		b.prog.Locs = append(b.prog.Locs, memmodel.Location{Name: fmt.Sprintf("v%d", l), Size: 8})
	}
	return memmodel.K(b.prog.Addr(l))
}

func (b *thread) reg(observed bool) memmodel.Reg {
	r := memmodel.Reg(len(b.t.Regs))
	b.t.Regs = append(b.t.Regs, memmodel.Register{Name: fmt.Sprintf("r%d", r)})
	if observed && !b.hidden {
		*b.observe = append(*b.observe, memmodel.ObserveReg(b.number, r))
	}
	return r
}

func (b *thread) emit(in memmodel.Instr) { b.t.Code = append(b.t.Code, in) }

func (b *thread) fence(tag string) {
	b.emit(memmodel.Instr{Op: memmodel.OpFence, Dst: memmodel.NoReg, A: memmodel.K(0), B: memmodel.K(0), Tags: b.tag(tag)})
}

func (b *thread) load(loc int, tags memmodel.Tags) {
	b.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: b.reg(true), A: b.addr(loc), Tags: tags})
}

func (b *thread) store(loc int, v memmodel.Value, tags memmodel.Tags) {
	b.emit(memmodel.Instr{Op: memmodel.OpStore, Dst: memmodel.NoReg, A: b.addr(loc), C: memmodel.K(v), WTags: tags})
}

// run appends an operation, step by step, as the classes of its events say.
func (b *thread) run(t *testing.T, m *Machine, p placed) {
	if p.op.Private { // on memory that nobody else sees
		p.op.Private, b.hidden = false, true
		p.loc -= 100
		defer func() { b.hidden = false }()
	}
	steps := m.steps
	if p.promised {
		steps = m.promised
	}
	for _, s := range steps(p.op) {
		switch {
		case len(s.Events) > 0:
			b.step(m, p, s, s.Events)
		case p.promised:
			b.emit(memmodel.Instr{Op: memmodel.OpFence, Dst: memmodel.NoReg, A: memmodel.K(0), B: memmodel.K(0), Tags: b.promise(s.Orders, contract.Across, 0)})
		case len(s.Orders) > 0:
			if tag := b.like(t, m, s); tag != "" {
				b.fence(tag)
			}
		}
	}
}

func (b *thread) step(m *Machine, p placed, s contract.Step, events []contract.Classes) {
	first := events[0]
	tags := func(e contract.Classes) memmodel.Tags {
		out := b.tag(b.class[e])
		switch {
		case p.promised && p.op.Prim != nil:
			out |= b.promise(s.Orders, contract.Before, e) | b.promise(s.Orders, contract.After, e)
		case e&(contract.RMWReads|contract.RMWWrites) != 0:
			out |= b.tag(b.rmw)
		}
		return out
	}
	exclusive := m.variant == 1
	switch {
	case len(events) == 2 && !exclusive:
		b.emit(memmodel.Instr{Op: memmodel.OpRMW, Fn: memmodel.FnAdd, Dst: b.reg(first != contract.NoReturnRead), A: b.addr(p.loc), C: memmodel.K(1), Tags: tags(first),
			WTags: tags(events[1])})
	case len(events) == 2:
		b.step(m, p, s, events[:1])
		b.step(m, p, s, events[1:])
	case first&contract.RMWReads != 0 && exclusive:
		b.emit(memmodel.Instr{Op: memmodel.OpLoadEx, Dst: b.reg(true), A: b.addr(p.loc), Tags: tags(first) | b.tag("X")})
	case first&contract.RMWReads != 0: // a compare-and-swap that fails
		b.emit(memmodel.Instr{Op: memmodel.OpCAS, Dst: b.reg(true), A: b.addr(p.loc), C: memmodel.K(1), D: memmodel.K(99), Tags: tags(first), WTags: tags(first)})
	case first&contract.RMWWrites != 0:
		status := b.reg(false)
		b.emit(memmodel.Instr{Op: memmodel.OpStoreEx, Dst: status, A: b.addr(p.loc), C: memmodel.K(1), WTags: tags(first) | b.tag("X")})
		b.emit(memmodel.Instr{Op: memmodel.OpAssume, Dst: memmodel.NoReg, Fn: memmodel.FnEq, A: memmodel.R(status), B: memmodel.K(0)})
	case first&contract.Reads != 0:
		b.load(p.loc, tags(first))
	default:
		b.store(p.loc, 1, tags(first))
	}
}

// outcomes are the final states of a line of operations beside a partner, as text.
func outcomes(t *testing.T, m *Machine, line []placed, p partner) string {
	a := isas[m.target.Name]
	promised := slices.ContainsFunc(line, func(p placed) bool { return p.promised })
	prog := &memmodel.Program{Name: "line", Arch: a.arch, Tags: a.tags, Threads: make([]memmodel.Thread, 2)}
	var observe []memmodel.Observable
	locs := map[int]int{}
	for i := range prog.Threads { // the register that an operand without a value names
		prog.Threads[i].Regs = []memmodel.Register{{Name: "zero"}}
	}
	first := &thread{a, prog, &prog.Threads[0], 0, locs, &observe, false}
	for _, one := range line {
		first.run(t, m, one)
	}
	second := &thread{a, prog, &prog.Threads[1], 1, locs, &observe, false}
	second.partner(p)
	for _, loc := range []int{p.first.loc, p.second.loc} {
		observe = append(observe, memmodel.ObserveLoc(locs[loc]))
	}
	res, err := a.load(t, promised).Run(prog, observe, nil)
	require.NoError(t, err)
	require.NotEmpty(t, res.States)
	states := make([]string, len(res.States))
	for i, s := range res.States {
		states[i] = fmt.Sprint(s.Values)
	}
	slices.Sort(states)
	return strings.Join(states, "\n")
}

func (b *thread) partner(p partner) {
	var acquire, release memmodel.Tags
	if !p.strong {
		acquire, release = b.tag("A"), b.tag("L")
	}
	for i, a := range []access{p.first, p.second} {
		if i == 1 && p.strong {
			b.fence(b.fences[[2]contract.Classes{contract.All, contract.All}])
		}
		if a.read {
			b.load(a.loc, acquire)
		} else {
			b.store(a.loc, 2, release)
		}
	}
}
