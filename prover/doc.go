// Package prover shows that generated code keeps its contract.
//
//	rows, err := prover.Verify(ctx, contract.Table(), targets.Native, prover.Options{Minimal: true})
//	prover.Print(os.Stdout, rows)
//
// A proof has two parts, both about the very sequences that the generator prints.
//
// Local order: the primitive, with each neighbour that it may bind to, stands between two accesses of every class (plain,
// acquire, release, both halves of a read-modify-write, a compare-and-swap that succeeds or fails), with nothing or one access
// more in between. Every pair that the contract orders must be ordered by the events of the instructions, on the path of
// success and on that of failure. Accesses of one address are ordered between each other on every machine, by coherence,
// which gives no order toward later accesses: so a pair at one address is never missing, a chain over an access of the same
// address counts only if each link is an order of its own, and all addresses are taken for different.
//
// Programs: a contract forbids outcomes of small concurrent programs, those of critical cycles such as store buffering and
// message passing, with the primitive at the positions where it fits. What the contract forbids is computed from the Linux
// kernel's memory model, what the generated instructions forbid from the model of the machine. A primitive is proved if the
// machine forbids whatever the contract forbids, in every critical cycle of up to four threads, with the primitive in every
// set of positions. A value of 16 bytes is two halves, and some programs look for one that is torn.
//
// A primitive is minimal if, with any instruction taken out or made weaker, some of those programs shows more.
//
// The Go compiler is one more target, with rows of its own for each body in Go that is emitted. To it, only what carries its
// memory state orders anything, and a call of assembly is opaque. It may neither lose a pair that the contract orders, nor
// move an access across a fence or an access from its place; no program may show what it would not if nothing were
// reordered.
//
// Not covered: devices, which no model describes (the row's source stands for them), and the programs of machines without a
// target of their own; of both only the local order is proved. That the compiler keeps to its model is what barriergen doctor
// looks at.
package prover
