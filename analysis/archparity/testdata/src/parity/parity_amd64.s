#include "textflag.h"

TEXT ·cas128(SB), NOSPLIT, $0-41
	MOVQ p+0(FP), R8
	MOVQ old_0+8(FP), AX
	MOVQ old_1+16(FP), DX
	MOVQ new_0+24(FP), BX
	MOVQ new_1+32(FP), CX
	LOCK
	CMPXCHG16B (R8)
	SETEQ ret+40(FP)
	RET

TEXT ·cas128Dispatched(SB), NOSPLIT, $0-41
	JMP ·cas128(SB)

#define CAS \
	MOVQ p+0(FP), R8; \
	MOVQ old+8(FP), AX; \
	MOVQ new+16(FP), BX; \
	LOCK; \
	CMPXCHGQ BX, (R8); \
	SETEQ ret+24(FP)

TEXT ·casRelaxed(SB), NOSPLIT, $0-25
	CAS
	RET

TEXT ·casAcquire(SB), NOSPLIT, $0-25
	CAS
	RET

TEXT ·casRelease(SB), NOSPLIT, $0-25
	CAS
	RET

TEXT ·casAcqRel(SB), NOSPLIT, $0-25
	CAS
	RET

TEXT ·load128(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), R8
	XORQ AX, AX
	XORQ DX, DX
	XORQ BX, BX
	XORQ CX, CX
	LOCK
	CMPXCHG16B (R8)
	MOVQ AX, ret+8(FP)
	RET

#define ADD \
	MOVQ p+0(FP), BX; \
	MOVQ v+8(FP), AX; \
	LOCK; \
	ADDQ AX, (BX)

TEXT ·addExclusive(SB), NOSPLIT, $0-16
	ADD
	RET

TEXT ·addFull(SB), NOSPLIT, $0-16
	ADD
	RET

TEXT ·addOrdered(SB), NOSPLIT, $0-16
	ADD
	RET

TEXT ·addStandard(SB), NOSPLIT, $0-16
	ADD
	RET

TEXT ·count(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), BX
	LOCK
	INCQ (BX)
	RET

#define EXCHANGE \
	MOVQ p+0(FP), BX; \
	MOVQ v+8(FP), AX; \
	XCHGQ AX, (BX); \
	MOVQ AX, ret+16(FP)

TEXT ·exchangeOne(SB), NOSPLIT, $0-24
	EXCHANGE
	RET

TEXT ·exchangeOther(SB), NOSPLIT, $0-24
	EXCHANGE
	RET

TEXT ·tryLock(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ $1, AX
	XCHGQ AX, (BX)
	MOVQ AX, ret+8(FP)
	RET

TEXT ·unlock(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), BX
	XORQ AX, AX
	XCHGQ AX, (BX)
	RET

TEXT ·LoadAcq(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ (BX), AX
	MOVQ AX, ret+8(FP)
	RET

TEXT ·LoadAcquire(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ (BX), AX
	MOVQ AX, ret+8(FP)
	RET

TEXT ·StoreRel(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	MOVQ AX, (BX)
	RET

TEXT ·StoreRelease(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	MOVQ AX, (BX)
	RET

TEXT ·store(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	XCHGQ AX, (BX)
	RET

TEXT ·storeOrdered(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	XCHGQ AX, (BX)
	RET

TEXT ·tally(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), BX
	LOCK
	INCQ (BX)
	RET

// Plain here and there.
TEXT ·copyWord(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ q+8(FP), CX
	MOVQ (CX), AX
	MOVQ AX, (BX)
	RET

TEXT ·barrierRelease(SB), NOSPLIT, $0-0
	RET

TEXT ·barrierAcquire(SB), NOSPLIT, $0-0
	RET

TEXT ·barrierAcqRel(SB), NOSPLIT, $0-0
	MFENCE
	RET

TEXT ·readFence(SB), NOSPLIT, $0-0
	LFENCE
	RET

TEXT ·writeBarrier(SB), NOSPLIT, $0-0
	SFENCE
	RET

TEXT ·memoryBarrier(SB), NOSPLIT, $0-0
	MFENCE
	RET

TEXT ·memoryBarrierFull(SB), NOSPLIT, $8-0
	LOCK
	ORQ $0, 0(SP)
	RET

TEXT ·publish(SB), NOSPLIT, $0-0
	RET

TEXT ·nothing(SB), NOSPLIT, $0-0
	RET

TEXT ·storeFenced(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	XCHGQ AX, (BX)
	RET

TEXT ·storeFenceRelease(SB), NOSPLIT, $0-0
	SFENCE
	RET

TEXT ·loadFenceAcquire(SB), NOSPLIT, $0-0
	LFENCE
	RET
