// Package targets lists the architectures: adding one is a package with a literal, and a line here.
package targets

import (
	"slices"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/amd64"
	"github.com/barriergen/barriergen/arch/arm64"
	"github.com/barriergen/barriergen/arch/generic"
)

// Native are the targets with code of their own, in the order in which everything prints them.
var Native = []*arch.Target{amd64.Target, arm64.Target}

// Generic serves every other GOARCH.
var Generic = generic.Target

// All are the native targets and the generic one.
var All = append(slices.Clone(Native), Generic)

// Lookup returns the native target of that GOARCH.
func Lookup(name string) (*arch.Target, bool) {
	i := slices.IndexFunc(Native, func(t *arch.Target) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return Native[i], true
}
