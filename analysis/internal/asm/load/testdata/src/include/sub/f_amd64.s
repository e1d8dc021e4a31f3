#include "fence.h"
#include "local.h"
#include "textflag.h"

TEXT ·Fence(SB), NOSPLIT, $0-0
	LOCAL
	FENCE
	RET
