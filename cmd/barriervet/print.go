package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/barriergen/barriergen/internal/emit"
)

// print shows the findings in the ways that were asked for, and makes the fixes.
func (r *result) print(o options, out io.Writer) error {
	if o.sarif != "" {
		if err := r.sarif(o); err != nil {
			return err
		}
	}
	switch {
	case o.fix:
		return r.fix(o.diff, out)
	case o.json:
		return r.json(out)
	}
	for _, f := range r.findings {
		f.print(out)
	}
	return nil
}

func (f finding) print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s: %s\n", place(f.pos), f.analyzer.Name, f.message)
	for _, rel := range f.related {
		fmt.Fprintf(out, "\t%s: %s\n", place(rel.pos), rel.message)
	}
}

// place is a position with the file's name as it is seen from here, if that is below.
func place(p token.Position) string {
	p.Filename = local(p.Filename)
	return p.String()
}

func local(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(dir, name); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return name
}

// The form of go vet -json.
type (
	jsonDiagnostic struct {
		Posn    string        `json:"posn"`
		End     string        `json:"end,omitempty"`
		Message string        `json:"message"`
		Arches  []string      `json:"arches,omitempty"`
		Fixes   []jsonFix     `json:"suggested_fixes,omitempty"`
		Related []jsonRelated `json:"related,omitempty"`
	}
	jsonFix struct {
		Message string     `json:"message"`
		Edits   []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		Filename string `json:"filename"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		New      string `json:"new"`
	}
	jsonRelated struct {
		Posn    string `json:"posn"`
		Message string `json:"message"`
	}
)

func (r *result) json(out io.Writer) error {
	tree := map[string]map[string][]jsonDiagnostic{}
	for _, f := range r.findings {
		d := jsonDiagnostic{Posn: f.pos.String(), End: f.end.String(), Message: f.message, Arches: f.arches}
		for _, x := range f.fixes {
			one := jsonFix{Message: x.message}
			for _, e := range x.edits {
				one.Edits = append(one.Edits, jsonEdit{e.file, e.start, e.end, e.text})
			}
			d.Fixes = append(d.Fixes, one)
		}
		for _, rel := range f.related {
			d.Related = append(d.Related, jsonRelated{rel.pos.String(), rel.message})
		}
		if tree[f.pkg] == nil {
			tree[f.pkg] = map[string][]jsonDiagnostic{}
		}
		tree[f.pkg][f.analyzer.Name] = append(tree[f.pkg][f.analyzer.Name], d)
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "\t")
	return enc.Encode(tree)
}

// sarif writes the findings as SARIF 2.1.0, with files named relative to the current directory.
func (r *result) sarif(o options) error {
	run := sarif.NewRunWithInformationURI("barriervet", "https://github.com/barriergen/barriergen/tree/main/cmd/barriervet")
	for _, a := range o.analyzers {
		run.AddRule(a.Name).WithDescription(title(a)).WithHelpURI(a.URL)
	}
	for _, f := range r.findings {
		res := sarif.NewRuleResult(f.analyzer.Name).WithLevel("warning").WithMessage(sarif.NewTextMessage(f.message)).
			WithLocations([]*sarif.Location{location(f.pos, f.end)})
		for _, rel := range f.related {
			res.AddRelatedLocation(location(rel.pos, rel.pos).WithMessage(sarif.NewTextMessage(rel.message)))
		}
		for _, x := range f.fixes {
			res.AddFixe(x.sarif())
		}
		run.AddResult(res)
	}
	rep := sarif.NewReport()
	rep.AddRun(run)
	var buf bytes.Buffer
	if err := rep.PrettyWrite(&buf); err != nil {
		return err
	}
	return emit.File(o.sarif, buf.Bytes())
}

func location(pos, end token.Position) *sarif.Location {
	region := sarif.NewRegion().WithStartLine(pos.Line).WithStartColumn(pos.Column).WithEndLine(end.Line).WithEndColumn(end.Column)
	return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(artifact(pos.Filename)).WithRegion(region))
}

func artifact(name string) *sarif.ArtifactLocation {
	rel := local(name)
	if filepath.IsAbs(rel) {
		return sarif.NewSimpleArtifactLocation("file://" + filepath.ToSlash(rel))
	}
	return sarif.NewSimpleArtifactLocation(filepath.ToSlash(rel)).WithURIBaseID("%SRCROOT%")
}

// sarif is the fix with one change per file.
func (x fix) sarif() *sarif.Fix {
	out := sarif.NewFix().WithDescription(sarif.NewTextMessage(x.message))
	changes := map[string]*sarif.ArtifactChange{}
	for _, e := range x.edits {
		c := changes[e.file]
		if c == nil {
			c = sarif.NewArtifactChange().WithArtifactLocation(artifact(e.file))
			changes[e.file] = c
			out.AddArtifactChange(c)
		}
		rep := sarif.NewReplacement().WithDeletedRegion(sarif.NewRegion().WithByteOffset(e.start).WithByteLength(e.end - e.start))
		if e.text != "" {
			rep.WithInsertedContent(sarif.NewArtifactContent().WithText(e.text))
		}
		c.AddReplacement(rep)
	}
	return out
}
