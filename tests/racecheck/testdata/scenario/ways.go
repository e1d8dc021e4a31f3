package main

import (
	"runtime"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// kind says what stands for "published": a number, a pointer, a typed value,
// or a lock bit that was given up.
type kind string

const (
	number  kind = "number"
	pointer kind = "pointer"
	typed   kind = "typed"
	bitLock kind = "bitLock"
)

type publisher struct {
	kind kind
	f    func(s *shared)
}

type consumer struct {
	kind  kind
	f     func(s *shared) // returns once it has seen the publication
	early func(s *shared) // if set, runs before anything is written
}

// spin waits without any synchronisation that the detector knows.
func spin(ready func() bool) {
	for !ready() {
		runtime.Gosched()
	}
}

// Names that start with "broken" lack the order.
var publishers = map[string]publisher{
	"StoreRelease": {number, func(s *shared) { atomics.StoreReleaseUint64(&s.flag, 1) }},
	// StoreFull is not among them: its fence comes behind the store, so it publishes nothing that came before.
	"Release+StoreRelaxed": {number, func(s *shared) { barrier.Release(); atomics.StoreRelaxedUint64(&s.flag, 1) }},
	"Write+StoreRelaxed":   {number, func(s *shared) { barrier.Write(); atomics.StoreRelaxedUint64(&s.flag, 1) }},
	"Full+StoreRelaxed":    {number, func(s *shared) { barrier.Full(); atomics.StoreRelaxedUint64(&s.flag, 1) }},
	"Release+AddRelaxed":   {number, func(s *shared) { barrier.Release(); atomics.AddRelaxedUint64(&s.flag, 1) }},
	"BeforeAtomic+AddRelaxed": {number, func(s *shared) {
		barrier.BeforeAtomic()
		atomics.AddRelaxedUint64(&s.flag, 1)
	}},
	"AddRelease":            {number, func(s *shared) { atomics.AddReleaseUint64(&s.flag, 1) }},
	"AddFull":               {number, func(s *shared) { atomics.AddFullUint64(&s.flag, 1) }},
	"OrRelease":             {number, func(s *shared) { atomics.OrReleaseUint64(&s.flag, 1) }},
	"XorRelease":            {number, func(s *shared) { atomics.XorReleaseUint64(&s.flag, 1) }},
	"SwapRelease":           {number, func(s *shared) { atomics.SwapReleaseUint64(&s.flag, 1) }},
	"SwapFull":              {number, func(s *shared) { atomics.SwapFullUint64(&s.flag, 1) }},
	"CompareAndSwapRelease": {number, func(s *shared) { atomics.CompareAndSwapReleaseUint64(&s.flag, 0, 1) }},
	"CompareAndSwapFull":    {number, func(s *shared) { atomics.CompareAndSwapFullUint64(&s.flag, 0, 1) }},
	"TestAndSetBit":         {number, func(s *shared) { bitops.TestAndSetBit(&s.flag, 0) }},

	"broken StoreRelaxed":          {number, func(s *shared) { atomics.StoreRelaxedUint64(&s.flag, 1) }},
	"broken Compiler+StoreRelaxed": {number, func(s *shared) { barrier.Compiler(); atomics.StoreRelaxedUint64(&s.flag, 1) }},
	"broken Acquire+StoreRelaxed":  {number, func(s *shared) { barrier.Acquire(); atomics.StoreRelaxedUint64(&s.flag, 1) }},
	"broken AddRelaxed":            {number, func(s *shared) { atomics.AddRelaxedUint64(&s.flag, 1) }},
	"broken AddAcquire":            {number, func(s *shared) { atomics.AddAcquireUint64(&s.flag, 1) }},
	"broken OrRelaxed":             {number, func(s *shared) { atomics.OrRelaxedUint64(&s.flag, 1) }},
	"broken XorRelaxed":            {number, func(s *shared) { atomics.XorRelaxedUint64(&s.flag, 1) }},
	"broken SwapAcquire":           {number, func(s *shared) { atomics.SwapAcquireUint64(&s.flag, 1) }},
	"broken CompareAndSwapRelaxed": {number, func(s *shared) { atomics.CompareAndSwapRelaxedUint64(&s.flag, 0, 1) }},
	"broken SetBit":                {number, func(s *shared) { bitops.SetBit(&s.flag, 0) }},
	"broken StoreRelease elsewhere": {number, func(s *shared) {
		var other uint64
		atomics.StoreReleaseUint64(&other, 1)
		atomics.StoreRelaxedUint64(&s.flag, 1)
	}},

	"StoreReleasePointer":                 {pointer, func(s *shared) { atomics.StoreReleasePointer(&s.ptr, &s.data) }},
	"SwapReleasePointer":                  {pointer, func(s *shared) { atomics.SwapReleasePointer(&s.ptr, &s.data) }},
	"CompareAndSwapFullPointer":           {pointer, func(s *shared) { atomics.CompareAndSwapFullPointer(&s.ptr, nil, &s.data) }},
	"Release+StoreRelaxedPointer":         {pointer, func(s *shared) { barrier.Release(); atomics.StoreRelaxedPointer(&s.ptr, &s.data) }},
	"broken StoreRelaxedPointer":          {pointer, func(s *shared) { atomics.StoreRelaxedPointer(&s.ptr, &s.data) }},
	"broken SwapRelaxedPointer":           {pointer, func(s *shared) { atomics.SwapRelaxedPointer(&s.ptr, &s.data) }},
	"broken CompareAndSwapAcquirePointer": {pointer, func(s *shared) { atomics.CompareAndSwapAcquirePointer(&s.ptr, nil, &s.data) }},

	"typed StoreRelease":        {typed, func(s *shared) { s.typ.StoreRelease(1) }},
	"typed SwapFull":            {typed, func(s *shared) { s.typ.SwapFull(1) }},
	"broken typed StoreRelaxed": {typed, func(s *shared) { s.typ.StoreRelaxed(1) }},

	"ClearBitUnlock":          {bitLock, func(s *shared) { bitops.ClearBitUnlock(&s.flag, 0) }},
	"ClearBitUnlockNonAtomic": {bitLock, func(s *shared) { bitops.ClearBitUnlockNonAtomic(&s.flag, 0) }},
	"XorUnlockIsNegativeByte": {bitLock, func(s *shared) { bitops.XorUnlockIsNegativeByte(&s.flag, 1) }},
	"TestAndClearBit":         {bitLock, func(s *shared) { bitops.TestAndClearBit(&s.flag, 0) }},
	"Release+ClearBit":        {bitLock, func(s *shared) { barrier.Release(); bitops.ClearBit(&s.flag, 0) }},
	"broken ClearBit":         {bitLock, func(s *shared) { bitops.ClearBit(&s.flag, 0) }},
	"broken ChangeBit":        {bitLock, func(s *shared) { bitops.ChangeBit(&s.flag, 0) }},
	"broken lock+ClearBit":    {bitLock, func(s *shared) { bitops.TestAndSetBitLock(&s.flag, 7); bitops.ClearBit(&s.flag, 0) }},
	"broken unlock elsewhere": {bitLock, func(s *shared) {
		other := uint64(1)
		bitops.ClearBitUnlock(&other, 0)
		bitops.ClearBit(&s.flag, 0)
	}},
}

var consumers = map[string]consumer{
	"LoadAcquire": {kind: number, f: func(s *shared) { spin(func() bool { return atomics.LoadAcquireUint64(&s.flag) == 1 }) }},
	"LoadRelaxed+Acquire": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 })
		barrier.Acquire()
	}},
	"LoadRelaxed+Read": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 })
		barrier.Read()
	}},
	"LoadRelaxed+Full": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 })
		barrier.Full()
	}},
	"LoadRelaxed+AcquireAfterControlDependency": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 })
		barrier.AcquireAfterControlDependency()
	}},
	"AddRelaxed+AfterAtomic": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.AddRelaxedUint64(&s.flag, 0) == 1 })
		barrier.AfterAtomic()
	}},
	"CondLoadAcquire": {kind: number, f: func(s *shared) { atomics.CondLoadAcquireUint64(&s.flag, isOne) }},
	"AddAcquire":      {kind: number, f: func(s *shared) { spin(func() bool { return atomics.AddAcquireUint64(&s.flag, 0) == 1 }) }},
	"OrAcquire":       {kind: number, f: func(s *shared) { spin(func() bool { return atomics.OrAcquireUint64(&s.flag, 0) == 1 }) }},
	"AndFull":         {kind: number, f: func(s *shared) { spin(func() bool { return atomics.AndFullUint64(&s.flag, 1) == 1 }) }},
	"CompareAndSwapAcquire": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.CompareAndSwapAcquireUint64(&s.flag, 1, 2) })
	}},
	"CompareAndSwapFull": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.CompareAndSwapFullUint64(&s.flag, 1, 2) })
	}},
	"TestBitAcquire": {kind: number, f: func(s *shared) { spin(func() bool { return bitops.TestBitAcquire(&s.flag, 0) }) }},

	"broken LoadRelaxed": {kind: number, f: func(s *shared) { spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 }) }},
	"broken LoadRelaxed+Release": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 })
		barrier.Release()
	}},
	"broken LoadRelaxed+Compiler": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 })
		barrier.Compiler()
	}},
	"broken Acquire+LoadRelaxed": {
		kind:  number,
		early: func(*shared) { barrier.Acquire() },
		f:     func(s *shared) { spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 }) },
	},
	"broken CondLoadRelaxed": {kind: number, f: func(s *shared) { atomics.CondLoadRelaxedUint64(&s.flag, isOne) }},
	"broken AddRelaxed":      {kind: number, f: func(s *shared) { spin(func() bool { return atomics.AddRelaxedUint64(&s.flag, 0) == 1 }) }},
	"broken AddRelease":      {kind: number, f: func(s *shared) { spin(func() bool { return atomics.AddReleaseUint64(&s.flag, 0) == 1 }) }},
	"broken CompareAndSwapRelease": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.CompareAndSwapReleaseUint64(&s.flag, 1, 2) })
	}},
	"broken TestBit": {kind: number, f: func(s *shared) { spin(func() bool { return bitops.TestBit(&s.flag, 0) }) }},
	"broken LoadAcquire elsewhere": {kind: number, f: func(s *shared) {
		var other uint64
		spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 })
		atomics.LoadAcquireUint64(&other)
	}},
	// A compare-and-swap that failed promises nothing.
	"broken failed CompareAndSwapAcquire": {kind: number, f: func(s *shared) {
		spin(func() bool { return atomics.LoadRelaxedUint64(&s.flag) == 1 })
		atomics.CompareAndSwapAcquireUint64(&s.flag, 7, 8)
	}},

	"LoadAcquirePointer": {kind: pointer, f: func(s *shared) { spin(func() bool { return atomics.LoadAcquirePointer(&s.ptr) != nil }) }},
	"LoadRelaxedPointer+Acquire": {kind: pointer, f: func(s *shared) {
		spin(func() bool { return atomics.LoadRelaxedPointer(&s.ptr) != nil })
		barrier.Acquire()
	}},
	"SwapAcquirePointer":        {kind: pointer, f: func(s *shared) { spin(func() bool { return atomics.SwapAcquirePointer(&s.ptr, nil) != nil }) }},
	"broken LoadRelaxedPointer": {kind: pointer, f: func(s *shared) { spin(func() bool { return atomics.LoadRelaxedPointer(&s.ptr) != nil }) }},
	"broken SwapReleasePointer": {kind: pointer, f: func(s *shared) { spin(func() bool { return atomics.SwapReleasePointer(&s.ptr, nil) != nil }) }},

	"typed LoadAcquire":        {kind: typed, f: func(s *shared) { spin(func() bool { return s.typ.LoadAcquire() == 1 }) }},
	"typed AddAcquire":         {kind: typed, f: func(s *shared) { spin(func() bool { return s.typ.AddAcquire(0) == 1 }) }},
	"broken typed LoadRelaxed": {kind: typed, f: func(s *shared) { spin(func() bool { return s.typ.LoadRelaxed() == 1 }) }},

	"TestAndSetBitLock":    {kind: bitLock, f: func(s *shared) { spin(func() bool { return !bitops.TestAndSetBitLock(&s.flag, 0) }) }},
	"TestAndSetBit":        {kind: bitLock, f: func(s *shared) { spin(func() bool { return !bitops.TestAndSetBit(&s.flag, 0) }) }},
	"TestBitAcquire clear": {kind: bitLock, f: func(s *shared) { spin(func() bool { return !bitops.TestBitAcquire(&s.flag, 0) }) }},
	"broken TestBit clear": {kind: bitLock, f: func(s *shared) { spin(func() bool { return !bitops.TestBit(&s.flag, 0) }) }},
	"broken lock elsewhere": {kind: bitLock, f: func(s *shared) {
		var other uint64
		spin(func() bool { return !bitops.TestBit(&s.flag, 0) })
		bitops.TestAndSetBitLock(&other, 0)
	}},
	// It returned true: somebody holds the lock, and nothing is ordered.
	"broken TestAndSetBitLock that fails": {kind: bitLock, f: func(s *shared) {
		spin(func() bool { return !bitops.TestBit(&s.flag, 0) })
		atomics.OrRelaxedUint64(&s.flag, 1)
		bitops.TestAndSetBitLock(&s.flag, 0)
	}},
}

func isOne(v uint64) bool { return v == 1 }
