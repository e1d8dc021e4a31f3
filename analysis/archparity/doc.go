// Package archparity finds functions in Go assembly that order on one architecture what they do not order on another.
//
// Run barriervet over a module with hand-written assembly for amd64 and arm64; each finding names the instruction, and what the
// other architecture does instead:
//
//	// amd64: LOCK CMPXCHG16B (R8), which is a full barrier
//	CASPD (R0, R1), (R5), (R2, R3) // arm64: relaxed
//
// On amd64 a test never fails for lack of order in such a function; on arm64 whoever reads what it published may see memory from
// before the publication.
//
// # Analyzer archparity
//
// archparity: find functions whose assembly orders less on one architecture than on another
//
// It compares the bodies of one function, declared once in Go, under every configuration that their #ifdefs distinguish. Nobody is
// blamed for an order that a machine gives for free: a plain store on amd64 is a release, a locked operation full, since it has no
// weaker forms. It reports
//
//   - a read-modify-write that is locked on amd64 and orders nothing at all on arm64, or that is not one atomic step there;
//   - an exchange, a compare-and-swap or an add that on arm64 orders one side only, unless its name says that one side is
//     meant (acquire, release, lock, unlock and the like);
//   - a function that is exactly a fence and orders less on one architecture than it explicitly asks for on another;
//   - a function whose name says acquire, release or full, and which is that on one architecture and not on the other.
//
// A name or a comment with "relaxed" silences the first two.
package archparity
