package litmus

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel"
)

// cTest is a test with one thread of that body.
func cTest(body string) string {
	return "C t\n{ int *p = &a; }\nP0(int *x, int *y, int **p, atomic_t *c, spinlock_t *s)\n{\n" + body + "\n}\nexists (x=1)\n"
}

// cShow prints the code of a thread: its operations in a notation of one word each.
func cShow(t *Test) string {
	p := t.Program
	th := &p.Threads[0]
	operand := func(o memmodel.Operand) string {
		if o.Reg == memmodel.NoReg {
			if l, ok := p.LocAt(o.Val); ok {
				return p.Locs[l].Name
			}
			return fmt.Sprint(o.Val)
		}
		if n := th.Regs[o.Reg].Name; n != "" {
			return n
		}
		return "_"
	}
	names := [...]string{memmodel.FnB: "b", memmodel.FnA: "a", memmodel.FnAdd: "+", memmodel.FnSub: "-", memmodel.FnAnd: "&", memmodel.FnAndNot: "&^", memmodel.FnOr: "|",
		memmodel.FnXor: "^", memmodel.FnMul: "*", memmodel.FnShl: "<<", memmodel.FnShr: ">>", memmodel.FnEq: "==", memmodel.FnNe: "!=",
		memmodel.FnLt: "<", memmodel.FnLe: "<=", memmodel.FnGt: ">", memmodel.FnGe: ">="}
	fn := func(f memmodel.Fn, a, b memmodel.Operand) string {
		if f == memmodel.FnA {
			return operand(a)
		}
		return operand(a) + names[f] + operand(b)
	}
	address := func(i *memmodel.Instr) string {
		if i.B == memmodel.K(0) {
			return "[" + operand(i.A) + "]"
		}
		return "[" + operand(i.A) + "+" + operand(i.B) + "]"
	}
	tags := func(set memmodel.Tags) string {
		var s []string
		for i, n := range cTags {
			if set>>i&1 != 0 {
				s = append(s, n)
			}
		}
		return strings.Join(s, ",")
	}
	var out []string
	for i := range th.Code {
		in := &th.Code[i]
		dst := ""
		if in.Dst != memmodel.NoReg {
			dst = operand(memmodel.R(in.Dst))
		}
		switch in.Op {
		case memmodel.OpALU:
			out = append(out, dst+"="+fn(in.Fn, in.A, in.B))
		case memmodel.OpLoad:
			out = append(out, dst+"="+address(in)+tags(in.Tags))
		case memmodel.OpStore:
			out = append(out, address(in)+tags(in.WTags)+"="+operand(in.C))
		case memmodel.OpRMW:
			out = append(out, dst+"="+address(in)+tags(in.Tags)+names[in.Fn]+operand(in.C)+","+tags(in.WTags))
		case memmodel.OpCAS:
			out = append(out, dst+"=cas"+address(in)+tags(in.Tags)+","+operand(in.D)+","+operand(in.C)+","+tags(in.WTags))
		case memmodel.OpRMWIf:
			out = append(out, dst+"=if"+names[in.Cmp]+operand(in.D)+address(in)+tags(in.Tags)+names[in.Fn]+operand(in.C)+","+tags(in.WTags))
		case memmodel.OpFence:
			out = append(out, tags(in.Tags)+"("+operand(in.A)+")")
		case memmodel.OpBranch:
			out = append(out, fmt.Sprintf("if%s:%d/%d", fn(in.Fn, in.A, in.B), in.Target, in.Scope))
		case memmodel.OpPick:
			out = append(out, dst+"="+fn(in.Fn, in.A, in.B)+"?"+operand(in.C)+":"+operand(in.D))
		case memmodel.OpAssume:
			out = append(out, "assume"+fn(in.Fn, in.A, in.B))
		}
	}
	return strings.Join(out, " ")
}

// What C becomes. A register without a name is _.
func TestCLowering(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"int r1 = READ_ONCE(*x);", "r1=[x]Once"},
		{"r1 = *x; *y = r1 + 1;", "r1=[x]Plain _=r1+1 [y]Plain=_"},
		{"*x = *y;", "_=[y]Plain [x]Plain=_"},
		{"WRITE_ONCE(*(x + (r1 & 0)), 2);", "_=r1&0 [x+_]Once=2"},
		{"smp_store_release(x, 1); r1 = smp_load_acquire(y);", "[x]Release=1 r1=[y]Acquire"},
		{"smp_store_mb(*x, 1);", "[x]Once=1 Mb(0)"},
		{"rcu_assign_pointer(*p, x); r1 = rcu_dereference(*p); r2 = *r1;", "[p]Release=x r1=[p]Once r2=[r1]Plain"},
		{"r1 = (int)rcu_dereference(*(char **)x);", "r1=[x]Once"},
		{"WRITE_ONCE(*x, READ_ONCE(*y) + 1);", "_=[y]Once _=_+1 [x]Once=_"},
		{"r1 = -3 + 010 + 0x10UL;", "_=-3+8 r1=_+16"},
		{"r1 = 1 + 2 * 3 << 1 & 7 | 8 ^ 1;", "_=2*3 _=1+_ _=_<<1 _=_&7 _=8^1 r1=_|_"},
		{"r1 = !r2; r3 = ~r1; r3 = !(r1 < 2);", "r1=r2==0 r3=r1^-1 r3=r1>=2"},
		{"r1 += 2; r1++; --r1; r2 = r1++;", "r1=r1+2 _=r1 r1=_+1 r1=r1-1 _=r1 r1=_+1 r2=_"},
		{"r1 -= 2; r1 *= 3; r1 &= 4; r1 |= 5; r1 ^= 6; r2 = r1 >> 1;", "r1=r1-2 r1=r1*3 r1=r1&4 r1=r1|5 r1=r1^6 r2=r1>>1"},
		{"r1 = r2 = 3;", "r2=3 r1=r2"},
		{"int r1 = 1, *r2 = x, r3;", "r1=1 r2=x"},
		{"r1 = xchg_release(x, 2); xchg(y, 1);", "r1=[x]Onceb2,Release _=[y]Mbb1,Mb"},
		{"atomic_inc(c); atomic_sub(2, c);", "_=[c]Once,Noreturn+1,Once _=[c]Once,Noreturn-2,Once"},
		{"r1 = atomic_add_return_acquire(3, c);", "_=[c]Acquire+3,Once r1=_+3"},
		{"r1 = atomic_fetch_andnot_relaxed(3, c);", "r1=[c]Once&^3,Once"},
		{"r1 = atomic_dec_and_test(c);", "_=[c]Mb-1,Mb _=_-1 r1=_==0"},
		{"r1 = cmpxchg_acquire(x, 1, 2);", "r1=cas[x]Acquire,Conditional,1,2,Once"},
		{"r1 = atomic_try_cmpxchg(c, &r2, 7);", "_=cas[c]Mb,Conditional,r2,7,Mb _=_==r2 r2=_ r1=_"},
		{"r1 = atomic_add_unless(c, 2, 5);", "_=if!=5[c]Mb,Conditional+2,Mb r1=_!=5"},
		{"r1 = test_and_set_bit(3, x); clear_bit_unlock(0, y);", "_=[x]Mb|8,Mb _=_&8 r1=_!=0 _=[y]Once,Noreturn&^1,Release"},
		{"spin_lock(s); spin_unlock(s);", "_=cas[s]LKR,0,1,LKW assume_==0 [s]UL=0"},
		{"r1 = spin_trylock(s);", "_=cas[s]LKR,Conditional,0,1,LKW r1=_==0"},
		{"r1 = srcu_read_lock(s); srcu_read_unlock(s, r1); synchronize_srcu(s);", "r1=[s]Srcu-lock [s]Srcu-unlock=r1 Sync-srcu(s)"},
		{"smp_acquire_fence(); smp_release_fence(); barrier();", "Acquire-fence(0) Release-fence(0) Barrier(0)"},
		{"r1 = smp_cond_load_acquire(x, VAL > 1 && r2);", "_=[x]Acquire _=_>1 _=r2!=0 _=_&_ assume_!=0"}, // see below
		{"if (r1) WRITE_ONCE(*x, 1);", "ifr1==0:2/2 [x]Once=1"},
		{"if (r1 >= 2) { *x = 1; } else if (r1) *x = 2; else *x = 3;", "ifr1<2:3/7 [x]Plain=1 if1:7/0 ifr1==0:6/7 [x]Plain=2 if1:7/0 [x]Plain=3"},
		{"if (*x) ;", "_=[x]Plain if_==0:2/2"},
		{"while (r1 < 2) r1 = *x;", "ifr1>=2:3/3 r1=[x]Plain if1:0/0"},
		{"do { r1 = *x; } while (!r1);", "r1=[x]Plain ifr1!=0:3/3 if1:0/0"},
		{"for (r1 = 0; r1 < 2; r1++) *x = r1;", "r1=0 ifr1>=2:8/8 if1:6/0 _=r1 r1=_+1 if1:1/0 [x]Plain=r1 if1:3/0"},
		{"r1 = r2 && r3 == 1;", "_=r2!=0 _=r3==1 r1=_&_"},
		{"r1 = r2 || *x;", "_=r2!=0 if_!=0:4/4 _=[x]Plain _=_!=0 r1=_"},
		{"r1 = r2 ? 3 : r3;", "r1=r2==0?r3:3"},
		{"r1 = r2 ? *x : *y;", "ifr2==0:4/6 _=[x]Plain _=_ if1:6/0 _=[y]Plain _=_ r1=_"},
		{"x[1] = 2; r1 = *&*x;", "[x+1]Plain=2 r1=[x]Plain"},
		{"/* nothing */ ; // at all", ""},
	} {
		test, err := Parse([]byte(cTest(c.body)), "t.litmus")
		if !assert.NoError(t, err, c.body) {
			continue
		}
		if strings.Contains(c.body, "VAL") {
			assert.Contains(t, cShow(test), "_=[x]Acquire", c.body)
			assert.Contains(t, cShow(test), "assume", c.body)
			continue
		}
		assert.Equal(t, c.want, cShow(test), c.body)
	}
}

func TestCErrors(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"r1 = READ_ONCE(x);", `5:16: expected a shared location such as *x, found "x"`},
		{"r1 = frobnicate(x);", `5:6: unknown function "frobnicate"`},
		{"smp_mb(1);", `5:8: expected ")" behind the 0 arguments of smp_mb, found "1"`},
		{"WRITE_ONCE(*x);", `5:14: expected "," behind an argument of WRITE_ONCE, found ")"`},
		{"WRITE_ONCE(*x, 1)", `6:1: expected ";" behind the statement, found "}"`},
		{"if r1 *x = 1;", `5:4: expected "(" behind if, found "r1"`},
		{"goto out;", "5:1: goto is not supported: if, else, while, do and for are"},
		{"r1 = r2 / 2;", `5:9: operator "/" is not supported`},
		{"r1 = p->next;", "5:7: members of structures are not supported"},
		{"int a[3];", "5:6: arrays are not supported"},
		{"int x = 1;", "5:5: variable x has the name of a parameter"},
		{"3 = r1;", "5:1: only a local variable or *address can be assigned to"},
		{"r1 = 99999999999999999999;", `5:6: malformed or too large number "9"`},
		{"r1 = 09;", `5:6: malformed or too large number "09;"`},
		{"r1 = &r2;", "5:6: only *address has an address here: parameters are pointers already, and local variables have none"},
		{"try_cmpxchg(x, r1, 2);", "5:16: expected the address of a local variable, such as &r1"},
		{"u128 r1;", `5:1: unknown type or statement "u128"`},
		{"/* open", "5:1: the comment is not closed"},
		{"r1 = );", `5:6: expected an expression, found ")"`},
		{"do { } while (r1)", `6:1: expected ";" behind the loop, found "}"`},
		{"r1 = " + strings.Repeat("(", 1000), "5:206: more than 200 levels of nesting"},
	} {
		_, err := Parse([]byte(cTest(c.body)), "t.litmus")
		if assert.Error(t, err, c.body) {
			assert.Equal(t, "t.litmus:"+c.want, err.Error(), c.body)
		}
	}
	for src, want := range map[string]string{
		"C t\n{}\nexists (x=1)":                                         "t.litmus:3:1: expected a thread, P0(…), found \"exists\"",
		"C t\n{}\nP0(int x) { }\nexists (x=1)":                          "t.litmus:3:8: a parameter must be a pointer to the location of its name, as in int *x; found \"x\"",
		"C t\n{}\nP0(int *x) { }\nP0(int *x) { *x = 1; }\nexists (x=1)": "t.litmus:4:1: thread P0 is defined twice",
		"C t\n{}\nP0(int *x)\nexists (x=1)":                             "t.litmus:4:1: expected \"{\", the thread's body, found \"exists\"",
		"C t\n{}\nP0(int *x) { *x = 1;":                                 "t.litmus:3:12: the block is not closed",
	} {
		_, err := Parse([]byte(src), "t.litmus")
		if assert.Error(t, err, src) {
			assert.Equal(t, want, err.Error(), src)
		}
	}
}

// Lines are those of the source, also behind comments and loops.
func TestCLines(t *testing.T) {
	test, err := Parse([]byte("C t\n(* a\n b *)\n{}\n/* c\n*/\n\nP0(int *x)\n{\n\t*x = 1; // d\n\n\twhile (*x)\n\t\t*x = 2;\n}\n// e\nexists (x=1)\n"), "t.litmus")
	require.NoError(t, err)
	var lines []int
	for _, in := range test.Program.Threads[0].Code {
		lines = append(lines, in.Line)
	}
	assert.Equal(t, []int{10, 12, 12, 13, 13}, lines)
}

// Whatever the bytes are, reading ends with a test that a search can take or with an error that says where.
func FuzzC(f *testing.F) {
	for _, body := range []string{
		"int r1 = READ_ONCE(*x); if (r1) { WRITE_ONCE(*y, 1); } else *y = 2;", "while (!r1) r1 = *x;", "do r1++; while (r1 < 3);",
		"for (r1 = 0; r1 < 2; r1++) *x = r1;", "r1 = cmpxchg(x, 0, 1) ? *x : r2 && *y;", "spin_lock(s); /* c */ spin_unlock(s);",
		"r1 = smp_cond_load_acquire(x, VAL);", "r1 = (int)*(char **)x;", "atomic_try_cmpxchg(c, &r1, 2);",
	} {
		f.Add([]byte(cTest(body)))
	}
	f.Add([]byte("C t\n{ x=1; int *y=&x; 0:r1=x; }\nP0(int *x){}P1(void){}\nlocations [x;] exists ~(x=1 \\/ 0:r1=x)"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) < 2 || src[0] != 'C' || src[1] != ' ' {
			src = append([]byte("C t\n{}\nP0(int *x, atomic_t *c) {"), src...)
		}
		test, err := Parse(src, "f.litmus")
		if err != nil {
			var e *Error
			require.True(t, errors.As(err, &e), "%v", err)
			require.Positive(t, e.Line)
			require.Positive(t, e.Col)
			return
		}
		for _, th := range test.Program.Threads {
			require.LessOrEqual(t, len(th.Code), maxInstrs+1)
			for _, in := range th.Code {
				require.Less(t, int(in.Dst), max(len(th.Regs), 1))
				for _, o := range []memmodel.Operand{in.A, in.B, in.C, in.D} {
					require.Less(t, int(o.Reg), max(len(th.Regs), 1))
				}
				if in.Op == memmodel.OpBranch {
					require.LessOrEqual(t, in.Target, len(th.Code))
					require.LessOrEqual(t, in.Scope, len(th.Code))
				}
			}
		}
	})
}
