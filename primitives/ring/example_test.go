package ring_test

import (
	"fmt"
	"runtime"

	"github.com/barriergen/barriergen/primitives/ring"
)

// One goroutine pushes and another pops; what to do when the ring is full or empty is up to them.
func ExampleSPSC() {
	squares := ring.NewSPSC[int](8)
	go func() {
		for i := range 100 {
			for !squares.Push(i * i) {
				runtime.Gosched()
			}
		}
	}()
	sum := 0
	for range 100 {
		v, ok := squares.Pop()
		for ; !ok; v, ok = squares.Pop() {
			runtime.Gosched()
		}
		sum += v
	}
	fmt.Println(sum)
	// Output: 328350
}

// Any number of goroutines push.
func ExampleMPSC() {
	events := ring.NewMPSC[string](8)
	for _, name := range []string{"a", "b", "c"} {
		go func() {
			for !events.Push(name) {
				runtime.Gosched()
			}
		}()
	}
	seen := map[string]bool{}
	for len(seen) < 3 {
		if name, ok := events.Pop(); ok {
			seen[name] = true
		}
		runtime.Gosched()
	}
	fmt.Println(seen)
	// Output: map[a:true b:true c:true]
}
