package once

import (
	"sync"

	"github.com/barriergen/barriergen/primitives/barrier"
)

var (
	once    sync.Once
	x, y, z int
)

func fill() { x = 1 }

// Whoever returns has read that the function is done.
func acquires() int {
	once.Do(fill)
	barrier.Acquire() // want `barrier.Acquire is redundant on arm64 for the accesses seen here: sync.Once.Do on line \d+ orders already \(it is needed if earlier reads that are not seen here must come before later reads\); no instruction on amd64`
	return y
}

func literal() int {
	once.Do(func() { x = 1 })
	barrier.Acquire() // want `barrier.Acquire is redundant on arm64 for the accesses seen here: sync.Once.Do on line \d+ orders already`
	return y
}

// If nothing comes before the call but a fence.
func fenced() int {
	barrier.Full()
	return behind()
}

func behind() int {
	once.Do(fill)
	barrier.Acquire() // want `barrier.Acquire is redundant on arm64: sync.Once.Do on line \d+ and barrier.Full on line \d+ order already \(the only caller of once.behind is in this package\); no instruction on amd64`
	return y
}

// Silent.

// On amd64 it is a load: no fence.
func notFull() int {
	x = 1
	once.Do(fill)
	barrier.Full()
	return y
}

// If the function runs here, what it reads is not ordered.
func copies() { x = z }

func runsHere() int {
	once.Do(copies)
	barrier.Acquire()
	return y
}

// What a function does of which nothing is known is not seen.
func unknown(f func()) int {
	once.Do(f)
	barrier.Acquire() // want `barrier.Acquire is redundant on arm64 for the accesses seen here: sync.Once.Do on line \d+ orders already`
	return y
}

// Its fence is one of the first call only.
func fences() {
	barrier.Full()
}

func fencesOnce() int {
	x = 1
	once.Do(fences)
	barrier.Full()
	return y
}

// Nor does it release.
func before() {
	x = 1
	barrier.Release()
	once.Do(fill)
}
