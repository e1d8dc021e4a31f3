#include "textflag.h"

#define ISH $0xb

TEXT ·twice(SB), NOSPLIT, $0-0
	DMB ISH
	DMB ISH // want `DMB \$0xb is redundant on arm64: DMB \$0xb on line 6 orders already`
	RET

TEXT ·weakerBesideFull(SB), NOSPLIT, $0-0
	DMB $0x9 // want `DMB \$0x9 is redundant on arm64: DMB \$0xb on line 12 orders already`
	DMB $0xb
	DMB $0xa // want `DMB \$0xa is redundant on arm64: DMB \$0xb on line 12 orders already`
	RET

// Load and store fence together: neither does what the other does.
TEXT ·different(SB), NOSPLIT, $0-0
	DMB $0x9
	DMB $0xa
	RET

TEXT ·system(SB), NOSPLIT, $0-0
	DSB $0xf
	DMB $0xb // want `DMB \$0xb is redundant on arm64: DSB \$0xf on line 25 orders already`
	DSB $0xf
	RET

// The second fence orders what the first one does, and STLR what comes before against the store.
TEXT ·fullThenRelease(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xb // want `DMB \$0xb is redundant on arm64: STLR on line 33 and DMB \$0xb on line 34 order already`
	STLR R1, (R0)
	DMB $0xb
	RET

TEXT ·releaseOnly(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xb // want `DMB \$0xb is redundant on arm64 for the accesses of releaseOnly: STLR on line 41 orders already \(it is needed if a caller relies on it between accesses of its own\)`
	STLR R1, (R0)
	RET

// The load behind the store is ordered by the fence only.
TEXT ·releaseThenLoad(SB), NOSPLIT, $0-32
	MOVD p+0(FP), R0
	MOVD q+8(FP), R2
	MOVD v+16(FP), R1
	DMB $0xb
	STLR R1, (R0)
	MOVD (R2), R3
	MOVD R3, ret+24(FP)
	RET

TEXT ·acquireOnly(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	LDAR (R0), R1
	DMB $0x9 // want `DMB \$0x9 is redundant on arm64 for the accesses of acquireOnly: LDAR on line 57 orders already \(it is needed if a caller relies on it for an earlier load of its own\)`
	MOVD R1, ret+8(FP)
	RET

// LDAR orders nothing that came earlier.
TEXT ·acquireAfterLoad(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD q+8(FP), R2
	MOVD (R2), R3
	LDAR (R0), R1
	DMB $0x9
	MOVD 8(R2), R4
	ADD R3, R4
	MOVD R4, ret+16(FP)
	RET

// A full fence is not there for the load.
TEXT ·fullAfterAcquire(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	LDAR (R0), R1
	DMB $0xb
	MOVD R1, ret+8(FP)
	RET

// The fence before the second read of the sequence orders what was read before it.
TEXT ·seqlock(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD q+8(FP), R2
	MOVD (R2), R3
	DMB $0x9
	LDAR (R0), R1
	MOVD R1, ret+16(FP)
	RET

// STLR orders nothing that comes later.
TEXT ·releaseThenFull(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	STLR R1, (R0)
	DMB $0xb
	RET

TEXT ·addFull(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	LDADDALD R1, (R0), R2
	DMB $0xb // want `DMB \$0xb is redundant on arm64: LDADDALD on line 103 orders already`
	MOVD R2, ret+16(FP)
	RET

TEXT ·addRelaxed(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xb
	LDADDD R1, (R0), R2
	DMB $0xb
	MOVD R2, ret+16(FP)
	RET

// Without a result there is no acquire.
TEXT ·addNoResult(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	LDADDALD R1, (R0), ZR
	DMB $0xb
	RET

TEXT ·swapFull(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	SWPALW R1, (R0), R2
	DMB $0xa // want `DMB \$0xa is redundant on arm64: SWPALW on line 128 orders already`
	MOVD R2, ret+16(FP)
	RET

TEXT ·fullBeforeAdd(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xb // want `DMB \$0xb is redundant on arm64: LDADDALD on line 137 orders already`
	LDADDALD R1, (R0), R2
	MOVD R2, ret+16(FP)
	RET

// A compare-and-swap that fails has not written.
TEXT ·casFailed(SB), NOSPLIT, $0-32
	MOVD p+0(FP), R0
	MOVD old+8(FP), R1
	MOVD new+16(FP), R2
	CASALD R1, (R0), R2
	DMB $0xb
	MOVD R1, ret+24(FP)
	RET

// An exclusive pair with both halves annotated is no full barrier.
TEXT ·exclusive(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
loop:
	LDAXR (R0), R2
	ADD R1, R2
	STLXR R2, (R0), R3
	CBNZ R3, loop
	DMB $0xb
	RET

TEXT ·exclusiveFull(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
loop:
	LDXR (R0), R2
	ADD R1, R2
	STLXR R2, (R0), R3
	CBNZ R3, loop
	DMB $0xb
	DMB $0x9 // want `DMB \$0x9 is redundant on arm64: DMB \$0xb on line 171 orders already`
	RET

// The wider fence reaches devices.
TEXT ·outer(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	LDADDALD R1, (R0), R2
	DMB $0x3
	MOVD R2, ret+16(FP)
	RET

TEXT ·storeThenFence(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	DMB $0xb
	MOVD R1, (R0)
	RET

// Redundant only where LSE is guaranteed: not reported.
TEXT ·featured(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
#ifdef GOARM64_LSE
	LDADDALD R1, (R0), R2
#else
loop:
	LDAXR (R0), R2
	ADD R1, R2, R4
	STLXR R4, (R0), R3
	CBNZ R3, loop
#endif
	DMB $0xb
	MOVD R2, ret+16(FP)
	RET

#ifndef GOARM64_LSE
TEXT ·featuredBoth(SB), NOSPLIT, $0-0
	DMB $0xb
	DMB $0xb // want `DMB \$0xb is redundant`
	RET
#else
TEXT ·featuredBoth(SB), NOSPLIT, $0-0
	DMB $0xb
	RET
#endif

TEXT ·branches(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	CBZ R1, zero
	SWPALD R1, (R0), R2
	B done
zero:
	DMB $0xb
done:
	DMB $0xb // want `DMB \$0xb is redundant on arm64: SWPALD on line 223 and DMB \$0xb on line 226 order already`
	RET
