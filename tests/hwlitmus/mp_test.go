//go:build !race

package hwlitmus

import (
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
)

// as gives a narrower or typed look at a word that starts as zero.
func as[T any](p *uint64) *T { return (*T)(unsafe.Pointer(p)) }

// checked returns the variables of a writer, known not to be nil: a check
// between the stores would keep the first of them alive, barrier or not.
func checked(v *view) (a, b *uint64) {
	a, b = v.a, v.b
	_, _ = *a, *b
	return a, b
}

// late returns an odd number after a while: a store of it that took the place
// of an earlier one leaves time to see that the earlier one is missing.
func late(p *uint64) uint64 {
	x := uint64(uintptr(unsafe.Pointer(p))) | 1
	x *= x
	x *= x
	x *= x
	x *= x
	x *= x
	x *= x
	x *= x
	x *= x
	return x
}

// messagePassing is W d; F; W f against R f; F; R d: the new flag with the old
// data is forbidden. P0 calls the data a and the flag b, P1 the other way
// round. Data accesses are plain wherever the primitive alone must hold them.
//
// Writers store to the data again afterwards, and readers look at it before as
// well: a compiler that sees no barrier between drops the first store as dead
// and takes the early load for the late one, and the outcome shows on every
// machine. The data is odd once it is written.
func messagePassing() []row {
	type entry struct {
		name           string
		expect         expectation
		init           uint64
		writer, reader thread
	}
	plainReader := func(v *view) (uint64, uint64) {
		a, b := v.a, v.b
		early := *b
		f := atomics.LoadAcquireUint64(a)
		return f, *b | early<<8
	}
	var rows []row
	for _, e := range []entry{
		{"relaxed", neverTSO, 0, func(v *view) (uint64, uint64) {
			atomics.StoreRelaxedUint64(v.a, 1)
			atomics.StoreRelaxedUint64(v.b, 1)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			f := atomics.LoadRelaxedUint64(v.a)
			return f, atomics.LoadRelaxedUint64(v.b)
		}},
		{"StoreRelease+LoadAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.StoreReleaseUint64(b, 1)
			*a = late(a)
			return 0, 0
		}, plainReader},
		{"StoreRelease+LoadAcquire/Int64", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.StoreReleaseInt64(as[int64](b), 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.LoadAcquireInt64(as[int64](a))
			return uint64(f), *b | early<<8
		}},
		{"StoreRelease+LoadAcquire/Uint32", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.StoreReleaseUint32(as[uint32](b), 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.LoadAcquireUint32(as[uint32](a))
			return uint64(f), *b | early<<8
		}},
		{"StoreRelease+LoadAcquire/Int32", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.StoreReleaseInt32(as[int32](b), 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.LoadAcquireInt32(as[int32](a))
			return uint64(f), *b | early<<8
		}},
		{"StoreRelease+LoadAcquire/Uintptr", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.StoreReleaseUintptr(as[uintptr](b), 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.LoadAcquireUintptr(as[uintptr](a))
			return uint64(f), *b | early<<8
		}},
		{"StoreRelease+LoadAcquire/Pointer", never, 0, func(v *view) (uint64, uint64) {
			a, pb := v.a, v.pb
			*a = 1
			atomics.StoreReleasePointer(pb, a)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			pa, b := v.pa, v.b
			early := *b
			if p := atomics.LoadAcquirePointer(pa); p != nil {
				return 1, *b | early<<8
			}
			return 0, 0
		}},
		{"typed StoreRelease+LoadAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			as[atomics.Uint64](b).StoreRelease(1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := as[atomics.Uint64](a).LoadAcquire()
			return f, *b | early<<8
		}},
		{"Release+relaxed, LoadAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.Release()
			atomics.StoreRelaxedUint64(b, 1)
			*a = late(a)
			return 0, 0
		}, plainReader},
		{"Release, Acquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.Release()
			*b = 1
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := *a
			barrier.Acquire()
			return f, *b | early<<8
		}},
		{"Release+relaxed, relaxed+Acquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.Release()
			atomics.StoreRelaxedUint64(b, 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.LoadRelaxedUint64(a)
			barrier.Acquire()
			return f, *b | early<<8
		}},
		{"Write, Read", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.Write()
			*b = 1
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := *a
			barrier.Read()
			return f, *b | early<<8
		}},
		{"DMAWrite, DMARead", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.DMAWrite()
			*b = 1
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := *a
			barrier.DMARead()
			return f, *b | early<<8
		}},
		{"MandatoryWrite, MandatoryRead", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.MandatoryWrite()
			*b = 1
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := *a
			barrier.MandatoryRead()
			return f, *b | early<<8
		}},
		{"VirtWrite, VirtRead", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.VirtWrite()
			*b = 1
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := *a
			barrier.VirtRead()
			return f, *b | early<<8
		}},
		{"Full, Full", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.Full() //nolint:weakerfence // more than this test needs
			*b = 1
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := *a
			barrier.Full() //nolint:weakerfence // more than this test needs
			return f, *b | early<<8
		}},
		{"StoreRelease, AcquireAfterControlDependency", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.StoreReleaseUint64(b, 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			if atomics.LoadRelaxedUint64(a) == 0 {
				return 0, 0
			}
			barrier.AcquireAfterControlDependency()
			return 1, *b | early<<8
		}},
		{"StoreRelease, CondLoadAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.StoreReleaseUint64(b, 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.CondLoadAcquireUint64(a, func(f uint64) bool { return f != 0 })
			return f, *b | early<<8
		}},
		{"AddRelease, AddAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.AddReleaseUint64(b, 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.AddAcquireUint64(a, 0)
			return f, *b | early<<8
		}},
		{"SwapRelease, OrAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.SwapReleaseUint64(b, 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.OrAcquireUint64(a, 0)
			return f, *b | early<<8
		}},
		{"CompareAndSwapRelease, CompareAndSwapAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			atomics.CompareAndSwapReleaseUint64(b, 0, 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			if !atomics.CompareAndSwapAcquireUint64(a, 1, 2) {
				return 0, 0
			}
			return 1, *b | early<<8
		}},
		// A bit lock that is taken at the start: data, unlock against lock, data.
		{"ClearBitUnlock, TestAndSetBitLock", never, 2, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			bitops.ClearBitUnlock(b, 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			if bitops.TestAndSetBitLock(a, 1) {
				return 0, 0
			}
			return 1, *b | early<<8
		}},
		{"ClearBitUnlockNonAtomic, LoadAcquire", never, 2, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			bitops.ClearBitUnlockNonAtomic(b, 1)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			f := atomics.LoadAcquireUint64(a)
			return 1 - f>>1, *b | early<<8
		}},
		{"XorUnlockIsNegativeByte, LoadAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			bitops.XorUnlockIsNegativeByte(b, 1)
			*a = late(a)
			return 0, 0
		}, plainReader},
		{"Release+SetBit, TestBitAcquire", never, 0, func(v *view) (uint64, uint64) {
			a, b := checked(v)
			*a = 1
			barrier.Release()
			bitops.SetBit(b, 9)
			*a = late(a)
			return 0, 0
		}, func(v *view) (uint64, uint64) {
			a, b := v.a, v.b
			early := *b
			if !bitops.TestBitAcquire(a, 9) {
				return 0, 0
			}
			return 1, *b | early<<8
		}},
	} {
		rows = append(rows, row{"MP/" + e.name, e.expect, litmus{
			p0: e.writer, p1: e.reader, init: e.init,
			weak: func(o outcome) bool { return o.p1[0] == 1 && o.p1[1]&1 == 0 },
		}})
	}
	return rows
}
