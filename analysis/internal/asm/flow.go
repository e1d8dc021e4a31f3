package asm

import (
	"slices"
	"strings"
)

// conditional are arm64's conditional branches; the label is the last operand.
var conditional = []string{"BEQ", "BNE", "BCS", "BHS", "BCC", "BLO", "BMI", "BPL", "BVS", "BVC", "BHI", "BLS", "BGE", "BLT", "BGT", "BLE",
	"CBZ", "CBZW", "CBNZ", "CBNZW", "TBZ", "TBNZ"}

func isBranch(op string) bool { return op == "B" || op == "JMP" || slices.Contains(conditional, op) }

// connect finds what may follow each instruction.
func (fn *Func) connect() {
	labels := map[string]int{}
	for i := range fn.Instrs {
		for _, l := range fn.Instrs[i].Labels {
			labels[l] = i
		}
	}
	for i := range fn.Instrs {
		in := &fn.Instrs[i]
		fall := i + 1
		if fall == len(fn.Instrs) {
			fall = Unknown
		}
		switch {
		case in.Op == "RET":
			in.Next = []int{Return}
		case in.Op == "UNDEF":
		case in.Op == "JMP" || in.Op == "B":
			in.Next = []int{fn.target(i, labels)}
		case fn.File.Arch == "amd64" && strings.HasPrefix(in.Op, "J"), fn.File.Arch == "arm64" && slices.Contains(conditional, in.Op):
			in.Next = []int{fall, fn.target(i, labels)}
		case in.Op == "XBEGIN":
			in.Next = []int{fall, Unknown}
		default:
			in.Next = []int{fall}
			if t := fn.label(i, labels); t >= 0 { // a conditional jump by any other name
				in.Next = []int{fall, t}
			}
		}
	}
	if fn.File.Arch == "arm64" {
		for i := range fn.Instrs {
			if fn.Instrs[i].Effect.Exclusive == ExclusiveStore {
				fn.retry(i)
			}
		}
	}
}

// target is where a jump goes: an instruction, or what is not seen.
func (fn *Func) target(i int, labels map[string]int) int {
	t := fn.label(i, labels)
	if args := fn.Instrs[i].Args; t < 0 && len(args) > 0 {
		a := args[len(args)-1]
		if a.Kind == Register && isRegister(a.Reg, fn.File.Arch) || a.Kind == Memory && a.Reg != "SB" && a.Reg != "PC" {
			fn.Indirect = true
		}
	}
	return t
}

// label is the instruction that the last operand names, by a label or a count of instructions from here; Unknown if none.
func (fn *Func) label(i int, labels map[string]int) int {
	args := fn.Instrs[i].Args
	if len(args) == 0 {
		return Unknown
	}
	switch a := args[len(args)-1]; {
	case a.Kind == Register:
		if t, ok := labels[a.Reg]; ok && a.Text == a.Reg {
			return t
		}
	case a.Kind == Memory && a.Reg == "PC" && a.Symbol == "" && a.Known:
		if t := int64(i) + a.Value; t >= 0 && t < int64(len(fn.Instrs)) {
			return int(t)
		}
	}
	return Unknown
}

// Tail is the function that fn does nothing but jump to, or "".
func (fn *Func) Tail() (pkg, function string) {
	for i := range fn.Instrs {
		in := &fn.Instrs[i]
		if (in.Op == "JMP" || in.Op == "B") && len(in.Args) == 1 && in.Args[0].Kind == Memory && in.Args[0].Reg == "SB" {
			return name(in.Args[0].Symbol)
		}
		if in.Effect.Kind != Nothing || len(in.Next) != 1 || in.Next[0] != i+1 {
			break
		}
	}
	return "", ""
}

// retry looks at the branch behind an exclusive store. The way that a failed store takes is remembered; if it only leads
// back to the exclusive load it is cut off: then the load is done again, and what was loaded before is dead.
func (fn *Func) retry(store int) {
	args := fn.Instrs[store].Args
	if len(args) != 3 || store+1 >= len(fn.Instrs) || args[2].Kind != Register {
		return
	}
	branch := &fn.Instrs[store+1]
	if len(branch.Labels) > 0 || len(branch.Args) != 2 || branch.Args[0].Reg != args[2].Reg || len(branch.Next) != 2 {
		return
	}
	failed := -1
	switch branch.Op {
	case "CBNZ", "CBNZW":
		failed = 1
	case "CBZ", "CBZW":
		failed = 0
	default:
		return
	}
	branch.failed = branch.Next[failed]
	at := branch.failed
	for range fn.Instrs {
		if at < 0 || fn.Instrs[at].Effect.Kind != Nothing || len(fn.Instrs[at].Next) != 1 {
			break
		}
		at = fn.Instrs[at].Next[0]
	}
	if at >= 0 && fn.Instrs[at].Effect.Exclusive == ExclusiveLoad && branch.Next[0] != branch.Next[1] {
		branch.Next = slices.Delete(slices.Clone(branch.Next), failed, failed+1)
	}
}
