package diy

import (
	"fmt"
	"strings"
)

// depKind is how an edge makes its second access depend on its first.
type depKind uint8

const (
	depNone depKind = iota
	depAddr
	depData
	depCtrl
)

// mechanism is what stands between two accesses of a thread.
type mechanism struct {
	spelling string // in an edge: DMB.SY
	name     string // in a test's name: dmb.sy
	dep      depKind
	pick     bool   // the dependency goes through the choice of a conditional select
	code     string // the instruction in between, if any
}

// programOrder is the mechanism of nothing at all.
var programOrder = &mechanism{spelling: "Po", name: "po"}

// note is an annotation: how an access is performed. A read-modify-write that stands for a read writes what it has read, and
// one that stands for a write reads first. The code of a read and of a write is lines, empty
// if there is no such access, in which stand
//
//	%v  the register read into, or the value written
//	%c  the value written as a constant
//	%m  the location
//	%t  a register whose value does not matter
//	%s  a register that must be zero in the end
type note struct {
	name        string
	short       string // in a test's name
	read, write string
	indexed     bool // its %m may be the sum of two registers
}

// code is how the annotation performs an access.
func (n *note) code(d dir) string {
	if d == read {
		return n.read
	}
	return n.write
}

// rmw is a read-modify-write whose halves are two accesses of a cycle. What it reads is not seen if its code has no %v. The
// code goes by the annotations of both halves, "A L", and has, besides what an annotation's has,
//
//	%n  the value written
//	%i  a one
//	%e  the value read, as a constant
type rmw struct {
	spelling string
	code     map[string]string
}

// arch is an architecture, of which tests can be made.
type arch struct {
	name       string
	mechanisms []*mechanism // behind program order
	notes      []*note      // the first is what an access is without one
	rmws       []*rmw

	// register is the name of the n-th register of a thread, empty if there are no more.
	register func(n int) string
	// address makes the memory operand of a location.
	address func(w *writer, loc string) string
	// dependent makes the memory operand of a location whose address depends on a register.
	dependent func(w *writer, loc, on string, indexed bool) string
	// value makes an operand of a constant, which depends on a register unless that is empty.
	value func(w *writer, val int, on string) string
	// pick gives a register that was chosen by another.
	pick func(w *writer, by string) string
	// branch makes what follows depend on a register that holds val.
	branch func(w *writer, on string, val int)
	// prefix stands before registers in code.
	prefix string
	// layout puts the parts together.
	layout func(t *text) []byte
}

// arches are the architectures in the order in which they are named.
var arches = []*arch{&x86, &aarch64, &riscv, &kernel}

// Architectures are the names of the architectures, as the first line of a test spells them.
func Architectures() []string {
	var out []string
	for _, a := range arches {
		out = append(out, a.name)
	}
	return out
}

func findArch(name string) (*arch, error) {
	for _, a := range arches {
		if a.name == name {
			return a, nil
		}
	}
	return nil, fmt.Errorf("unknown architecture %q: known are %s", name, strings.Join(Architectures(), ", "))
}

// Mechanisms are what can stand between two accesses on an architecture, as edges spell it: Po, DMB.SY, DpAddr.
func Mechanisms(archName string) ([]string, error) {
	a, err := findArch(archName)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, m := range a.mechanisms {
		out = append(out, m.spelling)
	}
	return out, nil
}

// Annotations are the names of an architecture's annotations. The first is what an access is without one.
func Annotations(archName string) ([]string, error) {
	a, err := findArch(archName)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range a.notes {
		out = append(out, n.name)
	}
	return out, nil
}

// ReadModifyWrites are the edges of an architecture between the halves of a read-modify-write, from its read to its write.
func ReadModifyWrites(archName string) ([]string, error) {
	a, err := findArch(archName)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range a.rmws {
		out = append(out, r.spelling)
	}
	return out, nil
}

func (a *arch) mechanism(spelling string) *mechanism {
	for _, m := range a.mechanisms {
		if m.spelling == spelling {
			return m
		}
	}
	return nil
}

func (a *arch) note(name string) *note {
	for _, n := range a.notes {
		if n.name == name {
			return n
		}
	}
	return nil
}

// fences makes mechanisms of instructions by their spellings.
func fences(code func(spelling string) string, spellings ...string) []*mechanism {
	var out []*mechanism
	for _, s := range spellings {
		out = append(out, &mechanism{spelling: s, name: strings.ToLower(s), code: code(s)})
	}
	return out
}
