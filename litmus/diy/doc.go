// Package diy makes litmus tests from cycles. Name the edges of a cycle, and get a test that asks whether the cycle can
// happen:
//
//	c, err := diy.Parse("AArch64", "DMB.SYdWW Rfe DpAddrdR Fre")
//	c.Name()   // MP+dmb.sy+addr
//	c.Source() // the test, for package litmus and for other tools that read herd7's format
//
// Critical gives every critical cycle of an architecture with nothing but program order inside its threads, and Variants
// puts fences, dependencies and annotations in the place of program order, so that a collection comes from two calls.
//
// # Edges
//
// An edge leads from one access to the next; the last leads back to the first. Communications join accesses to one location:
// Rf from a write to a read that sees it, Fr from a read to a write that overwrites what it saw, Co from a write to a later
// write. Behind them stands e if the accesses are of two threads, i if they are of one: Rfe, Fri.
//
// Program order is spelled by what stands between the accesses, d for two locations or s for one, and the kinds of the
// accesses: PodWR is a write, then a read of another location; DMB.SYdWW two writes with DMB SY between. Dependencies begin
// at a read, so only their end is named: DpAddrdR, DpDatadW, DpCtrlIsbdR. Mechanisms lists what an architecture has.
//
// A read-modify-write leads from its read to its write: Exch, LxSx, Amo.Swp. ReadModifyWrites lists them.
//
// An annotation between two edges says how the access there is performed: "PodWW L Rfe A PodRR Fre" has a store-release and a
// load-acquire. Those of one letter may be joined to an edge, one for each of its accesses, as in diy7:
// "PodWWPL RfeLA PodRRAP Fre". Annotations lists them. Some make an access by a read-modify-write: a read that adds nothing,
// a write by an exchange.
//
// # What a test shows
//
// The values written count up along the cycle, and the condition asks for the values read and for the last ones written.
// Where that leaves the order of some writes open, the test has one more thread, an observer, that reads the location again
// and again.
package diy
