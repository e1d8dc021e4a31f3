package spinlock_test

import (
	"fmt"
	"sync"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/spinlock"
)

// A Ticket guards a few words that are written often and briefly.
func Example() {
	var stats struct {
		spinlock.Ticket
		count, sum int
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			stats.Lock()
			stats.count++
			stats.sum += i
			stats.Unlock()
		})
	}
	all.Wait()
	fmt.Println(stats.count, stats.sum)
	// Output: 4 6
}

// Each goroutine has its own node, and uses it for one lock at a time.
func ExampleMCS() {
	var lock spinlock.MCS
	total := 0
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			node := new(spinlock.MCSNode)
			for range 100 {
				lock.Lock(node)
				total++
				lock.Unlock(node)
			}
		})
	}
	all.Wait()
	fmt.Println(total)
	// Output: 400
}

// Lock is an acquire only: without the fence the load of asleep could come before the store to work, and the other side,
// which stores asleep and then looks for work, could find none.
func ExampleTicket_AfterSpinlock() {
	var (
		lock         spinlock.Ticket
		work, asleep atomics.Uint32
	)
	work.StoreRelaxed(1)
	lock.Lock()
	lock.AfterSpinlock()
	wake := asleep.LoadRelaxed() == 1
	lock.Unlock()
	fmt.Println(wake)
	// Output: false
}
