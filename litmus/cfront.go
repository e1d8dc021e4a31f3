package litmus

import (
	"strings"

	"github.com/barriergen/barriergen/memmodel"
)

// cFrontEnd reads C in the Linux kernel's style. Threads are functions P0, P1 … whose parameters are pointers to shared
// locations of the same names; other names are local variables, zero at first unless the initial state sets them (0:r1=x).
// The compiler here makes one pass: the parser emits instructions, and no tree is built.
//
// As in herd, a control dependency covers the branches of an if or the turns of a loop, and nothing behind them, and an
// access without READ_ONCE or its kin is plain.
var cFrontEnd = frontEnd{
	code:        cCode,
	compareRegs: strings.Compare,
	tags:        cTags,
}

// cParser reads the threads of a C test.
type cParser struct {
	b     *builder
	s     *scanner
	src   string // all of the file: names are parts of it
	tok   cToken
	line  int // of the scanner's position
	taken int // of the last token that was taken
	err   error

	thread int
	params []cParam
	code   []memmodel.Instr
	free   []memmodel.Instr // the room behind the code of the threads before
	temps  []memmodel.Reg   // registers of the thread without a name
	inUse  int              // how many of temps the current statement has used
	joined int              // where a branch arrived last: the instruction before may be one of several that set a register
}

// cParam is a name with a fixed value, such as a parameter, the address of a location.
type cParam struct {
	name  string
	value cValue
}

func cCode(b *builder, s *scanner) error {
	if b.scratch.code == nil {
		b.scratch.code = make([]memmodel.Instr, 0, 64)
	}
	p := &b.scratch.c
	*p = cParser{b: b, s: s, src: s.text, line: s.lineOf(s.pos), free: b.scratch.code[:0], params: p.params, temps: p.temps}
	for i := range b.test.Program.Locs {
		widen(&b.test.Program.Locs[i])
	}
	for {
		if !p.skipOuter() {
			break
		}
		from, line := s.pos, p.line
		if n := p.threadNumber(); n < 0 {
			s.pos, p.line = from, line
			break
		} else if p.function(n); p.err != nil {
			return p.err
		}
	}
	if p.err == nil && len(b.test.Program.Threads) == 0 {
		return s.errorf(s.pos, "expected a thread, P0(…), found %s", s.found())
	}
	return p.err
}

// widen makes a location as wide as a pointer: the kernel's model has no accesses of different sizes.
func widen(l *memmodel.Location) {
	if l.Size == 4 {
		l.Init = memmodel.Value(int32(l.Init))
	}
	l.Size = 8
}

// skipOuter skips white space and comments of both kinds between threads, and says whether anything is left.
func (p *cParser) skipOuter() bool {
	for p.skipBlank() {
		if p.s.peek() != '(' || p.s.peekAt(1) != '*' {
			return true
		}
		from := p.s.pos
		p.s.skipComment()
		for _, c := range p.s.src[from:p.s.pos] {
			if c == '\n' {
				p.line++
			}
		}
	}
	return false
}

// threadNumber takes P and a number, or gives -1.
func (p *cParser) threadNumber() int {
	for {
		p.next()
		if p.tok.kind != cName {
			return -1
		}
		name := p.text()
		if name == "static" || name == "void" || name == "int" { // a declared result type
			continue
		}
		n, digits := 0, 0
		for _, c := range []byte(name[1:]) {
			if c < '0' || c > '9' || n >= maxThreads {
				return -1
			}
			n, digits = n*10+int(c-'0'), digits+1
		}
		if name[0] != 'P' || digits == 0 {
			return -1
		}
		return n
	}
}

// function reads a thread behind its name.
func (p *cParser) function(n int) {
	if n >= maxThreads {
		p.failAt(p.tok.pos, "thread %d: at most %d are supported", n, maxThreads)
		return
	}
	t := p.b.thread(n)
	if t.Code != nil {
		p.failAt(p.tok.pos, "thread P%d is defined twice", n)
		return
	}
	p.thread, p.params, p.temps, p.inUse = n, p.params[:0], p.temps[:0], 0
	p.joined = 0
	if cap(p.free) < 8 {
		p.free = make([]memmodel.Instr, 0, 24)
	}
	p.code = p.free
	p.next()
	p.expect('(', "behind the thread's name")
	for !p.is(')') && p.err == nil {
		p.param()
		if !p.accept(',') {
			break
		}
	}
	p.expect(')', "behind the parameters")
	if !p.is('{') {
		p.failAt(p.tok.pos, `expected "{", the thread's body, found %s`, p.found())
		return
	}
	// The token behind the body's brace may belong to the condition, which is not C: it is not read.
	p.block(true)
	p.b.thread(n).Code = p.code[:len(p.code):len(p.code)]
	p.free = p.code[len(p.code):]
}

// param reads a parameter: a type, at least one star, a name.
func (p *cParser) param() {
	stars, name, at := 0, "", p.tok.pos
	for p.err == nil {
		switch {
		case p.accept('*'):
			stars++
			continue
		case p.tok.kind == cName:
			name, at = p.text(), p.tok.pos
			p.next()
			continue
		}
		break
	}
	if name == "void" && stars == 0 && p.is(')') {
		return
	}
	if name == "" || stars == 0 {
		p.failAt(at, "a parameter must be a pointer to the location of its name, as in int *x; found %q", p.src[at:min(p.tok.pos, len(p.src))])
		return
	}
	p.params = append(p.params, cParam{name, constant(p.b.test.Program.Addr(p.b.loc(name)))})
}

// lookup gives the value of a name: a parameter is an address, everything else a local variable.
func (p *cParser) lookup(name string) cValue {
	for i := range p.params {
		if p.params[i].name == name {
			return p.params[i].value
		}
	}
	return cValue{kind: cLocal, a: memmodel.R(p.b.reg(p.thread, name))}
}

// temp is a register without a name, free until the statement ends.
func (p *cParser) temp() memmodel.Reg {
	if p.inUse == len(p.temps) {
		t := p.b.thread(p.thread)
		t.Regs = append(t.Regs, memmodel.Register{})
		p.temps = append(p.temps, memmodel.Reg(len(t.Regs)-1))
	}
	p.inUse++
	return p.temps[p.inUse-1]
}

func (p *cParser) isTemp(r memmodel.Reg) bool {
	for _, t := range p.temps[:p.inUse] {
		if t == r {
			return true
		}
	}
	return false
}

// maxInstrs bounds the code of a thread; nothing that has an end under a search is longer.
const maxInstrs = 4096

// emit appends an instruction and gives its index.
func (p *cParser) emit(i memmodel.Instr) int {
	i.Line = p.taken
	if len(p.code) >= maxInstrs {
		p.failAt(p.tok.pos, "thread P%d is longer than %d instructions", p.thread, maxInstrs)
	}
	p.code = append(p.code, i)
	return len(p.code) - 1
}
