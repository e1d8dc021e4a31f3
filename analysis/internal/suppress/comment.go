package suppress

import (
	"bytes"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

type names []string

func (n names) has(name string) bool { return slices.Contains(n, name) }

// covers reports whether the comment is about an analyzer's findings.
func (c *comment) covers(name string) bool {
	return len(c.names) == 0 || c.names.has(name) || c.names.has("all")
}

var (
	nolint = regexp.MustCompile(`^//\s?nolint(?::\s*([\w-]+(?:\s*,\s*[\w-]+)*))?(?:\s|$)`)
	ignore = regexp.MustCompile(`^//lint:ignore(?:\s+(\S+))?(?:\s+(\S.*))?$`)
)

// parse reads a comment's text; ok is false if it silences nothing.
func parse(text string) (c *comment, ok bool) {
	if strings.HasPrefix(text, "//lint:ignore") {
		if m := ignore.FindStringSubmatch(text); m != nil {
			c = &comment{text: strings.TrimSpace("//lint:ignore " + m[1]), names: split(m[1])}
			if m[2] == "" {
				c.malformed = "it needs a reason behind the name"
			}
			return c, len(c.names) > 0
		}
		return nil, false
	}
	if m := nolint.FindStringSubmatch(text); m != nil {
		return &comment{text: strings.TrimSpace(m[0]), names: split(m[1])}, true
	}
	return nil, false
}

func split(list string) names {
	var out names
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// ofGo finds a Go file's comments.
func ofGo(fset *token.FileSet, f *ast.File) []*comment {
	var out []*comment
	for _, g := range f.Comments {
		for _, text := range g.List {
			c, ok := parse(text.Text)
			if !ok {
				continue
			}
			p := fset.PositionFor(text.Pos(), false)
			c.file, c.pos = p.Filename, text.Pos()
			c.first, c.end = p.Line, p.Line
			out = append(out, c)
		}
	}
	if len(out) > 0 {
		extend(fset, f, out)
	}
	return out
}

// extend gives comments that stand alone on their line the lines of what begins next.
func extend(fset *token.FileSet, f *ast.File, all []*comment) {
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	starts := map[int]int{} // the line on which a node begins → the last line of the largest
	code := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup, *ast.Comment:
			return false
		case *ast.File, *ast.BlockStmt, *ast.FieldList:
			return true
		}
		from, to := line(n.Pos()), line(n.End())
		code[from], code[to] = true, true
		switch n.(type) {
		case ast.Stmt, ast.Decl, ast.Spec, *ast.Field, *ast.KeyValueExpr:
			starts[from] = max(starts[from], to)
		}
		return true
	})
	last := line(f.FileEnd)
	for _, c := range all {
		if code[c.first] {
			continue
		}
		for l := c.first + 1; l <= last; l++ {
			if code[l] {
				c.first, c.end = l, max(l, starts[l])
				break
			}
		}
	}
}

func isAssembly(name string) bool { return strings.HasSuffix(name, ".s") }

// ofAssembly finds an assembly file's comments. The Go assembler's line comments are those of Go; a string constant, the only
// place where the marker may be something else, has no closing quote before it then.
func ofAssembly(fset *token.FileSet, name string, text []byte) []*comment {
	if !bytes.Contains(text, []byte("nolint")) && !bytes.Contains(text, []byte("lint:ignore")) {
		return nil
	}
	file := fset.AddFile(name, -1, len(text))
	file.SetLinesForContent(text)
	lines := strings.Split(string(text), "\n")
	var out []*comment
	for i, l := range lines {
		code, at := cut(l)
		if at < 0 {
			continue
		}
		c, ok := parse(strings.TrimRight(l[at:], "\r"))
		if !ok {
			continue
		}
		c.file, c.pos = name, file.LineStart(i+1)+token.Pos(at)
		c.first, c.end = i+1, i+1
		if code == "" {
			c.first, c.end = following(lines, i+1)
		}
		out = append(out, c)
	}
	return out
}

// cut separates a line's code from the offset of its comment, -1 if it has none.
func cut(line string) (code string, at int) {
	quoted := false
	for i := 0; i+1 < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case !quoted && line[i:i+2] == "//":
			return strings.TrimSpace(line[:i]), i
		}
	}
	return strings.TrimSpace(line), -1
}

// following are the numbers of the lines of the next instruction from an index on, or of the function that begins there.
func following(lines []string, from int) (first, end int) {
	for i := from; i < len(lines); i++ {
		code, _ := cut(lines[i])
		if code == "" {
			continue
		}
		if !isText(code) {
			return i + 1, i + 1
		}
		end := i + 1
		for j := i + 1; j < len(lines); j++ {
			code, _ := cut(lines[j])
			if isText(code) {
				break
			}
			end = j + 1
		}
		return i + 1, end
	}
	return from, from
}

func isText(code string) bool {
	return strings.HasPrefix(code, "TEXT ") || strings.HasPrefix(code, "TEXT\t")
}
