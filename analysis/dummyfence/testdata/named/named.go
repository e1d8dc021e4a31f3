// Package named has functions that are fences by name.
package named

import (
	"runtime"
	"sync/atomic"
)

var word atomic.Int32

func MemoryBarrier() { // want MemoryBarrier:"no fence" `MemoryBarrier is no fence: runtime.KeepAlive stops the compiler only, and amd64 and arm64 need an instruction for RR RW WR WW; barrier.Full is one`
	runtime.KeepAlive(0)
}

func FullBarrier() { // want FullBarrier:"no fence" `FullBarrier is no fence: an atomic load whose result nobody uses is no fence on any architecture; barrier.Full is one`
	_ = word.Load()
}

func smp_wmb() { // want smp_wmb:"no fence" `smp_wmb is no fence: runtime.KeepAlive stops the compiler only, and arm64 needs an instruction for WW; barrier.Write is one`
	runtime.KeepAlive(nil)
}

func LoadFence() {} // want LoadFence:"no fence" `LoadFence is no fence: an empty function is inlined to nothing, and does not even stop the compiler; barrier.Acquire is one`

type none struct{}

func (none) MemoryBarrier() {}

func MemFence() { word.Add(0) } // want `word.Add\(0\) does nothing but order`

func Fence() {}

func barrier() { runtime.KeepAlive(0) }
