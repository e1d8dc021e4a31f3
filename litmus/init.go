package litmus

import (
	"sync"

	"github.com/barriergen/barriergen/memmodel"
)

// typeSizes is the width of the types that an initial state may name. Others, such as a struct's, are eight bytes.
var typeSizes = sync.OnceValue(func() map[string]uint8 {
	return map[string]uint8{
		"char": 1, "int8_t": 1, "uint8_t": 1, "u8": 1, "s8": 1, "bool": 1, "_Bool": 1,
		"short": 2, "int16_t": 2, "uint16_t": 2, "u16": 2, "s16": 2,
		"int": 4, "unsigned": 4, "signed": 4, "int32_t": 4, "uint32_t": 4, "u32": 4, "s32": 4, "atomic_t": 4, "spinlock_t": 4,
		"long": 8, "int64_t": 8, "uint64_t": 8, "u64": 8, "s64": 8, "atomic64_t": 8, "intptr_t": 8, "uintptr_t": 8, "size_t": 8,
	}
})

// initialState reads the declarations in braces: `x=1; int y; int *p = &x; atomic_t c = ATOMIC_INIT(3); 0:X1=x; int 1:r2;`.
func (b *builder) initialState(s *scanner) error {
	open := s.pos
	s.pos++ // the brace, which header found
	for {
		s.skipSpace()
		switch {
		case s.eof():
			return s.errorf(open, "the initial state is not closed")
		case s.accept('}'):
			return nil
		case s.accept(';'):
		default:
			if err := b.declaration(s); err != nil {
				return err
			}
			s.skipSpace()
			if c := s.peek(); c != ';' && c != '}' && !s.eof() {
				return s.errorf(s.pos, "unexpected %s in the initial state: a semicolon or brace must follow a declaration", s.found())
			}
		}
	}
}

// declaration reads one item of the initial state.
func (b *builder) declaration(s *scanner) error {
	size := uint8(0) // none declared
	for {
		s.skipSpace()
		at := s.pos
		switch c := s.peek(); {
		case c == '*':
			s.pos++
			size = 8
		case digit(c) < 10:
			return b.registerInit(s)
		case c == '[':
			s.pos++
			name := s.name()
			if name == "" || !s.accept(']') {
				return s.errorf(at, "expected [location], found %s", s.found())
			}
			return b.locationInit(s, name, size)
		case isIdentStart(c):
			name := s.name()
			s.skipSpace()
			if next := s.peek(); isIdentStart(next) || next == '*' || digit(next) < 10 {
				// A word of a type, since more of the declaration follows.
				if n, known := typeSizes()[name]; known {
					size = n
				}
				continue
			}
			return b.locationInit(s, name, size)
		default:
			return s.errorf(at, "unexpected %s in the initial state", s.found())
		}
	}
}

// registerInit reads P:R, and the value if there is one.
func (b *builder) registerInit(s *scanner) error {
	thread, name, err := b.registerName(s)
	if err != nil {
		return err
	}
	v, _, err := b.initialValue(s)
	if err != nil {
		return err
	}
	r := b.reg(thread, name)
	b.thread(thread).Regs[r].Init = v
	return nil
}

// maxThreads bounds the numbers of threads that a file may name: a search over more would not end anyway.
const maxThreads = 64

// registerName reads P:R.
func (b *builder) registerName(s *scanner) (thread int, name string, err error) {
	at := s.pos
	p, ok := s.number()
	if !ok || p < 0 || p >= maxThreads {
		return 0, "", s.errorf(at, "expected the number of a thread, found %s", s.found())
	}
	if !s.accept(':') {
		return 0, "", s.errorf(s.pos, "expected : and a register behind thread %d, found %s", p, s.found())
	}
	at = s.pos
	if name = s.name(); name == "" {
		return 0, "", s.errorf(at, "expected a register, found %s", s.found())
	}
	if b.fe.register != nil {
		canonical, ok := b.fe.register(name)
		if !ok {
			return 0, "", s.errorf(at, "unknown register %q of %s", name, b.test.Program.Arch)
		}
		name = canonical
	}
	return int(p), name, nil
}

// locationInit reads what stands behind a location's name.
func (b *builder) locationInit(s *scanner, name string, size uint8) error {
	s.skipSpace()
	if s.peek() == '[' {
		return s.errorf(s.pos, "arrays are not supported: declare the elements of %s as locations", name)
	}
	l := b.loc(name)
	v, address, err := b.initialValue(s)
	if err != nil {
		return err
	}
	loc := &b.test.Program.Locs[l]
	if size != 0 && !address {
		loc.Size = size
	}
	loc.Init = truncate(v, loc.Size)
	return nil
}

// truncate keeps the lower size bytes, with their sign, which is how C and x86 print them.
func truncate(v memmodel.Value, size uint8) memmodel.Value {
	shift := 64 - 8*uint(size)
	return v << shift >> shift
}

// initialValue reads = and a value; without it, the value is zero. It says whether the value is an address.
func (b *builder) initialValue(s *scanner) (v memmodel.Value, address bool, err error) {
	s.skipSpace()
	if !s.accept('=') {
		return 0, false, nil
	}
	s.skipSpace()
	at := s.pos
	if n, ok := s.number(); ok {
		return n, false, nil
	}
	for s.accept('(') { // a cast, as in (int *)&x
		n := len(s.src)
		for s.pos < n && !s.accept(')') {
			s.pos++
		}
		s.skipSpace()
		if v, ok := s.number(); ok {
			return v, false, nil
		}
	}
	s.accept('&')
	id := s.name()
	s.skipSpace()
	switch {
	case id == "":
		return 0, false, s.errorf(at, "expected a value, found %s", s.found())
	case s.accept('('): // ATOMIC_INIT(3) and its kin
		s.skipSpace()
		n, ok := s.number()
		s.skipSpace()
		if !ok || !s.accept(')') {
			return 0, false, s.errorf(s.pos, "expected %s(number), found %s", id, s.found())
		}
		return n, false, nil
	}
	return b.test.Program.Addr(b.loc(id)), true, nil
}
