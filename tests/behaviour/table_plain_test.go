package behaviour

import "github.com/barriergen/barriergen/primitives/atomics"

var plainInt32 = ops[int32, int32]{
	name: "int32",
	load: [2]func(*int32) int32{
		atomics.LoadRelaxedInt32,
		atomics.LoadAcquireInt32,
	},
	store: [3]func(*int32, int32){
		atomics.StoreRelaxedInt32,
		atomics.StoreReleaseInt32,
		atomics.StoreFullInt32,
	},
	add: [4]func(*int32, int32) int32{
		atomics.AddRelaxedInt32,
		atomics.AddAcquireInt32,
		atomics.AddReleaseInt32,
		atomics.AddFullInt32,
	},
	and: [4]func(*int32, int32) int32{
		atomics.AndRelaxedInt32,
		atomics.AndAcquireInt32,
		atomics.AndReleaseInt32,
		atomics.AndFullInt32,
	},
	or: [4]func(*int32, int32) int32{
		atomics.OrRelaxedInt32,
		atomics.OrAcquireInt32,
		atomics.OrReleaseInt32,
		atomics.OrFullInt32,
	},
	xor: [4]func(*int32, int32) int32{
		atomics.XorRelaxedInt32,
		atomics.XorAcquireInt32,
		atomics.XorReleaseInt32,
		atomics.XorFullInt32,
	},
	swap: [4]func(*int32, int32) int32{
		atomics.SwapRelaxedInt32,
		atomics.SwapAcquireInt32,
		atomics.SwapReleaseInt32,
		atomics.SwapFullInt32,
	},
	cas: [4]func(*int32, int32, int32) bool{
		atomics.CompareAndSwapRelaxedInt32,
		atomics.CompareAndSwapAcquireInt32,
		atomics.CompareAndSwapReleaseInt32,
		atomics.CompareAndSwapFullInt32,
	},
	cond: [2]func(*int32, func(int32) bool) int32{
		atomics.CondLoadRelaxedInt32,
		atomics.CondLoadAcquireInt32,
	},
}

var plainUint32 = ops[uint32, uint32]{
	name: "uint32",
	load: [2]func(*uint32) uint32{
		atomics.LoadRelaxedUint32,
		atomics.LoadAcquireUint32,
	},
	store: [3]func(*uint32, uint32){
		atomics.StoreRelaxedUint32,
		atomics.StoreReleaseUint32,
		atomics.StoreFullUint32,
	},
	add: [4]func(*uint32, uint32) uint32{
		atomics.AddRelaxedUint32,
		atomics.AddAcquireUint32,
		atomics.AddReleaseUint32,
		atomics.AddFullUint32,
	},
	and: [4]func(*uint32, uint32) uint32{
		atomics.AndRelaxedUint32,
		atomics.AndAcquireUint32,
		atomics.AndReleaseUint32,
		atomics.AndFullUint32,
	},
	or: [4]func(*uint32, uint32) uint32{
		atomics.OrRelaxedUint32,
		atomics.OrAcquireUint32,
		atomics.OrReleaseUint32,
		atomics.OrFullUint32,
	},
	xor: [4]func(*uint32, uint32) uint32{
		atomics.XorRelaxedUint32,
		atomics.XorAcquireUint32,
		atomics.XorReleaseUint32,
		atomics.XorFullUint32,
	},
	swap: [4]func(*uint32, uint32) uint32{
		atomics.SwapRelaxedUint32,
		atomics.SwapAcquireUint32,
		atomics.SwapReleaseUint32,
		atomics.SwapFullUint32,
	},
	cas: [4]func(*uint32, uint32, uint32) bool{
		atomics.CompareAndSwapRelaxedUint32,
		atomics.CompareAndSwapAcquireUint32,
		atomics.CompareAndSwapReleaseUint32,
		atomics.CompareAndSwapFullUint32,
	},
	cond: [2]func(*uint32, func(uint32) bool) uint32{
		atomics.CondLoadRelaxedUint32,
		atomics.CondLoadAcquireUint32,
	},
}

var plainInt64 = ops[int64, int64]{
	name: "int64",
	load: [2]func(*int64) int64{
		atomics.LoadRelaxedInt64,
		atomics.LoadAcquireInt64,
	},
	store: [3]func(*int64, int64){
		atomics.StoreRelaxedInt64,
		atomics.StoreReleaseInt64,
		atomics.StoreFullInt64,
	},
	add: [4]func(*int64, int64) int64{
		atomics.AddRelaxedInt64,
		atomics.AddAcquireInt64,
		atomics.AddReleaseInt64,
		atomics.AddFullInt64,
	},
	and: [4]func(*int64, int64) int64{
		atomics.AndRelaxedInt64,
		atomics.AndAcquireInt64,
		atomics.AndReleaseInt64,
		atomics.AndFullInt64,
	},
	or: [4]func(*int64, int64) int64{
		atomics.OrRelaxedInt64,
		atomics.OrAcquireInt64,
		atomics.OrReleaseInt64,
		atomics.OrFullInt64,
	},
	xor: [4]func(*int64, int64) int64{
		atomics.XorRelaxedInt64,
		atomics.XorAcquireInt64,
		atomics.XorReleaseInt64,
		atomics.XorFullInt64,
	},
	swap: [4]func(*int64, int64) int64{
		atomics.SwapRelaxedInt64,
		atomics.SwapAcquireInt64,
		atomics.SwapReleaseInt64,
		atomics.SwapFullInt64,
	},
	cas: [4]func(*int64, int64, int64) bool{
		atomics.CompareAndSwapRelaxedInt64,
		atomics.CompareAndSwapAcquireInt64,
		atomics.CompareAndSwapReleaseInt64,
		atomics.CompareAndSwapFullInt64,
	},
	cond: [2]func(*int64, func(int64) bool) int64{
		atomics.CondLoadRelaxedInt64,
		atomics.CondLoadAcquireInt64,
	},
}

var plainUint64 = ops[uint64, uint64]{
	name: "uint64",
	load: [2]func(*uint64) uint64{
		atomics.LoadRelaxedUint64,
		atomics.LoadAcquireUint64,
	},
	store: [3]func(*uint64, uint64){
		atomics.StoreRelaxedUint64,
		atomics.StoreReleaseUint64,
		atomics.StoreFullUint64,
	},
	add: [4]func(*uint64, uint64) uint64{
		atomics.AddRelaxedUint64,
		atomics.AddAcquireUint64,
		atomics.AddReleaseUint64,
		atomics.AddFullUint64,
	},
	and: [4]func(*uint64, uint64) uint64{
		atomics.AndRelaxedUint64,
		atomics.AndAcquireUint64,
		atomics.AndReleaseUint64,
		atomics.AndFullUint64,
	},
	or: [4]func(*uint64, uint64) uint64{
		atomics.OrRelaxedUint64,
		atomics.OrAcquireUint64,
		atomics.OrReleaseUint64,
		atomics.OrFullUint64,
	},
	xor: [4]func(*uint64, uint64) uint64{
		atomics.XorRelaxedUint64,
		atomics.XorAcquireUint64,
		atomics.XorReleaseUint64,
		atomics.XorFullUint64,
	},
	swap: [4]func(*uint64, uint64) uint64{
		atomics.SwapRelaxedUint64,
		atomics.SwapAcquireUint64,
		atomics.SwapReleaseUint64,
		atomics.SwapFullUint64,
	},
	cas: [4]func(*uint64, uint64, uint64) bool{
		atomics.CompareAndSwapRelaxedUint64,
		atomics.CompareAndSwapAcquireUint64,
		atomics.CompareAndSwapReleaseUint64,
		atomics.CompareAndSwapFullUint64,
	},
	cond: [2]func(*uint64, func(uint64) bool) uint64{
		atomics.CondLoadRelaxedUint64,
		atomics.CondLoadAcquireUint64,
	},
}

var plainUintptr = ops[uintptr, uintptr]{
	name: "uintptr",
	load: [2]func(*uintptr) uintptr{
		atomics.LoadRelaxedUintptr,
		atomics.LoadAcquireUintptr,
	},
	store: [3]func(*uintptr, uintptr){
		atomics.StoreRelaxedUintptr,
		atomics.StoreReleaseUintptr,
		atomics.StoreFullUintptr,
	},
	add: [4]func(*uintptr, uintptr) uintptr{
		atomics.AddRelaxedUintptr,
		atomics.AddAcquireUintptr,
		atomics.AddReleaseUintptr,
		atomics.AddFullUintptr,
	},
	and: [4]func(*uintptr, uintptr) uintptr{
		atomics.AndRelaxedUintptr,
		atomics.AndAcquireUintptr,
		atomics.AndReleaseUintptr,
		atomics.AndFullUintptr,
	},
	or: [4]func(*uintptr, uintptr) uintptr{
		atomics.OrRelaxedUintptr,
		atomics.OrAcquireUintptr,
		atomics.OrReleaseUintptr,
		atomics.OrFullUintptr,
	},
	xor: [4]func(*uintptr, uintptr) uintptr{
		atomics.XorRelaxedUintptr,
		atomics.XorAcquireUintptr,
		atomics.XorReleaseUintptr,
		atomics.XorFullUintptr,
	},
	swap: [4]func(*uintptr, uintptr) uintptr{
		atomics.SwapRelaxedUintptr,
		atomics.SwapAcquireUintptr,
		atomics.SwapReleaseUintptr,
		atomics.SwapFullUintptr,
	},
	cas: [4]func(*uintptr, uintptr, uintptr) bool{
		atomics.CompareAndSwapRelaxedUintptr,
		atomics.CompareAndSwapAcquireUintptr,
		atomics.CompareAndSwapReleaseUintptr,
		atomics.CompareAndSwapFullUintptr,
	},
	cond: [2]func(*uintptr, func(uintptr) bool) uintptr{
		atomics.CondLoadRelaxedUintptr,
		atomics.CondLoadAcquireUintptr,
	},
}
