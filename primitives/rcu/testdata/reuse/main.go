// Command reuse removes an object that a reader holds, and writes to it: after a grace period, or without one. The
// race detector is to see the difference.
//
//	reuse fenced|membarrier|quiescent synchronize|defer|skip
//	reuse fenced|membarrier unlocked
package main

import (
	"os"
	"runtime"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/rcu"
)

type object struct{ value int }

type reader interface {
	ReadLock()
	ReadUnlock()
	Unregister()
}

// await waits without telling the race detector of any order.
func await(p *atomics.Uint32) {
	for p.LoadRelaxed() == 0 {
		runtime.Gosched()
	}
}

func main() {
	var (
		current      atomics.Pointer[object]
		holding, on  atomics.Uint32
		sum          int
		done         = make(chan struct{})
		synchronize  func()
		deferred     func(func())
		barrier      func()
		register     func() reader
		flavour, how = os.Args[1], os.Args[2]
	)
	switch flavour {
	case "fenced":
		d := rcu.NewFenced()
		synchronize, deferred, barrier, register = d.Synchronize, d.Defer, d.Barrier, func() reader { return d.Register() }
	case "membarrier":
		d := rcu.NewMembarrier()
		synchronize, deferred, barrier, register = d.Synchronize, d.Defer, d.Barrier, func() reader { return d.Register() }
	case "quiescent":
		d := rcu.NewQuiescent()
		synchronize, deferred, barrier, register = d.Synchronize, d.Defer, d.Barrier, func() reader { return d.Register() }
	}
	current.StoreRelease(&object{1})
	go func() {
		r := register()
		if how != "unlocked" {
			r.ReadLock()
		}
		o := current.LoadAcquire()
		holding.StoreRelaxed(1)
		await(&on)
		sum += o.value
		if how != "unlocked" {
			r.ReadUnlock()
		}
		r.Unregister()
		close(done)
	}()
	await(&holding)
	old := current.SwapRelease(&object{2})
	switch how {
	case "synchronize":
		on.StoreRelaxed(1)
		synchronize()
		old.value = -1
	case "defer":
		deferred(func() { old.value = -1 })
		on.StoreRelaxed(1)
		barrier()
	default:
		if how == "unlocked" {
			synchronize() // waits for nobody
		}
		old.value = -1
		on.StoreRelaxed(1)
	}
	<-done
}
