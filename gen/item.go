package gen

import (
	"fmt"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// item is one Go function or method to emit: a primitive on a type, as a function on a pointer or a method of the typed
// value.
type item struct {
	prim   contract.Primitive
	word   word
	method bool
}

// items lists what a primitive becomes: for words a function and a method per type.
func items(p contract.Primitive) []item {
	switch p.Operand {
	case contract.Word:
		var out []item
		for _, w := range words {
			if w.ptr && arithmetic(p.Op) {
				continue
			}
			out = append(out, item{p, w, false}, item{p, w, true})
		}
		return out
	case contract.Bit:
		return []item{{p, bitWord, false}, {p, bitWord, true}}
	case contract.Byte:
		return []item{{prim: p, word: bitWord}}
	case contract.Wide:
		return nil // one type with methods: see wide.go
	}
	return []item{{prim: p}}
}

func arithmetic(o contract.Op) bool {
	return o == contract.Add || o == contract.And || o == contract.Or || o == contract.Xor
}

// name is the Go identifier.
func (it item) name() string {
	switch {
	case it.method && it.prim.Operand == contract.Bit:
		return strings.Replace(it.prim.Name, "Bit", "", 1)
	case it.prim.Operand == contract.Word && !it.method:
		return it.prim.Name + it.word.name
	}
	return it.prim.Name
}

// signature is everything between "func" and the body.
func (it item) signature() string {
	p, t := it.prim, it.word.goTyp
	var params []string
	recv, tparams := "", ""
	switch {
	case it.method && p.Operand == contract.Bit:
		recv = "(b Bitmap) "
	case it.method && it.word.ptr:
		recv = "(x *Pointer[E]) "
	case it.method:
		recv = "(x *" + it.word.name + ") "
	case p.Op != contract.Fence:
		params = append(params, "p *"+t)
		tparams = it.word.params()
	}
	result := ""
	switch p.Op {
	case contract.Fence:
	case contract.CompareAndSwap:
		params = append(params, "old, new "+t)
	case contract.WaitLoad:
		params = append(params, "cond func("+t+") bool")
	case contract.UnlockXorByte:
		params = append(params, "mask uint8")
	default:
		if p.Operand == contract.Bit {
			params = append(params, "n uint")
		} else if p.Op != contract.Load {
			params = append(params, "v "+t)
		}
	}
	switch p.Result {
	case contract.OldValue, contract.NewValue:
		result = " " + t
	case contract.Success, contract.OldBit, contract.OldSign:
		result = " bool"
	}
	return fmt.Sprintf("%s%s%s(%s)%s", recv, it.name(), tparams, strings.Join(params, ", "), result)
}

// replacer resolves the placeholders of an operation's Go text:
// $p the pointer, $*p what it points to, $v the operand, $old and $new those of a compare-and-swap, $T sync/atomic's suffix.
func (it item) replacer(text string) *strings.Replacer {
	p, deref := "p", "*p"
	if it.method && it.prim.Operand == contract.Word {
		p, deref = "&x.v", "x.v"
	}
	v, old, repl := "v", "old", "new"
	switch {
	case it.prim.Op == contract.UnlockXorByte:
		v = "uint64(mask)"
	case it.prim.Clears:
		v = "^m"
	case it.prim.Operand == contract.Bit:
		v = "m"
	}
	if it.prim.Op == contract.LockBit {
		v = "m"
	}
	// A plain access keeps its type, and with it the write barrier; sync/atomic wants unsafe.Pointer.
	if it.word.ptr && !strings.Contains(text, "$*p") {
		p = "(*unsafe.Pointer)(unsafe.Pointer(" + p + "))"
		v, old, repl = "unsafe.Pointer(v)", "unsafe.Pointer(old)", "unsafe.Pointer(new)"
	}
	return strings.NewReplacer("$*p", deref, "$p", p, "$v", v, "$old", old, "$new", repl, "$T", it.word.name)
}

// statements are the body of an inline lowering up to the result, which is in r.
func (it item) statements(code arch.Seq) []string {
	var out []string
	for _, in := range code {
		text := it.replacer(in.Go).Replace(in.Go)
		if it.prim.Result == contract.NoResult && !strings.Contains(text, "\n") {
			text = strings.TrimPrefix(text, "r := ")
		}
		out = append(out, text)
	}
	return out
}

// prologue is what comes before the first statement.
func (it item) prologue() []string {
	var out []string
	if it.prim.Operand == contract.Bit {
		if it.method {
			out = append(out, "p := &b[n>>6]")
		}
		out = append(out, "m := uint64(1) << (n & 63)")
	}
	return out
}

// result is the last statement, or nothing.
func (it item) result() []string {
	switch it.prim.Result {
	case contract.NoResult:
		return nil
	case contract.OldBit:
		return []string{"return r&m != 0"}
	case contract.OldSign:
		return []string{"return r&0x80 != 0"}
	case contract.OldValue:
		if it.word.ptr {
			return []string{"return (*E)(r)"}
		}
	}
	return []string{"return r"}
}

// body is the function's body for a lowering.
func (it item) body(low arch.Lowering) []string {
	lines := it.prologue()
	if it.prim.Op == contract.WaitLoad {
		lines = append(lines, "for i := 0; ; i++ {")
		lines = append(lines, it.statements(low.Code)...)
		value := "r"
		if it.word.ptr {
			value = "(*E)(r)"
		}
		return append(lines, "if cond("+value+") {", "return "+value, "}", "spinWait(i)", "}")
	}
	if low.Form == arch.Assembly {
		return append(lines, it.call(low)...)
	}
	return append(append(lines, it.statements(low.Code)...), it.result()...)
}

// call is a call of the assembly function that the lowering became.
func (it item) call(low arch.Lowering) []string {
	f := funcOf(low, it.word.asmBits())
	if it.prim.Op == contract.Fence {
		return []string{f.name + "()"}
	}
	unsigned := fmt.Sprintf("uint%d", it.word.asmBits())
	convert := func(typ, expr string) string {
		if it.word.goTyp == unsigned {
			return expr
		}
		return typ + "(" + expr + ")"
	}
	rep := it.replacer("")
	p := rep.Replace("$p")
	if it.word.goTyp != unsigned {
		p = "(*" + unsigned + ")(unsafe.Pointer(" + p + "))"
	}
	args := []string{p}
	switch {
	case f.signature.val == 8:
		args = append(args, "mask")
	case low.BitNumber:
		args = append(args, "uint64(n&63)")
	case it.prim.Op == contract.CompareAndSwap:
		args = append(args, convert(unsigned, "old"), convert(unsigned, "new"))
	default:
		args = append(args, convert(unsigned, rep.Replace("$v")))
	}
	expr := f.name + "(" + strings.Join(args, ", ") + ")"
	if it.prim.Result == contract.NoResult {
		return []string{expr}
	}
	if f.signature.result == "bool" {
		return []string{"return " + expr}
	}
	if it.prim.Result == contract.OldBit || it.prim.Result == contract.OldSign {
		return append([]string{"r := " + expr}, it.result()...)
	}
	return []string{"return " + convert(it.word.goTyp, expr)}
}
