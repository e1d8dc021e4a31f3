package asm

import (
	"regexp"
	"slices"
	"strings"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

var registers = map[string]*regexp.Regexp{
	"amd64": regexp.MustCompile(`^([A-D][XLH]|[SD]I|[BS]P[BL]?|R([89]|1[0-5])[BWL]?|[XYZ][0-9]+|K[0-7]|TLS|SB|FP|PC|g)$`),
	"arm64": regexp.MustCompile(`^(R[0-9]+(_PLATFORM)?|[FV][0-9]+|RSP|ZR|SB|FP|SP|PC|LR|g)$`),
}

func isRegister(name, goarch string) bool {
	return registers[goarch] != nil && registers[goarch].MatchString(name)
}

// frames are the bases of a function's own frame and of its arguments.
var frames = []string{"SP", "FP", "RSP"}

// memory finds the memory operand, and says in which place it stands.
func (in *Instr) memory() (o Operand, place byte) {
	for i, a := range in.Args {
		if a.Kind != Memory || a.Reg == "PC" {
			continue
		}
		switch i {
		case len(in.Args) - 1: // also of an instruction with one operand
			return a, 's'
		case 0:
			return a, 'l'
		}
		return a, 'm'
	}
	return o, '-'
}

// classify says of every instruction what it does to memory.
func (fn *Func) classify() {
	for i := range fn.Instrs {
		in := &fn.Instrs[i]
		if in.Effect.Kind != Opaque {
			switch fn.File.Arch {
			case "amd64":
				if i > 0 && fn.Instrs[i-1].Op == "LOCK" && len(in.Labels) == 0 { // a jump would skip the prefix
					in.Locked = i - 1
				}
				in.amd64()
			case "arm64":
				in.arm64()
			default:
				in.Effect.Kind = Opaque
			}
		}
		fn.Traits |= in.Effect.Traits
		for _, a := range in.Args {
			fn.Relative = fn.Relative || a.Kind == Memory && a.Reg == "PC"
		}
	}
}

// known gives an instruction the effect of one of the table.
func (in *Instr) known(op *arch.Op, variants ...contract.Step) {
	in.Effect = Effect{Kind: Known, Variants: append([]contract.Step{op.Step}, variants...), Cost: op.Cost}
	if o, place := in.memory(); place != '-' {
		in.Effect.Private = slices.Contains(frames, o.Reg)
	}
}

// rest is the effect of an instruction that no table knows: it may do anything to the memory that it names.
func (in *Instr) rest() {
	o, place := in.memory()
	switch {
	case place != '-' && !slices.Contains(frames, o.Reg):
		in.Effect.Kind = Opaque
	case place == '-' && len(in.Args) == 0:
		in.Effect.Kind = Opaque
	}
}

// plain is a load or a store without an order, of whatever width.
func (in *Instr) plain(goarch string, loads, stores byte) {
	o, place := in.memory()
	if place == '-' || slices.Contains(frames, o.Reg) {
		return
	}
	// A store has its memory operand last, or is named as one; so an instruction with one operand is neither.
	if place == stores && len(in.Args) > 1 {
		in.known(step(goarch, "MOV", 's', 0))
	} else if place == loads {
		in.known(step(goarch, "MOV", 'l', 0))
	} else {
		in.Effect.Kind = Opaque
	}
}

func (in *Instr) amd64() {
	const goarch = "amd64"
	_, place := in.memory()
	switch in.Op {
	case "LOCK", "RET":
		return
	case "CALL":
		in.Effect.Kind = Opaque
		return
	case "LFENCE", "MFENCE", "SFENCE":
		in.known(step(goarch, in.Op, '-', 0))
		if in.Op == "LFENCE" {
			in.Effect.Traits = Speculation
		}
		in.Effect.Fence = in.Op != "LFENCE"
		return
	}
	if strings.HasPrefix(in.Op, "J") {
		return
	}
	e := lookup(goarch, in.Op, 0)
	base := strings.TrimRight(in.Op, "BWLQ")
	switch {
	case in.Locked >= 0 && place == '-':
		in.Effect.Kind = Opaque // not a valid instruction
	case in.Locked >= 0:
		in.known(targets[goarch].WeakestRMW)
		in.Effect.Fence = in.Effect.Private && (base == "ADD" || base == "OR") && in.Args[0].Known && in.Args[0].Value == 0 && in.Args[0].Kind == Immediate
	case base == "XCHG" && place != '-':
		in.known(step(goarch, "XCHG", 's', 0))
	case base == "XCHG":
	case base == "MOV" && len(in.Op) == 4 || e != nil && e.like == "MOV":
		in.plain(goarch, 'l', 's')
	case e != nil:
		in.Effect = Effect{Kind: e.effect, Traits: e.traits}
	case matchesAny(implicit, in.Op):
		in.Effect.Kind = Opaque
	default:
		in.rest()
	}
}

func (in *Instr) arm64() {
	const goarch = "arm64"
	switch {
	case in.Op == "BL" || in.Op == "CALL":
		in.Effect.Kind = Opaque
		return
	case isBranch(in.Op) || in.Op == "RET":
		return
	}
	_, place := in.memory()
	var option int64
	if len(in.Args) == 1 && in.Args[0].Kind == Immediate {
		option = in.Args[0].Value
	}
	names := []string{in.Op}
	if n := len(in.Op) - 1; n > 1 && strings.Contains("BHWD", in.Op[n:]) {
		names = append(names, in.Op[:n]) // without the width
	}
	for _, name := range names {
		e := lookup(goarch, name, option)
		like := name
		if e != nil && e.like != "" {
			like = e.like
		}
		if like == "MOV" {
			in.arm64Plain()
			return
		}
		if op := tables()[goarch][form{like, place, option}]; op != nil {
			in.arm64Known(name, op, place)
			if e != nil {
				in.Effect.Traits |= e.traits
			}
			return
		}
		if e != nil && e.like == "" {
			in.Effect = Effect{Kind: e.effect, Traits: e.traits}
			return
		}
		if name == "DMB" || name == "DSB" { // of a domain that is not in the table
			in.Effect = Effect{Kind: Opaque, Traits: System}
			return
		}
	}
	in.rest()
}

// arm64Plain is a load or store. A store pair is named as one; other stores have their memory operand last.
func (in *Instr) arm64Plain() {
	if strings.HasPrefix(in.Op, "LD") || strings.HasPrefix(in.Op, "FLD") || len(in.Args) < 2 {
		in.plain("arm64", 'l', 0)
		return
	}
	in.plain("arm64", 'l', 's')
}

// arm64Known completes an instruction of the table: what it is when it does not write, and when nobody receives its result.
func (in *Instr) arm64Known(name string, op *arch.Op, place byte) {
	const goarch = "arm64"
	acquire := slices.Contains(op.Events, contract.RMWAcquireRead)
	lone := step(goarch, "MOV", 'l', 0).Step // what is left of the read half when there is no write
	if acquire {
		lone = step(goarch, "LDAR", 'l', 0).Step
	}
	switch {
	case name == "DMB":
		in.known(op)
		in.Effect.Fence = true
	case name == "DSB":
		in.known(op)
		in.Effect.Traits = Completes
	case strings.HasPrefix(name, "CAS"):
		if in.Args[0].Reg == "ZR" && acquire {
			op = withoutAcquire(op)
			lone = step(goarch, "MOV", 'l', 0).Step
		}
		in.known(op, lone)
	case strings.HasPrefix(name, "LDX"), strings.HasPrefix(name, "LDAX"):
		in.known(op, lone)
		in.Effect.Exclusive = ExclusiveLoad
	case strings.HasPrefix(name, "STX"), strings.HasPrefix(name, "STLX"):
		in.known(op, contract.Step{})
		in.Effect.Exclusive = ExclusiveStore
	case place == 'm' && in.Args[len(in.Args)-1].Reg == "ZR":
		in.known(withoutResult(op))
	default:
		in.known(op)
	}
}

// withoutAcquire is a read-modify-write whose acquire half is dropped, and with it the order that needs both.
func withoutAcquire(op *arch.Op) *arch.Op {
	out := *op
	out.Events = slices.Clone(op.Events)
	for i, e := range out.Events {
		if e == contract.RMWAcquireRead {
			out.Events[i] = contract.RMWRead
		}
	}
	out.Orders = slices.DeleteFunc(slices.Clone(op.Orders), func(o contract.Order) bool { return o.Side == contract.After })
	return &out
}

// withoutResult is a read-modify-write into the zero register: no acquire, and a read half that load fences do not order.
func withoutResult(op *arch.Op) *arch.Op {
	out := withoutAcquire(op)
	for i, e := range out.Events {
		if e&contract.RMWReads != 0 {
			out.Events[i] = contract.NoReturnRead
		}
	}
	return out
}
