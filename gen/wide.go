package gen

// wide emits the 16-byte cell: the type, and the two ways to compare and swap it.
func wide(p *plan, add func(name, constraint, body string)) {
	add("zwide.go", "", wideType)
	native := "!purego && !race && (" + p.natives() + ")"
	add("zwide_native.go", native, wideNative)
	if p.native("amd64") {
		add("zwide_amd64.go", asmConstraint, "// hasWide: CMPXCHG16B is missing from the first amd64 CPUs only.\nvar hasWide = cpu.X86.HasCX16\n")
	}
	if p.native("arm64") {
		add("zwide_arm64.go", asmConstraint, "// hasWide: every arm64 CPU has the exclusive pair.\nconst hasWide = true\n")
	}
	add("zwide_generic.go", "purego || race || !("+p.natives()+")", wideGeneric)
	add("zwide_locked.go", "", wideLocked)
}

const wideType = `// Pair is the value of a 16-byte cell: two words, the low one first in memory. They are integers: the garbage collector
// sees no pointer in them.
type Pair struct{ Lo, Hi uint64 }

// Uint128 is a handle on a cell of 16 bytes that is read and written as one. A handle may be copied, the copies mean the
// same cell; the cell itself can't be, since Go can align no type to 16 bytes. The zero handle has no cell: its methods
// panic.
type Uint128 struct{ cell *[2]uint64 }

// NewUint128 returns a handle on a new cell that holds v.
func NewUint128(v Pair) Uint128 { return Uint128At(unsafe.Pointer(newCell(v))) }

// newCell allocates in the size class of 16 bytes, whose objects are aligned to their size. It must not be inlined: a
// cell on a stack would not be.
//
//go:noinline
func newCell(v Pair) *[2]uint64 { return &[2]uint64{v.Lo, v.Hi} }

// Uint128At returns a handle on the 16 bytes at p, for which the caller vouches: they stay where they are, hold no Go
// pointer, and nothing else accesses them but through such handles. It panics if p is not aligned to 16 bytes: the
// instructions would fault, which no program survives. Memory shared with another process needs LockFree.
func Uint128At(p unsafe.Pointer) Uint128 {
	if p == nil {
		panic("Uint128At: nil address")
	}
	if uintptr(p)%16 != 0 {
		panic("Uint128At: address is not aligned to 16 bytes: use NewUint128, or align the memory")
	}
	return Uint128{(*[2]uint64)(p)}
}

// CompareAndSwap stores new if the cell holds old, in one atomic step. It returns the value that it saw, as one, and
// whether it stored. It is a full read-modify-write when it stores; when it does not it orders nothing.
func (x Uint128) CompareAndSwap(old, new Pair) (seen Pair, swapped bool) {
	if x.cell == nil {
		panic("Uint128: the zero handle has no cell: use NewUint128 or Uint128At")
	}
	return swapCell(x.cell, old, new)
}

// Load returns the value. It may write the cell, unchanged, since it is a compare-and-swap: not every CPU of these
// architectures loads 16 bytes as one (on amd64 those with AVX do, on arm64 those with LSE2). It is an acquire load.
func (x Uint128) Load() Pair {
	seen, _ := x.CompareAndSwap(Pair{}, Pair{})
	return seen
}

// Store stores v, as a full read-modify-write.
func (x Uint128) Store(v Pair) { x.Swap(v) }

// Swap stores v and returns the value before, as a full read-modify-write.
func (x Uint128) Swap(v Pair) Pair {
	old := x.Load()
	for {
		seen, swapped := x.CompareAndSwap(old, v)
		if swapped {
			return seen
		}
		old = seen
	}
}

// LockFree reports whether the operations are single instructions of the CPU, or exclusive pairs. If not they take a lock
// of this process: right among its goroutines, wrong in memory shared with anybody else.
func (x Uint128) LockFree() bool { return lockFree }
`

const wideNative = `var lockFree = hasWide

func swapCell(cell *[2]uint64, old, new Pair) (seen Pair, swapped bool) {
	if !hasWide {
		return swapLocked(cell, old, new)
	}
	lo, hi, ok := compareAndSwap128(cell, old.Lo, old.Hi, new.Lo, new.Hi)
	return Pair{lo, hi}, ok
}
`

const wideGeneric = `const lockFree = false

func swapCell(cell *[2]uint64, old, new Pair) (seen Pair, swapped bool) { return swapLocked(cell, old, new) }
`

const wideLocked = `// wideLocks guard cells where there is no instruction for 16 bytes, by address.
var wideLocks [64]struct {
	sync.Mutex
	_ [56]byte
}

func swapLocked(cell *[2]uint64, old, new Pair) (seen Pair, swapped bool) {
	l := &wideLocks[uintptr(unsafe.Pointer(cell))>>4%64]
	l.Lock()
	defer l.Unlock()
	seen = Pair{cell[0], cell[1]}
	if seen != old {
		return seen, false
	}
	cell[0], cell[1] = new.Lo, new.Hi
	return seen, true
}
`
