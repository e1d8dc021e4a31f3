package litmus

import (
	"sync"

	"github.com/barriergen/barriergen/memmodel"
)

// cTypes are the words that begin a declaration or a cast; any two names in a row are a declaration as well.
var cTypes = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"int": true, "char": true, "long": true, "short": true, "unsigned": true, "signed": true, "void": true, "bool": true, "_Bool": true,
		"struct": true, "volatile": true, "const": true, "static": true, "register": true,
		"atomic_t": true, "atomic64_t": true, "atomic_long_t": true, "spinlock_t": true, "raw_spinlock_t": true, "size_t": true,
		"intptr_t": true, "uintptr_t": true, "u8": true, "u16": true, "u32": true, "u64": true, "s8": true, "s16": true, "s32": true, "s64": true,
		"int8_t": true, "int16_t": true, "int32_t": true, "int64_t": true, "uint8_t": true, "uint16_t": true, "uint32_t": true, "uint64_t": true,
	}
})

func (p *cParser) isType() bool { return p.tok.kind == cName && cTypes()[p.text()] }

// typeName skips a type and its stars.
func (p *cParser) typeName() {
	for p.err == nil {
		switch {
		case p.tok.kind == cName && p.text() == "struct":
			p.next()
			if p.tok.kind != cName {
				p.failAt(p.tok.pos, "expected the name of a struct, found %s", p.found())
			}
			p.next()
		case p.isType():
			p.next()
		case p.accept('*'):
		default:
			return
		}
	}
}

// block reads statements in braces. The token behind a thread's last brace is not read.
func (p *cParser) block(outermost bool) { p.blockAt(outermost, 0) }

func (p *cParser) blockAt(outermost bool, depth int) {
	open := p.tok.pos
	p.next()
	for p.err == nil {
		switch {
		case p.is('}'):
			if !outermost {
				p.next()
			}
			return
		case p.tok.kind == cEnd:
			p.failAt(open, "the block is not closed")
			return
		}
		p.statement(depth + 1)
	}
}

func (p *cParser) statement(depth int) {
	if depth > maxDepth {
		p.failAt(p.tok.pos, "more than %d levels of nesting", maxDepth)
		return
	}
	p.inUse = 0
	switch {
	case p.is('{'):
		p.blockAt(false, depth)
	case p.accept(';'):
	case p.tok.kind == cName:
		switch word := p.text(); word {
		case "if":
			p.ifStatement(depth)
		case "while":
			p.whileLoop(depth)
		case "do":
			p.doLoop(depth)
		case "for":
			p.forLoop(depth)
		case "goto", "switch", "return", "break", "continue", "asm", "case", "default":
			p.failAt(p.tok.pos, "%s is not supported: if, else, while, do and for are", word)
		default:
			p.simple()
			p.expect(';', "behind the statement")
		}
	default:
		p.simple()
		p.expect(';', "behind the statement")
	}
}

// simple reads an expression or a declaration.
func (p *cParser) simple() {
	if !p.isType() {
		p.expr(0)
		return
	}
	for first := true; first || p.accept(','); first = false {
		if first {
			p.typeName()
		}
		for p.accept('*') {
		}
		at := p.tok.pos
		if p.tok.kind != cName {
			p.failAt(at, "expected the name of a variable, found %s", p.found())
			return
		}
		v := cValue{kind: cLocal, a: memmodel.R(p.b.reg(p.thread, p.text()))}
		for i := range p.params {
			if p.params[i].name == p.text() {
				p.failAt(at, "variable %s has the name of a parameter", p.text())
			}
		}
		p.next()
		if p.is('[') {
			p.failAt(p.tok.pos, "arrays are not supported")
		}
		if p.accept('=') {
			p.assign(at, v, p.expr(0))
		}
	}
}

// condition reads an expression in parentheses.
func (p *cParser) condition(word string) cValue {
	p.next()
	p.expect('(', "behind", word)
	v := p.expr(0)
	p.expect(')', "behind the condition")
	return v
}

func (p *cParser) ifStatement(depth int) {
	branch := p.branchUnless(p.condition("if"))
	p.statement(depth + 1)
	if p.err == nil && p.tok.kind == cName && p.text() == "else" {
		p.next()
		over := p.jump(0)
		p.land(branch)
		p.statement(depth + 1)
		p.land(over)
	} else {
		p.land(branch)
	}
	p.code[branch].Scope = len(p.code)
}

func (p *cParser) whileLoop(depth int) {
	top := len(p.code)
	p.joined = top
	branch := p.branchUnless(p.condition("while"))
	p.statement(depth + 1)
	p.jump(top)
	p.land(branch)
	p.code[branch].Scope = len(p.code)
}

func (p *cParser) doLoop(depth int) {
	p.next()
	top := len(p.code)
	p.joined = top
	p.statement(depth + 1)
	if p.err == nil && (p.tok.kind != cName || p.text() != "while") {
		p.failAt(p.tok.pos, `expected "while" behind the body of do, found %s`, p.found())
	}
	branch := p.branchUnless(p.condition("while"))
	p.jump(top)
	p.land(branch)
	p.code[branch].Scope = len(p.code)
	p.expect(';', "behind the loop")
}

// forLoop places the step behind the condition and jumps around it, since it is read first.
func (p *cParser) forLoop(depth int) {
	p.next()
	p.expect('(', "behind for")
	if !p.is(';') {
		p.simple()
	}
	p.expect(';', "behind the loop's start")
	top := len(p.code)
	p.joined = top
	branch := -1
	if !p.is(';') {
		branch = p.branchUnless(p.expr(0))
	}
	p.expect(';', "behind the loop's condition")
	over := p.jump(0)
	step := len(p.code)
	if !p.is(')') {
		p.simple()
	}
	p.expect(')', "behind the loop's step")
	p.jump(top)
	p.land(over)
	p.statement(depth + 1)
	p.jump(step)
	if branch >= 0 {
		p.land(branch)
		p.code[branch].Scope = len(p.code)
	}
}

// unary reads an operand with the operators before and behind it.
func (p *cParser) unary(depth int) cValue {
	if depth > maxDepth {
		p.failAt(p.tok.pos, "more than %d levels of nesting", maxDepth)
		return constant(0)
	}
	at := p.tok.pos
	if p.tok.kind != cPunct {
		return p.postfix(p.primary(depth), at, depth)
	}
	op := p.tok.punct
	switch op {
	case '(':
		p.next()
		if p.isType() {
			p.typeName()
			p.expect(')', "behind the type of a cast")
			return p.unary(depth + 1)
		}
		v := p.expr(depth + 1)
		p.expect(')', "behind the expression")
		return p.postfix(v, at, depth)
	case '-', '+', '!', '~', '*', '&', cTwo('+', '+'), cTwo('-', '-'):
		p.next()
		return p.prefix(op, at, p.unary(depth+1))
	}
	p.failAt(at, "expected an expression, found %s", p.found())
	return constant(0)
}

func (p *cParser) prefix(op uint16, at int, v cValue) cValue {
	switch op {
	case '*':
		return p.address(v)
	case '&':
		if v.kind != cMemory {
			p.failAt(at, "only *address has an address here: parameters are pointers already, and local variables have none")
			return constant(0)
		}
		return v.pointer()
	case '!':
		return p.negation(v)
	}
	o := p.operand(v)
	switch op {
	case '-':
		if o.Reg == memmodel.NoReg {
			return constant(-o.Val)
		}
		return cValue{fn: memmodel.FnSub, a: memmodel.K(0), b: o}
	case '~':
		return cValue{fn: memmodel.FnXor, a: o, b: memmodel.K(-1)}
	case cTwo('+', '+'):
		return p.assign(at, v, cValue{fn: memmodel.FnAdd, a: o, b: memmodel.K(1)})
	case cTwo('-', '-'):
		return p.assign(at, v, cValue{fn: memmodel.FnSub, a: o, b: memmodel.K(1)})
	}
	return operandValue(o)
}

func (p *cParser) postfix(v cValue, at, depth int) cValue {
	for p.tok.kind == cPunct {
		switch p.tok.punct {
		case '[':
			p.next()
			base := p.operand(v)
			index := p.operand(p.expr(depth + 1))
			p.expect(']', "behind the index")
			v = p.address(cValue{fn: memmodel.FnAdd, a: base, b: index})
		case cTwo('+', '+'), cTwo('-', '-'):
			fn := memmodel.FnAdd
			if p.tok.punct == cTwo('-', '-') {
				fn = memmodel.FnSub
			}
			p.next()
			old := memmodel.R(p.temp())
			p.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: old.Reg, A: p.operand(v), B: memmodel.K(0)})
			p.assign(at, v, cValue{fn: fn, a: old, b: memmodel.K(1)})
			return operandValue(old)
		case '.', cTwo('-', '>'):
			p.failAt(p.tok.pos, "members of structures are not supported")
			return v
		default:
			return v
		}
	}
	return v
}

// primary reads a number, a name or a call.
func (p *cParser) primary(depth int) cValue {
	at, tok := p.tok.pos, p.tok
	switch tok.kind {
	case cNumber:
		p.next()
		return constant(tok.val)
	case cName:
		name := p.text()
		p.next()
		if p.is('(') {
			return p.call(name, at, depth)
		}
		switch name {
		case "NULL", "false":
			return constant(0)
		case "true":
			return constant(1)
		}
		if p.tok.kind == cName {
			p.failAt(at, "unknown type or statement %q", name)
			return constant(0)
		}
		return p.lookup(name)
	}
	p.failAt(at, "expected an expression, found %s", p.found())
	return constant(0)
}
