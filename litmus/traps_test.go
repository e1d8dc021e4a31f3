package litmus

import (
	"strconv"
	"strings"
	"testing"
)

// table writes the code of an assembly test: the threads' instructions, one in a line.
func table(threads ...string) string {
	var columns [][]string
	rows := 0
	for _, t := range threads {
		lines := strings.Split(t, "\n")
		columns = append(columns, lines)
		rows = max(rows, len(lines))
	}
	var b strings.Builder
	for row := -1; row < rows; row++ {
		for i, c := range columns {
			if i > 0 {
				b.WriteString(" | ")
			}
			switch {
			case row < 0:
				b.WriteString("P" + strconv.Itoa(i))
			case row < len(c):
				b.WriteString(strings.TrimSpace(c[row]))
			}
		}
		b.WriteString(" ;\n")
	}
	return b.String()
}

// The shapes on arm64: X1 is x, X3 is y and X20 is z in every thread. The writers of a message write 1 to x, then to y.
const (
	armInit  = "{ 0:X1=x; 0:X3=y; 0:X20=z; 1:X1=x; 1:X3=y; 1:X20=z; }\n"
	armWrite = "MOV W0,#1\nSTR W0,[X1]\nDMB SY\nSTR W0,[X3]"
	// A thread of SB that is ordered in full.
	armFull = "MOV W0,#1\nSTR W0,[X3]\nDMB SY\nLDR W9,[X1]"
)

func arm(cond string, threads ...string) string {
	return "AArch64 trap\n" + armInit + table(threads...) + cond
}

func riscv(cond string, threads ...string) string {
	return "RISCV trap\n{ 0:x5=x; 0:x6=y; 0:x7=z; 1:x5=x; 1:x6=y; 1:x7=z; }\n" + table(threads...) + cond
}

func x86(cond string, threads ...string) string {
	return "X86_64 trap\n{ }\n" + table(threads...) + cond
}

func kernel(cond string, threads ...string) string {
	var b strings.Builder
	b.WriteString("C trap\n{ }\n")
	for i, t := range threads {
		params := "(int *x, int *y, atomic_t *z, spinlock_t *l)"
		b.WriteString("P" + strconv.Itoa(i) + params + " {\n" + t + "\n}\n")
	}
	return b.String() + cond
}

// armSB is the outcome of SB that no order in full allows.
const armSB = "(0:X9=0 /\\ 1:X9=0)"

// traps are what has been believed otherwise. exists is what is possible, ~exists is what is not; where a small change makes
// the difference, both forms stand side by side.
var traps = []struct{ name, src string }{
	{"a failed CASAL does not order a store before a load",
		arm("exists "+armSB, "MOV W0,#1\nSTR W0,[X1]\nMOV W4,#7\nCASAL W4,W0,[X20]\nLDR W9,[X3]", armFull)},
	{"a CASAL that succeeds does",
		arm("~exists "+armSB, "MOV W0,#1\nSTR W0,[X1]\nMOV W4,#0\nCASAL W4,W0,[X20]\nLDR W9,[X3]", armFull)},
	{"a failed CASAL is an acquire load",
		arm("~exists (1:X4=1 /\\ 1:X9=0)", armWrite, "MOV W4,#7\nMOV W0,#1\nCASAL W4,W0,[X3]\nLDR W9,[X1]")},
	{"a failed CASL is not even that",
		arm("exists (1:X4=1 /\\ 1:X9=0)", armWrite, "MOV W4,#7\nMOV W0,#1\nCASL W4,W0,[X3]\nLDR W9,[X1]")},
	{"the kernel's contract promises nothing after a failed cmpxchg",
		kernel("exists (0:r1=0 /\\ 1:r1=0)", "WRITE_ONCE(*x, 1); int r0 = atomic_cmpxchg(z, 7, 1); int r1 = READ_ONCE(*y);",
			"WRITE_ONCE(*y, 1); smp_mb(); int r1 = READ_ONCE(*x);")},
	{"and everything after one that succeeds",
		kernel("~exists (0:r1=0 /\\ 1:r1=0)", "WRITE_ONCE(*x, 1); int r0 = atomic_cmpxchg(z, 0, 1); int r1 = READ_ONCE(*y);",
			"WRITE_ONCE(*y, 1); smp_mb(); int r1 = READ_ONCE(*x);")},

	{"LDAR does not order an earlier store", arm("exists "+armSB, "MOV W0,#1\nSTR W0,[X1]\nLDAR W9,[X3]", armFull)},
	{"LDAR does not order an earlier load",
		arm("exists (1:X0=1 /\\ 1:X9=0)", armWrite, "LDR W0,[X3]\nLDAR W9,[X1]")},
	{"LDAR orders later loads",
		arm("~exists (1:X0=1 /\\ 1:X9=0)", armWrite, "LDAR W0,[X3]\nLDR W9,[X1]")},

	{"reading back one's own store does not order it before later loads, arm64",
		arm("exists (0:X9=0 /\\ 1:X9=0)", "MOV W0,#1\nSTR W0,[X1]\nLDR W4,[X1]\nEOR W5,W4,W4\nLDR W9,[X3,W5,SXTW]", armFull)},
	{"reading back one's own store does not order it before later loads, amd64",
		x86("exists (0:rbx=0 /\\ 1:rbx=0)", "movl $1,(x)\nmovl (x),%eax\nmovl (y),%ebx", "movl $1,(y)\nmfence\nmovl (x),%ebx")},

	{"a void read-modify-write is not ordered by a read fence, kernel",
		kernel("exists (z=2 /\\ 1:r0=0)", "WRITE_ONCE(*x, 1); smp_wmb(); atomic_set(z, 1);", "atomic_inc(z); smp_rmb(); int r0 = READ_ONCE(*x);")},
	{"one that returns a value is a full fence, kernel",
		kernel("~exists (1:r1=2 /\\ 1:r0=0)", "WRITE_ONCE(*x, 1); smp_wmb(); atomic_set(z, 1);", "int r1 = atomic_inc_return(z); int r0 = READ_ONCE(*x);")},
	{"a lock is read from the unlock before it: what was written inside is seen",
		kernel("~exists (0:r0=1 /\\ 0:r1=0)", "spin_lock(l); int r0 = READ_ONCE(*y); int r1 = READ_ONCE(*x); spin_unlock(l);",
			"spin_lock(l); WRITE_ONCE(*x, 1); WRITE_ONCE(*y, 1); spin_unlock(l);")},
	{"outside of the lock nothing is promised",
		kernel("exists (0:r0=1 /\\ 0:r1=0)", "int r0 = READ_ONCE(*y); int r1 = READ_ONCE(*x);",
			"spin_lock(l); WRITE_ONCE(*x, 1); WRITE_ONCE(*y, 1); spin_unlock(l);")},
	{"a write before a lock is not ordered against a read behind it",
		kernel("exists (0:r1=0 /\\ 1:r1=0)", "WRITE_ONCE(*x, 1); spin_lock(l); int r1 = READ_ONCE(*y); spin_unlock(l);",
			"WRITE_ONCE(*y, 1); smp_mb(); int r1 = READ_ONCE(*x);")},
	{"unless smp_mb__after_spinlock follows",
		kernel("~exists (0:r1=0 /\\ 1:r1=0)", "WRITE_ONCE(*x, 1); spin_lock(l); smp_mb__after_spinlock(); int r1 = READ_ONCE(*y); spin_unlock(l);",
			"WRITE_ONCE(*y, 1); smp_mb(); int r1 = READ_ONCE(*x);")},
	{"a grace period waits for the critical sections that it meets",
		kernel("~exists (0:r0=1 /\\ 0:r1=0)", "rcu_read_lock(); int r0 = READ_ONCE(*y); int r1 = READ_ONCE(*x); rcu_read_unlock();",
			"WRITE_ONCE(*x, 1); synchronize_rcu(); WRITE_ONCE(*y, 1);")},
	{"a grace period of one SRCU domain does not wait for another's critical sections",
		"C trap\n{ }\n" +
			"P0(int *x, int *y, struct srcu_struct *s) { int r2 = srcu_read_lock(s); int r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); srcu_read_unlock(s, r2); }\n" +
			"P1(int *x, int *y, struct srcu_struct *t) { int r0 = READ_ONCE(*y); synchronize_srcu(t); WRITE_ONCE(*x, 1); }\n" +
			"exists (0:r0=1 /\\ 1:r0=1)"},
	{"one of the same domain does",
		"C trap\n{ }\n" +
			"P0(int *x, int *y, struct srcu_struct *s) { int r2 = srcu_read_lock(s); int r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); srcu_read_unlock(s, r2); }\n" +
			"P1(int *x, int *y, struct srcu_struct *s) { int r0 = READ_ONCE(*y); synchronize_srcu(s); WRITE_ONCE(*x, 1); }\n" +
			"~exists (0:r0=1 /\\ 1:r0=1)"},

	{"an STXR may fail, and the path of its failure has no order",
		arm("exists (1:X4=1 /\\ 1:X0=1 /\\ 1:X9=0)", armWrite,
			"LDXR W0,[X3]\nMOV W2,#2\nSTXR W4,W2,[X3]\nCBNZ W4,Fail\nDMB ISH\nFail:\nLDR W9,[X1]")},
	{"the path of its success has the fence",
		arm("~exists (1:X4=0 /\\ 1:X0=1 /\\ 1:X9=0)", armWrite,
			"LDXR W0,[X3]\nMOV W2,#2\nSTXR W4,W2,[X3]\nCBNZ W4,Fail\nDMB ISH\nFail:\nLDR W9,[X1]")},
	{"an STXR that failed wrote nothing", arm("~exists (0:X4=1 /\\ x=2)", "LDXR W0,[X1]\nMOV W2,#2\nSTXR W4,W2,[X1]", "NOP")},
	{"an STXR cannot succeed over another thread's store",
		arm("~exists (0:X0=0 /\\ 0:X4=0 /\\ x=2 /\\ 1:X0=1)", "LDXR W0,[X1]\nMOV W2,#2\nSTXR W4,W2,[X1]\nMOV W9,#1", "MOV W0,#1\nSTR W0,[X1]\nDMB ISH\nLDR W0,[X1]")},

	{"a control dependency orders the store of a read-modify-write",
		arm("~exists (0:X0=1 /\\ 1:X0=1)", "LDR W0,[X1]\nCBNZ W0,L\nL:\nMOV W2,#1\nLDADD W2,W4,[X3]", "LDR W0,[X3]\nDMB ISH\nMOV W2,#1\nSTR W2,[X1]")},
	{"a control dependency does not order later loads",
		arm("exists (1:X0=1 /\\ 1:X9=0)", armWrite, "LDR W0,[X3]\nCBNZ W0,L\nL:\nLDR W9,[X1]")},
	{"with ISB it does",
		arm("~exists (1:X0=1 /\\ 1:X9=0)", armWrite, "LDR W0,[X3]\nCBNZ W0,L\nL:\nISB\nLDR W9,[X1]")},
	{"ISB alone orders nothing",
		arm("exists (1:X0=1 /\\ 1:X9=0)", armWrite, "LDR W0,[X3]\nISB\nLDR W9,[X1]")},
	{"a dependency goes on through a store and a load of the same thread",
		arm("~exists (1:X0=1 /\\ 1:X9=0)", armWrite, "LDR W0,[X3]\nSTR W0,[X20]\nLDR W4,[X20]\nEOR W5,W4,W4\nLDR W9,[X1,W5,SXTW]")},
	{"a dependency that cannot change the value is one all the same",
		arm("~exists (1:X0=1 /\\ 1:X9=0)", armWrite, "LDR W0,[X3]\nAND W5,W0,#0\nLDR W9,[X1,W5,SXTW]")},

	{"an access between a read-modify-write and its after_atomic is not ordered",
		kernel("exists (0:r1=0 /\\ 1:r1=0)", "WRITE_ONCE(*x, 1); atomic_inc(z); int r1 = READ_ONCE(*y); smp_mb__after_atomic();",
			"WRITE_ONCE(*y, 1); smp_mb(); int r1 = READ_ONCE(*x);")},
	{"one behind it is",
		kernel("~exists (0:r1=0 /\\ 1:r1=0)", "WRITE_ONCE(*x, 1); atomic_inc(z); smp_mb__after_atomic(); int r1 = READ_ONCE(*y);",
			"WRITE_ONCE(*y, 1); smp_mb(); int r1 = READ_ONCE(*x);")},

	{"the zero register as destination drops acquire",
		arm("exists (y=2 /\\ 1:X9=0)", armWrite, "MOV W2,#2\nSWPA W2,WZR,[X3]\nLDR W9,[X1]")},
	{"another destination does not",
		arm("~exists (y=2 /\\ 1:X4=1 /\\ 1:X9=0)", armWrite, "MOV W2,#2\nSWPA W2,W4,[X3]\nLDR W9,[X1]")},
	{"LDAXR and STLXR are no full barrier",
		arm("exists "+armSB, "MOV W0,#1\nSTR W0,[X1]\nLDAXR W2,[X20]\nSTLXR W4,W0,[X20]\nLDR W9,[X3]", armFull)},
	{"a DMB behind LDXR and STXR makes it one",
		arm("~exists "+armSB, "MOV W0,#1\nSTR W0,[X1]\nLDXR W2,[X20]\nSTLXR W4,W0,[X20]\nDMB ISH\nLDR W9,[X3]", armFull)},
	{"DMB ISHLD does not order the read of a no-return read-modify-write",
		arm("exists (y=2 /\\ 1:X9=0)", armWrite, "MOV W2,#1\nSTADD W2,[X3]\nDMB ISHLD\nLDR W9,[X1]")},
	{"nor that of one with the zero register",
		arm("exists (y=2 /\\ 1:X9=0)", armWrite, "MOV W2,#1\nLDADD W2,WZR,[X3]\nDMB ISHLD\nLDR W9,[X1]")},
	{"it orders that of one with a result",
		arm("~exists (1:X4=1 /\\ 1:X9=0)", armWrite, "MOV W2,#1\nLDADD W2,W4,[X3]\nDMB ISHLD\nLDR W9,[X1]")},
	{"STLR and LDAPR are not ordered",
		arm("exists "+armSB, "MOV W0,#1\nSTLR W0,[X1]\nLDAPR W9,[X3]", armFull)},
	{"STLR and LDAR are", arm("~exists "+armSB, "MOV W0,#1\nSTLR W0,[X1]\nLDAR W9,[X3]", armFull)},
	{"STLR and LDR are not", arm("exists "+armSB, "MOV W0,#1\nSTLR W0,[X1]\nLDR W9,[X3]", armFull)},
	{"DMB ISHST is no release fence",
		arm("exists (0:X0=1 /\\ 1:X0=1)", "LDR W0,[X1]\nDMB ISHST\nMOV W2,#1\nSTR W2,[X3]", "LDR W0,[X3]\nDMB ISH\nMOV W2,#1\nSTR W2,[X1]")},
	{"acquire of a read-modify-write does not bind its store",
		arm("exists (y=1 /\\ 1:X0=2 /\\ 1:X4=0)", "MOV W0,#1\nLDADDA W0,W2,[X1]\nMOV W4,#2\nSTR W4,[X3]\nMOV W9,#0",
			"LDR W0,[X3]\nDMB ISH\nLDR W4,[X1]\nMOV W5,#1\nSTR W5,[X3]")},

	{"LFENCE does not order a store before a load", x86("exists (0:rbx=0 /\\ 1:rbx=0)", "movl $1,(x)\nlfence\nmovl (y),%ebx", "movl $1,(y)\nmfence\nmovl (x),%ebx")},
	{"SFENCE does not either", x86("exists (0:rbx=0 /\\ 1:rbx=0)", "movl $1,(x)\nsfence\nmovl (y),%ebx", "movl $1,(y)\nmfence\nmovl (x),%ebx")},
	{"MFENCE does", x86("~exists (0:rbx=0 /\\ 1:rbx=0)", "movl $1,(x)\nmfence\nmovl (y),%ebx", "movl $1,(y)\nmfence\nmovl (x),%ebx")},
	{"a cmpxchg that fails is a full fence on amd64",
		x86("~exists (0:rbx=0 /\\ 1:rbx=0)", "movl $1,(x)\nmovl $7,%eax\nlock; cmpxchgl %ecx,(z)\nmovl (y),%ebx", "movl $1,(y)\nmfence\nmovl (x),%ebx")},
	{"without lock, an increment is two accesses",
		x86("exists (x=1)", "incl (x)", "incl (x)")},
	{"with lock, it is one", x86("~exists (x=1)", "lock; incl (x)", "lock; incl (x)")},

	{"fence.tso does not order a store before a load",
		riscv("exists (0:x9=0 /\\ 1:x9=0)", "li x8,1\nsw x8,0(x5)\nfence.tso\nlw x9,0(x6)", "li x8,1\nsw x8,0(x6)\nfence rw,rw\nlw x9,0(x5)")},
	{"fence rw,rw does",
		riscv("~exists (0:x9=0 /\\ 1:x9=0)", "li x8,1\nsw x8,0(x5)\nfence rw,rw\nlw x9,0(x6)", "li x8,1\nsw x8,0(x6)\nfence rw,rw\nlw x9,0(x5)")},
	{"fence.tso orders the rest",
		riscv("~exists (1:x8=1 /\\ 1:x9=0)", "li x8,1\nsw x8,0(x5)\nfence.tso\nsw x8,0(x6)", "lw x8,0(x6)\nfence.tso\nlw x9,0(x5)")},
	{"amo.aqrl is a full fence",
		riscv("~exists (0:x9=0 /\\ 1:x9=0)", "li x8,1\nsw x8,0(x5)\namoadd.w.aqrl x10,x8,(x7)\nlw x9,0(x6)", "li x8,1\nsw x8,0(x6)\nfence rw,rw\nlw x9,0(x5)")},
	{"lr.aq and sc.rl are not",
		riscv("exists (0:x9=0 /\\ 1:x9=0)", "li x8,1\nsw x8,0(x5)\nlr.w.aq x10,(x7)\nsc.w.rl x11,x8,(x7)\nlw x9,0(x6)", "li x8,1\nsw x8,0(x6)\nfence rw,rw\nlw x9,0(x5)")},
	{"lr.aq and sc.aqrl are, when sc succeeds",
		riscv("~exists (0:x11=0 /\\ 0:x9=0 /\\ 1:x9=0)", "li x8,1\nsw x8,0(x5)\nlr.w.aq x10,(x7)\nsc.w.aqrl x11,x8,(x7)\nlw x9,0(x6)", "li x8,1\nsw x8,0(x6)\nfence rw,rw\nlw x9,0(x5)")},
	{"amo.aq orders its own store before later loads",
		riscv("~exists (0:x9=0 /\\ 1:x9=0)", "li x8,1\namoswap.w.aq x10,x8,(x5)\nlw x9,0(x6)", "li x8,1\nsw x8,0(x6)\nfence rw,rw\nlw x9,0(x5)")},
	{"an address dependency orders loads on RISC-V",
		riscv("~exists (1:x8=1 /\\ 1:x9=0)", "li x8,1\nsw x8,0(x5)\nfence w,w\nsw x8,0(x6)", "lw x8,0(x6)\nxor x10,x8,x8\nadd x10,x10,x5\nlw x9,0(x10)")},
}

func TestTraps(t *testing.T) {
	for _, tt := range traps {
		t.Run(tt.name, func(t *testing.T) { Check(t, "", tt.src) })
	}
}
