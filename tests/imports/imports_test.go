// Package imports checks who may import whom.
package imports

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/barriergen/barriergen/"

// rules: what a package and its tests may import besides the standard library and packages below the same rule. The
// longest prefix counts.
var rules = []struct {
	prefix string
	may    []string // prefixes; those of this module are without its path
	tests  []string // more for tests
}{
	{"contract", nil, []string{"github.com/stretchr/testify"}},
	{"arch", []string{"contract"}, []string{"github.com/stretchr/testify"}},
	{"gen", []string{"contract", "arch", "github.com/mmcloughlin/avo", "github.com/agnivade/levenshtein"},
		[]string{"github.com/stretchr/testify", "internal/machine"}},
	{"primitives", []string{"golang.org/x/sys"}, nil},
	{"cmd/barriergen", []string{"contract", "arch", "gen", "memmodel", "litmus", "prover", "internal", "golang.org/x/term"}, []string{"github.com/stretchr/testify", "github.com/rogpeppe/go-internal"}},
	{"internal/machine", []string{"golang.org/x/arch"}, []string{"github.com/stretchr/testify"}},
	{"internal/doctor", []string{"internal/machine"}, []string{"github.com/stretchr/testify", "github.com/rogpeppe/go-internal"}},
	{"internal/goarch", nil, []string{"github.com/stretchr/testify"}},
	{"internal/emit", []string{"github.com/rogpeppe/go-internal"}, []string{"github.com/stretchr/testify"}},
	{"memmodel", []string{"contract", "arch"}, []string{"github.com/stretchr/testify", "litmus"}},
	{"litmus", []string{"memmodel"}, []string{"github.com/stretchr/testify"}},
	{"prover", []string{"contract", "arch", "memmodel"}, []string{"github.com/stretchr/testify"}},
	{"analysis", []string{"contract", "arch", "internal/goarch", "golang.org/x/tools"}, []string{"github.com/stretchr/testify", "litmus", "memmodel", "prover"}},
	{"analysis/internal/asm/asmtest", []string{"analysis", "contract", "arch", "golang.org/x/tools", "github.com/stretchr/testify"}, nil},
	{"cmd/barriervet", []string{"analysis", "internal", "golang.org/x/tools", "github.com/owenrumney/go-sarif", "github.com/rogpeppe/go-internal"}, []string{"github.com/stretchr/testify", "github.com/rogpeppe/go-internal"}},
	{"gen/fuse", []string{"contract", "arch", "gen", "memmodel", "prover", "github.com/mmcloughlin/avo", "golang.org/x/tools"}, []string{"github.com/stretchr/testify", "internal"}},
	{"examples", []string{"primitives", "golang.org/x/sys"}, []string{"github.com/stretchr/testify"}},
	{"tests", []string{""}, nil},
}

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T, goarch string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../.."
	cmd.Env = append(cmd.Environ(), "GOARCH="+goarch)
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		require.NoError(t, dec.Decode(&p))
		all = append(all, p)
	}
	return all
}

func TestRules(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64", "riscv64"} {
		for _, p := range packages(t, goarch) {
			for _, v := range violations(p) {
				t.Errorf("GOARCH=%s: %s", goarch, v)
			}
		}
	}
}

// The rules find what they forbid.
func TestRulesCanFail(t *testing.T) {
	assert.NotEmpty(t, violations(pkg{ImportPath: module + "primitives/barrier", Imports: []string{module + "contract"}}))
	assert.NotEmpty(t, violations(pkg{ImportPath: module + "primitives/barrier", TestImports: []string{"github.com/stretchr/testify/require"}}))
	assert.NotEmpty(t, violations(pkg{ImportPath: module + "contract", Imports: []string{module + "arch"}}))
	assert.NotEmpty(t, violations(pkg{ImportPath: module + "gen", Imports: []string{"golang.org/x/tools/go/packages"}}))
	assert.NotEmpty(t, violations(pkg{ImportPath: module + "nowhere"}))
	assert.Empty(t, violations(pkg{ImportPath: module + "arch/amd64", Imports: []string{"strings", module + "arch", module + "contract"}}))
}

func violations(p pkg) []string {
	path := strings.TrimPrefix(p.ImportPath, module)
	best := -1
	for i, r := range rules {
		if under(path, r.prefix) && (best < 0 || len(r.prefix) > len(rules[best].prefix)) {
			best = i
		}
	}
	if best < 0 {
		return []string{p.ImportPath + " has no rule: add one"}
	}
	r := rules[best]
	var out []string
	check := func(imports []string, may []string) {
		for _, imp := range imports {
			if !allowed(imp, append(may, r.prefix)) {
				out = append(out, p.ImportPath+" imports "+imp)
			}
		}
	}
	check(p.Imports, r.may)
	check(p.TestImports, append(r.may[:len(r.may):len(r.may)], r.tests...))
	check(p.XTestImports, append(r.may[:len(r.may):len(r.may)], r.tests...))
	return out
}

func allowed(imp string, may []string) bool {
	own := strings.TrimPrefix(imp, module)
	if own == imp && !strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") {
		return true // the standard library
	}
	for _, m := range may {
		if m == "" || under(own, m) {
			return true
		}
	}
	return false
}

func under(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }
