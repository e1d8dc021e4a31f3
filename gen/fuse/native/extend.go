package native

import "github.com/barriergen/barriergen/gen/fuse/ir"

// narrow extends a result of 8 or 16 bits to what a variable of the type holds.
func (l *lowerer) narrow(x reg, op ir.Op, t ir.Type) {
	if t.Bits < 32 && op != ir.And && op != ir.AndNot && op != ir.Or && op != ir.Xor && op != ir.Shr {
		l.op(l.m.extension(t), ops(r(x), r(x)), regs(x), regs(x))
	}
}

// convert makes a value of one type one of another.
func (l *lowerer) convert(dst reg, v ir.Value, from, to ir.Type) {
	x := l.in(v, from)
	name := ""
	switch {
	case to.Bits < 32:
		name = l.m.extension(to)
	case to.Bits == 64 && from.Bits < 64:
		name = l.m.extension(ir.Type{Bits: 32, Signed: from.Signed})
	default:
		l.m.move(l, dst, ir.V(ir.Reg(x)), to)
		return
	}
	l.op(name, ops(r(x), r(dst)), regs(x), regs(dst))
}
