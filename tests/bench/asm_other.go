//go:build !amd64

package main

import "github.com/barriergen/barriergen/tests/bench/measure"

// assembly compares with instructions that only amd64 has.
func assembly() ([]measure.Side, []measure.Comparison) { return nil, nil }
