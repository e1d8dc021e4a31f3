TEXT ·one(SB), 4, $0
	NOP /* BAD */ // want `bad instruction`
	NOP /* BAD */ //nolint:calls // measured
	//lint:ignore calls measured

	// and more
	NOP /* BAD */
	NOP /* BAD */ // want `bad instruction`
	NOP //nolint:calls // want `//nolint:calls has no effect`
	RET

//nolint:calls
TEXT ·two(SB), 4, $0
	NOP /* BAD */
	NOP /* BAD */
	RET
