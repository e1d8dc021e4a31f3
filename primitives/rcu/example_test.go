package rcu_test

import (
	"fmt"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/rcu"
)

// A configuration that is replaced while it is read. Its buffer goes back to a pool when nobody can hold it any more.
func Example() {
	type config struct{ text []byte }
	var current atomics.Pointer[config]
	current.StoreRelease(&config{[]byte("old")})
	domain := rcu.NewMembarrier() // with fences in the readers where the kernel can't help

	reader := domain.Register()
	defer reader.Unregister()
	reader.ReadLock()
	fmt.Printf("%s\n", current.LoadAcquire().text)
	reader.ReadUnlock()

	old := current.SwapRelease(&config{[]byte("new")})
	domain.Synchronize()
	clear(old.text) // no reader has it

	reader.ReadLock()
	fmt.Printf("%s\n", current.LoadAcquire().text)
	reader.ReadUnlock()
	// Output:
	// old
	// new
}

func ExampleQuiescentReader() {
	domain := rcu.NewQuiescent()
	reader := domain.Register()
	defer reader.Unregister()
	for range 3 { // requests, say
		reader.ReadLock()
		reader.ReadUnlock()
		reader.Quiescent()
	}
	reader.Offline() // to wait for more
	domain.Synchronize()
	reader.Online()
	// Output:
}
