package order

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/barriergen/barriergen/contract"
)

// A compare-and-swap that failed is a locked read on amd64, at most an acquire load on arm64, and nothing is known of it
// elsewhere.
func TestFailedCompareAndSwap(t *testing.T) {
	want := map[string]contract.Set{"amd64": contract.Full, "arm64": 0, "arm64 v8.1": 0, otherArch: 0}
	for _, m := range Machines() {
		if m.compiler {
			continue
		}
		steps := m.steps(Op{Sync: contract.CompareAndSwap, Failed: true})
		orders := 0
		for _, s := range steps {
			orders += len(s.Orders)
			for _, e := range s.Events {
				assert.Zero(t, e&contract.Writes, m.Name)
			}
		}
		assert.Equal(t, want[m.Arch], m.around(steps), m.Name)
		assert.Equal(t, m.Arch != otherArch, orders > 0, m.Name)
		acquire := contract.LocalOrder(m.free(), contract.Normal, contract.Local, append(steps, contract.Step{Events: []contract.Classes{contract.PlainWrite}}))
		assert.Equal(t, m.Arch != otherArch, acquire.Ordered(0, 1), m.Name)
	}
}

// What stands for all machines to come rests on contracts, not on what some machine's code happens to give.
func TestPortableRestsOnContracts(t *testing.T) {
	release, _ := contract.Lookup("Release")
	assert.Equal(t, contract.RW|contract.WW, portable.around(portable.steps(Op{Prim: &release})))
	for _, m := range Machines() {
		if m.Arch == otherArch {
			assert.Equal(t, contract.Full, m.around(m.steps(Op{Prim: &release})), "there it is the machine's full fence")
		}
	}
}
