package native

import (
	"fmt"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse/ir"
	"github.com/barriergen/barriergen/gen/fuse/order"
)

// memory makes the chosen code of a memory operation.
func (l *lowerer) memory(in ir.Instr, o order.Option, last bool) {
	s := &sequence{lowerer: l, in: in, width: in.Width, env: map[arch.Role]binding{}, option: o}
	if o.Width != 0 {
		s.width = o.Width
	}
	switch {
	case s.width == 0:
		s.width = 32 // a fence has no operand, or its own
	case in.Prim.Operand == contract.Wide:
		s.width = 64 // of each half
	}
	if len(o.Seq) > 0 {
		l.note = in.Name()
	}
	s.operands()
	flags := s.code()
	for i, seen := range in.Seen {
		if seen != ir.None {
			l.m.move(l, reg(seen), ir.V(ir.Reg(s.reg([]arch.Role{arch.SeenLo, arch.SeenHi}[i]))), ir.Uint64)
		}
	}
	if in.Dst == ir.None {
		return
	}
	switch in.Prim.Result {
	case contract.OldValue, contract.NewValue:
		l.m.move(l, reg(in.Dst), ir.V(ir.Reg(s.reg(order.Output(o.Seq)))), in.Type)
		return
	case contract.OldBit:
		if flags == nil && order.Output(o.Seq) == arch.Old {
			c := l.m.bit(l, s.reg(arch.Old), in.Args[0])
			flags = &c
		}
	case contract.OldSign:
		if order.Output(o.Seq) == arch.Old {
			c := l.m.bit(l, s.reg(arch.Old), ir.C(7))
			flags = &c
		}
	}
	if flags == nil {
		l.m.move(l, reg(in.Dst), ir.V(ir.Reg(s.reg(arch.Result))), ir.Bool)
		return
	}
	l.truth(in.Dst, *flags, last)
}

// binding is what a role stands for.
type binding struct {
	value    ir.Value
	inverted bool // its complement
	owned    bool // a register that nobody else reads
}

// sequence is the code of one operation.
type sequence struct {
	*lowerer
	in     ir.Instr
	option order.Option
	width  int
	env    map[arch.Role]binding
	prefix string
}

func (s *sequence) typ() ir.Type { return ir.Type{Bits: s.width} }

// operands binds the roles that come in.
func (s *sequence) operands() {
	p, args := s.in.Prim, s.in.Args
	bind := func(role arch.Role, v ir.Value) { s.env[role] = binding{value: v} }
	switch {
	case p.Op == contract.CompareAndSwap:
		bind(arch.Old, args[0])
		bind(arch.New, args[1])
	case p.Op == contract.CompareAndSwap2:
		for i, role := range []arch.Role{arch.OldLo, arch.OldHi, arch.NewLo, arch.NewHi} {
			bind(role, args[i])
		}
	case p.Operand == contract.Bit && p.Op == contract.Load:
	case p.Operand == contract.Bit && s.option.BitNumber:
		bind(arch.Val, s.masked(args[0]))
	case p.Operand == contract.Bit:
		mask := ir.C(0)
		if args[0].IsConst() {
			mask = ir.C(1 << (args[0].Const & 63))
			if p.Clears {
				mask.Const = ^mask.Const
			}
			bind(arch.Val, mask)
			return
		}
		one := s.fresh()
		s.m.arithmetic(s.lowerer, ir.Instr{Op: ir.Shl, Dst: ir.Reg(one), Type: ir.Uint64, Args: []ir.Value{ir.C(1), args[0]}})
		s.env[arch.Val] = binding{value: ir.V(ir.Reg(one)), inverted: p.Clears, owned: true}
	case p.Op == contract.UnlockXorByte && s.width == 64 && !args[0].IsConst():
		wide := s.fresh()
		s.m.arithmetic(s.lowerer, ir.Instr{Op: ir.Convert, Dst: ir.Reg(wide), Type: ir.Uint64, From: ir.Type{Bits: 8}, Args: args})
		s.env[arch.Val] = binding{value: ir.V(ir.Reg(wide)), owned: true}
	case len(args) == 1:
		bind(arch.Val, args[0])
	}
}

// masked is a bit's number modulo 64.
func (s *sequence) masked(v ir.Value) ir.Value {
	if v.IsConst() {
		return ir.C(v.Const & 63)
	}
	x := ir.Reg(s.fresh())
	s.m.arithmetic(s.lowerer, ir.Instr{Op: ir.And, Dst: x, Type: ir.Uint64, Args: []ir.Value{v, ir.C(63)}})
	return ir.V(x)
}

// code emits the instructions; it returns the condition that the last one leaves, if it leaves one.
func (s *sequence) code() *condition {
	seq := s.option.Seq
	target := map[int]bool{}
	loops := false
	for i, in := range seq {
		for _, a := range in.Args {
			if a.Jump {
				target[int(a.N)] = true
				loops = loops || int(a.N) <= i
			}
		}
	}
	if loops { // nothing is computed in the loop that can be computed before
		for _, role := range []arch.Role{arch.Val, arch.Old, arch.New, arch.OldLo, arch.OldHi, arch.NewLo, arch.NewHi} {
			if b, ok := s.env[role]; ok && mentions(seq, role) {
				s.hoist(seq, role, b)
			}
		}
		s.plainAddress()
	}
	var flags *condition
	for i, in := range seq {
		if target[i] {
			s.emit(inst{label: s.name(i)})
		}
		c := s.m.step(s, in)
		if c == nil {
			continue
		}
		if i == len(seq)-1 {
			flags = c
			break
		}
		x := s.fresh()
		s.m.set(s.lowerer, x, *c)
		s.env[arch.Result] = binding{value: ir.V(ir.Reg(x)), owned: true}
	}
	if target[len(seq)] {
		s.emit(inst{label: s.name(len(seq))})
	}
	return flags
}

// hoist puts an operand into a register before a loop, unless it is a constant that the loop's instruction takes as it is.
func (s *sequence) hoist(seq arch.Seq, role arch.Role, b binding) {
	if b.value.IsConst() && !b.inverted {
		fits := true
		for _, in := range seq {
			for i, a := range in.Args {
				if (a.Role == role || a.Pair == role) && !a.Mem && !a.Imm && !a.Jump {
					fits = fits && s.m.immediate(in.Name, i, s.typ().Extend(b.value.Const))
				}
			}
		}
		if fits {
			return
		}
	}
	s.reg(role)
}

func mentions(seq arch.Seq, role arch.Role) bool {
	for _, in := range seq {
		for _, a := range in.Args {
			if (a.Role == role || a.Pair == role) && !a.Imm && !a.Jump {
				return true
			}
		}
	}
	return false
}

func (s *sequence) name(i int) string {
	return fmt.Sprintf("%sop%d_%d", s.lowerer.prefix, s.in.Slot, i)
}

// bound is what a role stands for.
func (s *sequence) bound(role arch.Role) binding {
	b, ok := s.env[role]
	if !ok {
		panic(fmt.Sprintf("internal error: %s needs %s, which nothing gives", s.option.Seq, role))
	}
	return b
}

// reg is the register that holds what a role stands for.
func (s *sequence) reg(role arch.Role) reg {
	b := s.bound(role)
	if b.value.IsConst() {
		if b.inverted {
			b.value.Const, b.inverted = ^b.value.Const, false
		}
		x := s.fresh()
		s.m.move(s.lowerer, x, ir.C(s.typ().Extend(b.value.Const)), s.typ())
		b = binding{value: ir.V(ir.Reg(x)), owned: true}
	}
	if b.inverted {
		x := ir.Reg(s.fresh())
		s.m.arithmetic(s.lowerer, ir.Instr{Op: ir.Not, Dst: x, Type: s.typ(), Args: []ir.Value{b.value}})
		b = binding{value: ir.V(x), owned: true}
	}
	s.env[role] = b
	return reg(b.value.Reg)
}

// pin puts what a role stands for into a certain register of the machine, which may be changed.
func (s *sequence) pin(role arch.Role, name string) reg {
	x := s.pinned(name)
	s.m.move(s.lowerer, x, s.bound(role).value, s.typ())
	return x
}

// own is reg, in a register that may be changed.
func (s *sequence) own(role arch.Role) reg {
	x := s.reg(role)
	if !s.env[role].owned {
		y := s.fresh()
		s.m.move(s.lowerer, y, ir.V(ir.Reg(x)), s.typ())
		x = y
		s.env[role] = binding{value: ir.V(ir.Reg(x)), owned: true}
	}
	return x
}

// fill is a new register that an instruction writes a role to. In a loop it is the same one in each round.
func (s *sequence) fill(role arch.Role) reg {
	x := s.fresh()
	s.env[role] = binding{value: ir.V(ir.Reg(x)), owned: true}
	return x
}

// copyOf binds a role to what another stands for.
func (s *sequence) copyOf(to, from arch.Role) {
	b := s.env[from]
	b.owned = false
	s.env[to] = b
}

// constant is what a role stands for, if that is a constant.
func (s *sequence) constant(role arch.Role) (int64, bool) {
	b, ok := s.env[role]
	if !ok || !b.value.IsConst() {
		return 0, false
	}
	if b.inverted {
		b.value.Const = ^b.value.Const
	}
	t := s.typ()
	t.Signed = true
	return t.Extend(b.value.Const), true
}

// mem is the operand for the address of the access.
func (s *sequence) mem() operand { return at(s.lowerer.in(s.in.Base, ir.Address), s.in.Off) }

// plainAddress puts the address, offset included, into a register.
func (s *sequence) plainAddress() {
	if s.in.Off == 0 && !s.in.Base.IsConst() {
		return
	}
	x := ir.Reg(s.fresh())
	s.m.arithmetic(s.lowerer, ir.Instr{Op: ir.Add, Dst: x, Type: ir.Address, Args: []ir.Value{s.in.Base, ir.C(s.in.Off)}})
	access := *s.in.Access
	access.Base, access.Off = ir.V(x), 0
	s.in.Access = &access
}
