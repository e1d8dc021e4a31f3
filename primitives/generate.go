// Package primitives is the parent of the packages to import: barrier, atomics and bitops, which are generated, and what is
// built on them: asymmetric fences (membarrier), read-copy-update (rcu, srcu), locks (spinlock, seqlock), posted interrupts
// and queues (postedintr, ring).
package primitives

//go:generate go run ../cmd/barriergen generate -o barrier -only barrier -header -racesync github.com/barriergen/barriergen/primitives/racesync
//go:generate go run ../cmd/barriergen generate -o atomics -only atomics -header -racesync github.com/barriergen/barriergen/primitives/racesync
//go:generate go run ../cmd/barriergen generate -o bitops -only bitops -header -racesync github.com/barriergen/barriergen/primitives/racesync
