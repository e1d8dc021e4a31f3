#include "textflag.h"

TEXT ·stream(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	MOVNTIQ AX, (BX)
	SFENCE
	SFENCE
	RET

// For what stream wrote.
TEXT ·done(SB), NOSPLIT, $0-0
	SFENCE
	SFENCE
	RET

TEXT ·full(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	LOCK
	XADDQ AX, (BX)
	MFENCE
	RET

TEXT ·written(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	XCHGQ AX, (BX)
	SFENCE
	RET
