// Command scenario runs one way to publish against one way to consume, or one
// of a few special cases, under the race detector.
//
//	scenario PUBLISH CONSUME [ROUNDS]
//	scenario special NAME
//	scenario list
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// shared is what writer and reader have in common in one round. Only data is
// accessed plainly.
type shared struct {
	data int
	_    [120]byte
	flag uint64 // 0, then 1; for bit locks bit 0 is the lock, taken at first
	_    [120]byte
	ptr  *int
	typ  atomics.Uint64
	up   atomic.Bool
}

func main() {
	args := os.Args[1:]
	switch {
	case len(args) == 1 && args[0] == "list":
		for _, name := range slices.Sorted(maps.Keys(publishers)) {
			fmt.Printf("publish\t%s\t%s\n", publishers[name].kind, name)
		}
		for _, name := range slices.Sorted(maps.Keys(consumers)) {
			fmt.Printf("consume\t%s\t%s\n", consumers[name].kind, name)
		}
		for _, name := range slices.Sorted(maps.Keys(specials)) {
			fmt.Printf("special\t%s\n", name)
		}
	case len(args) == 2 && args[0] == "special" && specials[args[1]] != nil:
		specials[args[1]]()
	case len(args) >= 2 && publishers[args[0]].f != nil && consumers[args[1]].f != nil:
		rounds := 50
		if len(args) == 3 {
			var err error
			if rounds, err = strconv.Atoi(args[2]); err != nil {
				fail(err)
			}
		}
		for range rounds {
			handOff(publishers[args[0]], consumers[args[1]])
		}
	default:
		fail("unknown scenario: ", args)
	}
}

func fail(v ...any) {
	fmt.Fprintln(os.Stderr, v...)
	os.Exit(2)
}

// handOff starts a reader, which waits by the consumer's own means, and only
// then writes and publishes. Starting the goroutine orders what came before
// it; the flag that says the reader is up, and the channel at the end, order
// the reader before the writer. Nothing orders the write before the read.
func handOff(p publisher, c consumer) {
	if p.kind != c.kind {
		fail("these two use different flags")
	}
	s := new(shared)
	if p.kind == bitLock {
		s.flag = 1
	}
	var got int
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c.early != nil {
			c.early(s)
		}
		s.up.Store(true)
		c.f(s)
		got = s.data
	}()
	spin(s.up.Load)
	s.data = 42
	p.f(s)
	<-done
	if got != 42 {
		fail("read", got)
	}
}
