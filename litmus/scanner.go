package litmus

import (
	"bytes"
	"fmt"
)

// Error is a mistake in a test, and where it is.
type Error struct {
	File      string
	Line, Col int
	Msg       string
}

// Error is file:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// scanner walks over a file. Lines are counted only when an error needs them.
type scanner struct {
	file string
	src  []byte
	text string // the whole file again: names are parts of it
	pos  int
}

// errorf is an error at a position.
func (s *scanner) errorf(pos int, format string, args ...any) error {
	pos = min(pos, len(s.src))
	before := s.src[:pos]
	line := bytes.Count(before, []byte{'\n'}) + 1
	col := pos - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return &Error{File: s.file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

// lineOf is the line of a position.
func (s *scanner) lineOf(pos int) int {
	return bytes.Count(s.src[:pos], []byte{'\n'}) + 1
}

func (s *scanner) eof() bool { return s.pos >= len(s.src) }

// peek is the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

// peekAt is the byte n behind the next one, or 0.
func (s *scanner) peekAt(n int) byte {
	if s.pos+n < len(s.src) {
		return s.src[s.pos+n]
	}
	return 0
}

// skipBlanks skips spaces and tabs within the line.
func (s *scanner) skipBlanks() {
	for s.pos < len(s.src) && (s.src[s.pos] == ' ' || s.src[s.pos] == '\t') {
		s.pos++
	}
}

// skipSpace skips white space and comments: (* *), which nest, /* */, and // to the end of the line. An open comment
// reaches the end of the file.
func (s *scanner) skipSpace() {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			s.pos++
		case c == '(' && s.peekAt(1) == '*':
			s.skipComment()
		case c == '/' && s.peekAt(1) == '/':
			s.restOfLine()
		case c == '/' && s.peekAt(1) == '*':
			s.pos += 2
			for s.pos < len(s.src) && !s.acceptText("*/") {
				s.pos++
			}
		default:
			return
		}
	}
}

func (s *scanner) skipComment() {
	depth := 0
	for s.pos < len(s.src) {
		switch {
		case s.src[s.pos] == '(' && s.peekAt(1) == '*':
			depth++
			s.pos += 2
		case s.src[s.pos] == '*' && s.peekAt(1) == ')':
			depth--
			s.pos += 2
			if depth == 0 {
				return
			}
		default:
			s.pos++
		}
	}
}

// accept takes the next byte if it is c.
func (s *scanner) accept(c byte) bool {
	if s.peek() == c && s.pos < len(s.src) {
		s.pos++
		return true
	}
	return false
}

// acceptText takes the text if it is next.
func (s *scanner) acceptText(text string) bool {
	if len(s.src)-s.pos >= len(text) && string(s.src[s.pos:s.pos+len(text)]) == text {
		s.pos += len(text)
		return true
	}
	return false
}

// acceptWord takes the word if it is next and ends there.
func (s *scanner) acceptWord(w string) bool {
	if n := s.pos + len(w); n < len(s.src) && isIdent(s.src[n]) {
		return false
	}
	return s.acceptText(w)
}

// word takes what reaches to the next white space.
func (s *scanner) word() string {
	from := s.pos
	for s.pos < len(s.src) && s.src[s.pos] > ' ' {
		s.pos++
	}
	return s.text[from:s.pos]
}

// name takes an identifier as ident does.
func (s *scanner) name() string {
	from := s.pos
	return s.text[from : from+len(s.ident())]
}

// ident takes a name: letters, digits, _ and inner dots. It is empty if there is none.
func (s *scanner) ident() []byte {
	from := s.pos
	if s.pos < len(s.src) && isIdentStart(s.src[s.pos]) {
		for s.pos < len(s.src) && isIdent(s.src[s.pos]) {
			s.pos++
		}
	}
	return s.src[from:s.pos]
}

// number takes an integer, decimal or 0x and hexadecimal, with a sign.
func (s *scanner) number() (int64, bool) {
	from := s.pos
	neg := s.accept('-')
	var base, v uint64 = 10, 0
	if s.peek() == '0' && s.peekAt(1)|0x20 == 'x' {
		base = 16
		s.pos += 2
	}
	digits := s.pos
	for s.pos < len(s.src) {
		d := uint64(digit(s.src[s.pos]))
		if d >= base {
			break
		}
		if v > (1<<64-1-d)/base {
			s.pos = from
			return 0, false
		}
		v = v*base + d
		s.pos++
	}
	if s.pos == digits {
		s.pos = from
		return 0, false
	}
	if neg {
		v = -v
	}
	return int64(v), true
}

// digit is the value of a digit; 99 if it is none.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// restOfLine takes the rest of the line without white space at its ends, and the line break.
func (s *scanner) restOfLine() []byte {
	rest := s.src[s.pos:]
	if n := bytes.IndexByte(rest, '\n'); n >= 0 {
		s.pos += n + 1
		rest = rest[:n]
	} else {
		s.pos = len(s.src)
	}
	return bytes.TrimSpace(rest)
}

// quoted takes a string in double quotes; within it a backslash makes the next byte literal.
func (s *scanner) quoted() (string, bool) {
	from := s.pos + 1
	for i := from; i < len(s.src); i++ {
		switch s.src[i] {
		case '\\':
			i++
		case '"':
			s.pos = i + 1
			return s.text[from:i], true
		}
	}
	return "", false
}

func isIdentStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
}

func isIdent(c byte) bool {
	return isIdentStart(c) || c >= '0' && c <= '9'
}

func hasByte(b []byte, c byte) bool { return bytes.IndexByte(b, c) >= 0 }

// clip shortens what an error quotes.
func clip(b []byte) string {
	if len(b) > 40 {
		return string(b[:40]) + "…"
	}
	return string(b)
}

// found says what stands at the scanner's position, for errors.
func (s *scanner) found() string {
	if s.eof() {
		return "the end of the file"
	}
	if w := s.src[s.pos:]; isIdentStart(w[0]) || digit(w[0]) < 10 {
		n := 1
		for n < len(w) && isIdent(w[n]) {
			n++
		}
		return fmt.Sprintf("%q", clip(w[:n]))
	}
	return fmt.Sprintf("%q", s.src[s.pos:s.pos+1])
}
