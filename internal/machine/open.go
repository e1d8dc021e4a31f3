package machine

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"
)

// An arch is what the common code needs to know of one architecture.
type arch struct {
	name    string
	machine elf.Machine
	order   binary.ByteOrder
	step    int // bytes to skip when nothing decodes
	sp, g   int // register numbers
	scratch int // the register that a nil check loads into; -1 where the decoder knows better

	// decode fills in all but PC, Symbol and, where it knows none, Code.
	decode func(a *arch, code []byte, pc uint64, names symbolizer) Inst
}

// A symbolizer finds the function that holds an address, as the x/arch printers want it.
type symbolizer func(addr uint64) (name string, start uint64)

var arches = []*arch{
	{name: "amd64", machine: elf.EM_X86_64, order: binary.LittleEndian, step: 1, sp: 4, g: 14, scratch: -1, decode: decodeAMD64},
	{name: "arm64", machine: elf.EM_AARCH64, order: binary.LittleEndian, step: 4, sp: 31, g: 28, scratch: 27, decode: decodeARM64},
	{name: "loong64", machine: elf.EM_LOONGARCH, order: binary.LittleEndian, step: 4, sp: 3, g: 22, scratch: 30, decode: decodeLOONG64},
	{name: "mips64", machine: elf.EM_MIPS, order: binary.BigEndian, step: 4, sp: 29, g: 30, scratch: 23, decode: decodeMIPS64},
	{name: "mips64le", machine: elf.EM_MIPS, order: binary.LittleEndian, step: 4, sp: 29, g: 30, scratch: 23, decode: decodeMIPS64},
	{name: "ppc64", machine: elf.EM_PPC64, order: binary.BigEndian, step: 4, sp: 1, g: 30, scratch: 31, decode: decodePPC64},
	{name: "ppc64le", machine: elf.EM_PPC64, order: binary.LittleEndian, step: 4, sp: 1, g: 30, scratch: 31, decode: decodePPC64},
	{name: "riscv64", machine: elf.EM_RISCV, order: binary.LittleEndian, step: 2, sp: 2, g: 27, scratch: 0, decode: decodeRISCV64},
	{name: "s390x", machine: elf.EM_S390, order: binary.BigEndian, step: 2, sp: 15, g: 13, scratch: 10, decode: decodeS390X},
}

// Arches returns the GOARCH values that the package decodes, sorted.
func Arches() []string {
	var names []string
	for _, a := range arches {
		names = append(names, a.name)
	}
	return names
}

// mem makes an Access through register reg.
func (a *arch) mem(kind Kind, width, reg int, disp int64) Access {
	base := Register
	switch reg {
	case a.sp:
		base = Stack
	case a.g:
		base = Goroutine
	}
	return Access{Kind: kind & (Load | Store), Base: base, Disp: disp, Width: width}
}

// A Binary is an opened executable.
type Binary struct {
	arch  *arch
	text  []byte
	start uint64
	funcs map[string]elf.Symbol
	addrs []elf.Symbol // sorted by address
}

// Open reads a Go executable. Its symbol table must not be stripped.
func Open(path string) (*Binary, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("machine: %w", err)
	}
	defer file.Close()

	b := &Binary{funcs: map[string]elf.Symbol{}}
	for _, a := range arches {
		if a.machine == file.Machine && a.order == file.ByteOrder && file.Class == elf.ELFCLASS64 {
			b.arch = a
		}
	}
	if b.arch == nil {
		return nil, fmt.Errorf("machine: %s: no decoder for %v %v %v", path, file.Class, file.Machine, file.ByteOrder)
	}
	text := file.Section(".text")
	if text == nil {
		return nil, fmt.Errorf("machine: %s: no .text section", path)
	}
	if b.text, err = text.Data(); err != nil {
		return nil, fmt.Errorf("machine: %s: %w", path, err)
	}
	b.start = text.Addr

	symbols, err := file.Symbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return nil, fmt.Errorf("machine: %s: the symbol table is stripped", path)
	} else if err != nil {
		return nil, fmt.Errorf("machine: %s: %w", path, err)
	}
	for _, s := range symbols {
		inText := s.Value >= b.start && s.Value+s.Size <= b.start+uint64(len(b.text))
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 && inText {
			b.funcs[s.Name] = s
			b.addrs = append(b.addrs, s)
		}
	}
	slices.SortFunc(b.addrs, func(x, y elf.Symbol) int {
		if x.Value < y.Value {
			return -1
		}
		return 1
	})
	return b, nil
}

// Arch returns the binary's GOARCH.
func (b *Binary) Arch() string { return b.arch.name }

// Funcs returns the names of all functions, sorted.
func (b *Binary) Funcs() []string { return slices.Sorted(maps.Keys(b.funcs)) }

func (b *Binary) symbolize(addr uint64) (string, uint64) {
	i := sort.Search(len(b.addrs), func(i int) bool { return b.addrs[i].Value > addr }) - 1
	if i < 0 || addr >= b.addrs[i].Value+b.addrs[i].Size {
		return "", 0
	}
	return b.addrs[i].Name, b.addrs[i].Value
}

// Two of the x/arch decoders build their tables at first use, without a lock of their own.
var decoding sync.Mutex

// Func decodes the function with the linker's name for it, such as "main.f" or "example.com/p.(*T).M".
func (b *Binary) Func(name string) (Func, error) {
	s, ok := b.funcs[name]
	if !ok {
		return Func{}, fmt.Errorf("machine: no function %q in this binary", name)
	}
	decoding.Lock()
	defer decoding.Unlock()

	f := Func{Name: name}
	code := b.text[s.Value-b.start:][:s.Size]
	for pc := s.Value; len(code) > 0; {
		in := b.arch.inst(code, pc, b.symbolize)
		f.Insts = append(f.Insts, in)
		pc += uint64(len(in.Code))
		code = code[len(in.Code):]
	}
	f.trim()
	return f, nil
}

// trim cuts off what the assembler fills the last line of a function with.
func (f *Func) trim() {
	n := len(f.Insts)
	for n > 0 && f.Insts[n-1].Kind&(Nop|Trap) != 0 {
		n--
	}
	if n > 0 && !f.Insts[n-1].goesOn() {
		f.Insts = f.Insts[:n]
	}
}

// inst decodes one instruction and does what is the same everywhere.
func (a *arch) inst(code []byte, pc uint64, names symbolizer) Inst {
	in := a.decode(a, code, pc, names)
	in.PC = pc
	size := max(len(in.Code), a.step)
	in.Code = code[:min(size, len(code))]
	if in.Text == "" || in.Text == "?" {
		in.Text = fmt.Sprintf("WORD %#x", in.Code)
	}
	for _, m := range in.Mem {
		in.Kind |= m.Kind
	}
	if in.Kind&NilCheck != 0 {
		in.Kind, in.Mem = NilCheck, nil
	}
	if in.Kind&(Call|Jump) != 0 && in.Target != 0 {
		if name, start := names(in.Target); start == in.Target {
			in.Symbol = name
		}
	}
	return in
}

// nilCheck reports whether a load is one: a byte at the pointer itself, into a register that nobody reads.
func (a *arch) nilCheck(m Access, dest int) bool {
	return m.Kind == Load && m.Width == 1 && m.Disp == 0 && !m.Indexed && !m.Private() && dest == a.scratch
}

// A shape is what one opcode does to memory.
type shape struct {
	kind  Kind
	width int
}

// A group lists the opcodes of one shape.
type group[Op comparable] struct {
	shape
	list []Op
}

func ops[Op comparable](kind Kind, width int, list ...Op) group[Op] {
	return group[Op]{shape{kind, width}, list}
}

func shapes[Op comparable](groups ...group[Op]) map[Op]shape {
	out := map[Op]shape{}
	for _, g := range groups {
		for _, op := range g.list {
			if _, dup := out[op]; dup {
				panic(fmt.Sprintf("machine: opcode %v stands in two groups", op))
			}
			out[op] = g.shape
		}
	}
	return out
}
