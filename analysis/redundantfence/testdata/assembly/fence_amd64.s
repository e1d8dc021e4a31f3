#include "textflag.h"

TEXT ·full(SB), NOSPLIT, $0-0
	MFENCE
	RET

TEXT ·storeStore(SB), NOSPLIT, $0-0
	RET
