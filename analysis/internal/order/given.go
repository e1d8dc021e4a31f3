package order

import (
	"slices"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// Given is what operations order around themselves at one level of one architecture: pairs of an earlier and a later
// plain access.
type Given struct {
	Arch       string
	Free, Have contract.Set // without them, and with them
}

// Gives says what operations of sync/atomic, one behind the other, order around themselves, in every variant that may run
// and whether or not a compare-and-swap writes.
func Gives(operations []contract.Op) []Given {
	var out []Given
	for _, gr := range groups() {
		m := gr.machines[0]
		g := Given{Arch: gr.arch, Free: m.around(nil), Have: contract.Full}
		if m.target != targets.Generic && len(m.target.Levels) > 1 {
			g.Arch = m.target.Name + " " + m.level.Name
		}
		for _, m := range gr.machines {
			for _, steps := range m.outcomes(operations) {
				g.Have &= m.around(steps)
			}
		}
		out = append(out, g)
	}
	return out
}

// outcomes are the sequences that operations may turn out to be.
func (m *Machine) outcomes(operations []contract.Op) [][]contract.Step {
	out := [][]contract.Step{nil}
	for _, o := range operations {
		ways := []Op{{Sync: o}}
		if ways[0].conditional() {
			ways = append(ways, Op{Sync: o, Failed: true})
		}
		var next [][]contract.Step
		for _, before := range out {
			for _, w := range ways {
				next = append(next, slices.Concat(before, m.steps(w)))
			}
		}
		out = next
	}
	return out
}

// around are the pairs of plain accesses that are ordered with steps between them.
func (m *Machine) around(steps []contract.Step) contract.Set {
	var set contract.Set
	for i, pair := range [][2]contract.Classes{{contract.PlainRead, contract.PlainRead}, {contract.PlainRead, contract.PlainWrite},
		{contract.PlainWrite, contract.PlainRead}, {contract.PlainWrite, contract.PlainWrite}} {
		line := slices.Concat([]contract.Step{{Events: pair[:1]}}, steps, []contract.Step{{Events: pair[1:]}})
		order := contract.LocalOrder(m.free(), contract.Normal, contract.Local, line)
		if order.Ordered(0, order.Of(len(line) - 1)[0]) {
			set |= []contract.Set{contract.RR, contract.RW, contract.WR, contract.WW}[i]
		}
	}
	return set
}
