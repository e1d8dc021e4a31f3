// Package asm reads Go assembly and says what it orders.
//
// Parse reads one .s file as the Go assembler does, preprocessor included, under one configuration of the names that
// #ifdef tests; Configurations lists those that matter. Each function then has its instructions, where control goes from
// each, and what each does to memory, in the terms of package contract and from the same tables that the generator uses.
// Removable finds the fences that a function does not need, Summarize says what its body orders as a whole. A file that is
// not understood yields a Problem with its position, and the rest is analysed all the same.
package asm

import (
	"cmp"
	"regexp"
	"sort"
	"strings"
)

// Config is one configuration of a file.
type Config struct {
	Arch    string   // GOARCH
	System  string   // GOOS; with none, no name for one is defined
	Defined []string // names that are defined besides GOARCH_, GOOS_ and what the file defines itself
	// Include finds a header: its path, which is shown in positions, and its text. Nil finds none.
	Include func(name string) (path string, text []byte, err error)
}

// File is a parsed file.
type File struct {
	Name     string
	Arch     string
	Funcs    []*Func
	Comments []Comment // of the file itself, in order
	Problems []Problem
	// Generated reports the standard header of a generated file.
	Generated bool
	// Tested are the names that #ifdef or #ifndef tests and that no source defines: a build decides about them.
	Tested []string

	text  []byte
	lines []int // offset of each line's start
}

// Comment is a comment, with its marker.
type Comment struct {
	Offset, End int
	Line        int
	Text        string
}

// Problem is something that was not understood. Its position is in the file itself; what happened in a header or in a
// macro is placed where the file uses it.
type Problem struct {
	Offset  int
	Message string
}

// Position is the line and the column, in bytes, of an offset; both count from one.
func (f *File) Position(offset int) (line, column int) {
	offset = max(0, min(offset, len(f.text)))
	i := sort.SearchInts(f.lines, offset+1) - 1
	return i + 1, offset - f.lines[i] + 1
}

// Func is one TEXT block.
type Func struct {
	File    *File
	Package string // as written before the middle dot, with slashes; empty for the file's own package
	Name    string
	Static  bool // name<>
	ABI     string
	Offset  int // of the TEXT directive
	Instrs  []Instr
	// Relative reports a jump that counts instructions, as in 2(PC): then none can be removed.
	Relative bool
	Indirect bool // it jumps to an address from a register: any instruction may come next
	// Traits of all its instructions together.
	Traits Trait
}

// Instr is one instruction.
type Instr struct {
	Op     string   // the mnemonic, without suffixes
	Suffix []string // what follows it after dots
	Args   []Operand
	// Offset and End delimit the instruction in the file itself. One that comes from a macro or a header has the place that uses it.
	Offset, End int
	Macro       string // the macro or the header that it comes from, the outermost
	Labels      []string
	Locked      int // on amd64: index of its LOCK prefix, or -1
	Effect      Effect
	Next        []int // the instructions that may come next, Return or Unknown
	failed      int   // the successor that is taken when the exclusive store directly before has failed, or none
}

// What may follow an instruction besides another.
const (
	Return  = -1 // back to the caller
	Unknown = -2 // code that is not seen
	none    = -3
)

// Trait is a set of what an instruction does besides ordering normal memory.
type Trait uint16

// The traits. A fence beside any of them may be there for a reason that memory models do not know.
const (
	Timestamp   Trait = 1 << iota // reads a time stamp or serialises the instruction stream
	Speculation                   // stops speculation
	NonTemporal                   // stores past the caches, or writes them back
	System                        // system registers, cache and address translation maintenance
	Encoded                       // an instruction given by its bits
	Elision                       // a prefix of hardware lock elision
	Completes                     // waits until accesses are complete, which is more than ordering them
)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`)

// Parse reads one file under one configuration. It always returns a file.
func Parse(name string, text []byte, c Config) *File {
	f := &File{Name: name, Arch: c.Arch, text: text, lines: []int{0}, Generated: generated.Match(text)}
	for i, b := range text {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	p := newPreprocessor(f, c)
	tokens := p.run()
	(&reader{file: f, tokens: tokens}).statements()
	for _, fn := range f.Funcs {
		fn.classify()
		fn.connect()
	}
	sort.SliceStable(f.Problems, func(i, j int) bool { return f.Problems[i].Offset < f.Problems[j].Offset })
	if len(f.Funcs) == 0 && len(f.Problems) > 1 {
		f.Problems = []Problem{{f.Problems[0].Offset, "not Go assembly: " + f.Problems[0].Message}}
	}
	return f
}

func (f *File) problem(offset int, message string) {
	for _, p := range f.Problems {
		if p.Message == message {
			return // once per file
		}
	}
	f.Problems = append(f.Problems, Problem{offset, message})
}

// maxConfigurations bounds the configurations of one file; beyond it, names are varied one at a time.
const maxConfigurations = 24

// Configurations reads a file under every configuration that its #ifdefs distinguish: the given GOOS and those that it names,
// which exclude each other; GOAMD64 levels, which include the lower ones; every other name is taken both ways.
func Configurations(name string, text []byte, c Config) []*File {
	files := []*File{Parse(name, text, c)}
	for _, choice := range choices(files[0].Tested, c.System)[1:] {
		c := c
		c.System, c.Defined = choice.system, choice.defined
		files = append(files, Parse(name, text, c))
	}
	return files
}

// choice is what a build may decide.
type choice struct {
	system  string
	defined []string
}

// choices combines alternatives, the given system and nothing defined first; with too many combinations, one thing is varied
// at a time.
func choices(tested []string, system string) []choice {
	systems, levels := []choice{{system: system}}, []choice{{}}
	var dimensions [][]choice
	for _, name := range tested {
		if other, ok := strings.CutPrefix(name, "GOOS_"); ok {
			if other != system {
				systems = append(systems, choice{system: other})
			}
		} else if strings.HasPrefix(name, "GOAMD64_v") {
			below := levels[len(levels)-1].defined
			levels = append(levels, choice{defined: append(below[:len(below):len(below)], name)})
		} else if !strings.HasPrefix(name, "GOARCH_") {
			dimensions = append(dimensions, []choice{{}, {defined: []string{name}}})
		}
	}
	dimensions = append(dimensions, systems, levels)
	all, n := []choice{{system: system}}, 1
	for _, d := range dimensions {
		n *= len(d)
	}
	for _, d := range dimensions {
		have := all
		if n > maxConfigurations {
			have = all[:1]
		}
		for _, h := range have {
			for _, more := range d[1:] {
				all = append(all, choice{cmp.Or(more.system, h.system), append(h.defined[:len(h.defined):len(h.defined)], more.defined...)})
			}
		}
	}
	return all[:min(len(all), maxConfigurations)]
}

// Doc is the comment that stands directly above a function.
func (fn *Func) Doc() string {
	line, _ := fn.File.Position(fn.Offset)
	var out []string
	for i := len(fn.File.Comments) - 1; i >= 0; i-- {
		c := fn.File.Comments[i]
		if c.Offset > fn.Offset {
			continue
		}
		end, _ := fn.File.Position(c.End)
		if end != line-1 {
			break
		}
		line = c.Line
		out = append([]string{c.Text}, out...)
	}
	return strings.Join(out, "\n")
}
