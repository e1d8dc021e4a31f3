package memmodel

// claims keeps count of what read-modify-writes read: two of them cannot read the same write, so of each value of a
// location there must be as many writes as read-modify-writes that read it. Without that count, n increments of one counter
// have n to the power of n ways to be put together; with it, about n!.
type claims struct {
	contested []int16   // pairs that more than one read-modify-write may read
	balance   []int16   // of each pair: writes minus reads, by the threads chosen so far
	best      [][]int16 // by thread: the most writes of a pair in one trace; then summed over the threads behind
	takers    []int16
}

// prepareClaims prepares the count. There is none if the model does not ask for atomicity.
func (e *engine) prepareClaims() {
	a := &e.claims
	a.contested = a.contested[:0]
	if !e.atomic {
		return
	}
	n := len(e.runner.pairs)
	a.takers = grow(a.takers, n)
	clear(a.takers)
	any := false
	for t := range e.p.Threads {
		th := &e.threads[t]
		for i := range th.traces {
			tr := &th.traces[i]
			for _, at := range th.atoms[tr.takes:tr.end] {
				a.takers[at]++
				any = true
			}
		}
	}
	if !any {
		return
	}
	for at, k := range a.takers {
		if k > 1 {
			a.contested = append(a.contested, int16(at))
		}
	}
	a.balance = grow(a.balance, n)
	for i := range a.balance {
		a.balance[i] = int16(e.runner.pairs[i].writers >> 31)
	}
	for len(a.best) < len(e.p.Threads)+1 {
		a.best = append(a.best, nil)
	}
	a.best[len(e.p.Threads)] = grow(a.best[len(e.p.Threads)], n)
	clear(a.best[len(e.p.Threads)])
	for t := len(e.p.Threads) - 1; t >= 0; t-- {
		a.best[t] = grow(a.best[t], n)
		copy(a.best[t], a.best[t+1])
		th := &e.threads[t]
		for _, at := range a.contested {
			most := int16(0)
			for i := range th.traces {
				k := int16(0)
				for _, g := range th.atoms[th.traces[i].gives:th.traces[i].takes] {
					if g == at {
						k++
					}
				}
				most = max(most, k)
			}
			a.best[t][at] += most
		}
	}
}

// claim adds (or, with -1, takes away) what a trace of thread t reads and writes, and says whether the threads behind may
// still make up for what is missing.
func (e *engine) claim(t int, tr *trace, sign int16) bool {
	a := &e.claims
	th := &e.threads[t]
	for _, at := range th.atoms[tr.takes:tr.end] {
		a.balance[at] -= sign
	}
	for _, at := range th.atoms[tr.gives:tr.takes] {
		a.balance[at] += sign
	}
	for _, at := range a.contested {
		if a.balance[at]+a.best[t+1][at] < 0 {
			return false
		}
	}
	return true
}
