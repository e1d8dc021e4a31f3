// Package front reads functions that are to be fused: it checks that a Go function is within the subset that becomes assembly, and
// turns its body into the intermediate form. A body outside the subset is an Error that says where, what was found and
// what to do instead.
package front

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/gen"
	"github.com/barriergen/barriergen/gen/fuse/ir"
)

// Error is a mistake in the source.
type Error struct {
	Pos  token.Position
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%v: %s", e.Pos, e.Text) }

// FarOffset is where a nil pointer plus an offset may be mapped memory, so that the fault would not become a panic.
const FarOffset = 4096

// MaxTrips is how often the innermost body of all loops together may run.
const MaxTrips = 4096

// Package is what is known of the source's package.
type Package struct {
	Fset  *token.FileSet
	Info  *types.Info
	Types *types.Package
	Sizes types.Sizes
}

// Function is a function that was read.
type Function struct {
	*ir.Func
	Decl *ast.FuncDecl
	Sig  *types.Signature
	Doc  string // without the directives
	// Near are the parameters that must not be nil: an access through them is so far from the address that a nil pointer
	// would not be found out.
	Near []string
	// Checks are what must hold for the assembly to run in place of the Go body.
	Checks []Check
}

// Read turns a declaration into a function.
func Read(p *Package, decl *ast.FuncDecl) (fn *Function, err error) {
	t := &translator{Package: p, vars: map[types.Object]*variable{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			fn, err = nil, r
		default:
			panic(r)
		}
	}()
	return t.function(decl), nil
}

// variable is what a Go variable became.
type variable struct {
	reg  ir.Reg
	hi   ir.Reg   // of a Pair: its second half
	pair bool     // it is a Pair
	addr *address // of a pointer or a handle that never changes: what it points to
	loop *span    // of a loop's variable
}

// values are what the variable holds: two halves of a Pair.
func (v *variable) values() []ir.Value {
	if v.pair {
		return []ir.Value{ir.V(v.reg), ir.V(v.hi)}
	}
	return []ir.Value{ir.V(v.reg)}
}

// span are the values that a loop's variable takes.
type span struct{ lo, hi int64 }

// address is a place in memory.
type address struct {
	base  ir.Value
	off   int64
	root  types.Object // the parameter that base comes from, if any
	reach int64        // at most this far from root
	// uneven says that base is not a multiple of 16 bytes behind root.
	uneven bool
}

type translator struct {
	*Package
	fn       *ir.Func
	out      *Function
	vars     map[types.Object]*variable
	assigned map[types.Object]int
	cur      *ir.Block
	weight   int
	loops    []loop
}

// loop is where break and continue go; of a switch there is no next one.
type loop struct {
	label       string
	after, next int
}

const none = -1

// fail reports a mistake.
func (p *Package) fail(pos token.Pos, format string, args ...any) {
	panic(&Error{p.Fset.Position(pos), fmt.Sprintf(format, args...)})
}

func (t *translator) function(decl *ast.FuncDecl) *Function {
	name := decl.Name
	sig := t.Info.Defs[name].Type().(*types.Signature)
	f := &ir.Func{Name: name.Name, Pos: name.Pos(), Entry: contract.All, Exit: contract.All}
	t.fn, t.weight, t.out = f, 1, &Function{Func: f, Decl: decl, Sig: sig}
	t.directives(decl)
	switch {
	case sig.TypeParams() != nil || sig.RecvTypeParams() != nil:
		t.fail(name.Pos(), "%s has type parameters: assembly is for one type, write a function for each", name.Name)
	case sig.Variadic():
		t.fail(name.Pos(), "%s has a variable number of parameters: name each of them", name.Name)
	case name.Name == "init" || name.Name == "_":
		t.fail(name.Pos(), "a function called %s, which nothing can call: give it a name", name.Name)
	case decl.Body == nil:
		t.fail(name.Pos(), "%s has no body: there is nothing to fuse", name.Name)
	}
	t.assigned = t.assignments(decl.Body)
	entry := t.block()
	t.cur = f.Blocks[entry]
	t.parameters(sig)
	t.body(decl.Body)
	// With results this is never reached: the type checker saw to that.
	t.end(ir.Term{Kind: ir.Return, Pos: decl.Body.Rbrace, Results: slices.Repeat([]ir.Value{ir.C(0)}, len(f.Results))})
	f.Finish()
	t.foreign()
	return t.out
}

// outside are the neighbours that a fused function can't hold itself.
var outside = []contract.Binding{contract.LastSyncRMW, contract.LastSRCU}

// foreign sees to it that a fence which binds to what a fused function can't hold stands directly behind the caller's: no
// access of the function comes before it.
func (t *translator) foreign() {
	type state struct {
		block    int
		accessed bool
	}
	seen := map[state]bool{}
	var walk func(s state)
	walk = func(s state) {
		if seen[s] {
			return
		}
		seen[s] = true
		b := t.fn.Blocks[s.block]
		for _, in := range b.Instrs {
			switch {
			case in.Op != ir.Memory:
			case in.Prim.Op != contract.Fence:
				s.accessed = true
			case !slices.Contains(outside, in.Prim.Binds):
			case s.accessed:
				t.fail(in.Pos, "%s binds to %s, and no access of a fused function is that: put it first, behind the caller's, or use Full", in.Prim.Name, in.Prim.Binds)
			case t.fn.Entry == 0:
				t.fail(in.Pos, "%s binds to %s, which is the caller's, and the function says that nothing of the caller's need be ordered: "+
					"leave out the fence, or //barriergen:entry none", in.Prim.Name, in.Prim.Binds)
			}
		}
		for _, next := range b.Term.Succ() {
			walk(state{next, s.accessed})
		}
	}
	walk(state{})
}

// directives reads the function's doc comment.
func (t *translator) directives(decl *ast.FuncDecl) {
	if decl.Doc == nil {
		return
	}
	t.out.Doc = decl.Doc.Text() // go/ast leaves out directives
	for _, c := range decl.Doc.List {
		text, ok := strings.CutPrefix(c.Text, "//barriergen:")
		if !ok {
			continue
		}
		switch strings.Join(strings.Fields(text), " ") {
		case "entry none":
			t.fn.Entry = 0
		case "exit none":
			t.fn.Exit = 0
		default:
			t.fail(c.Pos(), "unknown directive %q: there are //barriergen:entry none (nothing that callers did before need be ordered here) "+
				"and //barriergen:exit none (nothing that they do afterwards)", c.Text)
		}
	}
}

func (t *translator) parameters(sig *types.Signature) {
	off := int64(0)
	place := func(name string, v *types.Var) (out []ir.Param) {
		for _, c := range t.components(v.Pos(), v.Type()) {
			size := int64(c.typ.Bits / 8)
			off = (off + size - 1) &^ (size - 1)
			out = append(out, ir.Param{Name: name + c.suffix, Type: c.typ, Off: off, Reg: ir.None})
			off += size
		}
		return out
	}
	param := func(v *types.Var) {
		t.nameable(v)
		ps := place(v.Name(), v)
		for i := range ps {
			ps[i].Reg = t.fn.NewVar(ps[i].Name, ps[i].Type)
		}
		x := &variable{reg: ps[0].Reg}
		switch {
		case t.isHandle(v.Type()), t.isBitmap(v.Type()):
			x = &variable{reg: ir.None, addr: &address{base: ir.V(ps[0].Reg), root: v}}
		case t.isPair(v.Type()):
			x.hi, x.pair = ps[1].Reg, true
		}
		t.vars[v] = x
		t.fn.Params = append(t.fn.Params, ps...)
	}
	if sig.Recv() != nil {
		param(sig.Recv())
	}
	for v := range sig.Params().Variables() {
		param(v)
	}
	if sig.Results().Len() > 0 {
		off = (off + 7) &^ 7
	}
	for i := range sig.Results().Len() {
		v := sig.Results().At(i)
		name := v.Name()
		t.nameable(v)
		if name == "" {
			if name = "ret"; i > 0 {
				name = fmt.Sprintf("ret%d", i)
			}
		}
		ps := place(name, v)
		if ps[0].Type.Pointer {
			t.fail(v.Pos(), "result %d is a pointer: the assembly is go:noescape, so nothing that it returns may point to what it was given; "+
				"return a number or a bool and take the pointer in Go", i+1)
		}
		if v.Name() != "" && v.Name() != "_" {
			x := t.newVar(v.Name(), v.Pos(), v.Type())
			t.vars[v] = x
			for _, half := range x.values() {
				t.emit(ir.Instr{Op: ir.Move, Pos: v.Pos(), Dst: half.Reg, Type: t.fn.Vars[half.Reg].Type, Args: []ir.Value{ir.C(0)}})
			}
		}
		t.fn.Results = append(t.fn.Results, ps...)
	}
	t.fn.ArgBytes = off
}

// newVar makes what a Go variable becomes.
func (t *translator) newVar(name string, pos token.Pos, typ types.Type) *variable {
	if t.isPair(typ) {
		return &variable{reg: t.fn.NewVar(name, ir.Uint64), hi: t.fn.NewVar(name, ir.Uint64), pair: true}
	}
	return &variable{reg: t.fn.NewVar(name, t.typeOf(pos, typ))}
}

// registers are the names that the assembler takes for registers.
var registers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(g|SB|FP|PC|R?SP|ZR|TLS|[A-D][LHX]|BP|SI|DI|[C-GS]S|[RFXYZVKMP][0-9]+|[CDT]R[0-9]+|R18_PLATFORM|[GIL]DTR|MSW|TASK)$`)
})

// nameable sees to it that the assembler can name a parameter or result.
func (t *translator) nameable(v *types.Var) {
	if registers().MatchString(v.Name()) {
		t.fail(v.Pos(), "a parameter called %s, which is a register to the assembler: rename it", v.Name())
	}
}

// typeOf is the type of a variable, which must fit a register.
func (p *Package) typeOf(pos token.Pos, typ types.Type) ir.Type {
	switch {
	case p.isPair(typ):
		p.fail(pos, "a Pair is used as one value: compare it with == or !=, use .Lo and .Hi, or give it to CompareAndSwap")
	case p.isHandle(typ):
		p.fail(pos, "a handle is used as a value: it can be a parameter, a local variable that is assigned once, and what a method is called on")
	}
	switch u := typ.Underlying().(type) {
	case *types.Pointer:
		return ir.Address
	case *types.Basic:
		info := u.Info()
		switch {
		case u.Kind() == types.UnsafePointer || u.Kind() == types.UntypedNil:
			return ir.Address
		case info&types.IsBoolean != 0:
			return ir.Bool
		case info&types.IsInteger != 0:
			return ir.Type{Bits: int(p.Sizes.Sizeof(types.Default(u))) * 8, Signed: info&types.IsUnsigned == 0}
		}
	}
	p.fail(pos, "a value of type %v: a fused function works on integers, booleans and pointers; take the address of a struct or an array",
		types.TypeString(typ, types.RelativeTo(p.Types)))
	return ir.Type{}
}

// emit appends an instruction. What is computed from constants is a constant already.
func (t *translator) emit(in ir.Instr) ir.Value {
	if t.cur == nil { // behind a return
		t.cur = t.fn.Blocks[t.block()]
	}
	t.cur.Instrs = append(t.cur.Instrs, in)
	return ir.V(in.Dst)
}

// binary computes an arithmetic instruction into a temporary.
func (t *translator) binary(pos token.Pos, op ir.Op, typ ir.Type, a, b ir.Value) ir.Value {
	if a.IsConst() && b.IsConst() {
		return ir.C(ir.Eval(op, typ, a.Const, b.Const))
	}
	switch {
	case b.IsConst() && b.Const == 0 && (op == ir.Add || op == ir.Sub || op == ir.Or || op == ir.Xor || op == ir.Shl || op == ir.Shr || op == ir.AndNot):
		return a
	case a.IsConst() && a.Const == 0 && (op == ir.Add || op == ir.Or || op == ir.Xor):
		return b
	}
	return t.emit(ir.Instr{Op: op, Pos: pos, Dst: t.fn.NewVar("", typ), Type: typ, Args: []ir.Value{a, b}})
}

// block makes a block and returns its number.
func (t *translator) block() int {
	t.fn.Blocks = append(t.fn.Blocks, &ir.Block{Weight: t.weight})
	return len(t.fn.Blocks) - 1
}

// jump ends the current block.
func (t *translator) jump(pos token.Pos, to int) {
	t.end(ir.Term{Kind: ir.Jump, Pos: pos, Then: to})
}

// end ends the current block, unless it ended before.
func (t *translator) end(term ir.Term) {
	if t.cur != nil {
		t.cur.Term = term
	}
	t.cur = nil
}

func (t *translator) enter(block int) { t.cur = t.fn.Blocks[block] }

// assignments counts how often each variable is assigned, its declaration included.
func (t *translator) assignments(body ast.Node) map[types.Object]int {
	n := map[types.Object]int{}
	mark := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if o := t.Info.ObjectOf(id); o != nil {
				n[o]++
			}
		}
	}
	ast.Inspect(body, func(x ast.Node) bool {
		switch s := x.(type) {
		case *ast.AssignStmt:
			for _, l := range s.Lhs {
				mark(l)
			}
		case *ast.IncDecStmt:
			mark(s.X)
		case *ast.ValueSpec:
			for _, id := range s.Names {
				mark(id)
			}
		case *ast.RangeStmt:
			if s.Key != nil {
				mark(s.Key)
			}
		}
		return true
	})
	return n
}

// constant is the value of a constant expression.
func (t *translator) constant(e ast.Expr) (ir.Value, bool) {
	tv := t.Info.Types[e]
	if tv.IsNil() {
		return ir.C(0), true
	}
	if tv.Value == nil {
		return ir.Value{}, false
	}
	switch tv.Value.Kind() {
	case constant.Bool:
		if constant.BoolVal(tv.Value) {
			return ir.C(1), true
		}
		return ir.C(0), true
	case constant.Int:
		v, exact := constant.Int64Val(tv.Value)
		if !exact {
			u, _ := constant.Uint64Val(tv.Value)
			v = int64(u)
		}
		return ir.C(v), true
	case constant.Float:
		if v := constant.ToInt(tv.Value); v.Kind() == constant.Int {
			n, _ := constant.Int64Val(v)
			return ir.C(n), true
		}
	}
	t.typeOf(e.Pos(), tv.Type)
	return ir.Value{}, false
}

// primitives reports whether an object is of the packages of primitives: of this module, or that barriergen generated elsewhere,
// as its file says.
func (p *Package) primitives(obj types.Object) bool {
	return obj.Pkg() != nil && (strings.HasPrefix(obj.Pkg().Path(), "github.com/barriergen/barriergen/primitives/") || generated(p.Fset.Position(obj.Pos()).Filename))
}

// ours finds the primitive that a function or method is.
func (p *Package) ours(fn *types.Func) (prim contract.Primitive, ok bool) {
	if !p.primitives(fn) {
		return prim, false
	}
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		if named, is := deref(recv.Type()).(*types.Named); is {
			switch named.Obj().Name() {
			case "Bitmap":
				name = bitmapName(name)
			case "Uint128":
				name = "CompareAndSwap128"
			}
		}
	}
	if prim, ok = contract.Lookup(name); ok {
		return prim, true
	}
	for _, suffix := range []string{"Int32", "Uint32", "Int64", "Uint64", "Uintptr", "Pointer"} {
		if base, is := strings.CutSuffix(name, suffix); is {
			if prim, ok = contract.Lookup(base); ok && prim.Operand == contract.Word {
				return prim, true
			}
		}
	}
	return prim, false
}

// bitmapName is the primitive of a Bitmap's method: Set is SetBit, TestAndSetLock is TestAndSetBitLock.
func bitmapName(method string) string {
	for _, p := range contract.Of(contract.Bitops) {
		if strings.Replace(p.Name, "Bit", "", 1) == method {
			return p.Name
		}
	}
	return method
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return types.Unalias(t)
}

// generated reports whether a file begins as those that barriergen generates.
func generated(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(gen.Marker))
	n, _ := f.Read(head)
	return string(head[:n]) == gen.Marker
}
