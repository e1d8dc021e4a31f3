// Package ir is the form of a fused function between its Go source and its assembly: blocks of simple instructions on
// variables. A memory operation names the primitive whose contract it keeps.
//
// A variable holds a value of its type, extended to 64 bits. Unlike a register of a machine it may be assigned any number
// of times.
package ir

import (
	"go/token"
	"math/bits"
	"slices"

	"github.com/barriergen/barriergen/contract"
)

// Type is what a variable holds.
type Type struct {
	Bits    int // 8, 16, 32 or 64
	Signed  bool
	Bool    bool // 0 or 1
	Pointer bool
}

// The types that the compiler of fused functions needs itself.
var (
	Bool    = Type{Bits: 8, Bool: true}
	Uint64  = Type{Bits: 64}
	Address = Type{Bits: 64, Pointer: true}
)

// Extend is v as a variable of the type holds it.
func (t Type) Extend(v int64) int64 {
	shift := 64 - t.Bits
	if t.Signed {
		return v << shift >> shift
	}
	return int64(uint64(v) << shift >> shift)
}

// Reg is a variable, an index into Func.Vars.
type Reg int

// None is no variable.
const None Reg = -1

// Value is a variable or a constant.
type Value struct {
	Reg   Reg // None for a constant
	Const int64
}

// V is a variable's value.
func V(r Reg) Value { return Value{Reg: r} }

// C is a constant.
func C(v int64) Value { return Value{Reg: None, Const: v} }

// IsConst reports whether v is a constant.
func (v Value) IsConst() bool { return v.Reg == None }

// Op is what an instruction does.
type Op string

// The instructions. Arithmetic wraps around. Shifts are by less than the width.
const (
	Move    Op = "move"
	Add     Op = "add"
	Sub     Op = "sub"
	Mul     Op = "mul"
	And     Op = "and"
	AndNot  Op = "andnot"
	Or      Op = "or"
	Xor     Op = "xor"
	Shl     Op = "shl" // the second argument is taken modulo the width
	Shr     Op = "shr" // likewise; arithmetic if the type is signed
	Neg     Op = "neg"
	Not     Op = "not"     // bitwise
	Compare Op = "compare" // Dst = Args[0] Cond Args[1], of Type
	Convert Op = "convert" // from From to Type
	Index   Op = "index"   // Dst = Args[0] + Args[1]*Scale
	Memory  Op = "memory"  // a primitive, or a plain access
)

// Cond is a comparison.
type Cond uint8

// The comparisons; signed or not says the type.
const (
	Eq Cond = iota
	Ne
	Lt
	Le
	Gt
	Ge
)

// Negated is the comparison that holds if c does not.
func (c Cond) Negated() Cond { return [...]Cond{Ne, Eq, Ge, Gt, Le, Lt}[c] }

// Swapped is the comparison with its operands exchanged.
func (c Cond) Swapped() Cond { return [...]Cond{Eq, Ne, Gt, Ge, Lt, Le}[c] }

// Instr is one instruction.
type Instr struct {
	Op    Op
	Pos   token.Pos
	Dst   Reg // None if there is none, or nobody wants it
	Type  Type
	From  Type // of a conversion
	Cond  Cond
	Scale int64
	Args  []Value
	Seen  []Reg // the halves, the low one first, of what an operation on 16 bytes saw; None where nobody wants one
	*Access
}

// Defs are the variables that an instruction writes.
func (in *Instr) Defs() []*Reg {
	var out []*Reg
	if in.Dst != None {
		out = append(out, &in.Dst)
	}
	for i := range in.Seen {
		if in.Seen[i] != None {
			out = append(out, &in.Seen[i])
		}
	}
	return out
}

// Access is what a memory operation accesses, and how. A fence accesses nothing.
type Access struct {
	Slot  int // its number in the function
	Prim  contract.Primitive
	Plain bool  // a plain access of Go, without a call
	Loads bool  // a compare-and-swap of 16 bytes that is there for what it sees, and acquires also if it does not write
	Base  Value // the address is Base + Off
	Off   int64
	Width int // in bits
}

// Name is what the source calls the operation.
func (a *Access) Name() string {
	switch {
	case a.Plain:
		return "plain " + string(a.Prim.Op)
	case a.Loads:
		return "Load of 16 bytes"
	}
	return a.Prim.Name
}

// TermKind says how a block ends.
type TermKind uint8

// The ends of blocks.
const (
	Jump   TermKind = iota // to Then
	If                     // to Then if A Cond B, else to Else
	Return                 // with Results
)

// Term ends a block.
type Term struct {
	Kind       TermKind
	Pos        token.Pos
	Cond       Cond
	Type       Type
	A, B       Value
	Then, Else int
	Results    []Value
}

// Succ are the blocks that may follow.
func (t Term) Succ() []int {
	switch t.Kind {
	case Jump:
		return []int{t.Then}
	case If:
		return []int{t.Then, t.Else}
	}
	return nil
}

// Block runs from its first instruction to its end.
type Block struct {
	Instrs []Instr
	Term   Term
	Weight int // how often it runs at most: the product of the trip counts of the loops around it
}

// Var is a variable.
type Var struct {
	Name string // empty for a temporary
	Type Type
}

// Param is a parameter or a result, at an offset of the argument area.
type Param struct {
	Name string // as the assembler's vet check wants it
	Type Type
	Off  int64
	Reg  Reg // of a parameter
}

// Func is a function.
type Func struct {
	Name        string
	Pos         token.Pos
	Params      []Param
	Results     []Param
	ArgBytes    int64
	Vars        []Var
	Blocks      []*Block // the first is the entry
	Entry, Exit contract.Classes
}

// NewVar makes a variable.
func (f *Func) NewVar(name string, t Type) Reg {
	f.Vars = append(f.Vars, Var{name, t})
	return Reg(len(f.Vars) - 1)
}

// Operations are the memory operations in the order of their slots.
func (f *Func) Operations() []*Instr {
	var out []*Instr
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if b.Instrs[i].Op == Memory {
				out = append(out, &b.Instrs[i])
			}
		}
	}
	return out
}

// Uses counts how often each variable is read.
func (f *Func) Uses() []int {
	n := make([]int, len(f.Vars))
	use := func(vs ...Value) {
		for _, v := range vs {
			if !v.IsConst() {
				n[v.Reg]++
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			use(in.Args...)
			if in.Access != nil {
				use(in.Base)
			}
		}
		if b.Term.Kind == If {
			use(b.Term.A, b.Term.B)
		}
		use(b.Term.Results...)
	}
	return n
}

// Finish drops what cannot be reached and what nobody reads, and numbers the memory operations. A memory operation stays, without
// its result if nobody reads that.
func (f *Func) Finish() {
	f.tidy()
	for i, in := range f.Operations() {
		in.Slot = i
	}
}

// Without is the function without the memory operations that are gone, and without the branches that led to nothing else. The others keep
// their numbers.
func (f *Func) Without(gone func(Instr) bool) *Func {
	out := *f
	out.Blocks = make([]*Block, len(f.Blocks))
	for i, b := range f.Blocks {
		cp := *b
		cp.Instrs = slices.DeleteFunc(slices.Clone(b.Instrs), func(in Instr) bool { return in.Op == Memory && gone(in) })
		out.Blocks[i] = &cp
	}
	out.tidy()
	return &out
}

// tidy drops what cannot be reached and what nobody reads.
func (f *Func) tidy() {
	f.reach()
	for again := true; again; {
		again = f.thread()
		uses := f.Uses()
		for _, b := range f.Blocks {
			kept := b.Instrs[:0]
			for _, in := range b.Instrs {
				in.Seen = slices.Clone(in.Seen)
				for _, d := range in.Defs() {
					if uses[*d] == 0 {
						*d, again = None, true
					}
				}
				if in.Op == Memory || in.Dst != None {
					kept = append(kept, in)
				}
			}
			b.Instrs = kept
		}
		f.reach()
	}
}

// thread leads jumps to empty blocks on to where those go. A branch between one and the same block is none.
func (f *Func) thread() (changed bool) {
	end := func(i int) int {
		for range f.Blocks {
			if b := f.Blocks[i]; len(b.Instrs) == 0 && b.Term.Kind == Jump {
				i = b.Term.Then
			}
		}
		return i
	}
	for _, b := range f.Blocks {
		t := &b.Term
		if then := end(t.Then); t.Kind != Return && then != t.Then {
			t.Then, changed = then, true
		}
		if other := end(t.Else); t.Kind == If && other != t.Else {
			t.Else, changed = other, true
		}
		if t.Kind == If && t.Then == t.Else {
			*t, changed = Term{Kind: Jump, Pos: t.Pos, Then: t.Then}, true
		}
	}
	return changed
}

// reach leaves out the blocks that cannot be reached, joins a block with the only one before it, and puts the rest in an order
// in which a block stands behind those that lead to it, loops aside.
func (f *Func) reach() {
	preds := make([]int, len(f.Blocks))
	var order []int
	walk := func(visit func(int)) {
		seen := make([]bool, len(f.Blocks))
		var follow func(int)
		follow = func(i int) {
			seen[i] = true
			next := f.Blocks[i].Term.Succ()
			for k := len(next) - 1; k >= 0; k-- { // what follows if the condition holds stands next
				if !seen[next[k]] {
					follow(next[k])
				}
			}
			visit(i)
		}
		follow(0)
	}
	preds[0]++
	walk(func(i int) {
		for _, s := range f.Blocks[i].Term.Succ() {
			preds[s]++
		}
	})
	walk(func(i int) {
		b := f.Blocks[i]
		for b.Term.Kind == Jump && b.Term.Then != i && preds[b.Term.Then] == 1 {
			next := f.Blocks[b.Term.Then]
			b.Instrs, b.Term = append(b.Instrs, next.Instrs...), next.Term
		}
	})
	walk(func(i int) { order = append(order, i) })
	slices.Reverse(order)
	number := make([]int, len(f.Blocks))
	blocks := make([]*Block, len(order))
	for n, i := range order {
		number[i], blocks[n] = n, f.Blocks[i]
	}
	for _, b := range blocks {
		b.Term.Then, b.Term.Else = number[b.Term.Then], number[b.Term.Else]
	}
	f.Blocks = blocks
}

// Eval computes an arithmetic instruction.
func Eval(op Op, t Type, a, b int64) int64 {
	switch op {
	case Add:
		a += b
	case Sub:
		a -= b
	case Mul:
		a *= b
	case And:
		a &= b
	case AndNot:
		a &^= b
	case Or:
		a |= b
	case Xor:
		a ^= b
	case Shl:
		a <<= uint64(b) & uint64(t.Bits-1)
	case Shr:
		if t.Signed {
			a >>= uint64(b) & uint64(t.Bits-1)
		} else {
			a = int64(uint64(a) >> (uint64(b) & uint64(t.Bits-1)))
		}
	case Neg:
		a = -a
	case Not:
		a = ^a
	}
	return t.Extend(a)
}

// Holds evaluates a comparison.
func (c Cond) Holds(t Type, a, b int64) bool {
	less := uint64(a) < uint64(b)
	if t.Signed {
		less = a < b
	}
	switch c {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Lt:
		return less
	case Le:
		return less || a == b
	case Gt:
		return !less && a != b
	}
	return !less
}

// Power is the exponent of a power of two, or -1.
func Power(v int64) int {
	if v <= 0 || v&(v-1) != 0 {
		return -1
	}
	return bits.TrailingZeros64(uint64(v))
}
