// Package behaviour checks what the primitives compute: results, memory
// contents, panics, and that concurrent updates lose nothing.
//
// It has no production code. One and the same suite runs on every
// implementation of a primitive, chosen by build tags, -race and GOARCH;
// the package above this one starts it in each of these variants. What the
// primitives order is the business of the litmus and race-detector suites.
package behaviour
