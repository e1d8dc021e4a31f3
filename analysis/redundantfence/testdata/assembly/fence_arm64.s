#include "textflag.h"

TEXT ·full(SB), NOSPLIT, $0-0
	DMB	$0xb
	RET

TEXT ·storeStore(SB), NOSPLIT, $0-0
	DMB	$0xa
	RET
