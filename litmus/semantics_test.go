package litmus

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each instruction computes what its manual says: programs of one thread with their only outcome.
func TestInstructions(t *testing.T) {
	const a64 = "AArch64 T\n{ uint64_t x=5; uint64_t y=7; p=x; 0:X1=x; 0:X2=y; 0:X3=p; 0:X20=6; 0:X21=3; 0:X22=-1; }\n"
	const x64 = "X86_64 T\n{ x=5; y=7; p=x; 0:rsi=x; 0:rdi=4; 0:rcx=3; }\n"
	const ia32 = "X86 T\n{ x=5; y=7; 0:ECX=3; }\n"
	const rv = "RISCV T\n{ x=5; y=7; 0:x5=x; 0:x6=y; 0:x20=6; 0:x21=3; 0:x22=-1; }\n"
	for _, tt := range []struct{ head, code, want string }{
		{a64, "MOV W0,#0x10", "0:X0=16"},
		{a64, "MOV X0,X20", "0:X0=6"},
		{a64, "MOV W0,WZR", "0:X0=0"},
		{a64, "mvn x0,x20", "0:X0=-7"},
		{a64, "NEG X0,X20", "0:X0=-6"},
		{a64, "ADD W0,W20,W21\nSUB W4,W20,#1", "0:X0=9 /\\ 0:X4=5"},
		{a64, "AND W0,W20,W21\nORR W4,W20,#1\nEOR W5,W20,W21\nBIC W6,W20,W21", "0:X0=2 /\\ 0:X4=7 /\\ 0:X5=5 /\\ 0:X6=4"},
		{a64, "MUL W0,W20,W21\nLSL W4,W20,#2\nLSR W5,W20,W21", "0:X0=18 /\\ 0:X4=24 /\\ 0:X5=0"},
		{a64, "ADD X0,X20,X21,LSL #4\nADD X4,X20,W22,SXTW\nADD X5,X20,W22,UXTB\nADD W6,W20,#1,LSL #12", "0:X0=54 /\\ 0:X4=5 /\\ 0:X5=261 /\\ 0:X6=4102"},
		{a64, "MOV W0,W22\nSXTW X4,W22\nUXTH W5,W22", "0:X0=4294967295 /\\ 0:X4=-1 /\\ 0:X5=65535"},
		{a64, "LDR W0,[X1]\nLDR W4,[X2]\nSTR W20,[X1]", "0:X0=5 /\\ 0:X4=7 /\\ x=6"},
		{a64, "LDR X0,[X3]\nLDR X4,[X0]\nSTR X2,[X3]", "0:X0=x /\\ 0:X4=5 /\\ p=y"},
		{a64, "STR X22,[X1]\nLDRB W0,[X1]\nLDRH W4,[X1]\nLDRSB X5,[X1]\nLDRSW X6,[X1]", "0:X0=255 /\\ 0:X4=65535 /\\ 0:X5=-1 /\\ 0:X6=-1"},
		{a64, "MOV X4,X1\nLDR W0,[X4],#0\nLDR W5,[X4,#0]!\nLDR W6,[X4,XZR]\nLDUR W7,[X4]", "0:X0=5 /\\ 0:X5=5 /\\ 0:X6=5 /\\ 0:X7=5"},
		{a64, "LDAR W0,[X1]\nLDAPR W4,[X1]\nLDAXR W5,[X1]\nSTLR W21,[X1]", "0:X0=5 /\\ 0:X4=5 /\\ 0:X5=5 /\\ x=3"},
		{a64, "SWP W20,W0,[X1]", "0:X0=5 /\\ x=6"},
		{a64, "CAS W20,W21,[X1]\nMOV W0,#7\nCAS W0,W21,[X2]", "0:X20=5 /\\ x=5 /\\ 0:X0=7 /\\ y=3"},
		{a64, "LDADD W20,W0,[X1]\nLDCLR W21,W4,[X2]", "0:X0=5 /\\ x=11 /\\ 0:X4=7 /\\ y=4"},
		{a64, "LDEOR W20,W0,[X1]\nLDSET W20,W4,[X2]", "0:X0=5 /\\ x=3 /\\ 0:X4=7 /\\ y=7"},
		{a64, "LDSMAX W20,W0,[X1]\nLDSMIN W20,W4,[X2]", "0:X0=5 /\\ x=6 /\\ 0:X4=7 /\\ y=6"},
		{a64, "STADD W20,[X1]\nSTCLR W21,[X2]", "x=11 /\\ y=4"},
		{a64, "LDADD W20,WZR,[X1]", "x=11"},
		{a64, "CMP W20,#6\nCSEL W0,W20,W21,EQ\nCSINC W4,W20,W21,NE\nCSINV W5,W20,W21,NE\nCSNEG W6,W20,W21,NE\nCSET W7,EQ\nCSETM X8,EQ",
			"0:X0=6 /\\ 0:X4=4 /\\ 0:X5=4294967292 /\\ 0:X6=4294967293 /\\ 0:X7=1 /\\ 0:X8=-1"},
		{a64, "CMP X22,#1\nCSET W0,LT\nCSET W4,LO\nCSET W5,HI\nCSET W6,GE", "0:X0=1 /\\ 0:X4=0 /\\ 0:X5=1 /\\ 0:X6=0"},
		{a64, "TST W20,W21\nCSET W0,NE\nCMN X22,#1\nCSET W4,EQ\nSUBS W5,W20,#6\nCSET W6,EQ\nADDS W7,W20,#1\nCSET W8,EQ", "0:X0=1 /\\ 0:X4=1 /\\ 0:X5=0 /\\ 0:X6=1 /\\ 0:X7=7 /\\ 0:X8=0"},
		{a64, "CBZ W20,L\nMOV W0,#1\nL:\nCBNZ W20,M\nMOV W4,#1\nM:", "0:X0=1"},
		{a64, "TBZ W20,#1,L\nMOV W0,#1\nL:\nTBNZ W20,#1,M\nMOV W0,#2\nM: NOP", "0:X0=1"},
		{a64, "CMP W20,W21\nB.GT L\nMOV W0,#1\nL:\nBEQ M\nADD W0,W0,#2\nM:\nB N\nMOV W0,#9\nN:", "0:X0=2"},
		{a64, "LDXR W0,[X1]\nSTXR W4,W20,[X1]\nCBNZ W4,L\nMOV W5,#1\nL:", "0:X4=1 /\\ 0:X5=0 /\\ x=5 \\/ 0:X4=0 /\\ 0:X5=1 /\\ x=6"},
		{a64, "DMB ISH\nDSB SY\nISB\nISB SY\nNOP", "x=5"},

		{x64, "movl $-1,%eax\nmovq %rdi,%rbx", "0:rax=-1 /\\ 0:rbx=4"},
		{x64, "movl (x),%eax\nmovl [y],%ebx\nmovl $9,(x)", "0:rax=5 /\\ 0:rbx=7 /\\ x=9"},
		{x64, "movq (p),%rax\nmovl (%rax),%ebx\nmovl %ecx,(%rsi)", "0:rax=x /\\ 0:rbx=5 /\\ x=3"},
		{x64, "addl $1,%ecx\nsubl $2,%edi\nxorl %eax,%eax\norl $8,%eax\nandl $6,%edi", "0:rcx=4 /\\ 0:rdi=2 /\\ 0:rax=8"},
		{x64, "incl %ecx\ndecl %edi\nnotl %eax", "0:rcx=4 /\\ 0:rdi=3 /\\ 0:rax=-1"},
		{x64, "addl $1,(x)\nincl (y)\naddl (x),%ecx", "x=6 /\\ y=8 /\\ 0:rcx=9"},
		{x64, "lock; addl $1,(x)\nlock decl (y)", "x=6 /\\ y=6"},
		{x64, "xchgl %ecx,(x)\nxchgl (y),%edi\nxchgl %ecx,%edi", "x=3 /\\ y=4 /\\ 0:rcx=7 /\\ 0:rdi=5"},
		{x64, "lock; xaddl %ecx,(x)", "x=8 /\\ 0:rcx=5"},
		{x64, "movl $5,%eax\nlock; cmpxchgl (x),%ecx\nje L\nmovl $1,%ebx\nL:", "x=3 /\\ 0:rax=5"},
		{x64, "movl $6,%eax\nlock; cmpxchgl %ecx,(x)\nje L\nmovl $1,%ebx\nL:", "x=5 /\\ 0:rax=5 /\\ 0:rbx=1"},
		{x64, "cmpl $4,%edi\njne L\nmovl $1,%eax\nL:\ncmpl %ecx,%edi\njg M\nmovl $2,%eax\nM:\njmp N\nmovl $3,%eax\nN:", "0:rax=1"},
		{x64, "cmpl $5,(x)\njz L\nmovl $1,%eax\nL:\ntestl $1,%ecx\njz M\nmovl $2,%ebx\nM:", "0:rbx=2"},
		{x64, "cmpl $4,%edi\ncmove %ecx,%eax\ncmovne %edi,%ebx", "0:rax=3 /\\ 0:rbx=0"},
		{x64, "movb $1,%al\nmovl %eax,%ebx\nmfence\nlfence\nsfence\nnop\npause", "0:rbx=1"},

		{ia32, "MOV EAX,[x]\nMOV [y],EAX\nMOV EBX,ECX\nMOV EDX,$2", "0:EAX=5 /\\ y=5 /\\ 0:EBX=3 /\\ 0:EDX=2"},
		{ia32, "ADD EAX,$1\nSUB ECX,$1\nINC [x]\nXCHG [y],ECX", "0:EAX=1 /\\ x=6 /\\ y=2 /\\ 0:ECX=7"},
		{ia32, "CMP ECX,$3\nJNE L\nMOV EAX,$1\nL:\nLOCK INC [x]", "0:EAX=1 /\\ x=6"},

		{rv, "li x7,1\nmv x8,x20\nadd x9,x20,x21\naddi x10,x20,-1\nsub x11,x20,x21", "0:x7=1 /\\ 0:x8=6 /\\ 0:x9=9 /\\ 0:x10=5 /\\ 0:x11=3"},
		{rv, "and x7,x20,x21\nori x8,x0,1\nxor x9,x20,x21\nxori x10,x20,1\nslli x11,x20,1\nslt x12,x22,x20", "0:x7=2 /\\ 0:x8=1 /\\ 0:x9=5 /\\ 0:x10=7 /\\ 0:x11=12 /\\ 0:x12=1"},
		{rv, "lw x7,0(x5)\nld x8,0(x6)\nsw x20,0(x5)\nsd x22,(x6)\nlb x9,0(x6)\nlbu x10,0(x6)", "0:t2=5 /\\ 0:s0=7 /\\ x=6 /\\ y=-1 /\\ 0:x9=-1 /\\ 0:x10=255"},
		{rv, "amoswap.w x7,x20,(x5)\namoadd.d.aq x8,x20,(x6)", "0:x7=5 /\\ x=6 /\\ 0:x8=7 /\\ y=13"},
		{rv, "amoand.w.rl x7,x20,(x5)\namoor.w.aqrl x8,x20,0(x6)", "0:x7=5 /\\ x=4 /\\ 0:x8=7 /\\ y=7"},
		{rv, "amoxor.w.aq.rl x7,x20,(x5)\namomax.w x8,x20,(x6)\namomin.w x0,x21,(x6)", "x=3 /\\ y=3 /\\ 0:x8=7"},
		{rv, "beq x20,x21,L\nli x7,1\nL:\nbne x20,x0,M\nli x7,2\nM:\nbgeu x22,x20,N\nli x7,3\nN:\nblt x22,x20,O\nli x7,4\nO:\nj Q\nli x7,5\nQ:\nbeqz x0,R\nli x7,6\nR:", "0:x7=1"},
		{rv, "lr.w x7,(x5)\nsc.w x8,x20,(x5)\nbnez x8,L\nli x9,1\nL:", "0:x8=1 /\\ 0:x9=0 /\\ x=5 \\/ 0:x8=0 /\\ 0:x9=1 /\\ x=6"},
		{rv, "fence rw,rw\nfence iorw,ow\nfence\nfence.tso\nfence.i\nnop", "x=5"},
	} {
		test, err := Parse([]byte(tt.head+table(tt.code)+"forall ("+tt.want+")"), "t")
		if !assert.NoError(t, err, tt.code) {
			continue
		}
		var r Runner
		res, err := r.Run(test)
		require.NoError(t, err, tt.code)
		assert.True(t, res.Ok && len(res.States) > 0, "%s\n%s", tt.code, res.AppendReport(nil))
	}
}
