	.text
	.globl f
f:
	mfence
	mfence
	ret
