package contract

import (
	"cmp"
	"slices"
	"sync"
)

// Family groups the primitives into the packages that people import.
type Family string

// The families, named like their packages.
const (
	Barrier Family = "barrier"
	Atomics Family = "atomics"
	Bitops  Family = "bitops"
)

// Families lists all families in the order in which everything prints them.
var Families = []Family{Barrier, Atomics, Bitops}

// Op says what a primitive does to memory, apart from ordering.
type Op string

// The operations. Bit operations are word operations on a mask, except where a single bit needs code of its own.
const (
	Fence           Op = "fence"
	Load            Op = "load"
	Store           Op = "store"
	Add             Op = "add"
	And             Op = "and"
	Or              Op = "or"
	Xor             Op = "xor"
	Swap            Op = "swap"
	CompareAndSwap  Op = "compare-and-swap"
	WaitLoad        Op = "wait-load"    // load until a condition holds
	LockBit         Op = "lock-bit"     // set a bit and report what it was, in order only if it was clear
	UnlockBit       Op = "unlock-bit"   // clear a bit of a word that nobody else writes
	UnlockXorByte   Op = "xor-low-byte" // xor the low byte and report its old top bit
	CompareAndSwap2 Op = "compare-and-swap-16"
)

// RMW reports whether the operation is one atomic read-modify-write.
func (o Op) RMW() bool {
	return slices.Contains([]Op{Add, And, Or, Xor, Swap, CompareAndSwap, LockBit, UnlockXorByte, CompareAndSwap2}, o)
}

// Conditional reports whether the operation may end without writing.
func (o Op) Conditional() bool {
	return slices.Contains([]Op{CompareAndSwap, LockBit, CompareAndSwap2}, o)
}

// Operand says what an operation works on.
type Operand string

// The operands.
const (
	NoOperand Operand = ""     // a fence
	Word      Operand = "word" // int32, uint32, int64, uint64, uintptr, a pointer
	Bit       Operand = "bit"  // one bit of a uint64, also in a bitmap
	Byte      Operand = "byte" // the low byte of a uint64
	Wide      Operand = "wide" // 16 bytes, aligned to 16
)

// Result says what a primitive returns.
type Result string

// The results.
const (
	NoResult Result = ""        // nothing
	NewValue Result = "new"     // the value after the operation
	OldValue Result = "old"     // the value that was read
	Success  Result = "success" // whether it wrote
	OldBit   Result = "bit"     // the bit's value before
	OldSign  Result = "sign"    // the byte's top bit before
	Observed Result = "seen"    // the value that was read, and whether it wrote
)

// Binding says which operation a primitive's orders rely on, or apply to.
type Binding string

// The bindings. A primitive that binds to a neighbour promises nothing beside anything else.
const (
	Anything    Binding = ""
	NextRMW     Binding = "the read-modify-write directly after it"
	LastRMW     Binding = "the read-modify-write directly before it"
	LastSyncRMW Binding = "the successful sync/atomic read-modify-write directly before it"
	LastLock    Binding = "the lock acquisition directly before it"
	LastUnlock  Binding = "the unlock before it and the lock acquisition that followed"
	LastSRCU    Binding = "the SRCU read unlock directly before it"
	LastBranch  Binding = "the conditional branch on a loaded value directly before it"
)

// Primitive is one contract: a name and what it promises. Nothing here depends on an architecture.
type Primitive struct {
	Name    string // in Go, without the operand's type
	Kernel  string // in the Linux kernel; empty where the kernel has none
	Family  Family
	Op      Op
	Operand Operand
	Clears  bool // a bit operation that clears: its mask is the complement of the bit
	Result  Result
	Orders  []Order // what it promises when it writes, or always if it can't fail
	Binds   Binding
	Doc     string // one sentence, starting with the verb
	Pitfall string
	Source  string
}

// Set is the coarse view of what p orders.
func (p Primitive) Set() Set { return SetOf(p.Orders) }

// Strength is the strongest that p promises.
func (p Primitive) Strength() Strength {
	var s Strength
	for _, o := range p.Orders {
		s = max(s, o.Strength)
	}
	return s
}

// Releases reports whether p publishes: earlier stores come before its own store, or before later ones.
func (p Primitive) Releases() bool {
	return slices.ContainsFunc(p.Orders, func(o Order) bool { return o.Side != After && o.From&Writes != 0 && o.To&Writes != 0 })
}

// Acquires reports whether p takes what was published: its own load, or earlier ones, come before later loads.
func (p Primitive) Acquires() bool {
	return slices.ContainsFunc(p.Orders, func(o Order) bool { return o.Side != Before && o.From&Reads != 0 && o.To&Reads != 0 })
}

// Table returns the whole table, family by family.
func Table() []Primitive { return slices.Clone(table()) }

// Lookup returns the primitive of that name.
func Lookup(name string) (Primitive, bool) {
	rows := table()
	i := slices.IndexFunc(rows, func(p Primitive) bool { return p.Name == name })
	if i < 0 {
		return Primitive{}, false
	}
	return rows[i], true
}

// Of returns the primitives of one family.
func Of(f Family) []Primitive {
	return slices.DeleteFunc(Table(), func(p Primitive) bool { return p.Family != f })
}

// table is made at first use: not every command asks for it.
var table = sync.OnceValue(func() []Primitive {
	rows := slices.Clone(fences)
	for i := range rows {
		rows[i].Family, rows[i].Op = Barrier, Fence
	}
	rows = append(rows, accesses()...)
	for _, p := range bits {
		p.Family, p.Source = Bitops, cmp.Or(p.Source, bitopsTxt)
		p.Operand = cmp.Or(p.Operand, Bit)
		rows = append(rows, p)
	}
	return rows
})
