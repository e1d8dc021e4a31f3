package litmus

import "github.com/barriergen/barriergen/memmodel"

// cForm is what a cValue stands for.
type cForm uint8

const (
	cRvalue cForm = iota // fn(a, b), not computed yet
	cLocal               // the local variable in register a
	cMemory              // the shared location at address a+b
)

// cValue is an expression that was read. A comparison or sum stays uncomputed, so that a branch or an access can take it in.
type cValue struct {
	kind cForm
	fn   memmodel.Fn
	a, b memmodel.Operand
}

func constant(v memmodel.Value) cValue       { return operandValue(memmodel.K(v)) }
func operandValue(o memmodel.Operand) cValue { return cValue{fn: memmodel.FnA, a: o, b: memmodel.K(0)} }

// rvalue loads what lies in memory: a plain read.
func (p *cParser) rvalue(v cValue) cValue {
	switch v.kind {
	case cLocal:
		return operandValue(v.a)
	case cMemory:
		dst := p.temp()
		p.emit(memmodel.Instr{Op: memmodel.OpLoad, Dst: dst, A: v.a, B: v.b, Tags: cPlain})
		return operandValue(memmodel.R(dst))
	}
	return v
}

// operand computes v.
func (p *cParser) operand(v cValue) memmodel.Operand {
	v = p.rvalue(v)
	if v.fn == memmodel.FnA {
		return v.a
	}
	dst := p.temp()
	p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: v.fn, Dst: dst, A: v.a, B: v.b})
	return memmodel.R(dst)
}

// address makes the location that v points to.
func (p *cParser) address(v cValue) cValue {
	v = p.rvalue(v)
	if v.fn != memmodel.FnA && v.fn != memmodel.FnAdd {
		v = operandValue(p.operand(v))
	}
	v.kind = cMemory
	return v
}

// assign stores v in dst and gives the value.
func (p *cParser) assign(at int, dst, v cValue) cValue {
	v = p.rvalue(v)
	switch dst.kind {
	case cLocal:
		if n := len(p.code) - 1; v.fn == memmodel.FnA && p.isTemp(v.a.Reg) && n >= p.joined && p.code[n].Dst == v.a.Reg {
			p.code[n].Dst = dst.a.Reg // it was computed just now and is used here only
		} else {
			p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: v.fn, Dst: dst.a.Reg, A: v.a, B: v.b})
		}
		return operandValue(dst.a)
	case cMemory:
		o := p.operand(v)
		p.emit(memmodel.Instr{Op: memmodel.OpStore, Dst: memmodel.NoReg, A: dst.a, B: dst.b, C: o, WTags: cPlain})
		return operandValue(o)
	}
	p.failAt(at, "only a local variable or *address can be assigned to")
	return v
}

// cBinary is a binary operator.
type cBinary struct {
	prec int
	fn   memmodel.Fn
}

// The operators that are not a function of their operands only.
const (
	precCond = 1
	precOr   = 2
	precAnd  = 3
)

// binaryOp gives the operator of a punctuation mark; prec 0 is none.
func binaryOp(punct uint16) cBinary {
	switch punct {
	case '|':
		return cBinary{4, memmodel.FnOr}
	case '^':
		return cBinary{5, memmodel.FnXor}
	case '&':
		return cBinary{6, memmodel.FnAnd}
	case '='<<8 | '=':
		return cBinary{7, memmodel.FnEq}
	case '!'<<8 | '=':
		return cBinary{7, memmodel.FnNe}
	case '<':
		return cBinary{8, memmodel.FnLt}
	case '>':
		return cBinary{8, memmodel.FnGt}
	case '<'<<8 | '=':
		return cBinary{8, memmodel.FnLe}
	case '>'<<8 | '=':
		return cBinary{8, memmodel.FnGe}
	case '<'<<8 | '<':
		return cBinary{9, memmodel.FnShl}
	case '>'<<8 | '>':
		return cBinary{9, memmodel.FnShr}
	case '+':
		return cBinary{10, memmodel.FnAdd}
	case '-':
		return cBinary{10, memmodel.FnSub}
	case '*':
		return cBinary{11, memmodel.FnMul}
	case '&'<<8 | '&':
		return cBinary{precAnd, memmodel.FnAnd}
	case '|'<<8 | '|':
		return cBinary{precOr, memmodel.FnOr}
	case '?':
		return cBinary{prec: precCond}
	}
	return cBinary{}
}

// assignOp gives the function of an assignment: FnB for =.
func assignOp(punct uint16) (memmodel.Fn, bool) {
	switch punct {
	case '=':
		return memmodel.FnB, true
	case '+'<<8 | '=':
		return memmodel.FnAdd, true
	case '-'<<8 | '=':
		return memmodel.FnSub, true
	case '*'<<8 | '=':
		return memmodel.FnMul, true
	case '&'<<8 | '=':
		return memmodel.FnAnd, true
	case '|'<<8 | '=':
		return memmodel.FnOr, true
	case '^'<<8 | '=':
		return memmodel.FnXor, true
	}
	return 0, false
}

// maxDepth bounds the nesting of expressions and statements.
const maxDepth = 200

// expr reads an expression with its assignments.
func (p *cParser) expr(depth int) cValue {
	at := p.tok.pos
	v := p.binary(0, depth)
	if p.tok.kind != cPunct {
		return v
	}
	fn, ok := assignOp(p.tok.punct)
	if !ok {
		return v
	}
	p.next()
	r := p.rvalue(p.expr(depth + 1))
	if fn != memmodel.FnB {
		old := p.operand(v)
		r = cValue{fn: fn, a: old, b: p.operand(r)}
	}
	return p.assign(at, v, r)
}

// binary reads operators that bind at least as tightly as prec.
func (p *cParser) binary(prec, depth int) cValue {
	if depth > maxDepth {
		p.failAt(p.tok.pos, "more than %d levels of nesting", maxDepth)
		return constant(0)
	}
	v := p.unary(depth)
	for p.tok.kind == cPunct {
		op := binaryOp(p.tok.punct)
		if op.prec == 0 {
			if c := p.tok.punct; c == '/' || c == '%' {
				p.failAt(p.tok.pos, "operator %q is not supported", string(rune(c)))
			}
			break
		}
		if op.prec < prec {
			break
		}
		p.next()
		switch op.prec {
		case precCond:
			v = p.conditional(v, depth)
		case precOr, precAnd:
			v = p.shortCircuit(op, v, depth)
		default:
			a := p.operand(v)
			b := p.operand(p.binary(op.prec+1, depth+1))
			v = cValue{fn: op.fn, a: a, b: b}
		}
	}
	return v
}

// truth is v as 0 or 1.
func (p *cParser) truth(v cValue) cValue {
	v = p.rvalue(v)
	switch v.fn {
	case memmodel.FnEq, memmodel.FnNe, memmodel.FnLt, memmodel.FnLe, memmodel.FnGt, memmodel.FnGe:
		return v
	}
	return cValue{fn: memmodel.FnNe, a: p.operand(v), b: memmodel.K(0)}
}

// negation is !v.
func (p *cParser) negation(v cValue) cValue {
	v = p.rvalue(v)
	switch v.fn {
	case memmodel.FnEq:
		v.fn = memmodel.FnNe
	case memmodel.FnNe:
		v.fn = memmodel.FnEq
	case memmodel.FnLt:
		v.fn = memmodel.FnGe
	case memmodel.FnGe:
		v.fn = memmodel.FnLt
	case memmodel.FnGt:
		v.fn = memmodel.FnLe
	case memmodel.FnLe:
		v.fn = memmodel.FnGt
	default:
		v = cValue{fn: memmodel.FnEq, a: p.operand(v), b: memmodel.K(0)}
	}
	return v
}

// branchUnless emits a branch that is taken when v is zero; land sets its target.
func (p *cParser) branchUnless(v cValue) int {
	n := p.negation(v)
	return p.emit(memmodel.Instr{Op: memmodel.OpBranch, Fn: n.fn, Dst: memmodel.NoReg, A: n.a, B: n.b})
}

// jump emits a branch that is always taken.
func (p *cParser) jump(target int) int {
	return p.emit(memmodel.Instr{Op: memmodel.OpBranch, Fn: memmodel.FnA, Dst: memmodel.NoReg, A: memmodel.K(1), B: memmodel.K(0), Target: target})
}

// land makes the branch arrive here.
func (p *cParser) land(branch int) {
	p.code[branch].Target = len(p.code)
	p.joined = len(p.code)
}

// pure says that a part of the code only computes.
func (p *cParser) pure(from, to int) bool {
	for _, in := range p.code[from:to] {
		if op := in.Op; op != memmodel.OpALU && op != memmodel.OpPick {
			return false
		}
	}
	return true
}

// remove takes out n instructions at i; what follows has no branches.
func (p *cParser) remove(i, n int) { p.code = append(p.code[:i], p.code[i+n:]...) }

// shortCircuit reads the right side of && or ||, which is skipped if it accesses memory and does not count.
func (p *cParser) shortCircuit(op cBinary, left cValue, depth int) cValue {
	t := p.temp()
	l := p.truth(left)
	p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: l.fn, Dst: t, A: l.a, B: l.b})
	skip := cValue{fn: memmodel.FnNe, a: memmodel.R(t), b: memmodel.K(0)}
	if op.prec == precOr {
		skip.fn = memmodel.FnEq
	}
	branch := p.branchUnless(skip)
	r := p.truth(p.binary(op.prec+1, depth+1))
	if p.err != nil {
		return r
	}
	if p.pure(branch+1, len(p.code)) {
		p.remove(branch, 1)
		return cValue{fn: op.fn, a: memmodel.R(t), b: p.operand(r)}
	}
	p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: r.fn, Dst: t, A: r.a, B: r.b})
	p.land(branch)
	p.code[branch].Scope = len(p.code)
	return operandValue(memmodel.R(t))
}

// conditional reads what stands behind the question mark. Alternatives that only compute become a selection.
func (p *cParser) conditional(cond cValue, depth int) cValue {
	t := p.temp()
	branch := p.branchUnless(cond)
	yes := p.operand(p.expr(depth + 1))
	set := p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: t, A: yes, B: memmodel.K(0)})
	over := p.jump(0)
	p.land(branch)
	p.expect(':', "in a conditional expression")
	no := p.operand(p.binary(precCond, depth+1))
	if p.err != nil {
		return constant(0)
	}
	if p.pure(branch+1, set) && p.pure(over+1, len(p.code)) {
		c := p.code[branch]
		p.remove(set, 2)
		p.remove(branch, 1)
		p.joined = branch
		p.emit(memmodel.Instr{Op: memmodel.OpPick, Fn: c.Fn, Dst: t, A: c.A, B: c.B, C: no, D: yes})
		return operandValue(memmodel.R(t))
	}
	p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: t, A: no, B: memmodel.K(0)})
	p.land(over)
	p.code[branch].Scope = len(p.code)
	return operandValue(memmodel.R(t))
}
