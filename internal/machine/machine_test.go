package machine

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every architecture compiles the same plain functions to the same accesses.
func TestPlainFunctions(t *testing.T) {
	a := func(kind Kind, disp int64, width int) Access { return Access{Kind: kind, Disp: disp, Width: width} }
	want := map[string][]Access{
		"load64":     {a(Load, 8, 8)},
		"load32":     {a(Load, 36, 4)},
		"load8":      {a(Load, 40, 1)},
		"store64":    {a(Store, 8, 8)},
		"store32":    {a(Store, 36, 4)},
		"store8":     {a(Store, 40, 1)},
		"storeConst": {a(Store, 16, 8)},
		"modify":     {a(Load, 8, 8), a(Store, 8, 8)},
		"pair":       {a(Load, 8, 8), a(Load, 16, 8)},
		"branch":     {a(Store, 16, 8), a(Store, 24, 8)},
		"bounds":     {a(Load, 24, 8)},
		"nilCheck":   nil,
		"add":        nil,
		"marked":     nil,
		"call":       nil,
	}
	for _, goarch := range tried() {
		b := build(t, goarch)
		for name, accesses := range want {
			f := function(t, b, name)
			got := split(f.Accesses())
			assert.Equal(t, accesses, got, "%s: %v", goarch, f)
			assert.Zero(t, f.Count(Unknown)+f.Count(Atomic)+f.Count(Fence), "%s: %v", goarch, f)
			assert.Equal(t, name == "nilCheck", f.Count(NilCheck) == 1, "%s: %v", goarch, f)
		}
	}
}

// split makes a read-modify-write into its two halves, which is how it stands in the source.
func split(accesses []Access) []Access {
	var out []Access
	for _, a := range accesses {
		if a.Kind == Load|Store {
			load := a
			load.Kind, a.Kind = Load, Store
			out = append(out, load)
		}
		out = append(out, a)
	}
	return out
}

func TestControlFlow(t *testing.T) {
	for _, goarch := range tried() {
		b := build(t, goarch)

		add := function(t, b, "add")
		assert.Zero(t, add.Count(Call)+add.Count(Jump), "%v", add)
		assert.Equal(t, 1, add.Count(Return), "%v", add)

		var callees []string
		for _, in := range function(t, b, "call").Find(Call) {
			callees = append(callees, in.Symbol)
		}
		assert.Subset(t, callees, []string{"main.use"}, goarch)
		assert.Len(t, strings.Split(strings.Join(callees, " "), "main.use"), 3, goarch)

		panics := 0
		for _, in := range function(t, b, "bounds").Find(Call) {
			if strings.HasPrefix(in.Symbol, "runtime.panic") {
				panics++
			}
		}
		assert.Equal(t, 1, panics, "%s: %v", goarch, function(t, b, "bounds"))

		branch := function(t, b, "branch")
		assert.GreaterOrEqual(t, branch.Count(Jump|Cond), 2, "%v", branch)
		stores := branch.Find(Store)
		assert.True(t, reaches(branch, stores[0], stores[1]), "%s: around the loop", goarch)
		assert.True(t, reaches(branch, stores[1], stores[0]), "%s: around the loop", goarch)

		assert.Equal(t, 1, function(t, b, "marked").Count(Nop), "%s: the inline mark", goarch)
		assert.Empty(t, function(t, b, "marked").Accesses(), goarch)
	}
}

func reaches(f Func, from, to Inst) bool {
	next := f.Next()
	seen := map[int]bool{}
	var walk func(i int) bool
	walk = func(i int) bool {
		for _, j := range next[i] {
			if f.Insts[j].PC == to.PC || !seen[j] && func() bool { seen[j] = true; return walk(j) }() {
				return true
			}
		}
		return false
	}
	for i, in := range f.Insts {
		if in.PC == from.PC {
			return walk(i)
		}
	}
	return false
}

func TestPrologueIsPrivate(t *testing.T) {
	for _, goarch := range tried() {
		f := function(t, build(t, goarch), "call")
		bases := map[Base]int{}
		for _, in := range f.Insts {
			for _, m := range in.Mem {
				bases[m.Base]++
			}
		}
		assert.NotZero(t, bases[Goroutine], "%s: the stack bound: %v", goarch, f)
		assert.NotZero(t, bases[Stack]+boolInt(goarch == "amd64"), "%s: the spilled argument: %v", goarch, f)
		assert.Zero(t, bases[Register]+bases[Global], "%s: %v", goarch, f)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestAtomics(t *testing.T) {
	const rmw = Load | Store | Atomic
	cases := []struct {
		goarch, env, name string
		want              Kind
	}{
		{"amd64", "", "swap", rmw},
		{"amd64", "", "cas", rmw},
		{"amd64", "", "discardAdd", rmw},
		{"amd64", "", "atomicStore", rmw},
		{"arm64", "GOARM64=v8.1", "swap", rmw | Acquire | Release},
		{"arm64", "GOARM64=v8.1", "cas", rmw | Acquire | Release},
		{"arm64", "GOARM64=v8.1", "discardAdd", rmw | Acquire | Release},
		{"arm64", "", "swap", Load | Atomic | Exclusive | Acquire},
		{"arm64", "", "swap", Store | Atomic | Exclusive | Release},
		{"arm64", "", "atomicLoad", Load | Atomic | Acquire},
		{"arm64", "", "atomicStore", Store | Atomic | Release},
		{"riscv64", "", "swap", rmw | Acquire | Release},
		{"riscv64", "", "cas", Load | Atomic | Exclusive | Acquire},
		{"riscv64", "", "cas", Store | Atomic | Exclusive | Release},
		{"riscv64", "", "atomicLoad", Load | Atomic | Acquire},
		{"ppc64", "", "swap", Load | Atomic | Exclusive},
		{"ppc64le", "", "swap", Store | Atomic | Exclusive},
		{"ppc64le", "", "atomicStore", Fence},
		{"s390x", "", "cas", rmw},
		{"s390x", "", "atomicStore", Fence},
		{"loong64", "", "swap", rmw | Acquire | Release},
		{"mips64", "", "swap", Load | Atomic | Exclusive},
		{"mips64le", "", "swap", Store | Atomic | Exclusive},
		{"mips64le", "", "atomicStore", Fence},
	}
	for _, c := range cases {
		b := build(t, c.goarch, strings.Fields("GOOS=linux "+c.env)...)
		f := function(t, b, c.name)
		assert.NotZero(t, f.Count(c.want), "%v wants %v: %v", c, c.want, f)
		assert.Zero(t, f.Count(Unknown), "%v", f)
	}
	guaranteed := build(t, "arm64", "GOOS=linux", "GOARM64=v8.1")
	for _, name := range []string{"swap", "cas", "discardAdd"} {
		f := function(t, guaranteed, name)
		assert.Zero(t, f.Count(NoResult)+f.Count(Exclusive), "%v", f)
	}
}

// The x/arch decoders don't know these words, so nothing else checks them.
func TestARM64Words(t *testing.T) {
	cases := []struct {
		word uint32
		kind Kind
		text string
	}{
		{0xf8e00041, Load | Store | Atomic | Acquire | Release, "LDADDALD R0, (R2), R1"},
		{0xb8600041, Load | Store | Atomic | Release, "LDADDLW R0, (R2), R1"},
		{0xf8a00041, Load | Store | Atomic | Acquire, "LDADDAD R0, (R2), R1"},
		{0xf820005f, Load | Store | Atomic | NoResult, "LDADDD R0, (R2), ZR"},
		{0xf8e01041, Load | Store | Atomic | Acquire | Release, "LDCLRALD R0, (R2), R1"},
		{0xf8e02041, Load | Store | Atomic | Acquire | Release, "LDEORALD R0, (R2), R1"},
		{0xf8e03041, Load | Store | Atomic | Acquire | Release, "LDSETALD R0, (R2), R1"},
		{0xf8e08041, Load | Store | Atomic | Acquire | Release, "SWPALD R0, (R2), R1"},
		{0xc8e0fc41, Load | Store | Atomic | Acquire | Release, "CASALD R0, (R2), R1"},
		{0x88a07c41, Load | Store | Atomic, "CASW R0, (R2), R1"},
		{0x4862fc04, Load | Store | Atomic | Acquire | Release, "CASPALD R2, (R0), R4"},
		{0xf8bfc041, Load | Atomic | Acquire, "LDAPRD (R2), R1"},
		{0xc85ffc41, Load | Atomic | Exclusive | Acquire, "LDAXR (R2), R1"},
		{0xc800fc41, Store | Atomic | Exclusive | Release, "STLXR R1, (R2), R0"},
		{0xc85f7c41, Load | Atomic | Exclusive, "LDXR (R2), R1"},
		{0xc8dffc41, Load | Atomic | Acquire, "LDAR (R2), R1"},
		{0xc89ffc41, Store | Atomic | Release, "STLR R1, (R2)"},
		{0xd5033bbf, Fence, "DMB $11"},
		{0xd503399f, Fence, "DSB $9"},
	}
	for _, c := range cases {
		in := decodeWord(t, "arm64", c.word)
		assert.Equal(t, c.kind, in.Kind, c.text)
		assert.Equal(t, c.text, in.Text)
	}
	pair := decodeWord(t, "arm64", 0xa9409041) // LDP 8(R2), (R1, R4)
	assert.Equal(t, []Access{{Kind: Load, Disp: 8, Width: 8}, {Kind: Load, Disp: 16, Width: 8}}, pair.Mem)
}

func decodeWord(t *testing.T, goarch string, word uint32) Inst {
	t.Helper()
	for _, a := range arches {
		if a.name == goarch {
			code := make([]byte, 4)
			a.order.PutUint32(code, word)
			return a.inst(code, 0, func(uint64) (string, uint64) { return "", 0 })
		}
	}
	require.Fail(t, "no such architecture", goarch)
	return Inst{}
}

func TestAMD64Fences(t *testing.T) {
	nowhere := func(uint64) (string, uint64) { return "", 0 }
	cases := map[string]Kind{
		"\x0f\xae\xf0":                 Fence,                 // MFENCE
		"\xf0\x83\x44\x24\xf8\x00":     Load | Store | Atomic, // LOCK ADDL $0, -8(SP)
		"\x87\x02":                     Load | Store | Atomic, // XCHGL AX, (DX)
		"\x84\x02":                     NilCheck,              // TESTB AX, (DX)
		"\x84\x42\x08":                 Load,                  // TESTB AX, 8(DX)
		"\x48\x8d\x42\x08":             0,                     // LEAQ 8(DX), AX
		"\x48\x03\x42\x08":             Load,                  // ADDQ 8(DX), AX
		"\x48\x01\x42\x08":             Load | Store,          // ADDQ AX, 8(DX)
		"\x90":                         Nop,
		"\x66\x90":                     Nop,
		"\x0f\x1f\x40\x00":             Nop,
		"\xcc":                         Trap,
		"\xf0\x48\x0f\xc7\x0f":         Load | Store | Atomic, // LOCK CMPXCHG16B (DI)
		"\x48\x8b\x05\x10\x00\x00\x00": Load,                  // MOVQ 16(PC), AX
	}
	for code, want := range cases {
		in := arches[0].inst([]byte(code), 0, nowhere)
		assert.Equal(t, want, in.Kind, in.Text)
		assert.Len(t, in.Code, len(code), in.Text)
	}
}

// TestAgainstText compares the classification of every instruction that the Go compiler emitted into the
// fixture and its runtime with the printed form, in which a memory operand has a parenthesised register.
func TestAgainstText(t *testing.T) {
	for _, goarch := range tried() {
		b := build(t, goarch)
		total := 0
		for _, name := range b.Funcs() {
			f, err := b.Func(name)
			require.NoError(t, err)
			if assembly(name, f) {
				continue
			}
			for _, in := range f.Insts {
				total++
				assert.Zero(t, in.Kind&Unknown, "%s: %s: %v", goarch, name, in)
				switch {
				case in.Kind&(Call|Jump|Nop|NilCheck) != 0, strings.HasPrefix(in.Text, "WORD"):
					continue
				case goarch == "s390x" && (in.Code[0] == 0x41 || in.Code[0] == 0xe3 && in.Code[5] == 0x71):
					continue // LA and LAY, an address, which is printed as if it were a load
				case goarch == "s390x" && len(in.Mem) == 1 && in.Mem[0].Base == Global:
					continue // printed as a place in the code
				}
				assert.Equal(t, printsMemory(in.Text), len(in.Mem) > 0, "%s: %s: %v", goarch, name, in)
			}
		}
		assert.Greater(t, total, 80_000, goarch)
	}
}

// assembly picks out what the Go compiler did not write. Hand-written code carries data, vectors and
// instructions that no decoder knows.
func assembly(name string, f Func) bool {
	if strings.HasSuffix(name, ".abi0") || !strings.Contains(name, ".") {
		return true
	}
	for _, prefix := range []string{"runtime.mem", "internal/bytealg", "internal/chacha8rand.block", "runtime.gcWriteBarrier",
		"internal/cpu.", "runtime.cputicks", "runtime.load_g", "runtime.save_g", "internal/runtime/gc/scan.", "go:", "runtime.duff", "runtime.expandAVX"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func printsMemory(text string) bool {
	op, operands, _ := strings.Cut(text, " ")
	for _, address := range []string{"LEA", "PREFETCH", "PRFM", "DCB", "PRELD", "PFD", "SL", "SR", "RLL"} {
		if strings.HasPrefix(op, address) {
			return false
		}
	}
	switch {
	case strings.HasPrefix(op, "PUSH"), op == "POPQ", op == "POPFQ", strings.Contains(operands, "FS:"):
		return true
	case op == "MOVD" && strings.Contains(operands, "SPR("):
		return false
	}
	for _, notMemory := range []string{"(PC)", "(SB)", "(*", "$("} {
		operands = strings.ReplaceAll(operands, notMemory, "")
	}
	return strings.Contains(operands, "(")
}

func TestErrors(t *testing.T) {
	b := build(t, "amd64")
	_, err := b.Func("main.absent")
	assert.EqualError(t, err, `machine: no function "main.absent" in this binary`)
	_, err = Open("machine_test.go")
	assert.ErrorContains(t, err, "bad magic number")
	_, err = Open("absent")
	assert.ErrorContains(t, err, "no such file")
}

func TestKindString(t *testing.T) {
	assert.Equal(t, "load|atomic|acquire", (Load | Atomic | Acquire).String())
	assert.Equal(t, "unknown", Unknown.String())
	assert.Len(t, kindNames, len(fmt.Sprintf("%b", Unknown)))
	assert.Equal(t, "64-bit store at offset 8", Access{Kind: Store, Disp: 8, Width: 8}.String())
}

// Whatever the bytes, the decoders return an instruction that makes progress.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x48, 0x8b, 0x42, 0x08}, uint8(0))
	f.Add([]byte("A0"), uint8(8)) // four bytes are announced, two are there
	f.Fuzz(func(t *testing.T, code []byte, which uint8) {
		a := arches[int(which)%len(arches)]
		for len(code) > 0 {
			in := a.inst(code, 0, func(uint64) (string, uint64) { return "", 0 })
			require.NotEmpty(t, in.Code)
			require.NotEmpty(t, in.Text)
			code = code[len(in.Code):]
		}
	})
}

func TestByteOrders(t *testing.T) {
	for _, a := range arches {
		big := a.name == "mips64" || a.name == "ppc64" || a.name == "s390x"
		assert.Equal(t, big, a.order == binary.ByteOrder(binary.BigEndian), a.name)
	}
}
