package behaviour

import "github.com/barriergen/barriergen/primitives/atomics"

var typedInt32 = ops[atomics.Int32, int32]{
	name: "atomics.Int32",
	load: [2]func(*atomics.Int32) int32{
		(*atomics.Int32).LoadRelaxed,
		(*atomics.Int32).LoadAcquire,
	},
	store: [3]func(*atomics.Int32, int32){
		(*atomics.Int32).StoreRelaxed,
		(*atomics.Int32).StoreRelease,
		(*atomics.Int32).StoreFull,
	},
	add: [4]func(*atomics.Int32, int32) int32{
		(*atomics.Int32).AddRelaxed,
		(*atomics.Int32).AddAcquire,
		(*atomics.Int32).AddRelease,
		(*atomics.Int32).AddFull,
	},
	and: [4]func(*atomics.Int32, int32) int32{
		(*atomics.Int32).AndRelaxed,
		(*atomics.Int32).AndAcquire,
		(*atomics.Int32).AndRelease,
		(*atomics.Int32).AndFull,
	},
	or: [4]func(*atomics.Int32, int32) int32{
		(*atomics.Int32).OrRelaxed,
		(*atomics.Int32).OrAcquire,
		(*atomics.Int32).OrRelease,
		(*atomics.Int32).OrFull,
	},
	xor: [4]func(*atomics.Int32, int32) int32{
		(*atomics.Int32).XorRelaxed,
		(*atomics.Int32).XorAcquire,
		(*atomics.Int32).XorRelease,
		(*atomics.Int32).XorFull,
	},
	swap: [4]func(*atomics.Int32, int32) int32{
		(*atomics.Int32).SwapRelaxed,
		(*atomics.Int32).SwapAcquire,
		(*atomics.Int32).SwapRelease,
		(*atomics.Int32).SwapFull,
	},
	cas: [4]func(*atomics.Int32, int32, int32) bool{
		(*atomics.Int32).CompareAndSwapRelaxed,
		(*atomics.Int32).CompareAndSwapAcquire,
		(*atomics.Int32).CompareAndSwapRelease,
		(*atomics.Int32).CompareAndSwapFull,
	},
	cond: [2]func(*atomics.Int32, func(int32) bool) int32{
		(*atomics.Int32).CondLoadRelaxed,
		(*atomics.Int32).CondLoadAcquire,
	},
}

var typedUint32 = ops[atomics.Uint32, uint32]{
	name: "atomics.Uint32",
	load: [2]func(*atomics.Uint32) uint32{
		(*atomics.Uint32).LoadRelaxed,
		(*atomics.Uint32).LoadAcquire,
	},
	store: [3]func(*atomics.Uint32, uint32){
		(*atomics.Uint32).StoreRelaxed,
		(*atomics.Uint32).StoreRelease,
		(*atomics.Uint32).StoreFull,
	},
	add: [4]func(*atomics.Uint32, uint32) uint32{
		(*atomics.Uint32).AddRelaxed,
		(*atomics.Uint32).AddAcquire,
		(*atomics.Uint32).AddRelease,
		(*atomics.Uint32).AddFull,
	},
	and: [4]func(*atomics.Uint32, uint32) uint32{
		(*atomics.Uint32).AndRelaxed,
		(*atomics.Uint32).AndAcquire,
		(*atomics.Uint32).AndRelease,
		(*atomics.Uint32).AndFull,
	},
	or: [4]func(*atomics.Uint32, uint32) uint32{
		(*atomics.Uint32).OrRelaxed,
		(*atomics.Uint32).OrAcquire,
		(*atomics.Uint32).OrRelease,
		(*atomics.Uint32).OrFull,
	},
	xor: [4]func(*atomics.Uint32, uint32) uint32{
		(*atomics.Uint32).XorRelaxed,
		(*atomics.Uint32).XorAcquire,
		(*atomics.Uint32).XorRelease,
		(*atomics.Uint32).XorFull,
	},
	swap: [4]func(*atomics.Uint32, uint32) uint32{
		(*atomics.Uint32).SwapRelaxed,
		(*atomics.Uint32).SwapAcquire,
		(*atomics.Uint32).SwapRelease,
		(*atomics.Uint32).SwapFull,
	},
	cas: [4]func(*atomics.Uint32, uint32, uint32) bool{
		(*atomics.Uint32).CompareAndSwapRelaxed,
		(*atomics.Uint32).CompareAndSwapAcquire,
		(*atomics.Uint32).CompareAndSwapRelease,
		(*atomics.Uint32).CompareAndSwapFull,
	},
	cond: [2]func(*atomics.Uint32, func(uint32) bool) uint32{
		(*atomics.Uint32).CondLoadRelaxed,
		(*atomics.Uint32).CondLoadAcquire,
	},
}

var typedInt64 = ops[atomics.Int64, int64]{
	name: "atomics.Int64",
	load: [2]func(*atomics.Int64) int64{
		(*atomics.Int64).LoadRelaxed,
		(*atomics.Int64).LoadAcquire,
	},
	store: [3]func(*atomics.Int64, int64){
		(*atomics.Int64).StoreRelaxed,
		(*atomics.Int64).StoreRelease,
		(*atomics.Int64).StoreFull,
	},
	add: [4]func(*atomics.Int64, int64) int64{
		(*atomics.Int64).AddRelaxed,
		(*atomics.Int64).AddAcquire,
		(*atomics.Int64).AddRelease,
		(*atomics.Int64).AddFull,
	},
	and: [4]func(*atomics.Int64, int64) int64{
		(*atomics.Int64).AndRelaxed,
		(*atomics.Int64).AndAcquire,
		(*atomics.Int64).AndRelease,
		(*atomics.Int64).AndFull,
	},
	or: [4]func(*atomics.Int64, int64) int64{
		(*atomics.Int64).OrRelaxed,
		(*atomics.Int64).OrAcquire,
		(*atomics.Int64).OrRelease,
		(*atomics.Int64).OrFull,
	},
	xor: [4]func(*atomics.Int64, int64) int64{
		(*atomics.Int64).XorRelaxed,
		(*atomics.Int64).XorAcquire,
		(*atomics.Int64).XorRelease,
		(*atomics.Int64).XorFull,
	},
	swap: [4]func(*atomics.Int64, int64) int64{
		(*atomics.Int64).SwapRelaxed,
		(*atomics.Int64).SwapAcquire,
		(*atomics.Int64).SwapRelease,
		(*atomics.Int64).SwapFull,
	},
	cas: [4]func(*atomics.Int64, int64, int64) bool{
		(*atomics.Int64).CompareAndSwapRelaxed,
		(*atomics.Int64).CompareAndSwapAcquire,
		(*atomics.Int64).CompareAndSwapRelease,
		(*atomics.Int64).CompareAndSwapFull,
	},
	cond: [2]func(*atomics.Int64, func(int64) bool) int64{
		(*atomics.Int64).CondLoadRelaxed,
		(*atomics.Int64).CondLoadAcquire,
	},
}

var typedUint64 = ops[atomics.Uint64, uint64]{
	name: "atomics.Uint64",
	load: [2]func(*atomics.Uint64) uint64{
		(*atomics.Uint64).LoadRelaxed,
		(*atomics.Uint64).LoadAcquire,
	},
	store: [3]func(*atomics.Uint64, uint64){
		(*atomics.Uint64).StoreRelaxed,
		(*atomics.Uint64).StoreRelease,
		(*atomics.Uint64).StoreFull,
	},
	add: [4]func(*atomics.Uint64, uint64) uint64{
		(*atomics.Uint64).AddRelaxed,
		(*atomics.Uint64).AddAcquire,
		(*atomics.Uint64).AddRelease,
		(*atomics.Uint64).AddFull,
	},
	and: [4]func(*atomics.Uint64, uint64) uint64{
		(*atomics.Uint64).AndRelaxed,
		(*atomics.Uint64).AndAcquire,
		(*atomics.Uint64).AndRelease,
		(*atomics.Uint64).AndFull,
	},
	or: [4]func(*atomics.Uint64, uint64) uint64{
		(*atomics.Uint64).OrRelaxed,
		(*atomics.Uint64).OrAcquire,
		(*atomics.Uint64).OrRelease,
		(*atomics.Uint64).OrFull,
	},
	xor: [4]func(*atomics.Uint64, uint64) uint64{
		(*atomics.Uint64).XorRelaxed,
		(*atomics.Uint64).XorAcquire,
		(*atomics.Uint64).XorRelease,
		(*atomics.Uint64).XorFull,
	},
	swap: [4]func(*atomics.Uint64, uint64) uint64{
		(*atomics.Uint64).SwapRelaxed,
		(*atomics.Uint64).SwapAcquire,
		(*atomics.Uint64).SwapRelease,
		(*atomics.Uint64).SwapFull,
	},
	cas: [4]func(*atomics.Uint64, uint64, uint64) bool{
		(*atomics.Uint64).CompareAndSwapRelaxed,
		(*atomics.Uint64).CompareAndSwapAcquire,
		(*atomics.Uint64).CompareAndSwapRelease,
		(*atomics.Uint64).CompareAndSwapFull,
	},
	cond: [2]func(*atomics.Uint64, func(uint64) bool) uint64{
		(*atomics.Uint64).CondLoadRelaxed,
		(*atomics.Uint64).CondLoadAcquire,
	},
}

var typedUintptr = ops[atomics.Uintptr, uintptr]{
	name: "atomics.Uintptr",
	load: [2]func(*atomics.Uintptr) uintptr{
		(*atomics.Uintptr).LoadRelaxed,
		(*atomics.Uintptr).LoadAcquire,
	},
	store: [3]func(*atomics.Uintptr, uintptr){
		(*atomics.Uintptr).StoreRelaxed,
		(*atomics.Uintptr).StoreRelease,
		(*atomics.Uintptr).StoreFull,
	},
	add: [4]func(*atomics.Uintptr, uintptr) uintptr{
		(*atomics.Uintptr).AddRelaxed,
		(*atomics.Uintptr).AddAcquire,
		(*atomics.Uintptr).AddRelease,
		(*atomics.Uintptr).AddFull,
	},
	and: [4]func(*atomics.Uintptr, uintptr) uintptr{
		(*atomics.Uintptr).AndRelaxed,
		(*atomics.Uintptr).AndAcquire,
		(*atomics.Uintptr).AndRelease,
		(*atomics.Uintptr).AndFull,
	},
	or: [4]func(*atomics.Uintptr, uintptr) uintptr{
		(*atomics.Uintptr).OrRelaxed,
		(*atomics.Uintptr).OrAcquire,
		(*atomics.Uintptr).OrRelease,
		(*atomics.Uintptr).OrFull,
	},
	xor: [4]func(*atomics.Uintptr, uintptr) uintptr{
		(*atomics.Uintptr).XorRelaxed,
		(*atomics.Uintptr).XorAcquire,
		(*atomics.Uintptr).XorRelease,
		(*atomics.Uintptr).XorFull,
	},
	swap: [4]func(*atomics.Uintptr, uintptr) uintptr{
		(*atomics.Uintptr).SwapRelaxed,
		(*atomics.Uintptr).SwapAcquire,
		(*atomics.Uintptr).SwapRelease,
		(*atomics.Uintptr).SwapFull,
	},
	cas: [4]func(*atomics.Uintptr, uintptr, uintptr) bool{
		(*atomics.Uintptr).CompareAndSwapRelaxed,
		(*atomics.Uintptr).CompareAndSwapAcquire,
		(*atomics.Uintptr).CompareAndSwapRelease,
		(*atomics.Uintptr).CompareAndSwapFull,
	},
	cond: [2]func(*atomics.Uintptr, func(uintptr) bool) uintptr{
		(*atomics.Uintptr).CondLoadRelaxed,
		(*atomics.Uintptr).CondLoadAcquire,
	},
}
