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
	search      *memmodel.Search
}

var isas = map[string]*isa{
	"amd64": {model: "x86tso", arch: "X86_64", tags: []string{"X", "MFENCE", "LFENCE", "SFENCE"}, rmw: "X",
		fences: map[[2]contract.Classes]string{{contract.All, contract.All}: "MFENCE"}},
	"arm64": {model: "aarch64", arch: "AArch64", tags: []string{"A", "L", "X", "NoRet", "DMB.ISH", "DMB.ISHLD", "DMB.ISHST"},
		fences: map[[2]contract.Classes]string{{contract.All, contract.All}: "DMB.ISH", {contract.FenceReads, contract.All}: "DMB.ISHLD",
			{contract.Writes, contract.Writes}: "DMB.ISHST"},
		class: map[contract.Classes]string{contract.AcquireRead: "A", contract.RMWAcquireRead: "A", contract.ReleaseWrite: "L",
			contract.RMWReleaseWrite: "L", contract.NoReturnRead: "NoRet"}},
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
	sum := func(s contract.Step) contract.Step {
		return flow.Summary(flow.Graph{Nodes: []flow.Node{{Give: []contract.Step{s}}}, Free: m.free(), Domain: contract.Normal})
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
	for _, s := range m.steps(p.op) {
		if len(s.Events) == 0 {
			if len(s.Orders) > 0 {
				b.fence(b.like(t, m, s))
			}
			continue
		}
		b.step(m, p, s.Events)
	}
}

func (b *thread) step(m *Machine, p placed, events []contract.Classes) {
	first := events[0]
	read := b.tag(b.class[first])
	if first&(contract.RMWReads|contract.RMWWrites) != 0 {
		read |= b.tag(b.rmw)
	}
	exclusive := m.variant == 1
	switch {
	case len(events) == 2 && !exclusive:
		b.emit(memmodel.Instr{Op: memmodel.OpRMW, Fn: memmodel.FnAdd, Dst: b.reg(first != contract.NoReturnRead), A: b.addr(p.loc), C: memmodel.K(1), Tags: read,
			WTags: b.tag(b.class[events[1]], b.rmw)})
	case len(events) == 2:
		b.step(m, p, events[:1])
		b.step(m, p, events[1:])
	case first&contract.RMWReads != 0 && exclusive:
		b.emit(memmodel.Instr{Op: memmodel.OpLoadEx, Dst: b.reg(true), A: b.addr(p.loc), Tags: read | b.tag("X")})
	case first&contract.RMWReads != 0: // a compare-and-swap that fails
		b.emit(memmodel.Instr{Op: memmodel.OpCAS, Dst: b.reg(true), A: b.addr(p.loc), C: memmodel.K(1), D: memmodel.K(99), Tags: read, WTags: read})
	case first&contract.RMWWrites != 0:
		status := b.reg(false)
		b.emit(memmodel.Instr{Op: memmodel.OpStoreEx, Dst: status, A: b.addr(p.loc), C: memmodel.K(1), WTags: b.tag("X", b.class[first])})
		b.emit(memmodel.Instr{Op: memmodel.OpAssume, Dst: memmodel.NoReg, Fn: memmodel.FnEq, A: memmodel.R(status), B: memmodel.K(0)})
	case first&contract.Reads != 0:
		b.load(p.loc, read)
	default:
		b.store(p.loc, 1, read)
	}
}

// outcomes are the final states of a line of operations beside a partner, as text.
func outcomes(t *testing.T, m *Machine, line []placed, p partner) string {
	a := isas[m.target.Name]
	if a.search == nil {
		model, err := models.Load(a.model)
		require.NoError(t, err)
		a.search = &memmodel.Search{Model: model}
	}
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
	res, err := a.search.Run(prog, observe, nil)
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
