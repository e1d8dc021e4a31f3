// Package callers has fences that are redundant because of what all callers of their function do.
package callers

import (
	"sync"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

var (
	x, y, z int
	flag    uint32
	mu      sync.Mutex
	n       atomics.Uint64
)

// One caller, with something full before the call.

func oneCaller() {
	x = 1
	n.AddFull(1)
	afterOne()
}

func afterOne() {
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: atomics.Uint64.AddFull on line \d+ orders already \(the only caller of callers.afterOne is in this package\)`
	y = x
}

// Two callers, both with a fence before the call.

func callsFirst() {
	x = 1
	barrier.Full()
	afterBoth()
	y = 1
}

func callsAgain(c bool) {
	if c {
		barrier.Full()
		afterBoth()
	}
}

func afterBoth() {
	barrier.Acquire() // want `barrier.Acquire is redundant on arm64: barrier.Full on line \d+ and barrier.Full on line \d+ order already \(all 2 callers of callers.afterBoth are in this package\); no instruction on amd64`
	z = x
}

// The caller's fence comes behind the call.

func fencesBehind() {
	beforeFence()
	barrier.Full()
	y = x
}

func beforeFence() {
	x = 1
	barrier.Write() // want `barrier.Write is redundant on arm64: barrier.Full on line \d+ orders already \(the only caller of callers.beforeFence is in this package\); no instruction on amd64`
}

// The caller's caller orders.

func outer() {
	x = 1
	n.AddFull(1)
	middle(true)
}

func middle(c bool) {
	if c {
		inner()
	}
}

func inner() {
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: atomics.Uint64.AddFull on line \d+ orders already \(the only caller of callers.inner is in this package\)`
	y = x
}

// It calls itself.

func count(i int) {
	n.AddFull(1)
	down(i)
}

func down(i int) {
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: atomics.Uint64.AddFull on line \d+ and atomics.Uint64.AddFull on line \d+ order already \(all 2 callers of callers.down are in this package\)`
	if i > 0 {
		n.AddFull(1)
		down(i - 1)
	}
}

// The same, but behind an access.

func countAccesses(i int) {
	n.AddFull(1)
	downAccesses(i)
}

func downAccesses(i int) {
	barrier.Full()
	y = x
	if i > 0 {
		downAccesses(i - 1)
	}
}

// The inner call returns to where the outer one goes on to read.

func countBack(i int) {
	downAndBack(i)
	n.AddFull(1)
}

func downAndBack(i int) {
	x = 1
	if i > 0 {
		downAndBack(i - 1)
		z = y
	}
	barrier.Full()
}

// A method that no interface has.

type queue struct{ head, tail int }

// Push can be called by anybody.
func (q *queue) Push() {
	q.tail++
	barrier.Full()
	q.publish()
}

func (q *queue) publish() {
	barrier.Release() // want `barrier.Release is redundant on arm64: barrier.Full on line \d+ orders already \(the only caller of callers.queue.publish is in this package\); no instruction on amd64`
	q.head = q.tail
}

// A release store does not order later accesses; here something full does.

func publishes() {
	x = 1
	set()
	n.AddFull(1)
}

func set() {
	barrier.Write() // want `barrier.Write is redundant on arm64: atomics.Uint64.AddFull on line \d+ and atomic.StoreUint32 on line \d+ order already \(the only caller of callers.set is in this package\); no instruction on amd64`
	atomic.StoreUint32(&flag, 1)
}

// Here a caller shows what needs it: more than set on its own does.

func publishesMore() {
	x = 1
	setBefore()
	y = 1
}

func setBefore() {
	barrier.Write()
	atomic.StoreUint32(&flag, 1)
}

// Both the caller's and the callee's would do: what holds whoever calls comes first.

func both() {
	x = 1
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: barrier.Full on line \d+ orders already`
	begins()
}

func begins() {
	barrier.Full()
	y = x
}

// From a function literal.

var literal = func() {
	n.AddFull(1)
	fromLiteral()
}

func fromLiteral() {
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: atomics.Uint64.AddFull on line \d+ orders already \(the only caller`
	y = x
}

// With a deferred call in the caller.

func locked() {
	mu.Lock()
	defer mu.Unlock()
	n.AddFull(1)
	underLock()
}

func underLock() {
	barrier.Full() // want `barrier.Full is redundant on amd64 and arm64: atomics.Uint64.AddFull on line \d+ orders already \(the only caller`
	y = x
}
