package litmus

import (
	"github.com/barriergen/barriergen/memmodel"
)

// isa is what differs between the assembly languages.
type isa struct {
	// instruction reads one instruction. The mnemonic is upper case; the scanner stands behind it and ends with the cell.
	instruction func(a *asm, mnemonic []byte, at int) error
	// prefix is a word that may be separated from its instruction by a semicolon, as x86's lock.
	prefix string
	// regs are the names under which registers are kept, and sourceFirst is the order of operands, where dialects differ.
	regs        []string
	sourceFirst bool
}

// asm reads the code of assembly threads: a table with a column for each thread.
type asm struct {
	*builder
	*scanner
	arch         *isa
	thread       int
	code         []memmodel.Instr
	x86          x86Instr // the instruction that is being read
	line         int
	flagA, flagB memmodel.Reg
	word         [24]byte // the upper-case form of a mnemonic
	option       [24]byte // and of another name
}

// label is a label's name, its position in the source, and an instruction: the one it marks, or the branch that names it.
type label struct {
	name  string
	at    int
	instr int
}

// cell is one field of the table.
type cell struct{ from, to, line int }

// asmCode reads the table and then each column of it.
func asmCode(b *builder, s *scanner, arch *isa) error {
	columns, err := asmTable(b, s, arch)
	if err != nil {
		return err
	}
	if n := len(b.test.Program.Threads); n > len(columns) {
		return s.errorf(s.pos, "the initial state names thread %d, but there are %d", n-1, len(columns))
	}
	cells := 0
	for _, c := range columns {
		cells += len(c)
	}
	const perCell = 3 // instructions, most often fewer
	if cap(b.scratch.code) < perCell*cells {
		b.scratch.code = make([]memmodel.Instr, 2*perCell*cells)
	}
	free := b.scratch.code[:cap(b.scratch.code)]
	inner, a := &b.inner, &b.asm
	*inner = *s
	*a = asm{builder: b, scanner: inner, arch: arch}
	for i, cells := range columns {
		t := b.thread(i)
		n := perCell * len(cells)
		a.thread, a.code, free = i, free[:0:n], free[n:]
		a.labels, a.jumps, a.defined = a.labels[:0], a.jumps[:0], a.defined[:0]
		a.flagA, a.flagB = memmodel.NoReg, memmodel.NoReg
		for range t.Regs {
			a.defined = append(a.defined, true)
		}
		for _, c := range cells {
			inner.src, inner.pos, a.line = s.src[:c.to], c.from, c.line
			if err := a.cell(); err != nil {
				return err
			}
		}
		inner.src = s.src
		if err := a.link(); err != nil {
			return err
		}
		b.thread(i).Code = a.code
	}
	return nil
}

// asmTable cuts the code into columns of cells.
func asmTable(b *builder, s *scanner, arch *isa) ([][]cell, error) {
	columns := b.columns[:0]
	header := true
	line, counted := 1, 0
	for {
		s.skipSpace()
		if s.atCondition() {
			if header {
				return nil, s.errorf(s.pos, "expected the row of threads (P0 | P1 ;), found %s", s.found())
			}
			b.columns = columns
			return columns, nil
		}
		column := 0
		for from, end := s.pos, false; !end; column++ {
			to, err := s.endOfCell(from, arch.prefix)
			if err != nil {
				return nil, err
			}
			end = s.src[to] == ';'
			s.pos = to + 1
			for from < to && s.src[from] <= ' ' {
				from++
			}
			for ; counted < from; counted++ {
				if s.src[counted] == '\n' {
					line++
				}
			}
			last := to
			for last > from && s.src[last-1] <= ' ' {
				last--
			}
			switch {
			case header:
				if last == from || s.src[from] != 'P' || s.text[from+1:last] != digits(column) {
					return nil, s.errorf(from, "expected P%d as the head of column %d, found %q", column, column+1, clip(s.src[from:last]))
				}
				if column >= maxThreads {
					return nil, s.errorf(from, "more than %d threads", maxThreads)
				}
				if column < cap(columns) {
					columns = columns[:column+1] // with the memory of an earlier test
					columns[column] = columns[column][:0]
				} else {
					columns = append(columns, make([]cell, 0, 16))
				}
			case column >= len(columns):
				if from < last {
					return nil, s.errorf(from, "column %d has no head: there are %d threads", column+1, len(columns))
				}
			case from < last:
				columns[column] = append(columns[column], cell{from, last, line})
			}
			from = s.pos
		}
		header = false
	}
}

// endOfCell finds the | or ; that ends the cell at from.
func (s *scanner) endOfCell(from int, prefix string) (int, error) {
	start := from
	for i := from; i < len(s.src); i++ {
		switch s.src[i] {
		case '|':
			return i, nil
		case ';':
			if prefix == "" || !equalFold(trim(s.src[start:i]), prefix) {
				return i, nil
			}
		case '(':
			if i+1 < len(s.src) && s.src[i+1] == '*' {
				comment := scanner{src: s.src, pos: i}
				comment.skipComment()
				i = comment.pos - 1
			}
		}
	}
	return 0, s.errorf(from, "the file ends within the code")
}

// atCondition says whether the code has ended.
func (s *scanner) atCondition() bool {
	if s.eof() || s.peek() == '~' {
		return true
	}
	at := s.pos
	switch string(s.ident()) {
	case "exists", "forall", "filter", "locations":
		s.pos = at
		return true
	}
	s.pos = at
	return false
}

// cell reads labels and an instruction.
func (a *asm) cell() error {
	for {
		a.skipSpace()
		if a.eof() {
			return nil
		}
		at := a.pos
		name := a.mnemonic()
		if len(name) == 0 {
			return a.errorf(at, "expected an instruction, found %s", a.found())
		}
		a.skipBlanks()
		if a.accept(':') {
			for i := range a.labels {
				if a.labels[i].name == string(name) {
					return a.errorf(at, "the label %s is there twice", name)
				}
			}
			a.labels = append(a.labels, label{a.text[at : at+len(name)], at, len(a.code)})
			continue
		}
		if err := a.arch.instruction(a, upper(&a.word, name), at); err != nil {
			return err
		}
		a.skipSpace()
		if !a.eof() {
			return a.errorf(a.pos, "unexpected %s behind the instruction", a.found())
		}
		return nil
	}
}

// mnemonic takes a name that may have dots.
func (s *scanner) mnemonic() []byte {
	from := s.pos
	for s.pos < len(s.src) && (isIdent(s.src[s.pos]) || s.src[s.pos] == '.') {
		s.pos++
	}
	return s.src[from:s.pos]
}

// link points the branches to their labels.
func (a *asm) link() error {
jumps:
	for _, j := range a.jumps {
		for i := range a.labels {
			if a.labels[i].name == j.name {
				a.code[j.instr].Target = a.labels[i].instr
				continue jumps
			}
		}
		return a.errorf(j.at, "P%d has no label %q", a.thread, j.name)
	}
	return nil
}

// emit appends an instruction. Operands that it does not have become constants: a zero Operand is a register.
func (a *asm) emit(in memmodel.Instr) {
	in.Line = a.line
	switch in.Op {
	case memmodel.OpFence:
		in.A, in.B, in.C, in.D = memmodel.K(0), memmodel.K(0), memmodel.K(0), memmodel.K(0)
	case memmodel.OpALU, memmodel.OpLoad, memmodel.OpLoadEx, memmodel.OpBranch:
		in.C, in.D = memmodel.K(0), memmodel.K(0)
	case memmodel.OpStore, memmodel.OpStoreEx, memmodel.OpRMW:
		in.D = memmodel.K(0)
	}
	a.code = append(a.code, in)
	if in.Dst != memmodel.NoReg && in.Op != memmodel.OpStore && in.Op != memmodel.OpFence && in.Op != memmodel.OpBranch {
		a.define(in.Dst)
	}
}

// define notes that a register has a value.
func (a *asm) define(r memmodel.Reg) {
	for int(r) >= len(a.defined) {
		a.defined = append(a.defined, false)
	}
	a.defined[r] = true
}

// bound is an error if the register, which is used as an address, cannot have got one.
func (a *asm) bound(r memmodel.Reg, at int) error {
	if int(r) < len(a.defined) && a.defined[r] {
		return nil
	}
	name := a.test.Program.Threads[a.thread].Regs[r].Name
	return a.errorf(at, "register %s of P%d is used as an address, but nothing gives it a value: write %d:%s=x into the initial state",
		name, a.thread, a.thread, name)
}

// branchTo reads a label and emits a branch to it, taken if fn(x, y) is not zero.
func (a *asm) branchTo(fn memmodel.Fn, x, y memmodel.Operand) error {
	a.skipBlanks()
	at := a.pos
	name := a.mnemonic()
	if len(name) == 0 {
		return a.errorf(at, "expected a label, found %s", a.found())
	}
	a.jumps = append(a.jumps, label{a.text[at:a.pos], at, len(a.code)})
	a.emit(memmodel.Instr{Op: memmodel.OpBranch, Dst: memmodel.NoReg, Fn: fn, A: x, B: y})
	return nil
}

// setFlags keeps the two values that a comparison compared; a condition asks about them.
func (a *asm) setFlags(x, y memmodel.Operand) {
	if a.flagA == memmodel.NoReg {
		a.flagA, a.flagB = a.reg(a.thread, "flags.a"), a.reg(a.thread, "flags.b")
	}
	a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: a.flagA, A: x, B: memmodel.K(0)})
	a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnA, Dst: a.flagB, A: y, B: memmodel.K(0)})
}

// flagTest is a condition on the flags: a function of the two values compared, as signed or unsigned numbers.
type flagTest struct {
	fn       memmodel.Fn
	unsigned bool
}

// readFlags gives the operands that a condition compares, or an error if no instruction before it set the flags.
func (a *asm) readFlags(t flagTest, at int) (x, y memmodel.Operand, err error) {
	if a.flagA == memmodel.NoReg {
		return x, y, a.errorf(at, "P%d asks about the flags, but no instruction before it sets them", a.thread)
	}
	x, y = memmodel.R(a.flagA), memmodel.R(a.flagB)
	if t.unsigned {
		// With the top bit turned over, the order of unsigned numbers is that of signed ones.
		ux, uy := a.reg(a.thread, "flags.ua"), a.reg(a.thread, "flags.ub")
		a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnXor, Dst: ux, A: x, B: memmodel.K(-1 << 63)})
		a.emit(memmodel.Instr{Op: memmodel.OpALU, Fn: memmodel.FnXor, Dst: uy, A: y, B: memmodel.K(-1 << 63)})
		x, y = memmodel.R(ux), memmodel.R(uy)
	}
	return x, y, nil
}

// comma takes the comma between operands.
func (a *asm) comma() error {
	a.skipBlanks()
	if !a.accept(',') {
		return a.errorf(a.pos, "expected a comma and another operand, found %s", a.operandFound())
	}
	a.skipBlanks()
	return nil
}

// operandFound says what stands where an operand should.
func (a *asm) operandFound() string {
	if a.eof() {
		return "the end of the instruction"
	}
	return a.found()
}

// tagSet is the set of one tag, by its place in the list.
func tagSet(tags []string, name string) memmodel.Tags {
	for i, t := range tags {
		if t == name {
			return 1 << i
		}
	}
	panic("litmus: no tag " + name)
}

// digits is a small number in decimal.
func digits(n int) string {
	if n < 10 {
		return "0123456789"[n : n+1]
	}
	return digits(n/10) + digits(n%10)
}

// upper is the upper-case form of a name, in the buffer. No name that is known is longer.
func upper(buf *[24]byte, name []byte) []byte {
	n := copy(buf[:], name)
	for i, c := range buf[:n] {
		if c >= 'a' && c <= 'z' {
			buf[i] = c - 'a' + 'A'
		}
	}
	return buf[:n]
}

func trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// equalFold compares with a lower-case ASCII word.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}
