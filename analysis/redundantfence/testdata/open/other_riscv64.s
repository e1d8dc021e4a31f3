TEXT ·other(SB), $0-0
	CALL	·inAssembly(SB)
	RET
