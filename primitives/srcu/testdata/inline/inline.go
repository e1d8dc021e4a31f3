// Package inline is compiled, and its machine code looked at.
package inline

import "github.com/barriergen/barriergen/primitives/srcu"

var shared int

//go:noinline
func domain(d *srcu.Domain) int {
	i := d.ReadLock()
	v := shared
	d.ReadUnlock(i)
	return v
}

//go:noinline
func fast(r *srcu.FastReader) int {
	i := r.ReadLock()
	v := shared
	r.ReadUnlock(i)
	return v
}

var (
	_ = domain
	_ = fast
)
