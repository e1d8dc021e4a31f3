// Package gcstress checks that pointers stored through the primitives stay
// known to the garbage collector: a store that bypasses the write barrier
// lets the collector free what is still in use.
//
// The program under testdata/stress moves objects between slots, with
// nothing but the primitives, while the collector runs without pause and
// verifies each of its cycles.
package gcstress
