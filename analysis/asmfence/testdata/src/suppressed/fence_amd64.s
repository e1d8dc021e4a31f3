#include "textflag.h"

TEXT ·line(SB), NOSPLIT, $0-0
	MFENCE
	MFENCE //nolint:asmfence // measured
	RET

TEXT ·before(SB), NOSPLIT, $0-0
	MFENCE
	//lint:ignore asmfence the pair is a marker for a tool
	MFENCE
	RET

//nolint:asmfence
TEXT ·function(SB), NOSPLIT, $0-0
	MFENCE
	MFENCE
	RET

TEXT ·unused(SB), NOSPLIT, $0-0
	MFENCE //nolint:asmfence // want `has no effect`
	RET
