TEXT ·add(SB), 4, $0-8
	MOVQ p+0(FP), BX
	LOCK
	INCQ (BX)
	RET

TEXT ·cas(SB), 4, $0-8
	MOVQ p+0(FP), BX
	LOCK
	CMPXCHGQ CX, (BX)
	RET

TEXT ·encoded(SB), 4, $0-8
	MOVQ p+0(FP), BX
	LOCK
	INCQ (BX)
	RET

TEXT ·one(SB), 4, $0-8
	MOVQ p+0(FP), BX
	LOCK
	INCQ (BX)
	RET

TEXT helper<>(SB), 4, $0-8
	LOCK
	INCQ (BX)
	RET
