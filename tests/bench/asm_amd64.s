#include "textflag.h"

// func callNothing()
TEXT ·callNothing(SB), NOSPLIT, $0-0
	RET

// func callMFENCE()
TEXT ·callMFENCE(SB), NOSPLIT, $0-0
	MFENCE
	RET

// func callLockedAdd()
// The hardware stack pointer: below it lies nothing that is in use.
TEXT ·callLockedAdd(SB), NOSPLIT, $0-0
	LOCK
	ADDL $0, -8(SP)
	RET

// func callStore(p *uint64, v uint64)
TEXT ·callStore(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ v+8(FP), CX
	MOVQ CX, (AX)
	RET

// func callTestAndSetBit(p *uint64, n uint) bool
TEXT ·callTestAndSetBit(SB), NOSPLIT, $0-17
	MOVQ  p+0(FP), AX
	MOVQ  n+8(FP), CX
	ANDQ  $63, CX
	LOCK
	BTSQ  CX, (AX)
	SETCS ret+16(FP)
	RET
