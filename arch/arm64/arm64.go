// Package arm64 is the arm64 target: what the machine orders for free, its instructions, and the candidates for each
// operation at two feature levels, with the large system extensions (LSE) known only at run time, and with LSE guaranteed
// by GOARM64.
package arm64

import (
	"slices"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

func order(side contract.Side, from, to contract.Classes) contract.Order {
	return contract.Order{Side: side, From: from, To: to, Strength: contract.Strong, Domain: contract.Normal}
}

// fence is a DMB or DSB; the domain is what its shareability reaches.
func fence(name string, from, to contract.Classes, d contract.Domain, cost int) *arch.Op {
	o := order(contract.Across, from, to)
	o.Domain = d
	return &arch.Op{Name: name, Step: contract.Step{Orders: []contract.Order{o}}, Cost: cost}
}

// bits are the acquire and release annotations of an instruction.
type bits struct{ acquire, release bool }

// step is an atomic read-modify-write of one instruction. With both annotations it is a full barrier: its write half is
// ordered before everything later too (Arm ARM DDI 0487 B2.3.7, barrier-ordered-before: an atomic instruction with both
// acquire and release semantics). The read half of a form that returns nothing is neither acquire nor ordered by DMB LD.
func (b bits) step() contract.Step {
	s := contract.Step{Events: []contract.Classes{contract.RMWRead, contract.RMWWrite}}
	if b.acquire {
		s.Events[0] = contract.RMWAcquireRead
		s.Orders = append(s.Orders, order(contract.After, contract.RMWAcquireRead, contract.All))
	}
	if b.release {
		s.Events[1] = contract.RMWReleaseWrite
		s.Orders = append(s.Orders, order(contract.Before, contract.All, contract.RMWReleaseWrite))
	}
	if b.acquire && b.release {
		s.Orders = append(s.Orders, order(contract.After, contract.RMWReleaseWrite, contract.All))
	}
	return s
}

func (b bits) String() string {
	s := ""
	if b.acquire {
		s += "A"
	}
	if b.release {
		s += "L"
	}
	return s
}

// cost: each annotation is taken for two cycles.
func (b bits) cost() int { return 15 + 2*len(b.String()) }

var (
	amoWidth  = map[int]string{32: "W", 64: "D"}
	exclWidth = map[int]string{32: "W"}
	regWidth  = map[int]string{32: "W"}
	loadWidth = map[int]string{32: "WU", 64: "D"}
	moveWidth = map[int]string{32: "W", 64: "D"}
)

// amo is an LSE instruction.
func amo(family string, b bits) *arch.Op {
	return &arch.Op{Name: family + b.String(), Suffix: amoWidth, Step: b.step(), Cost: b.cost()}
}

func exclusiveLoad(b bits) *arch.Op {
	op := &arch.Op{Name: "LDXR", Suffix: exclWidth, Step: contract.Step{Events: []contract.Classes{contract.RMWRead}}, Cost: 10}
	if b.acquire {
		op.Name, op.Cost = "LDAXR", 12
		op.Step = contract.Step{Events: []contract.Classes{contract.RMWAcquireRead}, Orders: []contract.Order{order(contract.After, contract.RMWAcquireRead, contract.All)}}
	}
	return op
}

func exclusiveStore(b bits) *arch.Op {
	op := &arch.Op{Name: "STXR", Suffix: exclWidth, Step: contract.Step{Events: []contract.Classes{contract.RMWWrite}}, Cost: 10}
	if b.release {
		op.Name, op.Cost = "STLXR", 12
		op.Step = contract.Step{Events: []contract.Classes{contract.RMWReleaseWrite}, Orders: []contract.Order{order(contract.Before, contract.All, contract.RMWReleaseWrite)}}
	}
	return op
}

// pairs gives an exclusive instruction its 16-byte form.
func pairs(op *arch.Op, name string) *arch.Op {
	p := *op
	p.Name, p.Suffix = name, nil
	return &p
}

// The instructions.
var (
	dmbISH   = fence("DMB", contract.All, contract.All, contract.Normal, 12)
	dmbISHLD = fence("DMB", contract.FenceReads, contract.All, contract.Normal, 8)
	dmbISHST = fence("DMB", contract.Writes, contract.Writes, contract.Normal, 6)
	dmbOSH   = fence("DMB", contract.All, contract.All, contract.Normal|contract.DMA, 13)
	dmbOSHLD = fence("DMB", contract.FenceReads, contract.All, contract.Normal|contract.DMA, 9)
	dmbOSHST = fence("DMB", contract.Writes, contract.Writes, contract.Normal|contract.DMA, 7)
	dsbSY    = fence("DSB", contract.All, contract.All, contract.Everywhere, 50)
	dsbLD    = fence("DSB", contract.FenceReads, contract.All, contract.Everywhere, 45)
	dsbST    = fence("DSB", contract.Writes, contract.Writes, contract.Everywhere, 45)

	ldr = &arch.Op{Name: "MOV", Suffix: loadWidth, Step: contract.Step{Events: []contract.Classes{contract.PlainRead}}, Cost: 1}
	str = &arch.Op{Name: "MOV", Suffix: moveWidth, Step: contract.Step{Events: []contract.Classes{contract.PlainWrite}}, Cost: 1}

	ldar = &arch.Op{Name: "LDAR", Suffix: exclWidth, Cost: 2, Step: contract.Step{Events: []contract.Classes{contract.AcquireRead},
		Orders: []contract.Order{order(contract.After, contract.AcquireRead, contract.All)}}}
	stlr = &arch.Op{Name: "STLR", Suffix: exclWidth, Cost: 2, Step: contract.Step{Events: []contract.Classes{contract.ReleaseWrite},
		Orders: []contract.Order{order(contract.Before, contract.All, contract.ReleaseWrite)}}}

	// Between registers.
	move = &arch.Op{Name: "MOVD", Cost: 1}
	add  = &arch.Op{Name: "ADD", Cost: 1}
	and  = &arch.Op{Name: "AND", Cost: 1}
	orr  = &arch.Op{Name: "ORR", Cost: 1}
	eor  = &arch.Op{Name: "EOR", Cost: 1}
	mvn  = &arch.Op{Name: "MVN", Cost: 1}
	cmp  = &arch.Op{Name: "CMP", Suffix: regWidth, Cost: 1}
	ccmp = &arch.Op{Name: "CCMP EQ,", Cost: 1}
	cset = &arch.Op{Name: "CSET EQ,", Cost: 1}
	bne  = &arch.Op{Name: "BNE", Cost: 1}
	b    = &arch.Op{Name: "B", Cost: 1}
	cbnz = &arch.Op{Name: "CBNZ", Suffix: regWidth, Cost: 1}

	// caspal is one that the assembler can't spell: its CASPD is the relaxed form. The generator encodes it.
	caspal = &arch.Op{Name: "CASPAL", Whole: true, Step: bits{true, true}.step(), Cost: bits{true, true}.cost() + 4}
)

func in(op *arch.Op, args ...arch.Arg) arch.Inst { return arch.Inst{Op: op, Args: args} }

// option is the operand of DMB and DSB.
func option(name string) arch.Arg {
	return arch.Arg{Imm: true, Name: name, N: map[string]int64{
		"OSHLD": 0x1, "OSHST": 0x2, "OSH": 0x3, "ISHLD": 0x9, "ISHST": 0xa, "ISH": 0xb, "LD": 0xd, "ST": 0xe, "SY": 0xf}[name]}
}

func ish() arch.Inst { return in(dmbISH, option("ISH")) }

var relaxed, acquire, release, both = bits{}, bits{acquire: true}, bits{release: true}, bits{acquire: true, release: true}

// strengths are the four orders that every read-modify-write comes in, with what the exclusive pair needs for each: it
// has no form that is full, so the full one ends with DMB ISH.
var strengths = []struct {
	name      string
	lse, excl bits
	tail      arch.Seq
}{
	{"Relaxed", relaxed, relaxed, nil},
	{"Acquire", acquire, acquire, nil},
	{"Release", release, release, nil},
	{"Full", both, release, arch.Seq{ish()}},
}

// operation is one read-modify-write: its LSE family, and what computes the new value between the exclusives.
type operation struct {
	name    string
	family  string
	prepare arch.Seq // before the LSE instruction
	operand arch.Role
	compute arch.Seq // from old to tmp
	after   arch.Seq // from old to the result
}

var operations = map[contract.Op]operation{
	contract.Add: {"add", "LDADD", nil, arch.Val, arch.Seq{in(add, arch.R(arch.Val), arch.R(arch.Old), arch.R(arch.Tmp))},
		arch.Seq{in(add, arch.R(arch.Val), arch.R(arch.Old), arch.R(arch.Result))}},
	contract.And: {"and", "LDCLR", arch.Seq{in(mvn, arch.R(arch.Val), arch.R(arch.Tmp))}, arch.Tmp,
		arch.Seq{in(and, arch.R(arch.Val), arch.R(arch.Old), arch.R(arch.Tmp))}, nil},
	contract.Or:   {"or", "LDOR", nil, arch.Val, arch.Seq{in(orr, arch.R(arch.Val), arch.R(arch.Old), arch.R(arch.Tmp))}, nil},
	contract.Xor:  {"xor", "LDEOR", nil, arch.Val, arch.Seq{in(eor, arch.R(arch.Val), arch.R(arch.Old), arch.R(arch.Tmp))}, nil},
	contract.Swap: {"swap", "SWP", nil, arch.Val, nil, nil},
}

// lse is an operation as one LSE instruction.
func (o operation) lse(b bits) arch.Seq {
	seq := append(slices.Clone(o.prepare), in(amo(o.family, b), arch.R(o.operand), arch.M(arch.Addr), arch.R(arch.Old)))
	return append(seq, o.after...)
}

// exclusive is an operation as an exclusive pair in a loop, and a fence behind it if there is one.
func (o operation) exclusive(load, store bits, tail arch.Seq) arch.Seq {
	stored := arch.Tmp
	if o.compute == nil {
		stored = arch.Val
	}
	loop := append(arch.Seq{in(exclusiveLoad(load), arch.M(arch.Addr), arch.R(arch.Old))}, o.compute...)
	loop = append(loop, in(exclusiveStore(store), arch.R(stored), arch.M(arch.Addr), arch.R(arch.Status)), in(cbnz, arch.R(arch.Status), arch.To(0)))
	return append(append(loop, tail...), o.after...)
}

// casLSE and casExclusive are compare-and-swap in the two ways. One that fails ends before the fence.
func casLSE(b bits) arch.Seq {
	return arch.Seq{
		in(move, arch.R(arch.Old), arch.R(arch.Tmp)),
		in(amo("CAS", b), arch.R(arch.Tmp), arch.M(arch.Addr), arch.R(arch.New)),
		in(cmp, arch.R(arch.Old), arch.R(arch.Tmp)),
		in(cset, arch.R(arch.Result)),
	}
}

func casExclusive(load, store bits, tail arch.Seq) arch.Seq {
	seq := append(arch.Seq{
		in(exclusiveLoad(load), arch.M(arch.Addr), arch.R(arch.Tmp)),
		in(cmp, arch.R(arch.Old), arch.R(arch.Tmp)),
		in(bne, arch.To(5+len(tail))),
		in(exclusiveStore(store), arch.R(arch.New), arch.M(arch.Addr), arch.R(arch.Status)),
		in(cbnz, arch.R(arch.Status), arch.To(0)),
	}, tail...)
	return append(seq, in(cset, arch.R(arch.Result)))
}

// fetch are the four orders of an operation in assembly. withElse adds the exclusive pair for CPUs without LSE.
func fetch(op contract.Op, withElse bool) []arch.Candidate {
	var out []arch.Candidate
	o := operations[op]
	for _, s := range strengths {
		c := asm(o.name+s.name, o.lse(s.lse)...)
		if withElse {
			c.Else = o.exclusive(s.excl, s.excl, s.tail)
		}
		out = append(out, c)
	}
	return out
}

// exchange are the four orders of compare-and-swap in assembly.
func exchange(withElse bool) []arch.Candidate {
	var out []arch.Candidate
	for _, s := range strengths {
		c := asm("compareAndSwap"+s.name, casLSE(s.lse)...)
		if withElse {
			c.Else = casExclusive(s.excl, s.excl, s.tail)
		}
		out = append(out, c)
	}
	return out
}

// exchange16 is the 16-byte compare-and-swap. LDAXP alone is not single-copy atomic: on a mismatch the pair that was
// seen is stored back, and only a store that succeeds proves that it was one value.
func exchange16(withElse bool) arch.Candidate {
	equal := arch.Seq{
		in(cmp, arch.R(arch.OldLo), arch.R(arch.SeenLo)),
		in(ccmp, arch.R(arch.OldHi), arch.R(arch.SeenHi), arch.I(0)),
	}
	c := arch.Candidate{Name: "compareAndSwap128", Form: arch.Assembly, Code: append(append(arch.Seq{
		in(move, arch.R(arch.OldLo), arch.R(arch.SeenLo)),
		in(move, arch.R(arch.OldHi), arch.R(arch.SeenHi)),
		in(caspal, arch.P(arch.SeenLo, arch.SeenHi), arch.M(arch.Addr), arch.P(arch.NewLo, arch.NewHi)),
	}, equal...), in(cset, arch.R(arch.Result)))}
	c.Note = "A comparison that fails is how a cell is loaded, so it is an acquire load."
	if withElse {
		load := pairs(exclusiveLoad(acquire), "LDAXP")
		store := pairs(exclusiveStore(release), "STLXP")
		store.Whole = true
		c.Else = append(append(arch.Seq{in(load, arch.M(arch.Addr), arch.P(arch.SeenLo, arch.SeenHi))}, equal...),
			in(bne, arch.To(8)),
			in(store, arch.P(arch.NewLo, arch.NewHi), arch.M(arch.Addr), arch.R(arch.Status)),
			in(cbnz, arch.R(arch.Status), arch.To(0)),
			ish(),
			in(b, arch.To(10)),
			in(backStore, arch.P(arch.SeenLo, arch.SeenHi), arch.M(arch.Addr), arch.R(arch.Status)),
			in(cbnz, arch.R(arch.Status), arch.To(0)),
			in(cset, arch.R(arch.Result)))
	}
	return c
}

// backStore writes the observed pair back. It changes nothing and belongs to the operation that failed, so it has no
// part in what a successful one orders.
var backStore = &arch.Op{Name: "STLXP", Whole: true, Cost: 12}
