// Program progress uses every algorithm that waits from several goroutines, some of which lose the processor while others
// wait for them. Where the waiting did not give the processor away, one processor without preemption would never end.
package main

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/postedintr"
	"github.com/barriergen/barriergen/primitives/ring"
	"github.com/barriergen/barriergen/primitives/seqlock"
	"github.com/barriergen/barriergen/primitives/spinlock"
)

const (
	goroutines = 4
	each       = 200
)

func together(f func(i int)) {
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

func locks() {
	var mcs spinlock.MCS
	nodes := make([]spinlock.MCSNode, goroutines)
	use := func(lock, unlock func(i int)) {
		count := 0
		together(func(i int) {
			for range each {
				lock(i)
				count++
				runtime.Gosched()
				unlock(i)
			}
		})
		if count != goroutines*each {
			panic(fmt.Sprintf("counted to %d", count))
		}
	}
	for _, l := range []sync.Locker{new(spinlock.Ticket), new(spinlock.Parking), new(spinlock.Queued)} {
		use(func(int) { l.Lock() }, func(int) { l.Unlock() })
	}
	use(func(i int) { mcs.Lock(&nodes[i]) }, func(i int) { mcs.Unlock(&nodes[i]) })
}

func counts() {
	var c seqlock.Count
	var x atomics.Uint32
	together(func(i int) {
		for range each {
			if i == 0 {
				c.WriteBegin()
				runtime.Gosched()
				x.StoreRelaxed(x.LoadRelaxed() + 1)
				c.WriteEnd()
				continue
			}
			begin := c.ReadBegin()
			x.LoadRelaxed()
			c.ReadRetry(begin)
			runtime.Gosched()
		}
	})
}

func mailbox() {
	woken := make(chan struct{}, 1)
	m := postedintr.NewMailbox(1, func() { woken <- struct{}{} })
	q := ring.NewMPSC[int](2)
	together(func(i int) {
		if i > 0 {
			for n := range each {
				for !q.Push(n) {
					runtime.Gosched()
				}
				m.Post(uint(i))
			}
			return
		}
		for received := 0; received < (goroutines-1)*each; {
			<-woken
			var bits [1]uint64
			m.Sync(bits[:])
			for _, ok := q.Pop(); ok; _, ok = q.Pop() {
				received++
			}
		}
	})
}

func main() {
	locks()
	counts()
	mailbox()
	fmt.Println("done on", runtime.GOARCH)
}
