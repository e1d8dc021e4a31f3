package memmodel

// Value is what a register or a memory location holds. The address of a location is a value too: Program.Addr.
type Value = int64

// Reg is a register of a thread, an index; NoReg is none.
type Reg int16

// NoReg is no register.
const NoReg Reg = -1

// Tags is a set of the program's tags: what a model may call an event besides its kind, such as "A" or "Release". A bit is
// an index into Program.Tags.
type Tags uint64

// Program is a small concurrent program: some locations, and threads of straight-line code with forward branches. Front
// ends make it, the search runs it.
type Program struct {
	Name    string
	Arch    string // as the litmus format spells it: X86_64, AArch64, RISCV, C
	Locs    []Location
	Threads []Thread
	Tags    []string // tag names; events carry sets of them
}

// Location is a variable that threads share.
type Location struct {
	Name string
	Init Value
	Size uint8 // bytes of one access; values are truncated to it
}

// Thread is the code of one thread. Execution starts at 0 and ends behind the last instruction.
type Thread struct {
	Code []Instr
	Regs []Register // every register that the code uses
}

// Register is a register with its value at the start.
type Register struct {
	Name string
	Init Value
}

// Operand is a register or, if Reg is NoReg, a constant.
type Operand struct {
	Reg Reg
	Val Value
}

// R is a register operand.
func R(r Reg) Operand { return Operand{Reg: r} }

// K is a constant operand.
func K(v Value) Operand { return Operand{Reg: NoReg, Val: v} }

// Op is what an instruction does.
type Op uint8

// The instructions. An address is the sum of A and B; a value stored or operated with is C.
const (
	OpALU     Op = iota // Dst = Fn(A, B); dependencies go through syntactically: EOR r, r, r still depends on r
	OpLoad              // Dst = memory[A+B], a read with Tags
	OpStore             // memory[A+B] = C, a write with WTags
	OpRMW               // one atomic step: Dst = old = memory[A+B] (read, Tags); memory = Fn(old, C) (write, WTags)
	OpCAS               // one atomic step: Dst = old = memory[A+B] (read, Tags); if old == D, memory = C (write, WTags)
	OpLoadEx            // load-exclusive: like OpLoad, and opens the thread's monitor on that address
	OpStoreEx           // store-exclusive: Dst = status; a write with WTags if it succeeds, which it may only after the load-exclusive; it may always fail
	OpFence             // an event with Tags and no access; A, if a register or nonzero, is a location it is about (an SRCU domain)
	OpBranch            // if Fn(A, B) != 0 continue at Target (forward, or backward for a loop that the search unrolls); a control dependency
	OpPick              // Dst = Fn(A, B) != 0 ? C : D (a conditional select)
	OpRMWIf             // one atomic step: Dst = old = memory[A+B] (read, Tags); if Cmp(old, D) != 0, memory = Fn(old, C) (write, WTags)
	OpAssume            // the trace exists only if Fn(A, B) != 0: a lock that was taken, a loop that ended. No dependency
)

// Fn is an arithmetic function.
type Fn uint8

// The functions of two operands. Comparisons give 0 or 1.
const (
	FnB Fn = iota // the second operand
	FnA           // the first
	FnAdd
	FnSub
	FnAnd
	FnAndNot // a &^ b
	FnOr
	FnXor
	FnMul
	FnShl
	FnShr
	FnEq
	FnNe
	FnLt
	FnLe
	FnGt
	FnGe
	FnMax
	FnMin
	FnClear // no bit of the second operand is set in the first
)

// Instr is one instruction.
type Instr struct {
	Op          Op
	Fn          Fn
	Size        uint8 // bytes that a result is truncated to; 0 is all 8. Signed says how it is extended again
	Signed      bool
	Dst         Reg
	A, B, C, D  Operand
	Tags, WTags Tags // of the read or fence, and of the write
	Target      int
	Scope       int // of a branch: its control dependency covers the instructions before Scope; 0 is all that follow
	Cmp         Fn  // of OpRMWIf: the test that lets it write
	Hi          *Half
	Line        int // where it stands in the source
}

// Half is the second half of an access of 16 bytes. The instruction itself is the first; this one is at the location behind
// it in Program.Locs, with an event, or two, of its own. Loads, stores, exclusives, OpRMW and OpCAS have halves; a
// compare-and-swap writes both if both are as expected.
type Half struct {
	Dst  Reg
	C, D Operand
	// Whole says that the access is single-copy atomic at 16 bytes: models see its halves joined, in the relation halves. The load of an exclusive
	// pair is not by itself; the store is, and if it succeeds nothing came between them.
	Whole bool
}

// addrBase and addrStep place the locations far from the small numbers of tests and from each other.
const (
	addrBase Value = 1 << 40
	addrStep Value = 1 << 12
)

// Addr is the address of location loc.
func (p *Program) Addr(loc int) Value { return addrBase + Value(loc)*addrStep }

// LocAt is the location whose address is v.
func (p *Program) LocAt(v Value) (loc int, ok bool) {
	d := v - addrBase
	if d < 0 || d%addrStep != 0 || d/addrStep >= Value(len(p.Locs)) {
		return 0, false
	}
	return int(d / addrStep), true
}
