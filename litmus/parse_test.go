package litmus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel"
)

// What a user gets wrong is answered with one line that says where.
func TestErrorsSayWhere(t *testing.T) {
	const head = "AArch64 T\n{ 0:X1=x; }\n"
	for _, tt := range []struct{ name, src, want string }{
		{"empty file", "", `t:1:1: unknown architecture ""`},
		{"unknown architecture", "PPC T\n{}\n", `t:1:1: unknown architecture "PPC"`},
		{"no name", "AArch64\n{}\n", `t:1:8: the test has no name`},
		{"ends before the initial state", "AArch64 T\nCom=Rf\n", "t:3:1: the file ends before the initial state"},
		{"open initial state", "AArch64 T\n{ 0:X1=x;\n", "t:2:1: the initial state is not closed"},
		{"junk in the initial state", "AArch64 T\n{ 0:X1=x 1:X1=y; }\n", `t:2:10: unexpected "1" in the initial state`},
		{"unknown register in the initial state", "AArch64 T\n{ 0:Y1=x; }\n", `t:2:5: unknown register "Y1" of AArch64`},
		{"too many threads", "AArch64 T\n{ 99:X1=x; }\n", `t:2:3: expected the number of a thread`},
		{"thread without code", "AArch64 T\n{ 1:X1=x; }\nP0 ;\nNOP ;\nexists (x=0)", `t:5:1: the initial state names thread 1`},
		{"array", "AArch64 T\n{ int a[2]; }\n", "t:2:8: arrays are not supported"},
		{"missing head", head + " MOV W0,#1 ;\nexists (x=1)", `t:3:2: expected P0 as the head of column 1`},
		{"no code", head + "exists (x=1)", `t:3:1: expected the row of threads`},
		{"truncated code", head + " P0 ;\n MOV W0,#1 ;\n STR W0,", "t:5:2: the file ends within the code"},
		{"too many columns", head + " P0 ;\n NOP | NOP ;\nexists (x=1)", "t:4:8: column 2 has no head"},
		{"unknown instruction", head + " P0 ;\n MOV W0,#1 ;\n FROB W0,[X1] ;\nexists (x=1)", "t:5:2: unknown instruction FROB"},
		{"unknown barrier option", head + " P0 ;\n DMB FOO ;\nexists (x=1)", `t:4:6: unknown option "FOO" of DMB`},
		{"missing operand", head + " P0 ;\n MOV W0 ;\nexists (x=1)", "t:4:8: expected a comma and another operand, found the end of the instruction"},
		{"junk behind the instruction", head + " P0 ;\n MOV W0,#1 W2 ;\nexists (x=1)", `t:4:12: unexpected "W2" behind the instruction`},
		{"unbound address", head + " P0 ;\n LDR W0,[X2] ;\nexists (x=1)", "t:4:10: register X2 of P0 is used as an address, but nothing gives it a value: write 0:X2=x into the initial state"},
		{"narrow address", head + " P0 ;\n LDR W0,[W1] ;\nexists (x=1)", "t:4:10: an address must be in a 64-bit register"},
		{"missing label", head + " P0 ;\n CBNZ W0,End ;\nexists (x=1)", `t:4:10: P0 has no label "End"`},
		{"double label", head + " P0 ;\n L: ;\n L: ;\nexists (x=1)", "t:5:2: the label L is there twice"},
		{"flags from nowhere", head + " P0 ;\n B.EQ L ;\n L: ;\nexists (x=1)", "t:4:2: P0 asks about the flags, but no instruction before it sets them"},
		{"no condition", head + " P0 ;\n NOP ;\n", "t:5:1: the file ends before the condition"},
		{"unbound register in the condition", head + " P0 ;\n NOP ;\nexists (0:X9=1)", "t:5:9: thread 0 has no register X9"},
		{"unknown thread in the condition", head + " P0 ;\n NOP ;\nexists (3:X1=1)", "t:5:9: thread 3 has no register X1"},
		{"unknown location in the condition", head + " P0 ;\n NOP ;\nexists (nowhere=1)", `t:5:9: no location is called "nowhere"`},
		{"unknown value in the condition", head + " P0 ;\n NOP ;\nexists (x=nowhere)", `t:5:11: no location is called "nowhere"`},
		{"open condition", head + " P0 ;\n NOP ;\nexists (x=1", "t:5:12: expected ) in the condition, found the end of the file"},
		{"junk behind the condition", head + " P0 ;\n NOP ;\nexists (x=1) x", `t:5:14: unexpected "x" behind the condition`},
		{"bad quantifier", head + " P0 ;\n NOP ;\n~forall (x=1)", `t:5:2: expected exists behind ~`},
		{"open locations", head + " P0 ;\n NOP ;\nlocations [x;", "t:5:11: the list of locations is not closed"},
		{"x86 register", "X86_64 T\n{}\nP0 ;\nmovl (x),%foo ;\nexists (x=1)", "t:4:10: unknown register"},
		{"x86 register of the other width", "X86 T\n{}\nP0 ;\nMOV R9,[x] ;\nexists (x=1)", "t:4:5: this register exists only in X86_64"},
		{"x86 lock", "X86_64 T\n{}\nP0 ;\nlock; movl $1,(x) ;\nexists (x=1)", "t:4:7: MOVL cannot be locked"},
		{"x86 two operands in memory", "X86_64 T\n{}\nP0 ;\nmovl (x),(y) ;\nexists (x=1)", "t:4:6: only one operand can be in memory"},
		{"riscv fence", "RISCV T\n{}\nP0 ;\nfence q,rw ;\nexists (x=1)", `t:4:7: expected what the fence orders (r, w, rw), found "q"`},
		{"riscv suffix", "RISCV T\n{ 0:x5=x; }\nP0 ;\namoadd.w.xx x6,x7,(x5) ;\nexists (x=1)", "t:4:1: unknown instruction amoadd.w.xx"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.src), "t")
			require.Error(t, err)
			assert.Contains(t, err.Error(), tt.want)
			var e *Error
			assert.ErrorAs(t, err, &e)
		})
	}
}

// A file that is cut off anywhere is refused or, where what is left is a test, read; it never brings the parser down.
func TestTruncatedFiles(t *testing.T) {
	for _, src := range seeds {
		whole, err := Parse([]byte(src), "t")
		require.NoError(t, err)
		require.NotEmpty(t, whole.Program.Threads)
		for n := range src {
			_, err := Parse([]byte(src[:n]), "t")
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("cut at %d: %v has no position", n, err)
			}
		}
		_, err = Parse([]byte(src[:strings.LastIndex(src, "(")]), "t")
		assert.Error(t, err, "the condition is gone")
	}
}

func TestInitialState(t *testing.T) {
	test, err := Parse([]byte(`AArch64 T
"a description with = and {"
(* a comment (* in a comment *) *)
Com=Rf
{
 x=1; int y = -2; int *p = &y; [z]=3; q=x; uint64_t w=0xff; /* and */ // more
 0:X1=x; int 0:X2; 0:X3=7; uint64_t 0:X4=y
}
P0 ;
NOP ;
exists (x=1)`), "t")
	require.NoError(t, err)
	assert.Equal(t, "a description with = and {", test.Doc)
	values := map[string]string{}
	for _, l := range test.Program.Locs {
		values[l.Name] = test.FormatValue(l.Init)
	}
	assert.Equal(t, map[string]string{"x": "1", "y": "-2", "p": "y", "z": "3", "q": "x", "w": "255"}, values)
	registers := map[string]string{}
	for _, r := range test.Program.Threads[0].Regs {
		registers[r.Name] = test.FormatValue(r.Init)
	}
	assert.Equal(t, map[string]string{"X1": "x", "X2": "0", "X3": "7", "X4": "y"}, registers)
}

// Conditions are printed as they were understood.
func TestConditions(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"exists (0:X1=1 /\\ x=2)", "exists (0:X1=1 /\\ [x]=2)"},
		{"exists(x=1)", "exists ([x]=1)"},
		{"exists x=1", "exists ([x]=1)"},
		{"~exists (x=1 \\/ y=2 /\\ 0:X1=3)", "~exists ([x]=1 \\/ ([y]=2 /\\ 0:X1=3))"},
		{"forall (x=1 => y=2)", "forall ([x]=1 => [y]=2)"},
		{"exists not (x=1)", "exists not ([x]=1)"},
		{"exists (~x=1 /\\ y!=0)", "exists (not ([x]=1) /\\ not ([y]=0))"},
		{"exists (0:X1=0:X2 \\/ 0:X1=y \\/ [x]=[y])", "exists (0:X1=0:X2 \\/ 0:X1=y \\/ [x]=[y])"},
		{"locations [x; 0:X1;] exists (true)", "exists (true)"},
		{"filter (x=1) exists (y=1)", "exists ([y]=1)"},
		{"locations [x]", "forall (true)"},
		{"exists (* why *) (x=0x10) (* end *)", "exists ([x]=16)"},
	} {
		test, err := Parse([]byte("AArch64 T\n{ x=0; y=0; 0:X1=x; 0:X2=y; }\nP0 ;\nNOP ;\n"+tt.src), "t")
		if assert.NoError(t, err, tt.src) {
			assert.Equal(t, tt.want, test.Condition())
		}
	}
}

// The observed come in the order of reports: registers by thread and number, then locations; the filter's are not shown.
func TestObservedOrder(t *testing.T) {
	test, err := Parse([]byte(`AArch64 T
{ x=0; y=0; z=0; 0:X2=x; 0:X10=y; 1:X1=x; }
P0 | P1 ;
NOP | NOP ;
locations [y; 0:X10]
filter (z=1 /\ x=0)
exists (x=1 /\ 1:X1=0 /\ 0:X2=0)`), "t")
	require.NoError(t, err)
	var names []string
	for _, a := range test.Observed {
		names = append(names, a.Name)
	}
	assert.Equal(t, []string{"0:X2", "0:X10", "1:X1", "[x]", "[y]", "[z]"}, names)
	assert.Equal(t, 5, test.Shown)
	state := []memmodel.Value{0, 5, 0, 1, 0, 1}
	assert.True(t, test.Prop.Eval(state))
	assert.False(t, test.Filter.Eval(state))
	state[3] = 0
	assert.False(t, test.Prop.Eval(state))
	assert.True(t, test.Filter.Eval(state))
}

// seeds are a small test of each kind.
var seeds = []string{
	`X86_64 SB
"PodWR Fre"
Com=Fr Fr
{ int x=0; int y=0; }
 P0                 | P1                      ;
 movl $1,(x)        | lock; cmpxchgl (x),%ecx ;
 lock; addl $0,(t0) | jne L                   ;
 movl (y),%ebx      | L: movl (x),%ebx        ;
exists (0:rbx=0 /\ 1:rbx=0)`,
	`X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | XCHG EAX,[x] ;
 MFENCE      | INC EAX     ;
 MOV EAX,[y] | MOV [y],EAX ;
~exists (0:EAX=0 /\ [y]=1)`,
	`AArch64 MP
{ 0:X1=x; 0:X3=y; 1:X3=y; 1:X1=x; int ok1=0; }
 P0           | P1                  ;
 MOV W0,#1    | L0: LDAXR W0,[X3]   ;
 STR W0,[X1]  | STLXR W4,W2,[X3]    ;
 DMB ISHLD    | CBNZ W4,L0          ;
 STLR W0,[X3] | CMP W0,#1           ;
 ISB          | CSEL W2,W4,W5,EQ    ;
 SWPAL W0,W2,[X1] | LDR W4,[X1,W2,SXTW] ;
 CAS W0,W2,[X1] | TBNZ W4,#3,E ;
 STADD W0,[X1] | E: ;
locations [y;]
exists (1:X0=1 /\ (1:X4=0 \/ not 0:X0=ok1))`,
	`RISCV MP
{ 0:x5=x; 0:x6=y; 1:x5=x; 1:x6=y; }
 P0              | P1                    ;
 li x7,1         | lr.w.aq x8,(x6)       ;
 sw x7,0(x5)     | sc.w.rl x9,x8,0(x6)   ;
 fence rw,w      | bne x9,x0,L           ;
 amoswap.d.aqrl x8,x7,(x6) | L: ;
 fence.tso       | xor x10,x8,x8         ;
 fence.i         | add x10,x10,x5        ;
                 | lw x11,0(x10)         ;
forall (1:x8=1 => 1:a1=1)`,
	`C MP
{ int x = 0; }
P0(int *x, int *y)
{
	WRITE_ONCE(*x, 1);
	smp_store_release(y, 1);
}

P1(int *x, int *y)
{
	int r0 = smp_load_acquire(y);
	int r1;
	if (r0)
		r1 = READ_ONCE(*x);
}
exists (1:r0=1 /\ 1:r1=0)`,
}

// Whatever the file, the parser returns a test whose code is well formed, or an error with a position inside the file.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		test, err := Parse(src, "t")
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Line > strings.Count(string(src), "\n")+1 || e.Col < 1 || strings.Contains(e.Msg, "\n") {
				t.Fatalf("error without a good position: %q", err)
			}
			return
		}
		if test.Shown > len(test.Observed) {
			t.Fatal("more is shown than observed")
		}
		test.Condition()
		for i, th := range test.Program.Threads {
			reg := func(o memmodel.Operand) {
				if o.Reg != memmodel.NoReg && (o.Reg < 0 || int(o.Reg) >= len(th.Regs)) {
					t.Fatalf("P%d has no register %d", i, o.Reg)
				}
			}
			for _, in := range th.Code {
				for _, o := range []memmodel.Operand{in.A, in.B, in.C, in.D} {
					reg(o)
				}
				reg(memmodel.R(in.Dst))
				if in.Target < 0 || in.Target > len(th.Code) {
					t.Fatalf("branch to %d of %d", in.Target, len(th.Code))
				}
			}
		}
	})
}

// Whatever program the parser lets through, the search answers it or stops at a limit.
func FuzzRun(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	r := Runner{Limits: memmodel.Limits{Traces: 64, Candidates: 256}}
	f.Fuzz(func(t *testing.T, src []byte) {
		test, err := Parse(src, "t")
		if err != nil {
			return
		}
		res, err := r.Run(test)
		if err != nil {
			return
		}
		if len(res.States) > res.Positive+res.Negative {
			t.Fatalf("%d states of %d executions", len(res.States), res.Positive+res.Negative)
		}
		res.AppendReport(nil)
	})
}

// A parser that is used again reads what a new one reads, after a file with a mistake too.
func TestParserAgain(t *testing.T) {
	sources := []string{
		"X86_64 SB\n{ x=0; y=0; }\n P0 | P1 ;\n lock incl (x) | movl $1,(y) ;\n mfence | L: cmpl $0,(x) ;\n | jne L ;\nexists (x=1 /\\ (y=1 \\/ ~(y=0 /\\ x=1)))\n",
		"AArch64 MP\n{ 0:X1=x; 1:X1=x; }\n P0 | P1 ;\n MOV W0,#1 | LDR W0,[X1] ;\n STR W0,[X1] | CBNZ W0,L ;\n | L: ;\nforall (1:X0=1 \\/ 1:X0=0)\n",
	}
	err := filepath.WalkDir("testdata", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".litmus") {
			return err
		}
		src, err := os.ReadFile(name)
		sources = append(sources, string(src))
		return err
	})
	require.NoError(t, err)
	var p parser
	for _, src := range sources {
		fresh, err := Parse([]byte(src), "t")
		require.NoError(t, err, src)
		again, err := p.parse([]byte(src), "t")
		require.NoError(t, err, src)
		require.Equal(t, fmt.Sprint(fresh.Program.Locs, fresh.Program.Threads, fresh.Prop, fresh.Observed), fmt.Sprint(again.Program.Locs, again.Program.Threads, again.Prop, again.Observed), src)
		if _, err = p.parse([]byte(src[:2*len(src)/3]), "t"); err == nil {
			_, err = p.parse([]byte(src[:len(src)/2]), "t")
		}
		require.Error(t, err, src)
	}
}
