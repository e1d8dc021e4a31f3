package prover

import (
	"fmt"
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/models"
)

// contractRealizer is what a primitive promises, in the kernel's model.
type contractRealizer struct{}

var contractTags = []string{"Once", "Acquire", "Release", "Noreturn", "Mb", "Rmb", "Wmb", "Barrier", "Before-atomic", "After-atomic", "After-spinlock",
	"After-unlock-lock", "After-srcu-read-unlock", "Acquire-fence", "Release-fence", "LKR", "LKW", "UL", "Conditional", "Srcu-unlock"}

func contractTag(names ...string) memmodel.Tags { return tagSet(contractTags, names...) }

func tagSet(all []string, names ...string) memmodel.Tags {
	var t memmodel.Tags
	for _, n := range names {
		i := slices.Index(all, n)
		if i < 0 {
			panic("prover: no tag " + n)
		}
		t |= 1 << i
	}
	return t
}

func (contractRealizer) model() (*memmodel.Model, error) { return models.Load("linux") }
func (contractRealizer) arch() string                    { return "C" }
func (contractRealizer) tags() []string                  { return contractTags }

func (contractRealizer) plain(b *builder, a access) memmodel.Reg {
	return contractAccess(b, a, contractTag("Once"), contractTag("Once"))
}

func contractAccess(b *builder, a access, read, write memmodel.Tags) memmodel.Reg {
	if a.write {
		b.emit(memmodel.Instr{Op: memmodel.OpStore, A: memmodel.K(b.addr(a.loc)), C: memmodel.K(b.values[a.val]), WTags: write, Hi: b.plainHalf(a)})
		return memmodel.NoReg
	}
	r := b.reg("r", 0)
	b.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: r, A: memmodel.K(b.addr(a.loc)), Tags: read, Hi: b.plainHalf(a)})
	return r
}

func (contractRealizer) strong(b *builder) { contractFence(b, "Mb") }

func contractFence(b *builder, tag string) {
	b.emit(memmodel.Instr{Op: memmodel.OpFence, Tags: contractTag(tag)})
}

// bound are the fences that bind to a neighbour, as the model names them.
var bound = map[contract.Binding]string{contract.NextRMW: "Before-atomic", contract.LastRMW: "After-atomic", contract.LastSyncRMW: "After-atomic",
	contract.LastLock: "After-spinlock", contract.LastUnlock: "After-unlock-lock", contract.LastSRCU: "After-srcu-read-unlock"}

// fenceTag is the kernel's fence that promises just the orders of p.
func fenceTag(p contract.Primitive) (string, error) {
	if tag, ok := bound[p.Binds]; ok {
		return tag, nil
	}
	if p.Binds == contract.LastBranch { // adds to the branch what the branch lacks
		return "Rmb", nil
	}
	if len(p.Orders) == 0 {
		return "Barrier", nil
	}
	o := p.Orders[0]
	for tag, want := range map[string][2]contract.Classes{"Mb": {contract.All, contract.All}, "Rmb": {contract.FenceReads, contract.Reads},
		"Wmb": {contract.Writes, contract.Writes}, "Acquire-fence": {contract.FenceReads, contract.All}, "Release-fence": {contract.All, contract.Writes}} {
		if o.From == want[0] && o.To == want[1] {
			return tag, nil
		}
	}
	return "", fmt.Errorf("the contract model has no fence for %v", o)
}

func (contractRealizer) primitive(b *builder, p piece, a *access) (memmodel.Reg, error) {
	prim := *p.prim
	if prim.Op == contract.Fence {
		tag, err := fenceTag(prim)
		if err == nil {
			contractFence(b, tag)
		}
		return memmodel.NoReg, err
	}
	read, write := contractTag("Once"), contractTag("Once")
	full := slices.ContainsFunc(prim.Orders, func(o contract.Order) bool { return o.Side == contract.Across })
	switch {
	case full && prim.Op.RMW():
		read, write = contractTag("Mb"), contractTag("Mb")
	case prim.Acquires():
		read = contractTag("Acquire")
	case prim.Releases() && !full:
		write = contractTag("Release")
	}
	if p.lock {
		read, write = contractTag("LKR"), contractTag("LKW")
		if prim.Op == contract.Store {
			write = contractTag("UL")
		}
	}
	if prim.Op.RMW() && prim.Result == contract.NoResult {
		read |= contractTag("Noreturn")
	}
	if prim.Op.Conditional() {
		read |= contractTag("Conditional")
	}
	switch prim.Op {
	case contract.Load, contract.WaitLoad:
		return contractAccess(b, *a, read, write), nil
	case contract.Store:
		if a == nil { // a lock of nobody else
			b.emit(memmodel.Instr{Op: memmodel.OpStore, A: memmodel.K(b.scratch()), C: memmodel.K(b.values[0]), WTags: write})
			return memmodel.NoReg, nil
		}
		contractAccess(b, *a, read, write)
		if full {
			contractFence(b, "Mb")
		}
		return memmodel.NoReg, nil
	case contract.UnlockBit:
		b.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: b.reg("w", 0), A: memmodel.K(b.addr(a.loc)), Tags: contractTag("Once")})
		return contractAccess(b, *a, read, write), nil
	}
	in := memmodel.Instr{Dst: b.reg("r", 0), Tags: read, WTags: write}
	addr, operand, expected := operandsOf(b, prim, p, a)
	in.A, in.C, in.D = memmodel.K(addr), memmodel.K(operand), memmodel.K(expected)
	in.Op, in.Fn = memmodel.OpRMW, functions[prim.Op]
	if prim.Op == contract.CompareAndSwap || prim.Op == contract.CompareAndSwap2 {
		in.Op = memmodel.OpCAS
	}
	if prim.Operand == contract.Wide {
		b.hi = b.reg("hi", 0)
		in.Hi = &memmodel.Half{Dst: b.hi, C: memmodel.K(b.half(operand)), D: memmodel.K(b.half(expected)), Whole: true}
	}
	b.emit(in)
	return in.Dst, nil
}

// functions are what the operations compute.
var functions = map[contract.Op]memmodel.Fn{contract.Add: memmodel.FnAdd, contract.And: memmodel.FnAnd, contract.Or: memmodel.FnOr, contract.LockBit: memmodel.FnOr,
	contract.Xor: memmodel.FnXor, contract.UnlockXorByte: memmodel.FnXor, contract.Swap: memmodel.FnB}

// operandsOf are the address, the operand and, for a compare-and-swap, the expected value of a read-modify-write that
// performs an access: one that writes makes the step from the value before, one that reads writes back what it must see.
func operandsOf(b *builder, prim contract.Primitive, p piece, a *access) (addr, operand, expected memmodel.Value) {
	addr = 0
	old, new := b.values[0], b.values[1]
	if a == nil {
		addr = b.scratch()
	} else {
		addr = b.addr(a.loc)
		old, new = b.values[a.val], b.values[a.val]
		switch {
		case a.write:
			old = b.values[a.val-1]
		case p.steps:
			new = b.values[a.val+1]
		}
	}
	switch prim.Op {
	case contract.Add:
		return addr, new - old, old
	case contract.And:
		return addr, ^(old &^ new), old
	case contract.Or, contract.Xor, contract.LockBit, contract.UnlockXorByte:
		return addr, old ^ new, old
	}
	if p.fails {
		old = ^old
	}
	return addr, new, old
}
