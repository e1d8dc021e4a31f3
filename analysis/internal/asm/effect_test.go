package asm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/contract"
)

// describe is an effect in short.
func describe(e Effect) string {
	var out []string
	switch e.Kind {
	case Nothing:
		out = append(out, "nothing")
	case Opaque:
		out = append(out, "anything")
	}
	for _, v := range e.Variants {
		s := "fence"
		if len(v.Events) > 0 {
			var events []string
			for _, c := range v.Events {
				events = append(events, map[contract.Classes]string{
					contract.PlainRead: "R", contract.AcquireRead: "Ra", contract.RMWRead: "Rx", contract.RMWAcquireRead: "Rxa", contract.NoReturnRead: "Rn",
					contract.PlainWrite: "W", contract.ReleaseWrite: "Wl", contract.RMWWrite: "Wx", contract.RMWReleaseWrite: "Wxl"}[c])
			}
			s = strings.Join(events, "+")
		}
		var sides []string
		for _, o := range v.Orders {
			sides = append(sides, map[contract.Side]string{contract.Before: "before", contract.After: "after", contract.Across: "across"}[o.Side])
		}
		out = append(out, strings.TrimSpace(s+" "+strings.Join(sides, " ")))
	}
	s := strings.Join(out, " | ")
	if e.Private {
		s += ", private"
	}
	if e.Fence {
		s += ", removable"
	}
	return s
}

func TestEffects(t *testing.T) {
	for _, tt := range []struct{ arch, text, want string }{
		{"amd64", "MOVQ (AX), BX", "R"},
		{"amd64", "MOVQ BX, (AX)", "W"},
		{"amd64", "MOVB $1, ·x(SB)", "W"},
		{"amd64", "MOVW (AX), BX", "R"},
		{"amd64", "MOVBLZX (AX), BX", "R"},
		{"amd64", "MOVOU X0, (AX)", "W"},
		{"amd64", "MOVQ x+0(FP), BX", "nothing"},
		{"amd64", "MOVQ BX, x-8(SP)", "nothing"},
		{"amd64", "MOVQ AX, BX", "nothing"},
		{"amd64", "LEAQ 8(AX), BX", "nothing"},
		{"amd64", "ADDQ (AX), BX", "anything"},
		{"amd64", "ADDQ AX, BX", "nothing"},
		{"amd64", "LOCK; XADDQ BX, (AX)", "Rx+Wx before after"},
		{"amd64", "LOCK\nlabel: INCQ (AX)", "anything"},
		{"amd64", "LOCK; CMPXCHG16B (AX)", "Rx+Wx before after"},
		{"amd64", "LOCK; ADDL $0, (SP)", "Rx+Wx before after, private, removable"},
		{"amd64", "LOCK; ORQ $0, x-8(SP)", "Rx+Wx before after, private, removable"},
		{"amd64", "LOCK; ADDL $1, (SP)", "Rx+Wx before after, private"},
		{"amd64", "LOCK; ADDL $0, (AX)", "Rx+Wx before after"},
		{"amd64", "XCHGQ BX, (AX)", "Rx+Wx before after"},
		{"amd64", "XCHGQ (AX), BX", "Rx+Wx before after"},
		{"amd64", "XCHGQ BX, (SP)", "Rx+Wx before after, private"},
		{"amd64", "XCHGQ AX, BX", "nothing"},
		{"amd64", "CMPXCHGQ BX, (AX)", "anything"},
		{"amd64", "MFENCE", "fence across, removable"},
		{"amd64", "SFENCE", "fence across, removable"},
		{"amd64", "LFENCE", "fence across"},
		{"amd64", "MOVNTIQ AX, (BX)", "anything"},
		{"amd64", "MOVSQ", "anything"},
		{"amd64", "REP; STOSQ", "anything"},
		{"amd64", "UNHEARD", "anything"},
		{"amd64", "CALL ·f(SB)", "anything"},
		{"amd64", "PAUSE", "nothing"},
		{"amd64", "PREFETCHT0 (AX)", "nothing"},
		{"amd64", "RDTSC", "anything"},
		{"amd64", "PUSHQ AX", "nothing"},
		{"arm64", "MOVD (R0), R1", "R"},
		{"arm64", "MOVBU (R0), R1", "R"},
		{"arm64", "MOVD.P R1, 8(R0)", "W"},
		{"arm64", "MOVW R1, (R0)(R2<<2)", "W"},
		{"arm64", "LDP (R0), (R1, R2)", "R"},
		{"arm64", "STP (R1, R2), 16(R0)", "W"},
		{"arm64", "STP (R1, R2), 16(RSP)", "nothing"},
		{"arm64", "FMOVD F0, (R0)", "W"},
		{"arm64", "VLD1 (R0), [V0.B16]", "anything"},
		{"arm64", "MOVD x+0(FP), R1", "nothing"},
		{"arm64", "MOVD $8, R1", "nothing"},
		{"arm64", "MOVD $·x(SB), R1", "nothing"},
		{"arm64", "ADD R1, R2", "nothing"},
		{"arm64", "LDAR (R0), R1", "Ra after"},
		{"arm64", "LDARB (R0), R1", "Ra after"},
		{"arm64", "STLR R1, (R0)", "Wl before"},
		{"arm64", "STLRH R1, (R0)", "Wl before"},
		{"arm64", "LDXR (R0), R1", "Rx | R"},
		{"arm64", "LDAXRW (R0), R1", "Rxa after | Ra after"},
		{"arm64", "STXR R1, (R0), R2", "Wx | fence"},
		{"arm64", "STLXRB R1, (R0), R2", "Wxl before | fence"},
		{"arm64", "LDXP (R0), (R1, R2)", "Rx | R"},
		{"arm64", "LDAXP (R0), (R1, R2)", "Rxa after | Ra after"},
		{"arm64", "STLXP (R1, R2), (R0), R3", "Wxl before | fence"},
		{"arm64", "STXPW (R1, R2), (R0), R3", "Wx | fence"},
		{"arm64", "LDADDD R1, (R0), R2", "Rx+Wx"},
		{"arm64", "LDADDALD R1, (R0), R2", "Rxa+Wxl after before after"},
		{"arm64", "LDADDALB R1, (R0), R2", "Rxa+Wxl after before after"},
		{"arm64", "LDADDALD R1, (R0), ZR", "Rn+Wxl before"},
		{"arm64", "LDADDD R1, (R0), ZR", "Rn+Wx"},
		{"arm64", "LDCLRAW R1, (R0), R2", "Rxa+Wx after"},
		{"arm64", "LDORLH R1, (R0), R2", "Rx+Wxl before"},
		{"arm64", "LDEORALD R1, (R0), R2", "Rxa+Wxl after before after"},
		{"arm64", "SWPALW R1, (R0), R2", "Rxa+Wxl after before after"},
		{"arm64", "SWPAD R1, (R0), ZR", "Rn+Wx"},
		{"arm64", "CASALD R1, (R0), R2", "Rxa+Wxl after before after | Ra after"},
		{"arm64", "CASALD ZR, (R0), R2", "Rx+Wxl before | R"},
		{"arm64", "CASD R1, (R0), R2", "Rx+Wx | R"},
		{"arm64", "CASPD (R0, R1), (R2), (R4, R5)", "Rx+Wx | R"},
		{"arm64", "CASPW (R0, R1), (R2), (R4, R5)", "Rx+Wx | R"},
		{"arm64", "DMB $0xb", "fence across, removable"},
		{"arm64", "DMB $15", "fence across, removable"},
		{"arm64", "DMB $7", "anything"},
		{"arm64", "DMB $unknown", "anything"},
		{"arm64", "DSB $0xb", "fence across"},
		{"arm64", "DSB $15", "fence across"},
		{"arm64", "DSB $7", "anything"},
		{"arm64", "ISB $15", "anything"},
		{"arm64", "WORD $0xd503201f", "anything"},
		{"arm64", "DC CVAU, R0", "anything"},
		{"arm64", "MRS CNTVCT_EL0, R0", "anything"},
		{"arm64", "PRFM (R0), PLDL1KEEP", "nothing"},
		{"arm64", "BL ·f(SB)", "anything"},
		{"arm64", "YIELD", "nothing"},
	} {
		assert.Equal(t, tt.want, describe(one(t, tt.arch, tt.text).Effect), tt.text)
	}
}

func TestTraits(t *testing.T) {
	for text, want := range map[string]Trait{
		"amd64 RDTSCP": Timestamp, "amd64 CPUID": Timestamp, "amd64 LFENCE": Speculation, "amd64 MOVNTDQ X0, (AX)": NonTemporal, "amd64 CLFLUSHOPT (AX)": NonTemporal,
		"amd64 BYTE $1": Encoded, "amd64 XACQUIRE": Elision, "amd64 WRMSR": System, "amd64 OUTB": System, "amd64 MFENCE": 0,
		"arm64 ISB $15": System | Completes, "arm64 DSB $15": Completes, "arm64 DSB $7": System, "arm64 WORD $1": Encoded, "arm64 TLBI VMALLE1IS": System, "arm64 IC IALLU": System, "arm64 DMB $11": 0,
	} {
		goarch, text, _ := strings.Cut(text, " ")
		assert.Equal(t, want, body(t, goarch, text).Traits, text)
	}
}

// What the own table says an instruction is like is in the target's table, and no instruction of the target's table is
// missing here. So no fact about order is stated twice.
func TestTables(t *testing.T) {
	for goarch, list := range entries {
		for _, e := range list {
			if e.like == "" || e.like == "MOV" {
				continue
			}
			found := slices.ContainsFunc([]byte("lsm-"), func(place byte) bool { return tables()[goarch][form{e.like, place, e.option}] != nil })
			assert.True(t, found, "%s: nothing like %s %d", goarch, e.like, e.option)
			for n := range strings.FieldsSeq(e.names) {
				for _, place := range []byte("lsm-") {
					assert.Nil(t, tables()[goarch][form{n, place, e.option}], "%s: %s is in the target's table", goarch, n)
				}
			}
		}
	}
	spelled := map[byte]string{'l': "(R1), R2", 's': "R2, (R1)", 'm': "R2, (R1), R3", '-': ""}
	for f, op := range tables()["arm64"] {
		text := f.name
		if f.name == "CASPAL" {
			continue // the assembler does not know it
		}
		if f.name == "MOV" {
			text = "MOVD"
		}
		if f.option != 0 {
			text += fmt.Sprintf(" $%#x", f.option)
		}
		if f.place == 's' && strings.HasPrefix(f.name, "SWP") {
			continue // on the stack, discarding the result
		}
		e := one(t, "arm64", strings.TrimSpace(text+" "+spelled[f.place])).Effect
		if assert.NotEmpty(t, e.Variants, "%s %c", text, f.place) {
			assert.Equal(t, op.Step, e.Variants[0], text)
		}
	}
	assert.NotEmpty(t, tables()["amd64"])
	assert.PanicsWithValue(t, "asm: no instruction HCF, form -, in the table of amd64", func() { step("amd64", "HCF", '-', 0) })
}

// next are the instructions that may follow each.
func next(fn *Func) [][]int {
	var out [][]int
	for _, in := range fn.Instrs {
		out = append(out, in.Next)
	}
	return out
}

func TestFlow(t *testing.T) {
	assert.Equal(t, [][]int{{1, 3}, {2}, {0}, {4}, {Return}}, next(body(t, "amd64", "a: JEQ b", "NOP", "JMP a", "b: NOP", "RET")))
	assert.Equal(t, [][]int{{2}, {2}, {Return}}, next(body(t, "amd64", "JMP 2(PC)", "NOP", "RET")))
	assert.Equal(t, [][]int{{1}, {0}}, next(body(t, "amd64", "NOP", "JMP -1(PC)")))
	assert.Equal(t, [][]int{{Unknown}}, next(body(t, "amd64", "JMP 9(PC)")))
	assert.Equal(t, [][]int{{Unknown}}, next(body(t, "amd64", "JMP ·g(SB)")))
	assert.Equal(t, [][]int{{1, Unknown}, {Unknown}}, next(body(t, "amd64", "JNE nowhere", "NOP")))
	assert.Equal(t, [][]int{nil, {Return}}, next(body(t, "amd64", "UNDEF", "RET")))
	assert.Equal(t, [][]int{{1}, {Unknown}}, next(body(t, "amd64", "CALL ·g(SB)", "JMP AX")))
	assert.Equal(t, [][]int{{1, 3}, {2, 3}, {3, 0}, {Return}}, next(body(t, "arm64", "a: CBZ R0, b", "TBNZ $3, R1, b", "BEQ a", "b: RET")))

	assert.Equal(t, [][]int{{1, 0}, {Return}}, next(body(t, "amd64", "a: LOOPNE a", "RET")), "whatever it is called")
	assert.Equal(t, [][]int{{1}, {Return}}, next(body(t, "amd64", "a: MOVQ a, AX", "RET")))

	assert.True(t, body(t, "amd64", "JMP AX").Indirect)
	assert.True(t, body(t, "arm64", "B (R0)").Indirect)
	assert.False(t, body(t, "amd64", "JMP ·g(SB)").Indirect)
	assert.True(t, body(t, "amd64", "JMP 1(PC)", "RET").Relative)

	// A failed store that only loads again is no way of its own; one that leads elsewhere is.
	assert.Equal(t, [][]int{{1}, {2}, {3}, {Return}}, next(body(t, "arm64", "a: LDXR (R0), R1", "STXR R1, (R0), R2", "CBNZ R2, a", "RET")))
	assert.Equal(t, [][]int{{1}, {2}, {4}, {0}, {Return}}, next(body(t, "arm64", "a: LDXR (R0), R1", "STXR R1, (R0), R2", "CBZW R2, b", "B a", "b: RET")))
	assert.Equal(t, [][]int{{1}, {2}, {3, 0}, {Return}}, next(body(t, "arm64", "a: LDXR (R0), R1", "STXR R1, (R0), R2", "CBNZ R3, a", "RET")), "another register")
	assert.Equal(t, [][]int{{3}, {2}, {3}, {4, 1}, {Return}}, next(body(t, "arm64", "B c", "a: LDXR (R0), R1", "b: STXR R1, (R0), R2", "c: CBNZ R2, a", "RET")), "reached from elsewhere")
	assert.Equal(t, [][]int{{1}, {2}, {3}, {4, 0}, {Return}}, next(body(t, "arm64", "a: MOVD (R3), R4", "LDXR (R0), R1", "STXR R1, (R0), R2", "CBNZ R2, a", "RET")), "an access between")

	for text, want := range map[string]string{"JMP ·g(SB)": " g", "NOP; JMP x·g(SB)": "x g", "MOVQ AX, (BX); JMP ·g(SB)": " ", "JMP AX": " ", "RET": " "} {
		pkg, name := body(t, "amd64", text).Tail()
		assert.Equal(t, want, pkg+" "+name, text)
	}
}

func summary(t *testing.T, goarch string, lines ...string) string {
	s, ok := Summarize(body(t, goarch, lines...))
	if !ok {
		return "unknown"
	}
	out := contract.Describe(s.Orders)
	if s.Fence {
		out = "fence: " + out
	}
	return out
}

func TestSummarize(t *testing.T) {
	const everything = "fence: earlier accesses before later accesses"
	for _, tt := range []struct{ arch, text, want string }{
		{"amd64", "RET", "fence: nothing"},
		{"amd64", "MFENCE; RET", everything},
		{"amd64", "LOCK; ADDL $0, -8(SP); RET", everything},
		{"amd64", "LFENCE; RET", "fence: earlier reads before later reads"},
		{"arm64", "RET", "fence: nothing"},
		{"arm64", "DMB $0xb; RET", everything},
		{"arm64", "DMB $0x9; RET", "fence: earlier reads whose result is used before later accesses"},
		{"arm64", "DMB $0xa; RET", "fence: earlier writes before later writes"},
		{"arm64", "MOVD x+0(FP), R0; DMB $0xb; MOVD R0, x+8(FP); RET", everything},
		{"arm64", "CBZ R0, a; DMB $0xb; RET; a: DMB $0xa; RET", "fence: earlier writes before later writes"},
		{"arm64", "CBZ R0, a; DMB $0xb; a: RET", "fence: nothing"},
		{"arm64", "SWPALW R1, (RSP), R2; RET", everything},
		{"arm64", "BL ·g(SB); RET", "unknown"},
		{"arm64", "DMB $0xb; B ·g(SB)", "unknown"},
		{"arm64", "DMB $0xb; JMP (R0)", "unknown"},
		{"arm64", "WORD $1; RET", "unknown"},
		{"arm64", "MOVD (R0), R1; RET", "nothing"},
		{"arm64", "LDAR (R0), R1; RET", "its own read before later accesses"},
	} {
		assert.Equal(t, tt.want, summary(t, tt.arch, tt.text), tt.text)
	}
	s, _ := Summarize(body(t, "amd64", "LOCK; ADDL $0, -8(SP); RET"))
	assert.Equal(t, contract.Normal, s.Orders[0].Domain)
	s, _ = Summarize(body(t, "amd64", "MFENCE; RET"))
	assert.Equal(t, contract.Everywhere, s.Orders[0].Domain)
}

func TestWeakest(t *testing.T) {
	of := func(text string) Summary {
		s, ok := Summarize(body(t, "arm64", text))
		require.True(t, ok, text)
		return s
	}
	full, load, store, none, access := of("DMB $0xb; RET"), of("DMB $0x9; RET"), of("DMB $0xa; RET"), of("RET"), of("MOVD (R0), R1; RET")
	assert.Equal(t, full, Weakest([]Summary{full}))
	assert.Equal(t, load, Weakest([]Summary{full, load}))
	assert.Equal(t, none, Weakest([]Summary{load, store}))
	assert.False(t, Weakest([]Summary{full, access}).Fence)
	assert.Equal(t, []contract.Classes{contract.PlainRead}, Weakest([]Summary{full, access}).Events)
}

func TestRemovable(t *testing.T) {
	everywhere := func(int) contract.Domain { return contract.Everywhere }
	normal := func(int) contract.Domain { return contract.Normal }
	for _, tt := range []struct {
		arch, text string
		domain     func(int) contract.Domain
		want       []int
	}{
		{"arm64", "DMB $0xb; DMB $0xb; RET", everywhere, []int{1}},
		{"arm64", "DMB $0xb; DMB $0xf; RET", everywhere, []int{0}},
		{"arm64", "DMB $0xb; DMB $0xf; RET", normal, []int{1}}, // the dearer
		{"arm64", "DMB $0x9; DMB $0xa; DMB $0xb; RET", everywhere, []int{0, 1}},
		{"arm64", "DMB $0xb; LDAXR (R0), R1; STLXR R1, (R0), R2; CBNZ R2, -2(PC); DMB $0xb; RET", everywhere, nil},
		{"arm64", "DMB $0xa; STLR R1, (R0); RET", everywhere, nil},
		{"arm64", "DMB $0xa; STLR R1, (R0); DMB $0xa; RET", everywhere, []int{0}},
		{"arm64", "DMB $0xb; JMP (R0)", everywhere, nil},
		{"arm64", "DMB $0xb; DMB $0xb; JMP (R0)", everywhere, nil}, // anybody may jump between them
		// A store that failed has ordered nothing; one that is tried again in the end has.
		{"arm64", "DMB $0xa; LDXR (R0), R1; STLXR R1, (R0), R2; CBNZ R2, fail; DMB $0xa; RET; fail: RET", everywhere, nil},
		{"arm64", "DMB $0xa; again: LDXR (R0), R1; STLXR R1, (R0), R2; CBNZ R2, again; DMB $0xa; RET", everywhere, []int{0}},
		{"amd64", "MFENCE; LOCK; INCQ (AX); RET", everywhere, nil},
		{"amd64", "MFENCE; LOCK; INCQ (AX); RET", normal, []int{0}},
		{"amd64", "LOCK; ADDL $0, (SP); MFENCE; RET", everywhere, []int{1}}, // it does not replace the fence towards devices
		{"amd64", "LOCK; ADDL $0, (SP); MFENCE; RET", normal, []int{2}},
		{"amd64", "SFENCE; MFENCE; RET", everywhere, []int{0}},
		{"amd64", "MFENCE; UNDEF", everywhere, nil},
	} {
		assert.Equal(t, tt.want, body(t, tt.arch, tt.text).Removable(tt.domain), tt.text)
	}
	assert.Empty(t, body(t, "arm64", "DMB $0xb; DMB $0xb; RET").Removable(func(int) contract.Domain { return 0 }))
}

func TestCovering(t *testing.T) {
	fn := body(t, "arm64", "DMB $0xb", "MOVD (R0), R1", "LDADDALD R1, (R0), R2", "DMB $0xb", "RET")
	assert.Equal(t, []int{2}, fn.Covering(3, contract.Normal, []int{3}))
	assert.Equal(t, []int{0}, body(t, "arm64", "DMB $0xb", "DMB $0x9", "RET").Covering(1, contract.Normal, []int{1}))
}
