// Package machine reads the machine code of a Go-linked ELF executable and says, instruction by
// instruction, what it does to memory and to control flow.
//
//	bin, err := machine.Open("prog")
//	fn, err := bin.Func("main.publish")
//	fn.Count(machine.Store)     // memory writes, the stack not counted
//	fn.Count(machine.Call)      // calls
//
// It knows the 64-bit architectures that Go compiles for: amd64, arm64, loong64, mips64, mips64le,
// ppc64, ppc64le, riscv64 and s390x. An access through the stack pointer or through the goroutine
// pointer is told apart from an access to memory that another CPU may share; a nil check is neither.
// An instruction that the package can't classify has the kind Unknown, never a wrong one.
package machine

import (
	"fmt"
	"strings"
)

// A Kind says what an instruction does; an instruction may do several things. Load, Store and Atomic
// together are a whole read-modify-write, as a locked instruction or an LSE one is.
type Kind uint32

const (
	Load      Kind = 1 << iota // reads memory
	Store                      // writes memory
	Atomic                     // is a locked, LSE, AMO, exclusive, acquire or release access
	Exclusive                  // is one half of a load-exclusive, store-exclusive pair
	Acquire                    // reads with acquire order
	Release                    // writes with release order
	NoResult                   // names the zero register as the destination of the old value
	Fence                      // orders memory and accesses none
	Call                       // calls
	Jump                       // jumps, always or, with Cond, perhaps
	Cond                       // goes on to the next instruction, or not
	Return                     // returns
	Nop                        // does nothing; on amd64 the assembler also pads jumps with these
	Trap                       // never goes on
	NilCheck                   // loads only to fault when the pointer is nil; Load is not set
	Unknown                    // can't be classified
)

var kindNames = []string{"load", "store", "atomic", "exclusive", "acquire", "release", "no-result", "fence",
	"call", "jump", "cond", "return", "nop", "trap", "nil-check", "unknown"}

// Has reports whether k has all bits of want.
func (k Kind) Has(want Kind) bool { return k&want == want }

func (k Kind) String() string {
	var names []string
	for i, name := range kindNames {
		if k.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// A Base says through what an address was formed.
type Base uint8

const (
	Register  Base = iota // a general register
	Stack                 // the stack pointer
	Goroutine             // the goroutine pointer
	Global                // the program counter, or nothing
)

// An Access is one read, write or read-modify-write of memory.
type Access struct {
	Kind    Kind // Load, Store or both
	Base    Base
	Disp    int64 // constant part of the address
	Indexed bool  // a second register takes part in the address
	Width   int   // bytes
}

// Private reports whether the access is the function's own business: a stack slot, or the goroutine's
// stack bound in a function's prologue.
func (a Access) Private() bool { return a.Base == Stack || a.Base == Goroutine }

func (a Access) String() string {
	kind := a.Kind.String()
	if a.Kind == Load|Store {
		kind = "read-modify-write"
	}
	return fmt.Sprintf("%d-bit %s at offset %d", a.Width*8, kind, a.Disp)
}

// An Inst is one instruction.
type Inst struct {
	PC     uint64
	Code   []byte // its bytes, in memory order
	Text   string // in Go syntax, or its bytes in hexadecimal
	Kind   Kind
	Mem    []Access // in the order in which they happen; a load or store pair has two
	Target uint64   // of a direct call or jump, else 0
	Symbol string   // the function at Target, if Target is one's entry
}

func (in Inst) String() string { return fmt.Sprintf("%#x %s", in.PC, in.Text) }

// goesOn reports whether the next instruction may run after this one.
func (in Inst) goesOn() bool { return in.Kind&(Jump|Return|Trap) == 0 || in.Kind&Cond != 0 }

// Shared returns the accesses that are not private to the function.
func (in Inst) Shared() []Access {
	var out []Access
	for _, a := range in.Mem {
		if !a.Private() {
			out = append(out, a)
		}
	}
	return out
}

// A Func is the code of one function.
type Func struct {
	Name  string
	Insts []Inst
}

// Count returns the number of instructions that have all bits of kind. Private accesses don't count as
// loads and stores.
func (f Func) Count(kind Kind) int {
	return len(f.Find(kind))
}

// Find returns the instructions that Count(kind) counts.
func (f Func) Find(kind Kind) []Inst {
	var out []Inst
	for _, in := range f.Insts {
		if in.Kind.Has(kind) && (kind&(Load|Store) == 0 || len(in.Shared()) > 0) {
			out = append(out, in)
		}
	}
	return out
}

// Accesses returns the accesses of all instructions, in address order, without private ones.
func (f Func) Accesses() []Access {
	var out []Access
	for _, in := range f.Insts {
		out = append(out, in.Shared()...)
	}
	return out
}

// Next returns, per instruction, the instructions that may run after it. Returns, traps and jumps out of
// the function have none; calls are taken to return.
func (f Func) Next() [][]int {
	at := make(map[uint64]int, len(f.Insts))
	for i, in := range f.Insts {
		at[in.PC] = i
	}
	next := make([][]int, len(f.Insts))
	for i, in := range f.Insts {
		if in.goesOn() && i+1 < len(f.Insts) {
			next[i] = append(next[i], i+1)
		}
		if j, ok := at[in.Target]; ok && in.Kind&Jump != 0 {
			next[i] = append(next[i], j)
		}
	}
	return next
}

// String lists the function, one instruction per line with its kinds, for a person to read.
func (f Func) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", f.Name)
	for _, in := range f.Insts {
		fmt.Fprintf(&b, "\t%#x\t%-44s", in.PC, in.Text)
		fmt.Fprintf(&b, " %s", in.Kind)
		for _, a := range in.Mem {
			fmt.Fprintf(&b, "; %s", a)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
