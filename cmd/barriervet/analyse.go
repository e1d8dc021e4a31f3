package main

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/barriergen/barriergen/analysis/asmfence"
)

// edit replaces a part of a file, in bytes.
type edit struct {
	file       string
	start, end int
	text       string
}

// fix is one suggested fix.
type fix struct {
	message string
	edits   []edit
}

// finding is one diagnostic, possibly of several architectures.
type finding struct {
	analyzer *analysis.Analyzer
	pkg      string // its ID
	pos, end token.Position
	message  string
	related  []related
	fixes    []fix
	arches   []string // for which it was found
}

type related struct {
	pos     token.Position
	message string
}

// result is what a run found.
type result struct {
	findings []finding
	problems []string // what could not be analysed, with positions
	fixed    int
	files    map[string][]string // for which architectures a file was looked at
}

// analyse loads the packages for each architecture, runs the analyzers and merges what they find.
func analyse(ctx context.Context, o options) (*result, error) {
	r := &result{files: map[string][]string{}}
	for _, arch := range o.arches {
		if err := r.load(ctx, o, arch); err != nil {
			return nil, err
		}
	}
	r.merge(o.arches)
	return r, nil
}

func (r *result) load(ctx context.Context, o options, arch string) error {
	conf := packages.Config{
		Context: ctx,
		Mode:    packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Tests:   o.tests,
		Env:     append(os.Environ(), "GOARCH="+arch),
	}
	if o.tags != "" {
		conf.BuildFlags = []string{"-tags=" + o.tags}
	}
	asked, err := packages.Load(&conf, o.patterns...)
	if err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("can't load packages for GOARCH=%s: %w", arch, err))
	}
	if len(asked) == 0 {
		return fmt.Errorf("no packages match %s", strings.Join(o.patterns, " "))
	}
	patterns := append(slices.Clone(o.patterns), dependencies(asked)...)
	conf.Mode = packages.LoadSyntax | packages.NeedModule
	pkgs, err := packages.Load(&conf, patterns...)
	if err == nil && slices.ContainsFunc(pkgs, unbuilt) {
		// Export data needs a build. Where that fails, in assembly perhaps, types come from sources.
		conf.Mode = packages.LoadAllSyntax | packages.NeedModule
		pkgs, err = packages.Load(&conf, patterns...)
	}
	if err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("can't load packages for GOARCH=%s: %w", arch, err))
	}
	wanted, analysed := map[string]bool{}, map[string]bool{}
	for _, p := range asked {
		wanted[p.ID] = true
	}
	for _, p := range pkgs {
		analysed[p.ID] = true
		for _, e := range p.Errors {
			r.problem(fmt.Sprintf("%s (GOARCH=%s)", e.Error(), arch))
		}
		for _, list := range [][]string{p.GoFiles, p.OtherFiles, ignoredAssembly(p)} {
			for _, f := range list {
				if !slices.Contains(r.files[f], arch) {
					r.files[f] = append(r.files[f], arch)
				}
			}
		}
	}
	for _, p := range pkgs { // what was loaded without syntax has no facts
		maps.DeleteFunc(p.Imports, func(_ string, imp *packages.Package) bool { return !analysed[imp.ID] })
	}
	g, err := checker.Analyze(o.analyzers, pkgs, nil)
	if err != nil {
		return err
	}
	for _, act := range g.Roots {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !wanted[act.Package.ID] {
			continue
		}
		if act.Err != nil && len(act.Package.Errors) == 0 {
			r.problem(fmt.Sprintf("%s: %s: %v", act.Package.PkgPath, act.Analyzer.Name, act.Err))
		}
		for _, d := range act.Diagnostics {
			r.add(act, d, arch)
		}
	}
	return nil
}

// unbuilt reports whether the go command could not build a package.
func unbuilt(p *packages.Package) bool {
	return slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ListError })
}

// dependencies are the packages whose functions' order may be known: those that use the primitives or have assembly, and
// those of the module itself. All others are taken from export data.
func dependencies(asked []*packages.Package) []string {
	var out []string
	packages.Visit(asked, nil, func(p *packages.Package) {
		own := p.Module != nil && p.Module.Main
		assembly := p.Module != nil && slices.ContainsFunc(p.OtherFiles, func(f string) bool { return strings.HasSuffix(f, ".s") })
		uses := false
		for path := range p.Imports {
			uses = uses || strings.HasPrefix(path, "github.com/barriergen/barriergen/primitives/")
		}
		if (own || assembly || uses) && p.ID == p.PkgPath {
			out = append(out, p.PkgPath)
		}
	})
	slices.Sort(out)
	return out
}

// ignoredAssembly are the assembly files of other architectures.
func ignoredAssembly(p *packages.Package) []string {
	return slices.DeleteFunc(slices.Clone(p.IgnoredFiles), func(f string) bool { return !strings.HasSuffix(f, ".s") })
}

// problem notes what went wrong, once.
func (r *result) problem(text string) {
	if !slices.Contains(r.problems, text) {
		r.problems = append(r.problems, text)
	}
}

// add notes a diagnostic. A package and its variant with tests show the same one, as do the architectures.
func (r *result) add(act *checker.Action, d analysis.Diagnostic, arch string) {
	fset := act.Package.Fset
	if act.Analyzer == asmfence.Analyzer && d.Category == asmfence.Information { // what of an assembly file was not understood
		r.problem(place(fset.Position(d.Pos)) + ": " + d.Message)
		return
	}
	f := finding{analyzer: act.Analyzer, pkg: act.Package.ID, pos: fset.Position(d.Pos), message: d.Message, arches: []string{arch}}
	f.end = f.pos
	if d.End.IsValid() {
		f.end = fset.Position(d.End)
	}
	for _, rel := range d.Related {
		f.related = append(f.related, related{fset.Position(rel.Pos), rel.Message})
	}
	for _, s := range d.SuggestedFixes {
		one := fix{message: s.Message}
		for _, e := range s.TextEdits {
			end := e.End
			if !end.IsValid() {
				end = e.Pos
			}
			from, to := fset.PositionFor(e.Pos, false), fset.PositionFor(end, false)
			one.edits = append(one.edits, edit{from.Filename, from.Offset, to.Offset, string(e.NewText)})
		}
		f.fixes = append(f.fixes, one)
	}
	for i := range r.findings {
		if same := &r.findings[i]; same.analyzer == f.analyzer && same.pos == f.pos && same.message == f.message {
			if !slices.Contains(same.arches, arch) {
				same.arches = append(same.arches, arch)
			}
			return
		}
	}
	r.findings = append(r.findings, f)
}

// merge sorts the findings. One that does not hold for every architecture for which its file was looked at says so, and
// loses its fixes.
func (r *result) merge(arches []string) {
	for i := range r.findings {
		f := &r.findings[i]
		if looked := r.files[f.pos.Filename]; len(f.arches) < len(looked) {
			f.message += fmt.Sprintf(" (found for GOARCH=%s only)", strings.Join(f.arches, ","))
			f.fixes = nil
		}
	}
	slices.SortStableFunc(r.findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.pos.Filename, b.pos.Filename), cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Column, b.pos.Column),
			cmp.Compare(a.analyzer.Name, b.analyzer.Name))
	})
}
