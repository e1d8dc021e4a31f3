// Command reuse removes an object that a reader holds, and writes to it: after a grace period, or without one. The
// race detector is to see the difference.
//
//	reuse domain|fast synchronize|expedited|call|poll|skip|unlocked
package main

import (
	"os"
	"runtime"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/srcu"
)

type object struct{ value int }

// await waits without telling the race detector of any order.
func await(p *atomics.Uint32) {
	for p.LoadRelaxed() == 0 {
		runtime.Gosched()
	}
}

func main() {
	var (
		current     atomics.Pointer[object]
		holding, on atomics.Uint32
		sum         int
		done        = make(chan struct{})
		d           = srcu.New()
		how         = os.Args[2]
	)
	current.StoreRelease(&object{1})
	go func() {
		lock, unlock := d.ReadLock, d.ReadUnlock
		if os.Args[1] == "fast" {
			r := d.RegisterFast()
			lock, unlock = r.ReadLock, r.ReadUnlock
		}
		if how == "unlocked" {
			lock, unlock = func() int { return 0 }, func(int) {}
		}
		i := lock()
		o := current.LoadAcquire()
		holding.StoreRelaxed(1)
		await(&on)
		sum += o.value
		unlock(i)
		close(done)
	}()
	await(&holding)
	old := current.SwapRelease(&object{2})
	switch how {
	case "synchronize":
		on.StoreRelaxed(1)
		d.Synchronize()
		old.value = -1
	case "expedited":
		on.StoreRelaxed(1)
		d.SynchronizeExpedited()
		old.value = -1
	case "call":
		d.Call(func() { old.value = -1 })
		on.StoreRelaxed(1)
		d.Barrier()
	case "poll":
		c := d.StartPoll()
		on.StoreRelaxed(1)
		for !d.Poll(c) {
			runtime.Gosched()
		}
		old.value = -1
	case "unlocked":
		d.Synchronize() // waits for nobody
		fallthrough
	default:
		old.value = -1
		on.StoreRelaxed(1)
	}
	<-done
}
