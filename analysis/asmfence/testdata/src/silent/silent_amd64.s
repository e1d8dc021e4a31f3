#include "textflag.h"

// Serialisation, not order.
TEXT ·stamp(SB), NOSPLIT, $0-8
	MFENCE
	LFENCE
	RDTSC
	LFENCE
	SHLQ $32, DX
	ORQ DX, AX
	MOVQ AX, ret+0(FP)
	RET

TEXT ·stampAll(SB), NOSPLIT, $0-8
	MFENCE
	MFENCE
	RDTSCP
	LFENCE
	LFENCE
	MOVQ AX, ret+0(FP)
	RET

TEXT ·speculation(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	LFENCE
	LFENCE
	MOVQ (BX), AX
	MOVQ AX, ret+8(FP)
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

// Hardware lock elision hangs on the prefix.
TEXT ·elided(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ v+8(FP), AX
	XACQUIRE
	LOCK
	XCHGQ AX, (BX)
	RET

TEXT ·serialise(SB), NOSPLIT, $0-0
	MFENCE
	CPUID
	MFENCE
	MFENCE
	RET

TEXT ·delay(SB), NOSPLIT, $0-0
	PAUSE
	PAUSE
	RET

TEXT ·flush(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), BX
	MFENCE
	CLFLUSH (BX)
	MFENCE
	MFENCE
	RET

TEXT ·system(SB), NOSPLIT, $0-8
	RET

TEXT ·encoded(SB), NOSPLIT, $0-16
	RET

TEXT ·barrier(SB), NOSPLIT, $0-0
	MFENCE
	RET

TEXT ·option(SB), NOSPLIT, $0-0
	RET
