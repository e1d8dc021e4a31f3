#include "textflag.h"

#define ARGS128 \
	MOVD p+0(FP), R8; \
	MOVD old_0+8(FP), R0; \
	MOVD old_1+16(FP), R1; \
	MOVD new_0+24(FP), R2; \
	MOVD new_1+32(FP), R3; \
	MOVD R0, R4; \
	MOVD R1, R5

TEXT ·cas128(SB), NOSPLIT, $0-41
	ARGS128
	CASPD (R0, R1), (R8), (R2, R3) // want `cas128 is a full barrier on amd64 \(LOCK CMPXCHG16B, parity_amd64.s:10\) and orders nothing on arm64: CASPD is relaxed`
	CMP R0, R4
	CCMP EQ, R1, R5, $0
	CSET EQ, R6
	MOVB R6, ret+40(FP)
	RET

// One of the two is ordered.
TEXT ·cas128Dispatched(SB), NOSPLIT, $0-41
	ARGS128
	MOVBU ·hasLSE(SB), R7
	CBZ R7, loop
	CASPD (R0, R1), (R8), (R2, R3) // want `cas128Dispatched is a full barrier on amd64 .* orders nothing on arm64: CASPD is relaxed`
	CMP R0, R4
	CCMP EQ, R1, R5, $0
	B done
loop:
	LDAXP (R8), (R4, R5)
	CMP R0, R4
	CCMP EQ, R1, R5, $0
	BNE done
	STLXP (R2, R3), (R8), R7
	CBNZ R7, loop
done:
	CSET EQ, R6
	MOVB R6, ret+40(FP)
	RET

GLOBL ·hasLSE(SB), NOPTR, $1

#define ARGS \
	MOVD p+0(FP), R8; \
	MOVD old+8(FP), R0; \
	MOVD new+16(FP), R2; \
	MOVD R0, R4

TEXT ·casRelaxed(SB), NOSPLIT, $0-25
	ARGS
	CASD R0, (R8), R2
	CMP R0, R4
	CSET EQ, R6
	MOVB R6, ret+24(FP)
	RET

// The fence is on the way of success only.
TEXT ·casAcquire(SB), NOSPLIT, $0-25
	ARGS
	CASD R0, (R8), R2
	CMP R0, R4
	BNE fail
	DMB $0x9
	MOVD $1, R6
	MOVB R6, ret+24(FP)
	RET
fail:
	MOVB ZR, ret+24(FP)
	RET

// A store fence lets what was read before pass.
TEXT ·casRelease(SB), NOSPLIT, $0-25
	ARGS
	DMB $0xa
	CASD R0, (R8), R2 // want `casRelease is release on amd64 and not on arm64: nothing orders CASD behind all earlier accesses`
	CMP R0, R4
	CSET EQ, R6
	MOVB R6, ret+24(FP)
	RET

TEXT ·casAcqRel(SB), NOSPLIT, $0-25
	ARGS
loop:
	LDXR (R8), R1
	CMP R1, R0
	BNE done
	STLXR R2, (R8), R3
	CBNZ R3, loop
	DMB $0x9
	CMP R1, R0
done:
	CSET EQ, R6
	MOVB R6, ret+24(FP)
	RET

TEXT ·load128(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
loop:
	LDXP (R0), (R1, R2)
	STXP (R1, R2), (R0), R3
	CBNZ R3, loop
	MOVD R1, ret+8(FP)
	RET

TEXT ·addExclusive(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
loop:
	LDXR (R0), R2
	ADD R1, R2
	STXR R2, (R0), R3 // want `addExclusive is a full barrier on amd64 \(LOCK ADDQ, parity_amd64.s:\d+\) and orders nothing on arm64: STXR is relaxed`
	CBNZ R3, loop
	RET

TEXT ·addFull(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
loop:
	LDXR (R0), R2
	ADD R1, R2
	STLXR R2, (R0), R3
	CBNZ R3, loop
	DMB $0xb
	RET

TEXT ·addOrdered(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xb
	LDADDD R1, (R0), R2
	DMB $0xb
	RET

// As sync/atomic does it.
TEXT ·addStandard(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
#ifdef GOARM64_LSE
	LDADDALD R1, (R0), R2
#else
loop:
	LDAXR (R0), R2
	ADD R1, R2
	STLXR R2, (R0), R3
	CBNZ R3, loop
#endif
	RET

TEXT ·count(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	MOVD $1, R1
	LDADDD R1, (R0), R2
	RET

TEXT ·exchangeOne(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	SWPAD R1, (R0), R2 // want `exchangeOne is a full barrier on amd64 \(XCHGQ, parity_amd64.s:\d+\) and only acquire on arm64: nothing orders what comes earlier before SWPAD`
	MOVD R2, ret+16(FP)
	RET

TEXT ·exchangeOther(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	SWPLD R1, (R0), R2 // want `exchangeOther is a full barrier on amd64 \(XCHGQ, parity_amd64.s:\d+\) and only release on arm64: nothing orders SWPLD before what comes later`
	MOVD R2, ret+16(FP)
	RET

TEXT ·tryLock(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD $1, R1
	SWPAD R1, (R0), R2
	MOVD R2, ret+8(FP)
	RET

TEXT ·unlock(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	SWPLD ZR, (R0), R2
	RET

TEXT ·LoadAcq(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD (R0), R1 // want `LoadAcq is acquire on amd64 and not on arm64: nothing orders MOVD before all later accesses`
	MOVD R1, ret+8(FP)
	RET

TEXT ·LoadAcquire(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	LDAR (R0), R1
	MOVD R1, ret+8(FP)
	RET

TEXT ·StoreRel(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xa
	MOVD R1, (R0) // want `StoreRel is release on amd64 and not on arm64: nothing orders MOVD behind all earlier accesses`
	RET

TEXT ·StoreRelease(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xb
	MOVD R1, (R0)
	RET

TEXT ·store(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	MOVD R1, (R0) // want `store is a full barrier on amd64 \(XCHGQ, parity_amd64.s:\d+\) and orders nothing on arm64: MOVD is a plain store`
	RET

TEXT ·storeOrdered(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	STLR R1, (R0)
	RET

TEXT ·tally(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	MOVD (R0), R1
	ADD $1, R1
	MOVD R1, (R0) // want `tally is one atomic step on amd64 \(LOCK INCQ, parity_amd64.s:\d+\) and plain accesses on arm64`
	RET

TEXT ·copyWord(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD q+8(FP), R1
	MOVD (R1), R2
	MOVD R2, (R0)
	RET

TEXT ·barrierRelease(SB), NOSPLIT, $0-0 // want `barrierRelease does not order earlier reads before later writes on arm64, as it does on amd64`
	DMB $0xa
	RET

TEXT ·barrierAcquire(SB), NOSPLIT, $0-0
	DMB $0x9
	RET

TEXT ·barrierAcqRel(SB), NOSPLIT, $0-0
	DMB $0xb
	RET

TEXT ·readFence(SB), NOSPLIT, $0-0
	DMB $0x9
	RET

TEXT ·writeBarrier(SB), NOSPLIT, $0-0
	DMB $0xa
	RET

TEXT ·memoryBarrier(SB), NOSPLIT, $0-0 // want `memoryBarrier orders earlier writes before later reads on amd64, and not on arm64`
	DMB $0xa
	RET

TEXT ·memoryBarrierFull(SB), NOSPLIT, $0-0
	DMB $0xf
	RET

TEXT ·publish(SB), NOSPLIT, $0-0
	DMB $0xa
	RET

TEXT ·nothing(SB), NOSPLIT, $0-0
	RET

TEXT ·storeFenced(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xb
	MOVD R1, (R0)
	RET

// The two numbers are mixed up.
TEXT ·storeFenceRelease(SB), NOSPLIT, $0-0 // want `storeFenceRelease does not order earlier writes before later writes on arm64, as it does on amd64`
	DMB $0x9
	RET

TEXT ·loadFenceAcquire(SB), NOSPLIT, $0-0 // want `loadFenceAcquire does not order earlier reads before later accesses on arm64, as it does on amd64`
	DMB $0xa
	RET
