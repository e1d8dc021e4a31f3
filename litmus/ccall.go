package litmus

import "github.com/barriergen/barriergen/memmodel"

// cArgs are the arguments of a call.
type cArgs struct {
	at       cValue           // the location
	value    memmodel.Operand // stored or operated with
	expected memmodel.Operand // compared with, or the limit
	local    memmodel.Operand // the local variable whose address was given
	bit      memmodel.Operand // its mask
	cond     cValue
}

// call reads the arguments of a function and lowers it.
func (p *cParser) call(name string, at, depth int) cValue {
	f, ok := findFunc(name)
	if !ok {
		p.failAt(at, "unknown function %q", name)
		return constant(0)
	}
	p.next()
	a := cArgs{value: memmodel.K(f.k), expected: memmodel.K(0)}
	old := memmodel.NoReg
	if f.call == callLoadIf {
		old = p.temp()
	}
	for i := range len(f.args) {
		if i > 0 {
			p.expect(',', "behind an argument of", name)
		}
		if p.err != nil {
			return constant(0)
		}
		p.argument(f.args[i], &a, old, f, depth)
	}
	if !p.is(')') {
		p.failAt(p.tok.pos, "expected %q behind the %d arguments of %s, found %s", ")", len(f.args), name, p.found())
		return constant(0)
	}
	p.next()
	return p.lower(f, a, old)
}

// argument reads one argument of the kind that cFunc.args names.
func (p *cParser) argument(kind byte, a *cArgs, old memmodel.Reg, f cFunc, depth int) {
	at := p.tok.pos
	switch kind {
	case 'l':
		if a.at = p.expr(depth + 1); a.at.kind != cMemory {
			p.failAt(at, "expected a shared location such as *x, found %q", p.src[at:max(at, min(p.tok.pos, len(p.src)))])
		}
	case 'p':
		a.at = p.address(p.expr(depth + 1))
	case 'v':
		a.value = p.operand(p.expr(depth + 1))
	case 'e':
		a.expected = p.operand(p.expr(depth + 1))
	case 'n':
		n := p.operand(p.expr(depth + 1))
		if n.Reg == memmodel.NoReg && n.Val >= 0 && n.Val < 63 {
			a.bit = memmodel.K(1 << n.Val)
		} else {
			a.bit = p.operand(cValue{fn: memmodel.FnShl, a: memmodel.K(1), b: n})
		}
		a.value, a.expected = a.bit, a.bit
	case 'o':
		v := cValue{}
		if p.accept('&') && p.tok.kind == cName {
			v = p.lookup(p.text())
			p.next()
		}
		if a.local = v.a; v.kind != cLocal {
			p.failAt(at, "expected the address of a local variable, such as &r1")
		}
		a.expected = a.local
	case 'c':
		// The read comes first, since the condition speaks of its value.
		p.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: old, A: a.at.a, B: a.at.b, Tags: f.tags})
		p.params = append(p.params, cParam{"VAL", operandValue(memmodel.R(old))})
		a.cond = p.truth(p.expr(depth + 1))
		p.params = p.params[:len(p.params)-1]
	default:
		p.operand(p.expr(depth + 1))
	}
}

// lower emits the instructions of a call.
func (p *cParser) lower(f cFunc, a cArgs, old memmodel.Reg) cValue {
	in := memmodel.Instr{Dst: memmodel.NoReg, A: a.at.a, B: a.at.b, C: a.value, D: a.expected, Fn: f.fn, Cmp: f.cmp, Tags: f.tags, WTags: f.wtags}
	switch f.call {
	case callNone:
		return constant(0)
	case callFence:
		in.A, in.B = memmodel.K(0), memmodel.K(0)
		if f.args != "" {
			in.A = p.operand(a.at.pointer())
		}
		in.Op, in.C, in.D = memmodel.OpFence, memmodel.K(0), memmodel.K(0)
		p.emit(in)
		return constant(0)
	case callStore:
		in.Op = memmodel.OpStore
		p.emit(in)
		if f.after != 0 {
			p.emit(memmodel.Instr{Op: memmodel.OpFence, Dst: memmodel.NoReg, A: memmodel.K(0), B: memmodel.K(0), Tags: f.after})
		}
		return constant(0)
	case callLoadIf:
		p.emit(memmodel.Instr{Op: memmodel.OpAssume, Fn: a.cond.fn, Dst: memmodel.NoReg, A: a.cond.a, B: a.cond.b})
		return operandValue(memmodel.R(old))
	}
	in.Dst = p.temp()
	r := memmodel.R(in.Dst)
	switch f.call {
	case callLoad:
		in.Op = memmodel.OpLoad
	case callRMW:
		in.Op = memmodel.OpRMW
	case callCAS, callTryCAS:
		in.Op, f.cmp = memmodel.OpCAS, memmodel.FnEq
	case callLock:
		in.Op = memmodel.OpCAS
	case callIf:
		in.Op = memmodel.OpRMWIf
	case callBitPlain:
		p.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: in.Dst, A: in.A, B: in.B, Tags: f.tags})
		v := p.operand(cValue{fn: f.fn, a: r, b: a.value})
		p.emit(memmodel.Instr{Op: memmodel.OpStore, Dst: memmodel.NoReg, A: in.A, B: in.B, C: v, WTags: f.wtags})
		return constant(0)
	}
	p.emit(in)
	switch f.call {
	case callLock:
		p.emit(memmodel.Instr{Op: memmodel.OpAssume, Fn: memmodel.FnEq, Dst: memmodel.NoReg, A: r, B: memmodel.K(0)})
	case callTryCAS:
		wrote := p.temp()
		p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnEq, Dst: wrote, A: r, B: a.expected})
		p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: a.local.Reg, A: r, B: memmodel.K(0)})
		return operandValue(memmodel.R(wrote))
	}
	return p.result(f, a, r)
}

// pointer is the address of a location as a value.
func (v cValue) pointer() cValue {
	v.kind, v.fn = cRvalue, memmodel.FnAdd
	if v.b == memmodel.K(0) {
		v.fn = memmodel.FnA
	}
	return v
}

// result is what the call gives back, computed from the old value.
func (p *cParser) result(f cFunc, a cArgs, old memmodel.Operand) cValue {
	fresh := cValue{fn: f.fn, a: old, b: a.value}
	switch f.res {
	case resOld:
		return operandValue(old)
	case resNew:
		return fresh
	case resNewZero:
		return cValue{fn: memmodel.FnEq, a: p.operand(fresh), b: memmodel.K(0)}
	case resNewNegative:
		return cValue{fn: memmodel.FnLt, a: p.operand(fresh), b: memmodel.K(0)}
	case resWrote:
		return cValue{fn: f.cmp, a: old, b: a.expected}
	case resOldSign:
		a.bit = memmodel.K(0x80)
		fallthrough
	case resOldBit:
		return cValue{fn: memmodel.FnNe, a: p.operand(cValue{fn: memmodel.FnAnd, a: old, b: a.bit}), b: memmodel.K(0)}
	}
	return constant(0)
}
