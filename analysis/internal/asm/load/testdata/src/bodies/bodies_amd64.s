TEXT ·Full(SB), 4, $8-0
	LOCK
	ADDL $0, x-8(SP)
	RET

TEXT ·Release(SB), 4, $0-0
	RET

TEXT ·Acquire(SB), 4, $0-0
	RET

TEXT ·MemoryBarrier(SB), 4, $0-0
	RET

TEXT ·Alias(SB), 4, $0-0
	JMP bodies·Full(SB)

TEXT ·Load(SB), 4, $0-8
	MOVQ p+0(FP), AX
	MOVQ (AX), BX
	RET

TEXT ·Calls(SB), 4, $0-0
	MFENCE
	CALL ·Full(SB)
	RET

TEXT other·Full(SB), 4, $0-0
	MFENCE
	RET
