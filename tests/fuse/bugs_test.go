package fuse

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen/fuse"
	"github.com/barriergen/barriergen/gen/fuse/ir"
	"github.com/barriergen/barriergen/gen/fuse/order"
	"github.com/barriergen/barriergen/prover"
)

func loadBugs(t *testing.T) *fuse.Package {
	pkgs, err := fuse.Load(context.Background(), ".", []string{"./testdata/bugs"})
	require.NoError(t, err)
	require.Len(t, pkgs, 1)
	require.NoError(t, fuse.Compile(pkgs[0], fuse.Options{Assembly: true}))
	return pkgs[0]
}

// emitted are the memory operations of a plan, but for those of which nothing is left.
func emitted(p *order.Plan) string {
	var out []string
	for _, o := range p.Options {
		if len(o.Seq) > 0 {
			out = append(out, o.Name())
		}
	}
	return strings.Join(out, "; ")
}

// Bugs of the field: the broken form gets no order that it does not ask for, the mended one exactly what it needs.
func TestBugs(t *testing.T) {
	for _, f := range loadBugs(t).Sources[0].Functions {
		want := map[string]string{}
		for line := range strings.Lines(f.Doc) {
			if machine, code, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				want[machine] = code
			}
		}
		require.Len(t, want, 3, f.Name)
		for _, b := range f.Builds {
			for _, plan := range b.Plans {
				assert.Equal(t, want[plan.Machine.Name], emitted(plan), "%s on %s", f.Name, plan.Machine.Name)
				assert.False(t, plan.Exhausted)
			}
			for _, code := range b.Codes {
				for _, l := range code.Lines { // a read half without a register escapes fences
					if strings.HasPrefix(l.Op, "LD") || strings.HasPrefix(l.Op, "SWP") {
						assert.False(t, strings.HasSuffix(l.Args, "ZR"), "%s: %s %s", f.Name, l.Op, l.Args)
					}
				}
			}
		}
	}
}

// Each of them keeps its contracts on the models of the machines; and with every fence and annotation taken away, those that need any do not.
func TestBugsAreProved(t *testing.T) {
	pkg := loadBugs(t)
	for i, target := range targets.Native {
		c, err := prover.NewComparer(target, 3)
		require.NoError(t, err)
		found := 0
		for _, f := range pkg.Sources[0].Functions {
			for _, plan := range f.Builds[i].Plans {
				got, err := fuse.Prove(t.Context(), f, plan, c)
				require.NoError(t, err, f.Name)
				assert.Empty(t, got.New, "%s on %s", f.Name, plan.Machine.Name)
				weak, err := fuse.Prove(t.Context(), f, plan.Weakest(), c)
				require.NoError(t, err, f.Name)
				if emitted(plan) != emitted(plan.Weakest()) && !forDevices(f) {
					found++
					assert.NotEmpty(t, weak.New, "%s on %s: nothing tells %s from %s", f.Name, plan.Machine.Name, emitted(plan), emitted(plan.Weakest()))
				}
				t.Logf("%s on %s: %d programs, %d forbidden", f.Name, plan.Machine.Name, got.Programs, got.Forbidden)
			}
		}
		assert.Greater(t, found, 3)
	}
}

// forDevices reports whether a function's contracts speak of devices, which are in no model.
func forDevices(f *fuse.Function) bool {
	return slices.ContainsFunc(f.Operations(), func(in *ir.Instr) bool {
		return slices.ContainsFunc(in.Prim.Orders, func(o contract.Order) bool { return o.Domain&contract.Normal == 0 })
	})
}

// A function whose code shows more than its primitives is refused, with its place.
func TestVerifyRefuses(t *testing.T) {
	pkg := loadBugs(t)
	require.NoError(t, fuse.Verify(t.Context(), pkg))
	for _, f := range pkg.Sources[0].Functions {
		for _, b := range f.Builds {
			for i, plan := range b.Plans {
				if f.Name == "Refill" {
					b.Plans[i] = plan.Weakest()
				}
			}
		}
	}
	err := fuse.Verify(t.Context(), pkg)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "bugs.go:30:6: Refill on arm64 shows what its primitives forbid: ")
	assert.NotContains(t, err.Error(), "amd64") // there is no weaker code than a locked operation
	assert.NotContains(t, err.Error(), "RefillBroken")
}
