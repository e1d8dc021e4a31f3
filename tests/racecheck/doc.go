// Package racecheck asks Go's race detector for its opinion: publication that
// the primitives order must be clean, and the same code with one of its two
// orders removed must be reported.
//
// Each scenario is a process of its own, built with -race from
// testdata/scenario: a writer that publishes in some way, a reader that
// consumes in some way, and between the two accesses to the data nothing but
// the primitives under test.
//
// What the detector can't be asked: while its view of synchronisation is
// switched off, as it is inside every primitive, it does not record atomic
// accesses either. So a plain access that races with a primitive on the very
// same variable is not reported, and no scenario claims that it is.
package racecheck
