package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/barriergen/barriergen/gen"
	"github.com/barriergen/barriergen/internal/emit"
)

var generateCommand = command{
	name:  "generate",
	args:  "[-o DIR] [-pkg NAME] [-only LIST] [-arch LIST] [-header] [-racesync PATH] [-check]",
	short: "write a package of barriers into a directory",
	long: `Generate writes a Go package of memory barriers, atomics and bit operations: assembly and inlinable Go for amd64 and arm64,
correct code for every other GOARCH, and variants for the race detector and the build tags purego and barrier_conservative.
A file that barriergen did not write is never overwritten. Files of an earlier run that are no longer needed are removed.
`,
	run: generate,
}

func generate(env environ, c command, fs *flag.FlagSet, args []string) int {
	dir := fs.String("o", ".", "write into `DIR`, which is created if need be (default: here)")
	pkg := fs.String("pkg", "", "the package's `NAME` (default: that of the package in DIR, or the name of DIR)")
	only := fs.String("only", "", "primitives or families (barrier, atomics, bitops) to generate, a comma-separated `LIST` (default: all)")
	arches := fs.String("arch", "", "architectures with code of their own, a comma-separated `LIST` of amd64, arm64 (default: all)")
	header := fs.Bool("header", false, "also write barriers_GOARCH.h: the same sequences as macros for hand-written assembly")
	racesync := fs.String("racesync", "", "import `PATH` of the package that holds the race detector's view, to share it among packages (default: none)")
	check := fs.Bool("check", false, "write nothing; print what would change, and exit with 1 if anything would")
	if code, ok := parse(env, c, fs, args); !ok {
		return code
	}
	if fs.NArg() > 0 {
		return misuse(env, c, "unexpected argument %q", fs.Arg(0))
	}
	name, err := packageName(*dir, *pkg)
	if err != nil {
		return misuse(env, c, "%v", err)
	}
	*pkg = name
	cfg := gen.Config{Package: *pkg, Only: list(*only), Arches: list(*arches), Header: *header, RaceSync: *racesync}
	files, err := gen.Generate(cfg)
	if err != nil {
		return misuse(env, c, "%v", err)
	}
	plan, err := emit.Prepare(*dir, emitted(files), gen.Marker, gen.FilePatterns)
	if err != nil {
		return fail(env, c, err)
	}
	if *check {
		diff := plan.Diff()
		if len(diff) == 0 {
			return exitOK
		}
		env.out.Write(diff)
		fmt.Fprintf(env.err, "barriergen generate: %s is not up to date; run the same command without -check\n", *dir)
		return exitFindings
	}
	if err := plan.Write(env.ctx); err != nil {
		return fail(env, c, err)
	}
	return exitOK
}

func emitted(files []gen.File) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range files {
		out[f.Name] = f.Data
	}
	return out
}

// packageName is the name for a package in dir: the one asked for, that of the files already there, or the directory's.
func packageName(dir, asked string) (string, error) {
	there, where, err := existingPackage(dir)
	switch {
	case err != nil:
		return "", err
	case there != "" && asked != "" && there != asked:
		return "", fmt.Errorf("%s: found package %s, not %s: leave out -pkg, or write to a directory of its own", where, there, asked)
	case asked != "":
		return asked, nil
	case there != "":
		return there, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	name := filepath.Base(abs)
	if !token.IsIdentifier(name) {
		return "", fmt.Errorf("the directory's name %q is no package name: give one with -pkg", name)
	}
	return name, nil
}

// existingPackage is the package of the hand-written Go files in dir, and where one of them says so.
func existingPackage(dir string) (name, where string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", "", nil // not there yet; whatever is wrong with it, writing will say
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			return "", "", err
		}
		if strings.HasPrefix(string(data), gen.Marker) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, data, parser.PackageClauseOnly)
		if err != nil {
			return "", "", err
		}
		return f.Name.Name, fset.Position(f.Name.Pos()).String(), nil
	}
	return "", "", nil
}
