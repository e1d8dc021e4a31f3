// Package suppress lets comments silence findings.
//
//	func run(pass *analysis.Pass) (any, error) {
//		silenced := suppress.New(pass)
//		defer silenced.Unused()
//		...
//		silenced.Report(diagnostic)
//
// Two forms are understood, the ones that people write already:
//
//	x.Add(0) //nolint:dummyfence // why
//
//	//lint:ignore dummyfence why
//	x.Add(0)
//
// A comment behind code is about its line. A comment on a line of its own is about the statement, declaration or field that begins on
// the next line with code, to its end. In assembly it is about the next instruction, and before a TEXT line about that function.
//
// Each analyzer reports the comments that name it and have no effect. So an unused comment is reported once and by whoever
// knows, under every driver, and an analyzer that does not run claims nothing. A //nolint without names is never unused,
// names of other analyzers mean nothing here.
package suppress

import (
	"go/token"
	"os"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reads the comments once for all analyzers; each must require it.
var Analyzer = &analysis.Analyzer{
	Name:       "suppressions",
	Doc:        "find comments that silence findings",
	Run:        run,
	ResultType: reflect.TypeFor[*comments](),
}

// comment is one that silences the analyzers it names.
type comment struct {
	file       string
	pos        token.Pos
	text       string // as messages quote it
	names      names  // empty or "all" for every analyzer
	malformed  string // why it has no effect, if it has none
	first, end int    // the lines it is about
}

// comments are those of a package.
type comments struct {
	pass *analysis.Pass
	all  []*comment // of the Go files and of this architecture's assembly

	mu     sync.Mutex // analyzers run at the same time
	others map[string][]*comment
}

func run(pass *analysis.Pass) (any, error) {
	c := &comments{pass: pass, others: map[string][]*comment{}}
	for _, f := range pass.Files {
		c.all = append(c.all, ofGo(pass.Fset, f)...)
	}
	for _, name := range pass.OtherFiles {
		if isAssembly(name) {
			c.all = append(c.all, ofAssembly(pass.Fset, name, c.read(name))...)
		}
	}
	return c, nil
}

// read returns a file's text; of one that can't be read, none.
func (c *comments) read(name string) []byte {
	read := c.pass.ReadFile
	if read == nil {
		read = os.ReadFile
	}
	text, err := read(name)
	if err != nil {
		return nil
	}
	return text
}

// Silenced is what comments silence of one analyzer.
type Silenced struct {
	pass *analysis.Pass
	*comments
	used map[*comment]bool
}

// New returns what is silenced in a pass of an analyzer that requires Analyzer.
func New(pass *analysis.Pass) *Silenced {
	return &Silenced{pass, pass.ResultOf[Analyzer].(*comments), map[*comment]bool{}}
}

// Report reports a diagnostic unless a comment silences it.
func (s *Silenced) Report(d analysis.Diagnostic) {
	p := s.pass.Fset.PositionFor(d.Pos, false)
	if !s.At(p.Filename, p.Line) {
		s.pass.Report(d)
	}
}

// At reports whether findings of the analyzer on a line are silenced: for those that are reported at another place, as
// one in assembly is at the declaration in Go. The file need not be one of this build.
func (s *Silenced) At(file string, line int) bool {
	silenced := false
	for _, c := range s.in(file) {
		if c.malformed == "" && c.first <= line && line <= c.end && c.covers(s.pass.Analyzer.Name) {
			s.used[c] = true
			silenced = true
		}
	}
	return silenced
}

// in are the comments that may be about a file's lines.
func (s *Silenced) in(file string) []*comment {
	known := false
	for _, f := range s.pass.Files {
		known = known || s.pass.Fset.File(f.FileStart).Name() == file
	}
	for _, name := range s.pass.OtherFiles {
		known = known || name == file
	}
	if known || !isAssembly(file) {
		var out []*comment
		for _, c := range s.all {
			if c.file == file {
				out = append(out, c)
			}
		}
		return out
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.others[file]
	if !ok {
		found = ofAssembly(token.NewFileSet(), file, s.read(file))
		s.others[file] = found
	}
	return found
}

// Unused reports the comments that name the analyzer and silenced nothing. It is called after the last finding.
func (s *Silenced) Unused() {
	name := s.pass.Analyzer.Name
	for _, c := range s.all {
		switch {
		case !c.names.has(name):
		case c.malformed != "":
			s.pass.Reportf(c.pos, "%s has no effect: %s", c.text, c.malformed)
		case !s.used[c]:
			s.pass.Reportf(c.pos, "%s has no effect: %s reports nothing there", c.text, name)
		}
	}
}
