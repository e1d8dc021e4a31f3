package native

import "github.com/barriergen/barriergen/gen/fuse/ir"

// exact finds the variables that must be extended: somebody reads more of them than the bits of their type. Of the others
// the rest of the register is undefined.
func exact(fn *ir.Func, m machine) []bool {
	out := make([]bool, len(fn.Vars))
	for i, v := range fn.Vars {
		out[i] = v.Type.Bits >= 32 || v.Type.Bool
	}
	again := true
	read := func(vs ...ir.Value) {
		for _, v := range vs {
			if !v.IsConst() && !out[v.Reg] {
				out[v.Reg], again = true, true
			}
		}
	}
	compared := func(t ir.Type, a, b ir.Value) {
		if !m.comparesNarrow(t, a, b) {
			read(a, b)
		}
	}
	for again {
		again = false
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in.Op {
				case ir.Add, ir.Sub, ir.Mul, ir.Neg, ir.Not, ir.Shl: // the low bits of the result depend on low bits only
				case ir.Move, ir.And, ir.AndNot, ir.Or, ir.Xor: // extended if their operands are
					if out[in.Dst] {
						read(in.Args...)
					}
				case ir.Shr: // of the count five bits are read
					read(in.Args[0])
				case ir.Compare:
					compared(in.Type, in.Args[0], in.Args[1])
				case ir.Convert:
					if in.Type.Bits > in.From.Bits {
						read(in.Args...)
					}
				case ir.Memory:
					read(in.Base)
					if !in.Plain { // a plain store writes the bits of its type
						read(in.Args...)
					}
				default:
					read(in.Args...)
				}
			}
			if b.Term.Kind == ir.If {
				compared(b.Term.Type, b.Term.A, b.Term.B)
			}
		}
	}
	return out
}

// narrow extends a result of 8 or 16 bits, if the variable must be.
func (l *lowerer) narrow(x reg, op ir.Op, t ir.Type) {
	if t.Bits < 32 && l.exact[x] && op != ir.And && op != ir.AndNot && op != ir.Or && op != ir.Xor && op != ir.Shr {
		l.op(l.m.extension(t), ops(r(x), r(x)), regs(x), regs(x))
	}
}

// convert makes a value of one type one of another.
func (l *lowerer) convert(dst reg, v ir.Value, from, to ir.Type) {
	x := l.in(v, from)
	name := ""
	switch {
	case to.Bits < 32 && l.exact[dst]:
		name = l.m.extension(to)
	case to.Bits == 64 && from.Bits < 64:
		name = l.m.extension(ir.Type{Bits: 32, Signed: from.Signed})
	default:
		l.m.move(l, dst, ir.V(ir.Reg(x)), to)
		return
	}
	l.op(name, ops(r(x), r(dst)), regs(x), regs(dst))
}
