package asm

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

const (
	maxDepth  = 100     // of macros and headers within each other
	maxTokens = 1 << 20 // of one file when all macros are expanded
	maxWork   = 1 << 22 // tokens read, those that vanish in expansions included
)

type macro struct {
	params []string // nil without parentheses
	body   []token
}

// source is a list of tokens that is being read: a file or the expansion of a macro.
type source struct {
	tokens []token
	next   int
}

// preprocessor turns a file into the tokens that are left when all directives are carried out.
type preprocessor struct {
	file    *File
	config  Config
	macros  map[string]*macro
	stack   []*source
	conds   []bool // of the enclosing #ifdefs, whether the text is read
	tested  map[string]bool
	defines map[string]bool // names that a source defines anywhere
	out     []token
	work    int
	stopped bool
}

const tooLong = "macros expand to too much: the rest of the file is not read"

// implied are the systems that the go command defines in addition to another one.
var implied = map[string]string{"android": "linux", "ios": "darwin", "illumos": "solaris"}

func newPreprocessor(f *File, c Config) *preprocessor {
	p := &preprocessor{file: f, config: c, macros: map[string]*macro{}, tested: map[string]bool{}, defines: map[string]bool{}}
	names := append([]string{"GOARCH_" + c.Arch}, c.Defined...)
	for _, system := range []string{c.System, implied[c.System]} {
		if system != "" {
			names = append(names, "GOOS_"+system)
		}
	}
	for _, name := range names {
		p.macros[name] = &macro{body: []token{{kind: number, text: "1"}}}
	}
	return p
}

// run carries out all directives and returns the tokens.
func (p *preprocessor) run() []token {
	f := p.file
	p.stack = []*source{{tokens: lex(string(f.text), func(at, end int) {
		line, _ := f.Position(at)
		f.Comments = append(f.Comments, Comment{at, end, line, string(f.text[at:end])})
	})}}
	fresh := true // at the beginning of a line
	for !p.stopped {
		t, ok := p.read()
		if !ok {
			break
		}
		if p.work++; p.work > maxWork {
			p.stop(t.at, tooLong)
			break
		}
		switch {
		case fresh && t.is("#"):
			p.directive(t)
		case !p.enabled():
		case t.kind == invalid:
			f.problem(t.at, t.text)
		case t.kind == ident && p.macros[t.text] != nil:
			if len(p.stack) > maxDepth {
				p.stop(t.at, fmt.Sprintf("macro %s expands into itself", t.text))
				break
			}
			p.expand(t)
		default:
			p.emit(t)
		}
		fresh = t.kind == newline || t.is("#")
	}
	if len(p.conds) > 0 && !p.stopped {
		f.problem(len(f.text), "#ifdef without #endif")
	}
	for name := range p.tested {
		if name != "" && !p.defines[name] && name != "GOARCH_"+p.config.Arch {
			f.Tested = append(f.Tested, name)
		}
	}
	slices.Sort(f.Tested)
	return p.out
}

func (p *preprocessor) emit(t token) {
	if len(p.out) >= maxTokens {
		p.stop(t.at, tooLong)
		return
	}
	p.out = append(p.out, t)
}

func (p *preprocessor) stop(at int, message string) {
	p.file.problem(at, message)
	p.stopped = true
}

func (p *preprocessor) enabled() bool { return !slices.Contains(p.conds, false) }

// read returns the next token, of whatever source is on top.
func (p *preprocessor) read() (token, bool) {
	for len(p.stack) > 0 {
		top := p.stack[len(p.stack)-1]
		if top.next < len(top.tokens) {
			top.next++
			return top.tokens[top.next-1], true
		}
		p.stack = p.stack[:len(p.stack)-1]
	}
	return token{}, false
}

// push adds a source whose tokens stand where the token that brought them in does.
func (p *preprocessor) push(s *source, by token, name string) {
	for i := range s.tokens {
		t := &s.tokens[i]
		t.at, t.end, t.through = by.at, by.end, by.through
		if t.through == "" {
			t.through = name
		}
	}
	p.stack = append(p.stack, s)
}

// expand replaces the use of a macro, whose name has been read.
func (p *preprocessor) expand(t token) {
	m := p.macros[t.text]
	if m.params == nil {
		p.push(&source{tokens: slices.Clone(m.body)}, t, t.text)
		return
	}
	// A name without an argument list is only a name.
	at := p.peek()
	if !at.is("(") {
		p.emit(t)
		return
	}
	p.read()
	args, end, ok := p.arguments()
	if !ok {
		p.file.problem(t.at, fmt.Sprintf("the arguments of macro %s do not end on its line", t.text))
		return
	}
	if len(m.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
		args = nil
	}
	if len(args) != len(m.params) {
		p.file.problem(t.at, fmt.Sprintf("macro %s has %d arguments, want %d", t.text, len(args), len(m.params)))
		return
	}
	if t.through == "" {
		t.end = end
	}
	var body []token
	for _, b := range m.body {
		i := -1
		if b.kind == ident {
			i = slices.Index(m.params, b.text)
		}
		if i < 0 {
			body = append(body, b)
			continue
		}
		for k, a := range args[i] {
			a.detached = b.detached && k == 0 || a.detached && k > 0
			body = append(body, a)
		}
		if len(body) > maxTokens {
			p.stop(t.at, tooLong)
			return
		}
	}
	p.work += len(body)
	p.push(&source{tokens: body}, t, t.text)
}

// peek is the token that read would return.
func (p *preprocessor) peek() token {
	for i := len(p.stack) - 1; i >= 0; i-- {
		if s := p.stack[i]; s.next < len(s.tokens) {
			return s.tokens[s.next]
		}
	}
	return token{kind: newline}
}

// arguments reads up to the closing parenthesis.
func (p *preprocessor) arguments() (args [][]token, end int, ok bool) {
	var arg []token
	for depth := 0; ; {
		if p.peek().kind == newline {
			return nil, 0, false
		}
		t, _ := p.read()
		switch {
		case depth == 0 && t.is(","):
			args, arg = append(args, arg), nil
			continue
		case depth == 0 && t.is(")"):
			return append(args, arg), t.end, true
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		arg = append(arg, t)
	}
}

// directive carries out the line that starts with #.
func (p *preprocessor) directive(hash token) {
	line := p.line()
	word := ""
	if len(line) > 0 && line[0].kind == ident {
		word, line = line[0].text, line[1:]
	}
	name := ""
	if len(line) > 0 && line[0].kind == ident {
		name = line[0].text
	}
	wrong := func(format string, args ...any) {
		if p.enabled() {
			p.file.problem(hash.at, fmt.Sprintf(format, args...))
		}
	}
	switch word {
	case "ifdef", "ifndef":
		if name == "" {
			wrong("#%s without a name", word)
		}
		p.tested[name] = name != ""
		p.conds = append(p.conds, (p.macros[name] != nil) == (word == "ifdef"))
	case "else":
		if len(p.conds) == 0 {
			wrong("#else without #ifdef")
			return
		}
		p.conds[len(p.conds)-1] = !p.conds[len(p.conds)-1]
	case "endif":
		if len(p.conds) == 0 {
			wrong("#endif without #ifdef")
			return
		}
		p.conds = p.conds[:len(p.conds)-1]
	case "define":
		if name == "" {
			wrong("#define without a name")
			return
		}
		p.defines[name] = true
		if p.enabled() {
			p.define(name, line[1:], wrong)
		}
	case "undef":
		if p.enabled() {
			delete(p.macros, name)
		}
	case "include":
		if p.enabled() {
			p.include(hash, line, wrong)
		}
	case "line":
	default:
		wrong("unknown directive #%s: want define, undef, ifdef, ifndef, else, endif, include or line", word)
	}
}

// line reads the rest of a directive's line; a backslash continues it.
func (p *preprocessor) line() []token {
	top := p.stack[len(p.stack)-1]
	var out []token
	for top.next < len(top.tokens) {
		t := top.tokens[top.next]
		top.next++
		if t.kind == newline {
			top.next-- // ends the directive, and begins a line
			break
		}
		if t.is(`\`) && top.next < len(top.tokens) && top.tokens[top.next].kind == newline {
			t = top.tokens[top.next]
			top.next++
		}
		out = append(out, t)
	}
	return out
}

func (p *preprocessor) define(name string, rest []token, wrong func(string, ...any)) {
	m := &macro{}
	if len(rest) > 0 && rest[0].is("(") && !rest[0].detached {
		m.params = []string{}
		end := slices.IndexFunc(rest, func(t token) bool { return t.is(")") })
		if end < 0 {
			wrong("the parameters of macro %s have no end", name)
			return
		}
		for i, t := range rest[1:end] {
			if i%2 == 0 && t.kind == ident {
				m.params = append(m.params, t.text)
			} else if i%2 == 0 || !t.is(",") {
				wrong("macro %s: want names between commas as parameters, found %q", name, t.text)
				return
			}
		}
		rest = rest[end+1:]
	}
	m.body = rest
	p.macros[name] = m
}

// standardHeaders are those of the toolchain, or made by it: when they are not found, nobody is to blame.
var standardHeaders = []string{"textflag.h", "funcdata.h", "go_asm.h", "go_tls.h", "asm_amd64.h", "asm_ppc64x.h", "asm_riscv64.h"}

func (p *preprocessor) include(hash token, line []token, wrong func(string, ...any)) {
	if len(line) == 0 || line[0].kind != quoted {
		wrong("#include without a file name in quotes")
		return
	}
	name, err := strconv.Unquote(line[0].text)
	if err != nil {
		wrong("#include %s: %v", line[0].text, err)
		return
	}
	if len(p.stack) > maxDepth {
		p.stop(hash.at, fmt.Sprintf("#include %q includes itself", name))
		return
	}
	if p.config.Include == nil {
		return
	}
	_, text, err := p.config.Include(name)
	if err != nil {
		if !slices.Contains(standardHeaders, name) {
			if errors.Is(err, fs.ErrNotExist) {
				err = errors.New("not found beside the file, nor in an include directory of the module")
			}
			wrong("#include %q: %v", name, err)
		}
		return
	}
	hash.end = line[0].end
	s := &source{tokens: lex(string(text), func(int, int) {})}
	if !strings.HasSuffix(string(text), "\n") {
		s.tokens = append(s.tokens, token{kind: newline, text: "\n"})
	}
	p.push(s, hash, name)
}
