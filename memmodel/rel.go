package memmodel

import "math/bits"

// A relation between n events is n rows: bit j of row i says that (i, j) is in it. A set of events is one row. The functions
// here work on rows that the caller owns; dst may be an operand only where it says so.

func relSeq(dst, a, b []uint64) {
	b = b[:len(a)]
	dst = dst[:len(a)]
	for i, row := range a {
		var acc uint64
		for ; row != 0; row &= row - 1 {
			acc |= b[bits.TrailingZeros64(row)]
		}
		dst[i] = acc
	}
}

func relInverse(dst, a []uint64) {
	clear(dst)
	for i, row := range a {
		for ; row != 0; row &= row - 1 {
			dst[bits.TrailingZeros64(row)] |= 1 << i
		}
	}
}

// relPlus is the transitive closure, in place.
func relPlus(r []uint64) {
	for k, via := range r {
		if via == 0 {
			continue
		}
		for i, row := range r {
			if row>>k&1 != 0 {
				r[i] = row | via
			}
		}
	}
}

// relAcyclic takes away, again and again, the events that lead nowhere; what cannot be taken away is on or before a cycle.
func relAcyclic(r []uint64) bool {
	n := len(r)
	if n == 0 {
		return true
	}
	alive := ^uint64(0) >> (64 - n)
	for alive != 0 {
		before := alive
		for rest := alive; rest != 0; {
			i := 63 - bits.LeadingZeros64(rest)
			rest &^= 1 << i
			if r[i]&alive == 0 {
				alive &^= 1 << i
			}
		}
		if alive == before {
			return false
		}
	}
	return true
}

func relIrreflexive(r []uint64) bool {
	for i, row := range r {
		if row>>i&1 != 0 {
			return false
		}
	}
	return true
}

func relEmpty(r []uint64) bool {
	for _, row := range r {
		if row != 0 {
			return false
		}
	}
	return true
}

func relDomain(r []uint64) (s uint64) {
	for i, row := range r {
		if row != 0 {
			s |= 1 << i
		}
	}
	return s
}

func relRange(r []uint64) (s uint64) {
	for _, row := range r {
		s |= row
	}
	return s
}
