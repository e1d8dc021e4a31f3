//go:build !race

// Package racesync shows memory barriers to the race detector; without it the package is empty. Packages that barriergen
// generates with -racesync github.com/barriergen/barriergen/primitives/racesync share its view, so that a fence of one
// pairs with an access of another.
package racesync
