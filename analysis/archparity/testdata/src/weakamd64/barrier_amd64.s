TEXT ·barrierFull(SB), 4, $0-0 // want `barrierFull does not order earlier writes before later reads on amd64, as it does on arm64`
	RET

TEXT ·release(SB), 4, $0-0
	RET
