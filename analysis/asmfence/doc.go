// Package asmfence finds fences in Go assembly that nothing needs.
//
// Run barriervet over a module with hand-written assembly; each finding names the instruction that orders already, and -fix
// deletes what is proved:
//
//	LOCK
//	XADDQ AX, (BX)
//	MFENCE // redundant: LOCK XADDQ orders already
//
// # Analyzer asmfence
//
// asmfence: find fences in assembly that order nothing that is not ordered already
//
// It reads the .s files of this build and those of the other architectures, amd64 and arm64, under every configuration that
// their #ifdefs distinguish, and reports only what holds in each. A finding is proved, "whatever callers did before and do
// afterwards", or it says which accesses of a caller would need the fence.
//
// It reports
//
//   - a fence that another fence, or an operation beside it, makes redundant on every path;
//   - on arm64, an acquire fence behind an acquire load, and a release fence before a release store, where nothing else in the
//     function needs it;
//   - LOCK before XCHG with a memory operand, which is always locked;
//   - a store and MFENCE, where XCHG is as strong and costs less.
//
// It leaves alone what is there for more than the order of normal memory: fences beside time stamps, speculation barriers,
// non-temporal stores, cache and address translation maintenance, and instructions given by their bits. DSB, ISB and LFENCE are
// never reported.
//
// Positions are in the .s file. Tools that show findings in Go files only can have them at the Go declaration, with -godecl;
// then there are no fixes. A file that is not fully understood is analysed as far as it is; -unread says where it is not.
package asmfence
