// Package prover shows that generated code keeps its contract.
//
//	rows, err := prover.Verify(ctx, contract.Table(), targets.Native, prover.Options{Minimal: true})
//	prover.Print(os.Stdout, rows)
//
// A contract forbids outcomes of small concurrent programs: those of critical cycles, such as store buffering and message
// passing, with the primitive at the positions where it fits. What the contract forbids is computed from the Linux kernel's
// memory model, what the generated instructions forbid from the model of the machine; the instructions are the very
// sequences that the generator prints. A primitive is proved if the machine forbids whatever the contract forbids, in every
// critical cycle of up to four threads, with the primitive in every set of positions. It is minimal if, with any instruction
// taken out or made weaker, some of those programs shows more.
//
// Not covered: devices, which no model describes (the row's source stands for them); machines without a target of their own;
// values of 16 bytes as two words, which are taken for one; and the Go compiler, which barriergen doctor looks at.
package prover
