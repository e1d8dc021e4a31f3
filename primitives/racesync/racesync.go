//go:build race

// Package racesync shows memory barriers to the race detector. Packages that barriergen generates with -racesync
// github.com/barriergen/barriergen/primitives/racesync share its view, so that a fence of one pairs with an access of
// another. It exists under the race detector only; nobody else needs to import it.
package racesync

import (
	"runtime"
	"unsafe"
)

// Operations on an address pair through that address. A release fence pairs with every later acquire fence, and with
// every later acquire operation; a release operation with every later acquire fence. That hides some races and reports
// none that is not there.
var fences, ops byte

// Release is a release operation on addr: what the goroutine did before is visible to who acquires addr later.
func Release(addr unsafe.Pointer) {
	runtime.RaceReleaseMerge(addr)
	runtime.RaceReleaseMerge(unsafe.Pointer(&ops))
}

// Acquire is an acquire operation on addr.
func Acquire(addr unsafe.Pointer) {
	runtime.RaceAcquire(addr)
	runtime.RaceAcquire(unsafe.Pointer(&fences))
}

// ReleaseFence is a release fence.
func ReleaseFence() {
	runtime.RaceReleaseMerge(unsafe.Pointer(&fences))
}

// AcquireFence is an acquire fence.
func AcquireFence() {
	runtime.RaceAcquire(unsafe.Pointer(&fences))
	runtime.RaceAcquire(unsafe.Pointer(&ops))
}
