// Package inline is compiled, and its machine code looked at.
package inline

import "github.com/barriergen/barriergen/primitives/rcu"

var shared int

//go:noinline
func fenced(r *rcu.FencedReader) int {
	r.ReadLock()
	v := shared
	r.ReadUnlock()
	return v
}

//go:noinline
func membarrier(r *rcu.MembarrierReader) int {
	r.ReadLock()
	v := shared
	r.ReadUnlock()
	return v
}

//go:noinline
func quiescent(r *rcu.QuiescentReader) int {
	r.ReadLock()
	v := shared
	r.ReadUnlock()
	return v
}

var (
	_ = fenced
	_ = membarrier
	_ = quiescent
)
