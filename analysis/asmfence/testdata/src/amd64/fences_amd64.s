#include "textflag.h"

#define FENCES MFENCE; MFENCE

TEXT ·twice(SB), NOSPLIT, $0-0
	MFENCE
	MFENCE // want `MFENCE is redundant on amd64: MFENCE on line 6 orders already`
	RET

TEXT ·lockedThenFence(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	LOCK
	XADDQ AX, (BX)
	MFENCE // want `MFENCE is redundant on amd64: LOCK XADDQ on line 14 orders already`
	RET

TEXT ·fenceThenLocked(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	MFENCE // want `MFENCE is redundant on amd64: LOCK ORQ on line 22 orders already`
	LOCK; ORQ AX, (BX)
	RET

TEXT ·exchangeThenFence(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	XCHGQ AX, (BX); MFENCE; MOVQ AX, v+8(FP) // want `MFENCE is redundant on amd64: XCHGQ beside it orders already`
	RET

// The dearer of the two goes.
TEXT ·stackThenFence(SB), NOSPLIT, $8-0
	LOCK
	ADDL $0, x-8(SP)
	MFENCE // want `MFENCE is redundant on amd64: LOCK ADDL \$0, x-8\(SP\) on line 34 orders already`
	RET

TEXT ·bothPaths(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	TESTQ AX, AX
	JEQ zero
	LOCK
	ADDQ AX, (BX)
	JMP done
zero:
	XCHGQ AX, (BX)
done:
	MFENCE // want `MFENCE is redundant on amd64: LOCK ADDQ on line 44 and XCHGQ on line 47 order already`
	RET

TEXT ·onePath(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	TESTQ AX, AX
	JEQ zero
	LOCK
	ADDQ AX, (BX)
zero:
	MFENCE
	RET

// Each round's fence follows the one before it, but the first.
TEXT ·loop(SB), NOSPLIT, $0-8
	MOVQ $3, CX
again:
	MFENCE
	DECQ CX
	JNE again
	RET

TEXT ·storeFence(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	MOVQ AX, (BX)
	MFENCE // want `MFENCE behind MOVQ on line 75: XCHGQ stores, is a full fence and costs less \(it leaves the old value in AX\)`
	RET

// Without a fix: the register is used.
TEXT ·storeFenceUsed(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	MOVQ AX, 8(BX)
	MFENCE // want `MFENCE behind MOVQ on line 83: XCHGQ stores`
	MOVQ AX, ret+16(FP)
	RET

TEXT ·storeImmediate(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), BX
	MOVQ $1, (BX)
	MFENCE
	RET

TEXT ·lockExchange(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	LOCK // want `LOCK is redundant on amd64: XCHGQ with a memory operand is always locked`
	XCHGQ AX, (BX)
	MOVQ AX, ret+16(FP)
	RET

TEXT ·lockExchangeLine(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	LOCK; XCHGQ (BX), AX // want `LOCK is redundant`
	MOVQ AX, ret+16(FP)
	RET

// An exchange of registers is not locked.
TEXT ·registers(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	XCHGQ AX, BX
	MFENCE
	RET

// The first fence is needed for the load, the second one for the store.
TEXT ·accessBetween(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), BX
	MOVQ q+8(FP), DX
	MFENCE
	MOVQ (DX), AX
	MOVQ $1, (BX)
	MFENCE
	RET

TEXT ·callBetween(SB), NOSPLIT, $0-0
	MFENCE
	CALL ·twice(SB)
	MFENCE
	RET

TEXT ·privateBetween(SB), NOSPLIT, $8-8
	MFENCE
	MOVQ v+0(FP), AX
	MOVQ AX, x-8(SP)
	ADDQ $1, x-8(SP)
	MFENCE // want `MFENCE is redundant on amd64: MFENCE on line 134 orders already`
	RET

TEXT ·macro(SB), NOSPLIT, $0-0
	FENCES // want `MFENCE \(in FENCES\) is redundant on amd64: MFENCE \(in FENCES\) beside it orders already`
	RET

// Without a fix: a jump counts instructions.
TEXT ·relative(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	LOCK
	XADDQ AX, (BX)
	MFENCE // want `MFENCE is redundant`
	TESTQ AX, AX
	JEQ 2(PC)
	NOP
	RET

TEXT ·withLabel(SB), NOSPLIT, $0-0
	MFENCE
next: MFENCE // want `MFENCE is redundant`
	RET

// The value is not in a general register.
TEXT ·notExchange(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), X0
	MOVQ X0, (BX)
	MFENCE
	RET

// Nobody knows where this goes, nor who comes from where.
TEXT ·indirect(SB), NOSPLIT, $0-8
	MFENCE
	MFENCE
	MOVQ p+0(FP), AX
	JMP AX

// A load before, a store behind: amd64 orders them, and the fence orders what a caller stored before.
TEXT ·ordered(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), BX
	MOVQ (BX), AX
	MFENCE
	MOVQ $1, 8(BX)
	RET

// Stores are in order; the second fence does the rest.
TEXT ·storeBetween(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), BX
	MFENCE // want `MFENCE is redundant on amd64: MFENCE on line 190 orders already`
	MOVQ $1, (BX)
	MFENCE
	RET
