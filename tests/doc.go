// Package tests checks the project end to end. The suites are the packages
// below it; this one runs them in every build variant.
//
// Flags of the test binary: -variants.all adds the variants that need an
// emulator, -require-qemu makes a missing emulator a failure instead of a
// skipped test.
package tests
