// A call, a jump elsewhere, and a word that may be anything.
TEXT ·add(SB), 4, $0-8
	MOVD p+0(FP), R0
	LDADDD R1, (R0), R2
	BL ·other(SB)
	RET

TEXT ·cas(SB), 4, $0-8
	MOVD p+0(FP), R0
	CASD R1, (R0), R2
	B ·other(SB)

TEXT ·encoded(SB), 4, $0-8
	MOVD p+0(FP), R0
	WORD $0xb8e10002 // LDADDAL
	RET

TEXT ·other(SB), 4, $0-8
	MOVD p+0(FP), R0
	LDADDD R1, (R0), R2
	RET

TEXT helper<>(SB), 4, $0-8
	LDADDD R1, (R0), R2
	RET
