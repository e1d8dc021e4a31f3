package fuse

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// machine interprets functions on a memory of objects.
type machine struct {
	objects map[int64][]byte // by address
	steps   int
}

// at are the bytes at an address.
func (m *machine) at(addr int64, width int) []byte {
	for base, data := range m.objects {
		if off := addr - base; off >= 0 && off+int64(width/8) <= int64(len(data)) {
			return data[off : off+int64(width/8)]
		}
	}
	panic(fmt.Sprintf("access of %d bits at %#x", width, addr))
}

func (m *machine) load(addr int64, t ir.Type) int64 {
	var b [8]byte
	copy(b[:], m.at(addr, t.Bits))
	return t.Extend(int64(binary.LittleEndian.Uint64(b[:])))
}

func (m *machine) store(addr int64, width int, v int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	copy(m.at(addr, width), b[:])
}

// run calls a function.
func (m *machine) run(f *ir.Func, args []int64) []int64 {
	vars := make([]int64, len(f.Vars))
	for i, p := range f.Params {
		vars[p.Reg] = args[i]
	}
	get := func(v ir.Value) int64 {
		if v.IsConst() {
			return v.Const
		}
		return vars[v.Reg]
	}
	truth := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	at := 0
	for {
		b := f.Blocks[at]
		for _, in := range b.Instrs {
			m.steps++
			if in.Op == ir.Memory && in.Prim.Operand == contract.Wide {
				var args [4]int64
				for i, v := range in.Args {
					args[i] = get(v)
				}
				got := m.exchange(get(in.Base)+in.Off, args)
				for i, d := range append(slices.Clone(in.Seen), in.Dst) {
					if d != ir.None {
						vars[d] = got[i]
					}
				}
				continue
			}
			var a [2]int64
			t := in.Type
			if in.Op == ir.Convert {
				t = in.From
			}
			for i, v := range in.Args {
				a[i%2] = get(v)
				if in.Op != ir.Memory {
					a[i%2] = t.Extend(a[i%2])
				}
			}
			var v int64
			switch in.Op {
			case ir.Move:
				v = a[0]
			case ir.Compare:
				v = truth(in.Cond.Holds(in.Type, a[0], a[1]))
			case ir.Convert:
				v = in.Type.Extend(a[0])
			case ir.Index:
				v = a[0] + a[1]*in.Scale
			case ir.Memory:
				v = m.primitive(in, get(in.Base)+in.Off, a)
			default:
				v = ir.Eval(in.Op, in.Type, a[0], a[1])
			}
			if in.Dst != ir.None {
				vars[in.Dst] = v
			}
		}
		switch t := b.Term; t.Kind {
		case ir.Jump:
			at = t.Then
		case ir.If:
			at = t.Else
			if t.Cond.Holds(t.Type, t.Type.Extend(get(t.A)), t.Type.Extend(get(t.B))) {
				at = t.Then
			}
		case ir.Return:
			var out []int64
			for i, r := range t.Results {
				out = append(out, f.Results[i].Type.Extend(get(r)))
			}
			return out
		}
	}
}

// exchange compares 16 bytes with the first two values, and stores the others if they are equal. It returns what was there, and whether it stored.
func (m *machine) exchange(addr int64, args [4]int64) [3]int64 {
	got := [3]int64{m.load(addr, ir.Uint64), m.load(addr+8, ir.Uint64)}
	if got[0] == args[0] && got[1] == args[1] {
		got[2] = 1
		m.store(addr, 64, args[2])
		m.store(addr+8, 64, args[3])
	}
	return got
}

// primitive performs an operation by its documentation.
func (m *machine) primitive(in ir.Instr, addr int64, args [2]int64) int64 {
	p := in.Prim
	if p.Op == contract.Fence {
		return 0
	}
	t := in.Type
	t.Bits = in.Width
	old := m.load(addr, t)
	v := args[0]
	bit := int64(1) << (uint64(args[0]) & 63)
	mask := v
	if p.Operand == contract.Bit {
		if mask = bit; p.Clears {
			mask = ^bit
		}
	}
	fresh := old
	switch p.Op {
	case contract.Store:
		fresh = v
	case contract.Add:
		fresh = old + v
	case contract.And, contract.UnlockBit:
		fresh = old & mask
	case contract.Or, contract.LockBit:
		fresh = old | mask
	case contract.Xor:
		fresh = old ^ mask
	case contract.UnlockXorByte:
		fresh = old ^ v&0xff
	case contract.Swap:
		fresh = v
	case contract.CompareAndSwap:
		if old == t.Extend(args[0]) {
			fresh = args[1]
		}
	}
	if p.Op != contract.Load {
		m.store(addr, in.Width, fresh)
	}
	switch p.Result {
	case contract.OldValue:
		return old
	case contract.NewValue:
		return t.Extend(fresh)
	case contract.Success:
		if old == t.Extend(args[0]) {
			return 1
		}
		return 0
	case contract.OldBit:
		return old >> (uint64(args[0]) & 63) & 1
	case contract.OldSign:
		return old >> 7 & 1
	}
	return 0
}
