package cat

import "fmt"

type tokenKind uint8

const (
	tEOF tokenKind = iota
	tIdent
	tKeyword
	tString
	tZero // the literal 0
	tSymbol
)

type pos struct{ line, col int32 }

type token struct {
	kind tokenKind
	text string
	pos  pos
}

func (t token) String() string {
	if t.kind == tEOF {
		return "the end of the text"
	}
	if t.kind == tString {
		return fmt.Sprintf("%q", t.text)
	}
	return "'" + t.text + "'"
}

// Error is a mistake in a model's text.
type Error struct {
	Name      string
	Line, Col int
	Msg       string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.Msg) }

// keywords begin or structure a definition; none is a name. Those with false are part of herd's language but not of this one.
var keywords = map[string]bool{
	"let": true, "rec": true, "and": true, "in": true, "include": true, "acyclic": true, "irreflexive": true, "empty": true,
	"flag": true, "as": true, "show": true, "unshow": true, "with": true, "from": true, "try": true,
	"procedure": false, "call": false, "forall": false, "do": false, "end": false, "match": false, "fun": false, "if": false,
	"then": false, "else": false, "enum": false, "instructions": false, "events": false, "default": false, "assert": false,
	"undefined_unless": false, "catdep": false,
}

type lexer struct {
	name string
	src  []byte
	at   int
	line int32
	bol  int // where the line begins
}

func (l *lexer) pos() pos { return pos{l.line, int32(l.at - l.bol + 1)} }

func (l *lexer) errorf(p pos, format string, args ...any) error {
	return &Error{l.name, int(p.line), int(p.col), fmt.Sprintf(format, args...)}
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

func inName(c byte) bool {
	return letter(c) || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '\''
}

// space skips blanks and comments, which nest.
func (l *lexer) space() error {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.at++
			l.line++
			l.bol = l.at
		case c == ' ' || c == '\t' || c == '\r':
			l.at++
		case c == '(' && l.at+1 < len(l.src) && l.src[l.at+1] == '*':
			if err := l.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) comment() error {
	start, depth := l.pos(), 0
	for l.at < len(l.src) {
		two := ""
		if l.at+1 < len(l.src) {
			two = string(l.src[l.at : l.at+2])
		}
		switch {
		case two == "(*":
			depth++
			l.at += 2
		case two == "*)":
			depth--
			l.at += 2
			if depth == 0 {
				return nil
			}
		case l.src[l.at] == '\n':
			l.at++
			l.line++
			l.bol = l.at
		default:
			l.at++
		}
	}
	return l.errorf(start, "this comment does not end")
}

func (l *lexer) next() (token, error) {
	if err := l.space(); err != nil {
		return token{}, err
	}
	p := l.pos()
	if l.at >= len(l.src) {
		return token{kind: tEOF, pos: p}, nil
	}
	start := l.at
	c := l.src[l.at]
	switch {
	case letter(c):
		for l.at < len(l.src) && inName(l.src[l.at]) {
			l.at++
		}
		text := string(l.src[start:l.at])
		if _, ok := keywords[text]; ok {
			return token{tKeyword, text, p}, nil
		}
		return token{tIdent, text, p}, nil
	case c == '"':
		for l.at++; l.at < len(l.src) && l.src[l.at] != '"' && l.src[l.at] != '\n'; l.at++ {
		}
		if l.at >= len(l.src) || l.src[l.at] != '"' {
			return token{}, l.errorf(p, "this string does not end")
		}
		l.at++
		return token{tString, string(l.src[start+1 : l.at-1]), p}, nil
	case c == '0':
		l.at++
		return token{tZero, "0", p}, nil
	case c == '^':
		if string(l.src[l.at:min(l.at+3, len(l.src))]) == "^-1" {
			l.at += 3
			return token{tSymbol, "^-1", p}, nil
		}
		return token{}, l.errorf(p, "'^' must be the beginning of '^-1'")
	}
	for _, s := range "|&\\;~*+?()[]{},=" {
		if rune(c) == s {
			l.at++
			return token{tSymbol, string(c), p}, nil
		}
	}
	return token{}, l.errorf(p, "unexpected character %q", c)
}
