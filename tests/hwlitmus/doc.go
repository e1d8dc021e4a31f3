// Package hwlitmus runs litmus tests through the primitives on the machine's
// own cores: SB, MP, LB, S, R and 2+2W.
//
// A row of the table either promises that an outcome is never seen, or that
// it must be seen. The second kind checks the first: a harness that can't
// show store buffering without a fence proves nothing about one with it. Only
// real hardware shows weak outcomes; under an emulator the rows that must be
// seen are left out and the rest checks function, not order. Under the race
// detector there is nothing to see at all, so no test is built.
//
// Flags of the test binary: -litmus.iterations, -litmus.patience and
// -litmus.emulated.
package hwlitmus
