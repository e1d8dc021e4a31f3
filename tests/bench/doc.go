// Command bench measures what the primitives cost, beside what others published and beside their peers in C.
//
//	go run ./tests/bench          # all of it, some minutes; writes BENCHMARKS.md and BENCHMARKS.svg
//	go run ./tests/bench -quick   # a check that all of it works, below two minutes; writes nothing
//	go run ./tests/bench -run SRCU
//
// The peers are liburcu and Concurrency Kit; the programs in peer/c are built when gcc and the libraries are there
// (apt-get install gcc liburcu-dev libck-dev), and left out, which is said, when they are not. A machine that does nothing
// else is needed for figures that mean something.
//
// The sides of an experiment run in turn, many times, each thread pinned to a processor, the C programs in time slices of
// the same length. What counts is the median of the ratios of neighbours: a machine that slows down in the middle slows
// both. A short run that lost its processor is repeated, a bounded number of times; what is left of such runs is counted.
// Nothing here fails by time: goals and measurements are printed side by side. An interrupt ends it, and leaves no file
// half written.
//
// The experiments are data, in the files rows*.go; package measure runs them, package report writes, package peer
// builds and runs the C programs.
//
// # What the plain baseline is
//
// A loop around a plain store through a pointer keeps the store, since the
// compiler removes dead stores only within a basic block. To see it:
//
//	go build -o bench ./tests/bench && go tool objdump -s main.plainStore bench
//
// The loop must hold one MOVQ to memory, as in
//
//	MOVQ CX, 0(AX)
//	INCQ CX
//	CMPQ BX, CX
//	JGT ...
//
// and main.storeRelease the same, with at most one NOP and a nil check more.
package main
