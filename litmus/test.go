// Package litmus reads litmus tests, small concurrent programs with a question about their outcome, and answers it under
// an axiomatic memory model. The files are those that herd7 reads, for X86_64, X86, AArch64, RISCV and C in the Linux
// kernel's style, and the report is in herd7's form, so that scripts made for it keep working.
//
// In a test of your own code, state the shape and what must be impossible:
//
//	litmus.Check(t, "aarch64", `AArch64 MP+dmb.sy+addr
//	{ 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; }
//	 P0          | P1                  ;
//	 MOV W0,#1   | LDR W0,[X3]         ;
//	 STR W0,[X1] | EOR W2,W0,W0        ;
//	 DMB SY      | LDR W4,[X1,W2,SXTW] ;
//	 STR W0,[X3] |                     ;
//	~exists (1:X0=1 /\ 1:X4=0)`)
package litmus

import (
	"os"

	"github.com/barriergen/barriergen/memmodel"
)

// Quantifier says what a test asks of the final states.
type Quantifier uint8

// The quantifiers.
const (
	Exists    Quantifier = iota // some final state satisfies the proposition
	NotExists                   // none does
	ForAll                      // all do
)

// String is the quantifier as tests spell it.
func (q Quantifier) String() string {
	return [...]string{"exists", "~exists", "forall"}[q]
}

// Kind is what herd7's first line of a report says.
func (q Quantifier) Kind() string {
	return [...]string{"Allowed", "Forbidden", "Required"}[q]
}

// Test is a litmus test.
type Test struct {
	File       string
	Name       string
	Doc        string // the quoted string behind the name, if any
	Program    *memmodel.Program
	Quantifier Quantifier
	Prop       Prop
	Filter     *Prop    // only executions that satisfy it count; nil is all
	Observed   []Atom   // what a final state consists of, in the order in which it is printed
	Shown      int      // how many of the observed are printed; the others only serve the filter
	Warnings   []string // what the reader should know, such as a construct that was read in a weaker sense
}

// Atom is something with a value at the end: a register of a thread, or a location if Thread is negative.
type Atom struct {
	Thread int
	Reg    memmodel.Reg
	Loc    int
	Name   string // as reports print it: 0:X1, [x]
}

// frontEnd reads one kind of code. A new one is a row in frontEnds.
type frontEnd struct {
	// code reads the threads into b.test.Program. The scanner stands behind the initial state, and is left behind the code.
	code func(b *builder, s *scanner) error
	// register gives the name under which a register is kept and printed, and whether there is such a register.
	// A nil register means that every identifier can be one (C's local variables).
	register func(name string) (canonical string, ok bool)
	// compareRegs orders two canonical names as reports do.
	compareRegs func(a, b string) int
	// tags are the names that a model of this architecture may use; front ends set bits by index.
	tags []string
}

// frontEnds is every architecture, by the first word of a file.
var frontEnds = map[string]*frontEnd{
	"X86_64":  &x86FrontEnd,
	"X86":     &ia32FrontEnd,
	"AArch64": &aarch64FrontEnd,
	"RISCV":   &riscvFrontEnd,
	"C":       &cFrontEnd,
}

// ParseFile reads a file.
func ParseFile(name string) (*Test, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(src, name)
}

// Parse reads a test; filename is for errors. An error is an *Error that says where.
func Parse(src []byte, filename string) (*Test, error) {
	var p parser
	return p.parse(src, filename)
}

// parser reads one test after another into the same memory: a test is valid until the next.
type parser struct {
	test    Test
	program memmodel.Program
	scanner scanner
	builder builder
	scratch
}

// scratch is the memory that reading a test needs besides the test's own.
type scratch struct {
	inner   scanner
	asm     asm
	c       cParser
	props   []Prop // the operands of the test's propositions
	open    []Prop // of those that are being read
	columns [][]cell
	code    []memmodel.Instr
	labels  []label
	jumps   []label
	defined []bool
	shown   []bool
	perm    []int
	index   []int
	sorted  []Atom
}

func (p *parser) parse(src []byte, filename string) (*Test, error) {
	s := &p.scanner
	*s = scanner{file: filename, src: src, text: string(src)}
	p.program = memmodel.Program{Locs: p.program.Locs[:0], Threads: p.program.Threads[:0]}
	p.test = Test{File: filename, Program: &p.program, Observed: p.test.Observed[:0]}
	if err := p.read(s); err != nil {
		return nil, err
	}
	return &p.test, nil
}

func (p *parser) read(s *scanner) error {
	t := &p.test
	s.skipSpace()
	at := s.pos
	arch := s.word()
	fe := frontEnds[arch]
	if fe == nil {
		return s.errorf(at, "unknown architecture %q: known are X86_64, X86, AArch64, RISCV and C", arch)
	}
	s.skipBlanks()
	at = s.pos
	t.Name = string(s.restOfLine())
	if t.Name == "" {
		return s.errorf(at, "the test has no name")
	}
	t.Program.Name, t.Program.Arch, t.Program.Tags = t.Name, arch, fe.tags
	b := &p.builder
	*b = builder{test: t, fe: fe, scratch: &p.scratch}
	if err := b.header(s); err != nil {
		return err
	}
	if err := b.initialState(s); err != nil {
		return err
	}
	if err := fe.code(b, s); err != nil {
		return err
	}
	return b.condition(s)
}

// builder is a test in the making; the helpers here are what front ends share.
type builder struct {
	test *Test
	fe   *frontEnd
	*scratch
}

// header skips what stands between the name and the initial state: a quoted description, key=value lines, comments.
func (b *builder) header(s *scanner) error {
	for {
		s.skipSpace()
		switch {
		case s.eof():
			return s.errorf(s.pos, "the file ends before the initial state")
		case s.peek() == '{':
			return nil
		case s.peek() == '"':
			at := s.pos
			doc, ok := s.quoted()
			if !ok {
				return s.errorf(at, "the string is not closed")
			}
			b.test.Doc = doc
		default:
			at := s.pos
			line := s.restOfLine()
			if !hasByte(line, '=') {
				return s.errorf(at, "unexpected %q before the initial state", clip(line))
			}
		}
	}
}

// loc gives the index of a location and makes it when it is new: zero, and eight bytes wide until a type says otherwise.
func (b *builder) loc(name string) int {
	p := b.test.Program
	for i := range p.Locs {
		if p.Locs[i].Name == name {
			return i
		}
	}
	p.Locs = append(p.Locs, memmodel.Location{Name: name, Size: 8})
	return len(p.Locs) - 1
}

// findLoc gives the index of a location, or -1.
func (b *builder) findLoc(name string) int {
	for i := range b.test.Program.Locs {
		if b.test.Program.Locs[i].Name == name {
			return i
		}
	}
	return -1
}

// thread makes sure that thread i exists, and gives it.
func (b *builder) thread(i int) *memmodel.Thread {
	p := b.test.Program
	for len(p.Threads) <= i {
		if n := len(p.Threads); n < cap(p.Threads) { // of an earlier test, as its registers
			p.Threads = p.Threads[:n+1]
			p.Threads[n] = memmodel.Thread{Regs: p.Threads[n].Regs[:0]}
			continue
		}
		p.Threads = append(p.Threads, memmodel.Thread{Regs: make([]memmodel.Register, 0, 8)})
	}
	return &p.Threads[i]
}

// reg gives the index of a register by its canonical name and makes it, with the value zero, when it is new.
func (b *builder) reg(thread int, name string) memmodel.Reg {
	if r := b.findReg(thread, name); r != memmodel.NoReg {
		return r
	}
	t := b.thread(thread)
	t.Regs = append(t.Regs, memmodel.Register{Name: name})
	return memmodel.Reg(len(t.Regs) - 1)
}

// findReg gives the index of a register by its canonical name, or NoReg.
func (b *builder) findReg(thread int, name string) memmodel.Reg {
	if thread < len(b.test.Program.Threads) {
		regs := b.test.Program.Threads[thread].Regs
		for i := range regs {
			if regs[i].Name == name {
				return memmodel.Reg(i)
			}
		}
	}
	return memmodel.NoReg
}
