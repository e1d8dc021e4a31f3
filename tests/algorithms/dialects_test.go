package algorithms

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/stretchr/testify/require"
)

// A dialect spells instructions as the litmus tests of a machine do. A register is a number.
type dialect struct {
	arch    string
	name    func(reg int) string                   // in conditions
	pointer func(thread, n int, loc string) string // initialises what holds the address of the thread's location n
	set     func(reg int, v int64) string
	inst    func(c *code, in arch.Inst, locked bool) (string, bool)
}

var dialects = map[string]*dialect{
	"amd64": {
		arch:    "X86_64",
		name:    func(reg int) string { return amd64Registers[reg][0] },
		pointer: func(int, int, string) string { return "" },
		set:     func(reg int, v int64) string { return fmt.Sprintf("movl $%d,%%%s", v, amd64Registers[reg][1]) },
		inst:    amd64Inst,
	},
	"arm64": {
		arch: "AArch64",
		name: func(reg int) string { return fmt.Sprintf("X%d", reg) },
		pointer: func(thread, n int, loc string) string {
			return fmt.Sprintf(" %d:X%d=%s;", thread, arm64Pointers+n, loc)
		},
		set:  func(reg int, v int64) string { return fmt.Sprintf("MOV W%d,#%d", reg, v) },
		inst: arm64Inst,
	},
}

// amd64Registers by number: the 64-bit and the 32-bit name. The first is the accumulator, which CMPXCHG uses.
var amd64Registers = func() [][2]string {
	out := [][2]string{{"rax", "eax"}, {"rbx", "ebx"}, {"rcx", "ecx"}, {"rdx", "edx"}, {"rsi", "esi"}, {"rdi", "edi"}}
	for i := 8; i < 16; i++ {
		out = append(out, [2]string{fmt.Sprintf("r%d", i), fmt.Sprintf("r%dd", i)})
	}
	return out
}()

const arm64Pointers = 24 // from here on registers hold addresses

// code is one thread under construction.
type code struct {
	d           *dialect
	thread      int
	lines       []string
	locs        []string
	constraints []string // on registers, for the runs that count: loops that end in their first round
	next        int      // register; 0 is kept for the accumulator

	loc   string // of the step at hand
	roles map[arch.Role]int
}

func (c *code) emit(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

func (c *code) reg(r arch.Role) int {
	n, ok := c.roles[r]
	if !ok {
		c.next++
		n = c.next
		c.roles[r] = n
	}
	return n
}

func (c *code) set(r arch.Role, v int64) { c.emit("%s", c.d.set(c.reg(r), v)) }

// step appends one step, with fresh registers.
func (c *code) step(t *testing.T, s step, seq arch.Seq) {
	c.roles = map[arch.Role]int{}
	c.loc = s.loc
	if s.loc != "" && !slices.Contains(c.locs, s.loc) {
		c.locs = append(c.locs, s.loc)
	}
	switch {
	case len(seq) == 0 || s.prim.Op == contract.Fence || s.prim.Op == contract.Load:
	case s.prim.Op == contract.CompareAndSwap:
		if c.d.arch == "X86_64" {
			c.roles[arch.Old] = 0
		}
		c.set(arch.Old, s.args[0])
		c.set(arch.New, s.args[1])
	case s.prim.Operand == contract.Bit && s.prim.Clears:
		c.set(arch.Val, ^(1 << s.args[0]))
	case s.prim.Operand == contract.Bit:
		c.set(arch.Val, 1<<s.args[0])
	default:
		c.set(arch.Val, s.args[0])
	}
	for i, in := range seq {
		if in.Prefix {
			continue
		}
		line, ok := c.d.inst(c, in, i > 0 && seq[i-1].Prefix)
		require.True(t, ok, "%s: no spelling is known for %s", s.name, arch.Seq{in})
		if line != "" {
			c.lines = append(c.lines, line)
		}
	}
}

// result is the register with the result of the last step.
func (c *code) result(s step) int {
	order := []arch.Role{arch.Result, arch.Old}
	if s.prim.Op == contract.CompareAndSwap {
		order = []arch.Role{arch.Tmp, arch.SeenLo}
	}
	for _, r := range order {
		if n, ok := c.roles[r]; ok {
			return n
		}
	}
	panic(fmt.Sprintf("%s has no result", s.name))
}

// require adds a constraint on the thread's registers.
func (c *code) require(condition string) {
	c.constraints = append(c.constraints, fmt.Sprintf("%d:%s", c.thread, condition))
}

// amd64Inst spells an instruction; operands come in the Go assembler's order, which is that of the tests.
func amd64Inst(c *code, in arch.Inst, locked bool) (string, bool) {
	prefix := ""
	if locked {
		prefix = "lock; "
	}
	arg := func(a arch.Arg) string {
		switch {
		case a.Imm:
			return fmt.Sprintf("$%d", a.N)
		case a.Mem && a.Role == arch.StackP:
			return fmt.Sprintf("(stack%d)", c.thread)
		case a.Mem:
			return "(" + c.loc + ")"
		}
		return "%" + amd64Registers[c.reg(a.Role)][1]
	}
	switch in.Name {
	case "CMPXCHG":
		// It compares with the accumulator and leaves what it found there. In a loop the old value was loaded before.
		_, inLoop := c.roles[arch.Tmp]
		if inLoop {
			c.emit("movl %%%s,%%eax", amd64Registers[c.reg(arch.Old)][1])
		}
		c.emit("lock; cmpxchgl %s,(%s)", arg(in.Args[0]), c.loc)
		if inLoop {
			c.emit("movl %%eax,%%%s", amd64Registers[c.reg(arch.SeenHi)][1])
			c.require(fmt.Sprintf("%s=%d:%s", c.d.name(c.reg(arch.SeenHi)), c.thread, c.d.name(c.reg(arch.Old))))
		} else {
			c.emit("movl %%eax,%%%s", amd64Registers[c.reg(arch.SeenLo)][1])
		}
		return "", true
	case "JNE", "SETEQ":
		return "", true
	case "MOV", "ADD", "AND", "OR", "XADD", "XCHG":
		return fmt.Sprintf("%s%sl %s,%s", prefix, strings.ToLower(in.Name), arg(in.Args[0]), arg(in.Args[1])), true
	}
	return "", false
}

// arm64Inst spells an instruction; Go puts the destination last, the tests put it first.
func arm64Inst(c *code, in arch.Inst, _ bool) (string, bool) {
	reg := func(i int) string { return fmt.Sprintf("W%d", c.reg(in.Args[i].Role)) }
	mem := func() string { return fmt.Sprintf("[X%d]", arm64Pointers+slices.Index(c.locs, c.loc)) }
	name := in.Name
	if rest, ok := strings.CutPrefix(name, "LDOR"); ok {
		name = "LDSET" + rest
	}
	switch in.Name {
	case "DMB", "DSB":
		return name + " " + in.Args[0].Name, true
	case "MOV":
		if in.Args[0].Mem {
			return fmt.Sprintf("LDR %s,%s", reg(1), mem()), true
		}
		return fmt.Sprintf("STR %s,%s", reg(0), mem()), true
	case "LDAR", "LDXR", "LDAXR":
		return fmt.Sprintf("%s %s,%s", name, reg(1), mem()), true
	case "STLR":
		return fmt.Sprintf("%s %s,%s", name, reg(0), mem()), true
	case "STXR", "STLXR":
		return fmt.Sprintf("%s %s,%s,%s", name, reg(2), reg(0), mem()), true
	case "CBNZ": // the loop ends: the store succeeds
		c.require(c.d.name(c.reg(in.Args[0].Role)) + "=0")
		return "", true
	case "MOVD":
		return fmt.Sprintf("MOV %s,%s", reg(1), reg(0)), true
	case "MVN":
		return fmt.Sprintf("MVN %s,%s", reg(1), reg(0)), true
	case "ADD", "AND", "ORR", "EOR":
		return fmt.Sprintf("%s %s,%s,%s", name, reg(2), reg(1), reg(0)), true
	case "CMP", "CSET EQ,": // the result that counts is the value found
		return "", true
	case "BNE": // so that what is not wanted is not replaced
		c.require(fmt.Sprintf("%s=%d:%s", c.d.name(c.reg(arch.Tmp)), c.thread, c.d.name(c.reg(arch.Old))))
		return "", true
	}
	switch {
	case strings.HasPrefix(name, "CAS"):
		return fmt.Sprintf("%s %s,%s,%s", name, reg(0), reg(2), mem()), true
	case strings.HasPrefix(name, "LD") || strings.HasPrefix(name, "SWP"):
		return fmt.Sprintf("%s %s,%s,%s", name, reg(0), reg(2), mem()), true
	}
	return "", false
}
