package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/arch/arm64/arm64asm"
)

// arm64asm keeps displacements to itself and knows no LSE, so the words are classified here, from the
// encoding index of the Arm manual; arm64asm gives the text, where it can.
type arm64Row struct {
	mask, match uint32
	decode      func(a *arch, w uint32, in *Inst)
}

var arm64Rows = []arm64Row{
	{0xffffffff, 0xd503201f, arm64Is(Nop)},
	{0xfffff0ff, 0xd503309f, arm64Is(Fence)}, // DSB
	{0xfffff0ff, 0xd50330bf, arm64Is(Fence)}, // DMB
	{0xffe0001f, 0xd4200000, arm64Is(Trap)},  // BRK
	{0xffff0000, 0x00000000, arm64Is(Trap)},  // UDF
	{0xfffffc1f, 0xd65f0000, arm64Is(Return)},
	{0xfffffc1f, 0xd63f0000, arm64Is(Call)}, // BLR
	{0xfffffc1f, 0xd61f0000, arm64Is(Jump)}, // BR
	{0xfc000000, 0x94000000, arm64Branch(Call, 0, 26)},
	{0xfc000000, 0x14000000, arm64Branch(Jump, 0, 26)},
	{0xff000010, 0x54000000, arm64Branch(Jump|Cond, 5, 19)},
	{0x7e000000, 0x34000000, arm64Branch(Jump|Cond, 5, 19)}, // CBZ, CBNZ
	{0x7e000000, 0x36000000, arm64Branch(Jump|Cond, 5, 14)}, // TBZ, TBNZ
	{0x3b000000, 0x18000000, arm64Literal},
	{0x3f000000, 0x08000000, arm64Exclusive}, // LDXR, STXR, LDAR, STLR, CAS, CASP
	{0x3a000000, 0x28000000, arm64Pair},
	{0x3f200c00, 0x38200000, arm64LSE},
	{0x3b200c00, 0x38200800, arm64RegOffset},
	{0x3b200000, 0x38000000, arm64Imm9},
	{0x3b000000, 0x39000000, arm64Imm12},
	{0xbe000000, 0x0c000000, arm64Vectors}, // LD1 to LD4, ST1 to ST4
	{0x0a000000, 0x08000000, arm64Is(Unknown)},
}

func decodeARM64(a *arch, code []byte, pc uint64, names symbolizer) Inst {
	if len(code) < 4 {
		return Inst{Kind: Unknown}
	}
	in := Inst{Code: code[:4], PC: pc}
	w := binary.LittleEndian.Uint32(code)
	for _, r := range arm64Rows {
		if w&r.mask == r.match {
			r.decode(a, w, &in)
			break
		}
	}
	if in.Text == "" {
		if x, err := arm64asm.Decode(code); err == nil {
			in.Text = arm64asm.GoSyntax(x, pc, names, bytes.NewReader(nil))
		}
	}
	return in
}

func arm64Is(kind Kind) func(*arch, uint32, *Inst) {
	return func(_ *arch, _ uint32, in *Inst) { in.Kind = kind }
}

// arm64Branch reads a word offset of so many bits.
func arm64Branch(kind Kind, low, bits int) func(*arch, uint32, *Inst) {
	return func(_ *arch, w uint32, in *Inst) {
		in.Kind = kind
		in.Target = in.PC + uint64(signed(w>>low, bits)*4)
	}
}

// signed sign-extends the low bits of w.
func signed(w uint32, bits int) int64 { return int64(int32(w<<(32-bits)) >> (32 - bits)) }

func arm64Rn(w uint32) int { return int(w >> 5 & 31) }
func arm64Rt(w uint32) int { return int(w & 31) }

// arm64Single adds the access of a one-register load or store; only the address form differs.
func arm64Single(a *arch, w uint32, in *Inst, disp int64, indexed bool) {
	size, vector, opc := w>>30, w>>26&1 == 1, w>>22&3
	kind := Load
	switch {
	case opc == 0, vector && opc == 2:
		kind = Store
	case !vector && size == 3 && opc == 2:
		return // a prefetch
	}
	width := 1 << size
	if vector && opc >= 2 {
		width = 16
	}
	m := a.mem(kind, width, arm64Rn(w), disp)
	m.Indexed = indexed
	in.Mem = append(in.Mem, m)
	if !vector && a.nilCheck(m, arm64Rt(w)) {
		in.Kind |= NilCheck
	}
}

func arm64Imm12(a *arch, w uint32, in *Inst) {
	scale := w >> 30
	if w>>26&1 == 1 && w>>23&1 == 1 {
		scale = 4
	}
	arm64Single(a, w, in, int64(w>>10&0xfff)<<scale, false)
}

func arm64Imm9(a *arch, w uint32, in *Inst) {
	disp := signed(w>>12, 9)
	if w>>10&3 == 1 {
		disp = 0 // post-indexed: the displacement applies to the register afterwards
	}
	arm64Single(a, w, in, disp, false)
}

func arm64RegOffset(a *arch, w uint32, in *Inst) { arm64Single(a, w, in, 0, true) }

func arm64Pair(a *arch, w uint32, in *Inst) {
	width := int64(4) << (w >> 31)
	if w>>26&1 == 1 {
		width = 4 << (w >> 30)
	}
	kind := Store
	if w>>22&1 == 1 {
		kind = Load
	}
	disp := signed(w>>15, 7) * width
	if w>>23&3 == 1 {
		disp = 0 // post-indexed
	}
	rn := arm64Rn(w)
	in.Mem = append(in.Mem, a.mem(kind, int(width), rn, disp), a.mem(kind, int(width), rn, disp+width))
}

func arm64Literal(_ *arch, w uint32, in *Inst) {
	if w>>30 == 3 && w>>26&1 == 0 {
		return // a prefetch
	}
	width := 4 << (w >> 30)
	if w>>26&1 == 0 && w>>30 == 2 {
		width = 4 // LDRSW
	}
	in.Mem = append(in.Mem, Access{Kind: Load, Base: Global, Width: width})
}

func arm64Vectors(a *arch, w uint32, in *Inst) {
	kind := Store
	if w>>22&1 == 1 {
		kind = Load
	}
	in.Mem = append(in.Mem, a.mem(kind, 8<<(w>>30&1), arm64Rn(w), 0))
}

// arm64Exclusive covers the encoding class that holds exclusives, ordered accesses and compare-and-swaps.
// Bit 23 tells the exclusives from the rest, bit 21 pairs or CAS, bit 22 loads, bit 15 is order.
func arm64Exclusive(a *arch, w uint32, in *Inst) {
	bit := func(n int) bool { return w>>n&1 == 1 }
	size, load, ordered := w>>30, bit(22), bit(15)
	in.Kind |= Atomic
	one := func(kind Kind, width int) { in.Mem = append(in.Mem, a.mem(kind, width, arm64Rn(w), 0)) }
	cas := func(name string, width int) {
		rs := int(w >> 16 & 31)
		one(Load|Store, width)
		in.order(load, ordered)
		if rs == 31 {
			in.Kind |= NoResult
		}
		in.Text = fmt.Sprintf("%s%s%s %s, (%s), %s", name, arm64Order(load, ordered), arm64Size(width), arm64Reg(rs),
			arm64Base(arm64Rn(w)), arm64Reg(arm64Rt(w)))
	}
	switch {
	case bit(23) && bit(21):
		cas("CAS", 1<<size)
	case !bit(23) && bit(21) && size < 2:
		cas("CASP", 8<<size)
	default:
		width := 1 << size
		if bit(21) {
			width *= 2
		}
		if !bit(23) {
			in.Kind |= Exclusive
		}
		if load {
			one(Load, width)
		} else {
			one(Store, width)
		}
		in.order(ordered && load, ordered && !load)
	}
}

var arm64LSENames = [8]string{"LDADD", "LDCLR", "LDEOR", "LDSET", "LDSMAX", "LDSMIN", "LDUMAX", "LDUMIN"}

func arm64LSE(a *arch, w uint32, in *Inst) {
	acquire, release, opc, swap := w>>23&1 == 1, w>>22&1 == 1, w>>12&7, w>>15&1 == 1
	rs, rt, rn, width := int(w>>16&31), arm64Rt(w), arm64Rn(w), 1<<(w>>30)
	in.Kind |= Atomic
	if swap && opc == 4 { // LDAPR lives in this corner too
		in.Mem = append(in.Mem, a.mem(Load, width, rn, 0))
		in.order(true, false)
		in.Text = fmt.Sprintf("LDAPR%s (%s), %s", arm64Size(width), arm64Base(rn), arm64Reg(rt))
		return
	}
	name := arm64LSENames[opc]
	if swap {
		name = "SWP"
		if opc != 0 {
			in.Kind |= Unknown
		}
	}
	in.Mem = append(in.Mem, a.mem(Load|Store, width, rn, 0))
	in.order(acquire, release)
	if rt == 31 {
		in.Kind |= NoResult
	}
	in.Text = fmt.Sprintf("%s%s%s %s, (%s), %s", name, arm64Order(acquire, release), arm64Size(width), arm64Reg(rs),
		arm64Base(rn), arm64Reg(rt))
}

func (in *Inst) order(acquire, release bool) {
	if acquire {
		in.Kind |= Acquire
	}
	if release {
		in.Kind |= Release
	}
}

func arm64Order(acquire, release bool) string {
	s := ""
	if acquire {
		s += "A"
	}
	if release {
		s += "L"
	}
	return s
}

func arm64Size(width int) string {
	return map[int]string{1: "B", 2: "H", 4: "W", 8: "D", 16: "D"}[width]
}

func arm64Reg(r int) string {
	if r == 31 {
		return "ZR"
	}
	return fmt.Sprintf("R%d", r)
}

func arm64Base(r int) string {
	if r == 31 {
		return "RSP"
	}
	return fmt.Sprintf("R%d", r)
}
