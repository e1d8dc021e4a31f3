package asm

import (
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	newline kind = iota
	ident
	number
	quoted // a string or a character
	punct
	invalid // text is what is wrong
)

// token is one token, where it stands in the file under analysis, and what it came through.
type token struct {
	kind     kind
	text     string
	at, end  int // in the file itself: of the outermost macro or #include for what came through one
	through  string
	detached bool // white space stands before it
}

func (t token) is(text string) bool { return t.kind == punct && t.text == text }

// lex splits a source into tokens. A semicolon is punctuation; comments go to the callback.
func lex(src string, comment func(at, end int)) []token {
	var out []token
	detached := false
	emit := func(k kind, at, end int, text string) {
		out = append(out, token{kind: k, text: text, at: at, end: end, detached: detached})
		detached = false
	}
	for i := 0; i < len(src); {
		start := i
		r, size := utf8.DecodeRuneInString(src[i:])
		i += size
		switch {
		case r == '\n':
			emit(newline, start, i, "\n")
		case r == ' ' || r == '\t' || r == '\r':
			detached = true
		case r == '/' && i < len(src) && src[i] == '/':
			for i < len(src) && src[i] != '\n' {
				i++
			}
			comment(start, i)
			detached = true
		case r == '/' && i < len(src) && src[i] == '*':
			end := indexFrom(src, "*/", i+1)
			if end < 0 {
				emit(invalid, start, len(src), "comment without end")
				return out
			}
			i = end + 2
			comment(start, i)
			detached = true
		case letter(r):
			for i < len(src) {
				r, size := utf8.DecodeRuneInString(src[i:])
				if !letter(r) && !unicode.IsDigit(r) {
					break
				}
				i += size
			}
			emit(ident, start, i, src[start:i])
		case r >= '0' && r <= '9':
			i = numberEnd(src, start)
			emit(number, start, i, src[start:i])
		case r == '"' || r == '\'':
			for i < len(src) && src[i] != byte(r) && src[i] != '\n' {
				if src[i] == '\\' && i+1 < len(src) && src[i+1] != '\n' {
					i++
				}
				i++
			}
			if i >= len(src) || src[i] == '\n' {
				emit(invalid, start, i, "string without end")
				break
			}
			i++
			emit(quoted, start, i, src[start:i])
		default:
			if i < len(src) {
				switch src[start : i+1] {
				case "<<", ">>", "->", "@>":
					i++
				}
			}
			emit(punct, start, i, src[start:i])
		}
	}
	return out
}

// letter reports whether a name may start with r. The middle dot and the division slash stand for a package path's.
func letter(r rune) bool {
	return r == '_' || r == '·' || r == '∕' || r != utf8.RuneError && unicode.IsLetter(r)
}

// numberEnd is the end of the number at i: digits of any base, and a fraction with its exponent.
func numberEnd(src string, i int) int {
	hex := len(src) > i+1 && src[i] == '0' && src[i+1]|0x20 == 'x'
	for ; i < len(src); i++ {
		c := src[i]
		switch {
		case c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '.':
		case (c == '+' || c == '-') && !hex && src[i-1]|0x20 == 'e':
		default:
			return i
		}
	}
	return i
}

func indexFrom(s, sub string, from int) int {
	for i := from; i+len(sub) <= len(s); i++ {
		if s[i:i+len(sub)] == sub {
			return i
		}
	}
	return -1
}
