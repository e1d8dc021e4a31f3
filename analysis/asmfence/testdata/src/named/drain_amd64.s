// What copy stores with non-temporal stores, in another package, is drained here.

#include "textflag.h"

TEXT ·drain(SB), NOSPLIT, $0-0
	SFENCE
	MFENCE
	RET
