package litmus

import (
	"strings"

	"github.com/barriergen/barriergen/memmodel"
)

// cKind is the kind of a token of C.
type cKind uint8

const (
	cEnd cKind = iota
	cName
	cNumber
	cPunct
)

// cToken is a token. A punctuation mark is its one or two bytes, the first of two in the upper half: '<'<<8|'='.
type cToken struct {
	kind  cKind
	punct uint16
	pos   int
	end   int
	val   memmodel.Value
}

func cTwo(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// cPair says whether the two bytes are one punctuation mark.
func cPair(c, d byte) bool {
	switch d {
	case '=':
		return strings.IndexByte("=!<>+-*&|^", c) >= 0
	case c:
		return strings.IndexByte("<>&|+-", c) >= 0
	}
	return c == '-' && d == '>'
}

// next reads the next token. After an error there are no more tokens, so that every loop of the parser ends.
func (p *cParser) next() {
	s := p.s
	p.taken = p.line
	if p.err != nil || !p.skipBlank() {
		p.tok = cToken{kind: cEnd, pos: len(s.src), end: len(s.src)}
		return
	}
	from := s.pos
	c := s.src[from]
	p.tok = cToken{pos: from}
	switch {
	case isIdentStart(c):
		for s.pos < len(s.src) && isIdent(s.src[s.pos]) {
			s.pos++
		}
		p.tok.kind = cName
	case c >= '0' && c <= '9':
		p.number()
	default:
		p.tok.kind, p.tok.punct = cPunct, uint16(c)
		s.pos++
		if d := s.peek(); cPair(c, d) {
			p.tok.punct = cTwo(c, d)
			s.pos++
		}
	}
	p.tok.end = s.pos
}

// number reads an integer constant with its suffix; a leading zero makes it octal.
func (p *cParser) number() {
	s := p.s
	from := s.pos
	v, ok := s.number()
	if ok && s.src[from] == '0' && s.pos > from+1 && s.src[from+1]|0x20 != 'x' {
		v = 0
		for _, c := range s.src[from:s.pos] {
			if c > '7' {
				ok = false
			}
			v = v<<3 | memmodel.Value(c-'0')
		}
	}
	for c := s.peek() | 0x20; c == 'u' || c == 'l'; c = s.peek() | 0x20 {
		s.pos++
	}
	if !ok || isIdent(s.peek()) {
		p.failAt(from, "malformed or too large number %q", clip(s.src[from:min(s.pos+1, len(s.src))]))
		return
	}
	p.tok.kind, p.tok.val = cNumber, v
}

// skipBlank skips white space and C's comments, counts the lines, and says whether anything is left.
func (p *cParser) skipBlank() bool {
	s := p.s
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '\n':
			p.line++
			s.pos++
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case c == '/' && s.peekAt(1) == '/':
			for s.pos < len(s.src) && s.src[s.pos] != '\n' {
				s.pos++
			}
		case c == '/' && s.peekAt(1) == '*':
			if !p.skipLongComment() {
				return false
			}
		default:
			return true
		}
	}
	return false
}

func (p *cParser) skipLongComment() bool {
	s := p.s
	open := s.pos
	for s.pos += 2; s.pos+1 < len(s.src); s.pos++ {
		switch {
		case s.src[s.pos] == '\n':
			p.line++
		case s.src[s.pos] == '*' && s.src[s.pos+1] == '/':
			s.pos += 2
			return true
		}
	}
	s.pos = len(s.src)
	p.failAt(open, "the comment is not closed")
	return false
}

// failAt records the first error.
func (p *cParser) failAt(pos int, format string, args ...any) {
	if p.err == nil {
		p.err = p.s.errorf(pos, format, args...)
	}
	p.tok = cToken{kind: cEnd, pos: len(p.s.src), end: len(p.s.src)}
}

// text is the current token as it stands in the source. It shares the source's memory.
func (p *cParser) text() string { return p.src[p.tok.pos:p.tok.end] }

// found is the current token for an error.
func (p *cParser) found() string {
	if p.tok.kind == cEnd {
		return "the end of the file"
	}
	return `"` + clip([]byte(p.text())) + `"`
}

func (p *cParser) is(punct uint16) bool { return p.tok.kind == cPunct && p.tok.punct == punct }

// accept takes the punctuation mark if it is next.
func (p *cParser) accept(punct uint16) bool {
	if !p.is(punct) {
		return false
	}
	p.next()
	return true
}

// expect takes the punctuation mark, or fails and says where it should be.
func (p *cParser) expect(c byte, where ...string) {
	if !p.accept(uint16(c)) {
		p.failAt(p.tok.pos, "expected %q %s, found %s", string(c), strings.Join(where, " "), p.found())
	}
}
