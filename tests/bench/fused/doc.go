// Package fused has the sequences of the examples as assembly, whether or not that pays; package onebyone has them as they are written.
// Together they are what the cost model behind barriergen fuse says in figures.
package fused

//go:generate go run github.com/barriergen/barriergen/cmd/barriergen fuse -asm

const tries = 16
