package prover

import (
	"slices"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/models"
)

// compilerName is what the compiler's column of the matrix is called.
const compilerName = "compiler"

// goCode is Go that is emitted for a primitive, with the places that have it.
type goCode struct {
	prim   contract.Primitive
	code   arch.Seq
	call   bool // of an assembly function
	target *arch.Target
	where  []string
}

// goCodes are the different bodies that the targets' levels have for a primitive, for words and for pointers.
func goCodes(p contract.Primitive, targets []*arch.Target) []goCode {
	var out []goCode
	for _, t := range targets {
		for i := range t.Levels {
			for _, use := range []arch.Use{{}, {Pointer: true}} {
				if use.Pointer && p.Operand != contract.Word {
					continue
				}
				low, err := arch.Find(t, &t.Levels[i], p, use)
				if err != nil {
					continue // additions to pointers do not exist
				}
				c := goCode{prim: p, code: low.Code, call: low.Form == arch.Assembly, target: t}
				where := t.Name + " " + t.Levels[i].Name
				k := slices.IndexFunc(out, func(o goCode) bool { return o.text() == c.text() })
				if k < 0 {
					k = len(out)
					out = append(out, c)
				}
				if !slices.Contains(out[k].where, where) {
					out[k].where = append(out[k].where, where)
				}
			}
		}
	}
	return out
}

// text is what the compiler gets to see.
func (c goCode) text() string {
	if c.call {
		return "call of an assembly function"
	}
	var out []string
	for _, s := range c.code {
		if s.Go != "" {
			out = append(out, strings.ReplaceAll(s.Go, "\n", "; "))
		}
	}
	return strings.Join(out, "; ")
}

// statement is one statement as the compiler sees it.
type statement struct {
	reads, writes bool // of the operand
	carries       bool // the memory state, so that no access moves across it
}

// statements are those of the body. A call of assembly is opaque: nothing moves across it.
func (c goCode) statements() []statement {
	if c.call {
		c.code = arch.Seq{{Op: &arch.Op{Machine: c.code, Carries: true}}}
	}
	out := make([]statement, len(c.code))
	for i, s := range c.code {
		out[i].carries = s.Carries
		for k, step := range s.Machine.Steps() {
			onStack := slices.ContainsFunc(s.Machine.Flat()[k].Args, func(a arch.Arg) bool { return a.Mem && a.Role == arch.StackP })
			for _, e := range step.Events {
				out[i].reads = out[i].reads || !onStack && e&contract.Reads != 0
				out[i].writes = out[i].writes || !onStack && e&contract.Writes != 0
			}
		}
	}
	return out
}

// everything is what a statement that carries the memory state orders for the compiler.
var everything = []contract.Order{
	{Side: contract.Before, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: contract.Everywhere},
	{Side: contract.After, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: contract.Everywhere},
	{Side: contract.Across, From: contract.All, To: contract.All, Strength: contract.Strong, Domain: contract.Everywhere},
}

// compareLocal compares the local order of the body with what every contract asks of the compiler besides its orders: that
// no access moves across a fence, and that an access keeps its place.
func (c goCode) compareLocal(known comparisons) comparison {
	own := promised(c.prim, false)
	own.orders = slices.Concat(own.orders, everything[2:])
	if c.prim.Op != contract.Fence {
		own.orders = slices.Concat(own.orders, everything[:2])
	}
	for _, s := range c.statements() {
		var step contract.Step
		if s.reads {
			step.Events = append(step.Events, contract.PlainRead)
		}
		if s.writes {
			step.Events = append(step.Events, contract.PlainWrite)
		}
		if s.carries {
			step.Orders = everything
		}
		own.code = append(own.code, step)
	}
	t := localTarget{strengths: []contract.Strength{contract.Local}}
	for _, e := range ends[:2] { // to the compiler all others are opaque
		p, _ := contract.Lookup(e.prim)
		pt := promised(p, false)
		pt.code = []contract.Step{{Events: pt.events}}
		t.accesses = append(t.accesses, operate(e.name, pt))
	}
	return known.compare(t, operate(c.prim.Name, own), contract.Normal)
}

// compilerRealizer is a primitive as the compiler sees it: plain accesses may go anywhere.
type compilerRealizer struct {
	contractRealizer
	body goCode
}

func (compilerRealizer) model() (*memmodel.Model, error) { return models.Load(compilerName) }

func (compilerRealizer) plain(b *builder, a access) memmodel.Reg { return contractAccess(b, a, 0, 0) }

func (r compilerRealizer) primitive(b *builder, p piece, a *access) (memmodel.Reg, error) {
	prim := *p.prim
	prim.Orders = nil // the machine's business
	p.prim = &prim
	if prim.Name != r.body.prim.Name { // a neighbour, which the compiler knows or which is opaque to it
		return r.contractRealizer.primitive(b, p, a)
	}
	reg := memmodel.NoReg
	for _, s := range r.body.statements() {
		if !s.reads && !s.writes {
			if s.carries {
				contractFence(b, "Barrier")
			}
			continue
		}
		from := len(b.thread.Code)
		got, err := r.contractRealizer.primitive(b, p, a)
		if err != nil {
			return reg, err
		}
		reg = got
		for i := from; i < len(b.thread.Code) && !s.carries; i++ {
			b.thread.Code[i].Tags, b.thread.Code[i].WTags = 0, 0
		}
	}
	return reg, nil
}

// inOrder is a primitive on a machine that reorders nothing, compiled by a compiler that reorders nothing: every access is
// marked.
type inOrder struct{ contractRealizer }

func (inOrder) model() (*memmodel.Model, error) { return models.Load(compilerName) }

// compilerRow verifies what the compiler may make of one body: on a machine that reorders nothing no program shows more
// than if the compiler reordered nothing either.
func (w *worker) compilerRow(c goCode) (Row, error) {
	row := Row{Primitive: c.prim.Name, Arch: compilerName, Code: c.text(), Variant: strings.Join(c.where, ", "), Status: Proved,
		Why: "Nothing moves across what takes and returns the compiler's memory state."}
	row.local(c.compareLocal(w.compared))
	all := shapes(c.prim, w.cycles)
	allowed, err := w.expect(c.prim.Name, inOrder{}, all)
	if err != nil {
		return row, err
	}
	return row, w.programs(&row, compilerRealizer{body: c}, all, allowed)
}
