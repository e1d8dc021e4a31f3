package gen

// word is a type that the atomics work on.
type word struct {
	name  string // the suffix of functions and the name of the typed value
	goTyp string
	bits  int // 0: the machine's word
	ptr   bool
}

var words = []word{
	{name: "Int32", goTyp: "int32", bits: 32},
	{name: "Uint32", goTyp: "uint32", bits: 32},
	{name: "Int64", goTyp: "int64", bits: 64},
	{name: "Uint64", goTyp: "uint64", bits: 64},
	{name: "Uintptr", goTyp: "uintptr"},
	{name: "Pointer", goTyp: "*E", ptr: true},
}

var bitWord = word{name: "Uint64", goTyp: "uint64", bits: 64}

// asmBits is the width that a native function handles; both native targets have 64-bit words.
func (w word) asmBits() int {
	if w.bits == 32 {
		return 32
	}
	return 64
}

// params are the type parameters of a function on w.
func (w word) params() string {
	if w.ptr {
		return "[E any]"
	}
	return ""
}
