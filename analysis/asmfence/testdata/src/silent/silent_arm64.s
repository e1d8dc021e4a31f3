#include "textflag.h"
#include "barriers_arm64.h"

TEXT ·stamp(SB), NOSPLIT, $0-8
	ISB $15
	MRS CNTVCT_EL0, R0
	ISB $15
	MOVD R0, ret+0(FP)
	RET

TEXT ·stampAll(SB), NOSPLIT, $0-8
	DMB $0xb
	DMB $0xb
	MRS CNTVCT_EL0, R0
	MOVD R0, ret+0(FP)
	RET

TEXT ·speculation(SB), NOSPLIT, $0-16
	DSB $0xf
	ISB $15
	RET

TEXT ·load128(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	LDAXP (R0), (R1, R2)
	MOVD R1, ret+8(FP)
	RET

TEXT ·elided(SB), NOSPLIT, $0-16
	RET

TEXT ·serialise(SB), NOSPLIT, $0-0
	DSB $7
	ISB $15
	DSB $7
	DSB $0xf
	DSB $0xf
	RET

TEXT ·delay(SB), NOSPLIT, $0-0
	ISB $15
	ISB $15
	RET

TEXT ·flush(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	DSB $0xb
	DC CVAU, R0
	DSB $0xb
	DMB $0xb
	DMB $0xb
	ISB $15
	RET

TEXT ·system(SB), NOSPLIT, $0-8
	DSB $0xb
	DSB $0xb
	TLBI VMALLE1IS
	DSB $0xb
	ISB SY
	RET

TEXT ·encoded(SB), NOSPLIT, $0-16
	DMB $0xb
	WORD $0xd503201f
	DMB $0xb
	DMB $0xb
	RET

TEXT ·barrier(SB), NOSPLIT, $0-0
	DMB ISH
	RET

TEXT ·option(SB), NOSPLIT, $0-0
	DMB ISHLD
	DMB ISHST
	ISB SY
	RET
