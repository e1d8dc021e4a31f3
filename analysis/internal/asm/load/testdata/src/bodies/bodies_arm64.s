TEXT ·Full(SB), 4, $0-0
	DMB $0xb
	RET

TEXT ·Release(SB), 4, $0-0
	DMB $0xb
	RET

TEXT ·Acquire(SB), 4, $0-0
	DMB $0x9
	RET

TEXT ·MemoryBarrier(SB), 4, $0-0
	RET

TEXT ·Alias(SB), 4, $0-0
	B ·Full(SB)

TEXT ·Load(SB), 4, $0-8
	MOVD p+0(FP), R0
	LDAR (R0), R1
	RET

// What holds in every configuration.
TEXT ·Sometimes(SB), 4, $0-0
#ifdef GOARM64_LSE
	DMB $0xa
#else
	DMB $0xb
#endif
	RET
