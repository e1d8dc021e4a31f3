package contract

import (
	"fmt"
	"strings"
)

// Side says where, relative to the operation that gives it, an order lies.
type Side uint8

const (
	// Before orders what came earlier before the operation's own events.
	Before Side = iota
	// After orders the operation's own events before what comes later.
	After
	// Across orders what came earlier before what comes later.
	Across
)

// Strength says how far an order reaches beyond its own CPU. On a multi-copy-atomic machine every local order is seen
// by all CPUs alike; elsewhere a weaker order may be visible to some CPUs only.
type Strength uint8

const (
	// Local is an order between the accesses of one CPU.
	Local Strength = iota
	// ACumulative also covers writes of other CPUs that this CPU has read from before.
	ACumulative
	// Strong is a full fence: all CPUs agree on it.
	Strong
)

// Domain is a set of observers.
type Domain uint8

const (
	// Normal is cacheable memory as other CPUs see it.
	Normal Domain = 1 << iota
	// DMA is cacheable memory as a cache-coherent device sees it.
	DMA
	// Device is memory-mapped I/O, write-combining memory and non-temporal stores.
	Device
	// Everywhere is all of them.
	Everywhere = Normal | DMA | Device
)

var domainNames = map[Domain]string{Normal: "normal memory", DMA: "memory shared with coherent devices", Device: "device memory"}

// String names the narrowest observer that the set is about.
func (d Domain) String() string {
	for _, one := range []Domain{Device, DMA, Normal} {
		if d&one != 0 {
			return domainNames[one]
		}
	}
	return "nothing"
}

// Order is one ordering fact: every event of a class in From is ordered before every event of a class in To.
type Order struct {
	Side     Side
	From, To Classes
	Strength Strength
	Domain   Domain
}

// Set is the coarse view of o.
func (o Order) Set() Set {
	var s Set
	for i, pair := range [][2]Classes{{Reads, Reads}, {Reads, Writes}, {Writes, Reads}, {Writes, Writes}} {
		if o.From&pair[0] != 0 && o.To&pair[1] != 0 {
			s |= 1 << i
		}
	}
	return s
}

// String reads as a sentence part: "earlier reads before later accesses".
func (o Order) String() string {
	return o.relation() + o.beyond()
}

// beyond names the observers that plain fences do not reach.
func (o Order) beyond() string {
	if o.Domain == 0 || o.Domain&Normal != 0 {
		return ""
	}
	return ", for " + o.Domain.String()
}

func (o Order) relation() string {
	switch o.Side {
	case Before:
		return fmt.Sprintf("earlier %v before %v", o.From, own(o.To))
	case After:
		return fmt.Sprintf("%v before later %v", own(o.From), o.To)
	}
	return fmt.Sprintf("earlier %v before later %v", o.From, o.To)
}

func own(c Classes) string {
	switch {
	case c&RMWReads != 0 && c&RMWWrites != 0:
		return "the operation"
	case c&^(RMWReads|RMWWrites) == 0:
		return c.String()
	case c&Writes == 0:
		return "its own read"
	case c&Reads == 0:
		return "its own write"
	}
	return "the operation"
}

// Describe joins orders into one sentence part; without any it says so.
func Describe(orders []Order) string {
	if len(orders) == 0 {
		return "nothing"
	}
	parts := make([]string, len(orders))
	for i, o := range orders {
		parts[i] = o.String()
	}
	return strings.Join(parts, "; ")
}

// SetOf is the coarse view of several orders.
func SetOf(orders []Order) Set {
	var s Set
	for _, o := range orders {
		s |= o.Set()
	}
	return s
}

// Step is one operation as a memory model sees it: the events it performs, in order, and the orders it gives.
type Step struct {
	Events []Classes // one class each
	Orders []Order
}

// Matrix says which events of a straight-line sequence are ordered before which. Rows are earlier events, columns later
// ones; Steps gives the step that each event belongs to.
type Matrix struct {
	Steps []int
	rows  []uint64
}

// Ordered reports whether event i is ordered before event j.
func (m Matrix) Ordered(i, j int) bool { return m.rows[i]&(1<<j) != 0 }

// Of returns the events of step s.
func (m Matrix) Of(s int) []int {
	var out []int
	for i, step := range m.Steps {
		if step == s {
			out = append(out, i)
		}
	}
	return out
}

// LocalOrder computes the transitive local order of a straight-line sequence: what the machine orders for free by class,
// what each operation orders on either side, and what fences order across themselves, all of at least the given
// strength and in the given domain. An order counts only between different addresses; coherence adds none.
func LocalOrder(free []Order, d Domain, min Strength, steps []Step) Matrix {
	var m Matrix
	var class []Classes
	for s, step := range steps {
		for _, c := range step.Events {
			m.Steps, class = append(m.Steps, s), append(class, c)
		}
	}
	m.rows = make([]uint64, len(class))
	gives := func(orders []Order, side Side, from, to Classes) bool {
		for _, o := range orders {
			if o.Side == side && o.From&from != 0 && o.To&to != 0 && o.Domain&d == d && o.Strength >= min {
				return true
			}
		}
		return false
	}
	for j := range class {
		for i := range j {
			si, sj := m.Steps[i], m.Steps[j]
			// The write half of a read-modify-write can't be performed before the read half it belongs to.
			ordered := class[i]&RMWReads != 0 && class[j]&RMWWrites != 0 && nextRMWWrite(class, i) == j
			if si < sj {
				ordered = ordered || gives(free, Across, class[i], class[j]) ||
					gives(steps[si].Orders, After, class[i], class[j]) || gives(steps[sj].Orders, Before, class[i], class[j])
				for k := si + 1; k < sj && !ordered; k++ {
					ordered = gives(steps[k].Orders, Across, class[i], class[j])
				}
			}
			if ordered {
				m.rows[i] |= 1 << j
			}
		}
	}
	// Orders only point forward, so closing from the last row up needs one pass.
	for i := len(class) - 1; i >= 0; i-- {
		for j := i + 1; j < len(class); j++ {
			if m.Ordered(i, j) {
				m.rows[i] |= m.rows[j]
			}
		}
	}
	return m
}

func nextRMWWrite(class []Classes, i int) int {
	for j := i + 1; j < len(class); j++ {
		if class[j]&RMWWrites != 0 {
			return j
		}
	}
	return -1
}
