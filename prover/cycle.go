package prover

import (
	"slices"
	"strings"

	"github.com/barriergen/barriergen/memmodel"
)

// access is one access of a critical cycle. Its value is an index: 0 is the initial value of a location, the writes of the
// cycle to it are numbered from 1 in coherence order. A read must see the value, a write writes it.
type access struct {
	write bool
	loc   int
	val   int
	hi    int // in a wide cycle, the value of the second half
}

// cycle is a critical cycle: threads of one or two accesses, each two to different locations, and between one thread's last
// access and the next thread's first a communication, reads-from, from-reads or coherence. It can only happen if some
// thread's two accesses take effect out of order.
type cycle struct {
	name    string
	threads [][]access
	locs    int
	final   []int // per location the value it must end with; -1 if it does not matter
	// exact are values that locations must end with, as they are.
	exact []memmodel.Value
	// wide says that all accesses are of 16 bytes.
	wide bool
}

// slots are the threads that have two accesses: a fence fits between them.
func (c cycle) slots() []int {
	var out []int
	for i, t := range c.threads {
		if len(t) == 2 {
			out = append(out, i)
		}
	}
	return out
}

// wellKnown are the names of the field, by the kinds of the threads' accesses in canonical rotation.
var wellKnown = map[string]string{
	"RR WW": "MP", "WR WR": "SB", "RW RW": "LB", "RW WW": "S", "WR WW": "R", "WW WW": "2+2W",
	"RR W RW": "WRC", "RR WR W": "RWC", "RR W RR W": "IRIW", "RR WW RW": "ISA2", "RW RW W": "WRW+LB", "RW WW W": "WRW+2W", "RW WR W": "WRW+WR",
	"RR WW W": "WRR+2W", "RR WR WW": "W+RWC", "WR WR WR": "3.SB", "RW RW RW": "3.LB", "WW WW WW": "3.2W",
}

// criticalCycles are all critical cycles of up to that many threads, each once, the smallest first. Cycles in which three
// writes to one location follow each other are left out: the order of the first two shows in no final state.
func criticalCycles(threads int) []cycle {
	kinds := []string{"RR", "RW", "WR", "WW", "W"}
	var out []cycle
	for n := 2; n <= threads; n++ {
		seq := make([]string, n)
		var choose func(int)
		choose = func(i int) {
			if i == n {
				if slices.Equal(seq, canonical(seq)) {
					if c, ok := newCycle(seq); ok {
						out = append(out, c)
					}
				}
				return
			}
			for _, k := range kinds {
				seq[i] = k
				choose(i + 1)
			}
		}
		choose(0)
	}
	return out
}

// canonical is the smallest rotation.
func canonical(seq []string) []string {
	best := seq
	for i := range seq {
		r := slices.Concat(seq[i:], seq[:i])
		if slices.Compare(r, best) < 0 {
			best = r
		}
	}
	return best
}

func newCycle(seq []string) (cycle, bool) {
	n := len(seq)
	c := cycle{threads: make([][]access, n)}
	for i, k := range seq {
		next := seq[(i+1)%n]
		if k[len(k)-1] == 'R' && next[0] == 'R' || k == "W" && next == "W" {
			return c, false // two reads do not communicate; two lone writes are one too many
		}
		if len(k) == 2 {
			c.locs++
		}
	}
	if c.locs < 2 {
		return c, false
	}
	// A location is what lies between two inner edges. Start behind the last thread with two accesses.
	start := n - 1
	for len(seq[start]) < 2 {
		start--
	}
	loc := 0
	c.final = slices.Repeat([]int{-1}, c.locs)
	var chain []*access
	closeChain := func() bool {
		val := 0
		for i, a := range chain {
			switch {
			case a.write:
				val++
				a.val = val
			case i > 0:
				a.val = val // reads from the write before it
			}
		}
		if val > 1 {
			c.final[loc] = val
		}
		chain = nil
		return val <= 2
	}
	ok := true
	for i := range n {
		t := (start + i) % n
		k := seq[t]
		c.threads[t] = make([]access, len(k))
		if i == 0 { // its first access ends the last chain
			continue
		}
		a := &c.threads[t][0]
		*a = access{write: k[0] == 'W', loc: loc}
		if i == 1 { // the chain begins with the second access of the start
			last := &c.threads[start][1]
			*last = access{write: seq[start][1] == 'W', loc: loc}
			chain = append(chain, last)
		}
		chain = append(chain, a)
		if len(k) == 2 {
			ok = closeChain() && ok
			loc++
			second := &c.threads[t][1]
			*second = access{write: k[1] == 'W', loc: loc}
			chain = append(chain, second)
		}
	}
	first := &c.threads[start][0]
	*first = access{write: seq[start][0] == 'W', loc: loc}
	chain = append(chain, first)
	ok = closeChain() && ok
	c.name = strings.Join(seq, " ")
	if known, is := wellKnown[c.name]; is {
		c.name = known
	}
	return c, ok
}

// kinds spells the threads, "WW RR".
func (c cycle) kinds() string {
	var out []string
	for _, t := range c.threads {
		k := ""
		for _, a := range t {
			if a.write {
				k += "W"
			} else {
				k += "R"
			}
		}
		out = append(out, k)
	}
	return strings.Join(out, " ")
}
