// Package fuse holds fused functions against what they are made of.
//
// Random functions of the subset that barriergen fuse takes are run in three ways: as assembly, as the Go source with the
// library, and by an interpreter of the intermediate form. Results and memory must agree, natively and on an emulated
// arm64, with LSE and without.
//
//	go test ./tests/fuse -random 5000
//
// runs that many functions. On order, the plans of random functions are compared with the contracts path by path, and the
// prover tries random straight lines. What this module itself fuses is checked to be up to date, proved, and what its
// documentation says, and each example is built as a module of a user's own; -all does that for every GOARCH.
package fuse
