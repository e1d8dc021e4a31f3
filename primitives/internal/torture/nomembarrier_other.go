//go:build !linux

package torture

// ForbidMembarrier has nothing to do: no other system has it.
func ForbidMembarrier() error { return nil }
