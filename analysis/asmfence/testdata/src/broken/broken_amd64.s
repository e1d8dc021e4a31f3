#include "missing.h"
#include "go_asm.h"

TEXT ·odd(SB), 4, $0-0
	MFENCE
	UNHEARDOF(AX, BX)
	MFENCE
	lower AX
	MFENCE
	MOVQ (AX, BX
	MFENCE
	! AX
	MFENCE
	RET

TEXT ·twice(SB), 4, $0-0
	MFENCE
	MFENCE // want `MFENCE is redundant`
	RET
