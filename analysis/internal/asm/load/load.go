// Package load reads the assembly of the package under analysis, once for all analyzers that ask for it.
//
// Require Analyzer and take its result: the files of this build and of the other architectures, with a token.File each, so
// that positions in them can be reported; and Bodies, which says what a function whose body is assembly orders on each
// architecture, for functions of imported packages too.
//
// A package that uses cgo has no Go assembly: gcc assembles its .s files.
package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/internal/asm"
)

// Analyzer reads assembly. It reports nothing.
var Analyzer = &analysis.Analyzer{
	Name:       "asmload",
	Doc:        "read the assembly of a package, for other analyzers",
	URL:        "https://github.com/barriergen/barriergen/tree/main/analysis/internal/asm/load",
	Run:        run,
	ResultType: reflect.TypeFor[*Package](),
	FactTypes:  []analysis.Fact{new(Body)},
}

// Package is the assembly of a package.
type Package struct {
	Files []*File
	// Bodies are what a function's assembly does, architecture by architecture; nil for any other function.
	Bodies func(fn *types.Func) []asm.Summary
}

// File is one .s file, as it is for one architecture.
type File struct {
	Name  string
	Arch  string
	Text  []byte
	Token *token.File
	// Configurations are the file under each configuration that it distinguishes; the first defines nothing.
	Configurations []*asm.File
}

// Body is the fact that a function's body is assembly.
type Body struct {
	Summaries []asm.Summary
}

// AFact marks Body as a fact.
func (*Body) AFact() {}

// String names the orders.
func (b *Body) String() string {
	var parts []string
	for _, s := range b.Summaries {
		kind := "operation"
		if s.Fence {
			kind = "fence"
		}
		parts = append(parts, fmt.Sprintf("%s: %s %v", s.Arch, kind, s.Orders))
	}
	return strings.Join(parts, "; ")
}

func run(pass *analysis.Pass) (any, error) {
	p := &Package{Bodies: func(fn *types.Func) []asm.Summary {
		var b Body
		if !pass.ImportObjectFact(fn.Origin(), &b) {
			return nil
		}
		return b.Summaries
	}}
	names := slices.Concat(pass.OtherFiles, pass.IgnoredFiles)
	names = slices.DeleteFunc(names, func(n string) bool { return filepath.Ext(n) != ".s" })
	if len(names) > 0 && !cgo(pass) {
		p.Files = Files(pass.Fset, names, Reader(pass))
		p.export(pass)
	}
	return p, nil
}

// Files reads assembly files, each for every architecture that it serves. What can't be read is left out: the build says why.
func Files(fset *token.FileSet, names []string, read func(string) ([]byte, error)) []*File {
	var out []*File
	for _, name := range names {
		text, err := read(name)
		if err != nil {
			continue
		}
		var tf *token.File
		for _, goarch := range asm.Architectures {
			system, ok := serves(name, text, goarch)
			if !ok {
				continue
			}
			if tf == nil {
				tf = fset.AddFile(name, -1, len(text))
				tf.SetLinesForContent(text)
			}
			c := asm.Config{Arch: goarch, System: system, Include: headers(filepath.Dir(name), read)}
			out = append(out, &File{Name: name, Arch: goarch, Text: text, Token: tf, Configurations: asm.Configurations(name, text, c)})
		}
	}
	return out
}

// Reader reads files through the driver where it can; headers lie outside of the package, and some drivers read nothing.
func Reader(pass *analysis.Pass) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if pass.ReadFile != nil {
			if text, err := pass.ReadFile(name); err == nil {
				return text, nil
			}
		}
		return os.ReadFile(name)
	}
}

// cgo reports whether a package is compiled with cgo, or would be.
func cgo(pass *analysis.Pass) bool {
	files := slices.Clone(pass.Files)
	for _, name := range pass.IgnoredFiles {
		if filepath.Ext(name) != ".go" {
			continue
		}
		if text, err := Reader(pass)(name); err == nil {
			if f, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly); f != nil {
				files = append(files, f)
			}
		}
	}
	for _, f := range files {
		if filepath.Base(pass.Fset.Position(f.FileStart).Filename) == "_cgo_gotypes.go" || slices.ContainsFunc(f.Imports, isC) {
			return true
		}
	}
	return slices.ContainsFunc(pass.Pkg.Scope().Names(), func(n string) bool { return strings.HasPrefix(n, "_cgo_") || strings.HasPrefix(n, "_Cfunc_") })
}

func isC(s *ast.ImportSpec) bool {
	path, err := strconv.Unquote(s.Path.Value)
	return err == nil && path == "C"
}

// systems are tried in this order: a file is read as for the first that it can be built for.
var systems = []string{build.Default.GOOS, "linux", "darwin", "windows", "freebsd", "netbsd", "openbsd", "dragonfly", "android", "ios", "solaris", "illumos", "plan9"}

// serves reports whether some build for an architecture has the file, and for which GOOS.
func serves(name string, text []byte, goarch string) (system string, ok bool) {
	for _, tags := range [][]string{nil, wanted(text)} {
		for _, system := range systems {
			c := build.Default
			c.GOARCH, c.GOOS, c.BuildTags, c.CgoEnabled, c.Compiler = goarch, system, tags, true, "gc"
			c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
			if match, err := c.MatchFile(filepath.Dir(name), filepath.Base(name)); err == nil && match {
				return system, true
			}
		}
	}
	return "", false
}

// never are the tags of builds that are none of this analyzer's.
var never = []string{"ignore", "gccgo", "race", "msan", "asan", "appengine", "purego"}

// wanted are the tags of a file's build constraint that a user may set.
func wanted(text []byte) []string {
	var tags []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		x, err := constraint.Parse(line)
		if err != nil {
			return nil
		}
		x.Eval(func(tag string) bool {
			if !slices.Contains(never, tag) && !slices.Contains(systems, tag) && !slices.Contains(architectures, tag) {
				tags = append(tags, tag)
			}
			return false
		})
	}
	return tags
}

// architectures are all GOARCHes: tags that a build does not choose freely.
var architectures = strings.Fields("386 amd64 amd64p32 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x sparc64 wasm")

// headers looks for a header beside the file, among the toolchain's, and in directories called include of the module.
func headers(dir string, read func(string) ([]byte, error)) func(string) (string, []byte, error) {
	places := []string{dir}
	if build.Default.GOROOT != "" {
		places = append(places, filepath.Join(build.Default.GOROOT, "pkg", "include"))
	}
	for up := dir; ; up = filepath.Dir(up) {
		places = append(places, filepath.Join(up, "include"))
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil || filepath.Dir(up) == up {
			break
		}
	}
	return func(name string) (string, []byte, error) {
		for _, p := range places {
			path := filepath.Join(p, filepath.FromSlash(name))
			if text, err := read(path); err == nil {
				return path, text, nil
			}
		}
		return "", nil, fs.ErrNotExist
	}
}

// export states what the bodies of the package's own functions do.
func (p *Package) export(pass *analysis.Pass) {
	facts := map[*types.Func]*Body{}
	for _, goarch := range asm.Architectures {
		for name, bodies := range p.Functions(pass.Pkg, goarch) {
			fn, ok := pass.Pkg.Scope().Lookup(name).(*types.Func)
			if !ok {
				continue
			}
			if s, ok := summarize(bodies); ok {
				if facts[fn] == nil {
					facts[fn] = &Body{}
				}
				facts[fn].Summaries = append(facts[fn].Summaries, s)
			}
		}
	}
	for fn, b := range facts {
		pass.ExportObjectFact(fn, b)
	}
}

// summarize says what all bodies of a function have in common.
func summarize(bodies []*asm.Func) (asm.Summary, bool) {
	var all []asm.Summary
	for _, b := range bodies {
		s, ok := asm.Summarize(b)
		if !ok {
			return s, false
		}
		all = append(all, s)
	}
	return asm.Weakest(all), true
}

// Functions are the package's functions in assembly for one architecture, by name: the body in every configuration. A
// function that only jumps to another one has that one's body.
func (p *Package) Functions(pkg *types.Package, goarch string) map[string][]*asm.Func {
	out := map[string][]*asm.Func{}
	for _, f := range p.Files {
		if f.Arch != goarch {
			continue
		}
		for _, c := range f.Configurations {
			for _, fn := range c.Funcs {
				if !fn.Static && own(pkg, fn.Package) {
					out[fn.Name] = append(out[fn.Name], fn)
				}
			}
		}
	}
	resolved := map[string][]*asm.Func{}
	for name, bodies := range out {
		for range out {
			to, function := bodies[0].Tail()
			if function == "" || !own(pkg, to) || len(out[function]) == 0 {
				break
			}
			bodies = out[function]
		}
		resolved[name] = bodies
	}
	return resolved
}

// own reports whether a symbol's package, as assembly writes it, is pkg.
func own(pkg *types.Package, written string) bool {
	return written == "" || written == pkg.Path() || written == pkg.Name()
}
