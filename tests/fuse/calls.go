package fuse

import "fmt"

var suffixes = map[string]string{"uint64": "Uint64", "uint32": "Uint32", "int64": "Int64", "int32": "Int32", "uintptr": "Uintptr"}

var strengths = []string{"Relaxed", "Acquire", "Release", "Full"}

// primitive is a call that returns a value of a type, or what is given if there is none.
func (p *programmer) primitive(t, otherwise string) string {
	st := strengths[p.IntN(4)]
	if t == "bool" {
		switch p.IntN(7) {
		case 6:
			return "m." + []string{"TestAndSet", "TestAndClear", "TestAndChange", "TestAndSetLock", "Test", "TestAcquire"}[p.IntN(6)] + "(" + p.number256() + ")"
		case 0:
			return fmt.Sprintf("bitops.%s(%s, %s)", []string{"TestAndSetBit", "TestAndClearBit", "TestAndChangeBit", "TestAndSetBitLock"}[p.IntN(4)], p.word("uint64"), p.bit())
		case 1:
			return fmt.Sprintf("bitops.%s(%s, %s)", []string{"TestBit", "TestBitAcquire"}[p.IntN(2)], p.word("uint64"), p.bit())
		case 2:
			return fmt.Sprintf("bitops.XorUnlockIsNegativeByte(%s, %s)", p.word("uint64"), p.pure("uint8", 1))
		}
		w := []string{"uint64", "uint32", "int64", "int32", "uintptr"}[p.IntN(5)]
		addr := p.word(w)
		old := p.pure(w, 1)
		if p.IntN(2) == 0 {
			old = "0"
		}
		return fmt.Sprintf("atomics.CompareAndSwap%s%s(%s, %s, %s)", st, suffixes[w], addr, old, p.pure(w, 1))
	}
	sfx, ok := suffixes[t]
	if !ok {
		return otherwise
	}
	switch p.IntN(8) {
	case 0, 1:
		return fmt.Sprintf("atomics.Load%s%s(%s)", []string{"Relaxed", "Acquire"}[p.IntN(2)], sfx, p.word(t))
	case 2, 3:
		return fmt.Sprintf("atomics.Add%s%s(%s, %s)", st, sfx, p.word(t), p.pure(t, 1))
	case 4, 5:
		return fmt.Sprintf("atomics.Swap%s%s(%s, %s)", st, sfx, p.word(t), p.pure(t, 1))
	case 6:
		if p.IntN(4) == 0 { // a loop on amd64, so the Go body stays there
			return fmt.Sprintf("atomics.%s%s%s(%s, %s)", []string{"And", "Or", "Xor"}[p.IntN(3)], st, sfx, p.word(t), p.pure(t, 1))
		}
	}
	switch t {
	case "uint64":
		return p.object() + ".L.LoadAcquire()"
	case "int32":
		return p.object() + ".M.AddFull(" + p.pure(t, 1) + ")"
	}
	return otherwise
}

func (p *programmer) bit() string {
	if p.IntN(2) == 0 {
		return fmt.Sprint(p.IntN(64))
	}
	return "uint(" + p.pure("uint64", 0) + ")"
}

// number256 is the number of a bit of the bitmap.
func (p *programmer) number256() string {
	if p.IntN(2) == 0 {
		return "n"
	}
	return fmt.Sprint(p.IntN(256))
}

// effect is a call for its effect.
func (p *programmer) effect() string {
	st := strengths[p.IntN(4)]
	t := []string{"uint64", "uint32", "int64", "int32", "uintptr"}[p.IntN(5)]
	switch p.IntN(9) {
	case 8:
		return "m." + []string{"Set", "Clear", "Change", "ClearUnlock", "ClearUnlockNonAtomic", "TestAndSet"}[p.IntN(6)] + "(" + p.number256() + ")"
	case 0, 1:
		return fmt.Sprintf("bitops.%s(%s, %s)", []string{"SetBit", "ClearBit", "ChangeBit", "ClearBitUnlock", "ClearBitUnlockNonAtomic", "TestAndSetBit"}[p.IntN(6)],
			p.word("uint64"), p.bit())
	case 2, 3:
		return fmt.Sprintf("atomics.Store%s%s(%s, %s)", []string{"Relaxed", "Release", "Full"}[p.IntN(3)], suffixes[t], p.word(t), p.pure(t, 2))
	case 4:
		return fmt.Sprintf("atomics.%s%s%s(%s, %s)", []string{"And", "Or", "Xor", "Swap", "Add"}[p.IntN(5)], st, suffixes[t], p.word(t), p.pure(t, 1))
	case 5:
		return p.object() + ".L." + []string{"StoreRelease", "OrRelaxed", "StoreFull"}[p.IntN(3)] + "(" + p.pure("uint64", 1) + ")"
	case 6:
		return p.object() + ".M.StoreRelaxed(" + p.pure("int32", 1) + ")"
	}
	return fmt.Sprintf("atomics.CompareAndSwap%s%s(%s, %s, %s)", st, suffixes[t], p.word(t), p.pure(t, 1), p.pure(t, 1))
}
