// Command bench measures what the primitives cost, as ratios.
//
// The two sides of a comparison run in turn, many times, in one process, and
// what counts is the median of the ratios of neighbours: a machine that slows
// down in the middle slows both. Nothing here fails by time: the program
// prints target and measurement side by side.
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
