// Package membarrier issues Linux's membarrier(2), and builds asymmetric fences on it: the side that runs often pays
// nothing, the side that runs rarely pays a system call.
//
//	// The side that runs often, generic over the kind of fence:
//	func (q *queue[F]) enter() {
//		q.busy.StoreRelaxed(1)
//		membarrier.Light[F]() // the store above, before the load below
//		if q.closed.LoadRelaxed() != 0 { … }
//	}
//
//	// The side that runs rarely:
//	func (q *queue[F]) close() {
//		q.closed.StoreRelaxed(1)
//		membarrier.Heavy[F]()
//		for q.busy.LoadRelaxed() != 0 { … }
//	}
//
//	// Decided once:
//	if err := membarrier.Register(); err == nil {
//		run(new(queue[membarrier.Asymmetric]))
//	} else {
//		run(new(queue[membarrier.Symmetric])) // err says why
//	}
//
// # What the pair orders
//
// Between a Light and a Heavy the order is that of two [barrier.Full]: if the accesses before one of them are not seen by
// those behind the other, then the reverse holds. Two Light order nothing between each other. The kernel interrupts every
// CPU that runs a thread of this process and executes a full fence there; the light side's fence is thus executed for it,
// at whatever place it has reached, and all that Light has to do is to keep the compiler from moving an access across the
// place. A thread that is not running has passed a full fence when it was switched out.
//
// # Why a type argument and not a check
//
// A test of a variable in the light side costs what the fence was removed for: 20 % in the published measurement of
// userspace RCU's readers. Asymmetric and Symmetric differ in size, so the compiler makes two functions of one generic
// one, in each of which the choice is a constant: no branch and no call is left of it. A method call on a type argument
// would be made through a table and not inlined. What has a word of its own to test anyhow can keep the choice
// in a bit of it, as package rcu does, and needs no type argument.
//
// # Threads, goroutines and the garbage collector
//
// The private commands reach every thread of the process: those that run goroutines, the runtime's own (monitor, garbage
// collector), those of C code. A goroutine may be preempted, and may go on in another thread, between the access before
// Light and the one behind it: the scheduler's own release and acquire hand the order over, since on the architectures
// where Register succeeds a store that one other CPU sees is seen by all. It does not succeed on the others (ppc64, mips,
// arm, loong64 and wasm). A stop of the world waits for a Heavy in progress as for any system call.
//
// A registration belongs to the address space: exec discards it, so that a new program begins unregistered, and a process
// made by fork must not rely on one; Heavy registers again when the kernel says that it has to. Memory that is shared with
// another process is not covered: the private commands interrupt the threads of this process only.
//
// # Cost
//
// Light is no instruction. Heavy is a system call, about a microsecond when no other thread of the process
// runs, and tens of microseconds when it has to interrupt CPUs of a virtual machine. The command Global waits for a
// grace period of the kernel: tens of milliseconds.
//
// Source: membarrier(2); Linux 6.10 kernel/sched/membarrier.c.
package membarrier

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// Command is a command of membarrier(2), or a set of them.
type Command uint32

// What the kernel can be asked. Each expedited command has a registration, which must come first in the same process,
// except that GlobalExpedited may be issued by anybody and reaches those that have registered for it.
const (
	// Global executes a fence on every thread of every process. It waits for a grace period of the kernel.
	Global Command = 1 << iota
	// GlobalExpedited executes a fence on the running threads of all processes that have registered for it.
	GlobalExpedited
	RegisterGlobalExpedited
	// PrivateExpedited executes a fence on the running threads of this process.
	PrivateExpedited
	RegisterPrivateExpedited
	// PrivateExpeditedSyncCore also has them execute an instruction that serialises the core, for who modifies code.
	PrivateExpeditedSyncCore
	RegisterPrivateExpeditedSyncCore
	// PrivateExpeditedRseq also restarts their restartable sequences. RseqCPU does so on one CPU.
	PrivateExpeditedRseq
	RegisterPrivateExpeditedRseq
	// GetRegistrations stands for Registrations in the answer of Query (Linux 6.3).
	GetRegistrations
)

var names = [...]string{
	"GLOBAL", "GLOBAL_EXPEDITED", "REGISTER_GLOBAL_EXPEDITED", "PRIVATE_EXPEDITED", "REGISTER_PRIVATE_EXPEDITED",
	"PRIVATE_EXPEDITED_SYNC_CORE", "REGISTER_PRIVATE_EXPEDITED_SYNC_CORE", "PRIVATE_EXPEDITED_RSEQ",
	"REGISTER_PRIVATE_EXPEDITED_RSEQ", "GET_REGISTRATIONS",
}

// query is command 0.
const query Command = 0

// String gives the kernel's names, joined by |.
func (c Command) String() string {
	if c == query {
		return "QUERY"
	}
	var parts []string
	for rest := c; rest != 0; rest &= rest - 1 {
		if n := bits.TrailingZeros32(uint32(rest)); n < len(names) {
			parts = append(parts, names[n])
		} else {
			parts = append(parts, fmt.Sprintf("1<<%d", n))
		}
	}
	return strings.Join(parts, "|")
}

// Has reports whether all commands of d are in c.
func (c Command) Has(d Command) bool { return c&d == d }

// The kinds of failure, for errors.Is.
var (
	// ErrNotSupported: this system, kernel or configuration does not have the command, or a filter forbids it.
	ErrNotSupported = fmt.Errorf("not supported here: %w", errors.ErrUnsupported)
	// ErrNotRegistered: the command's registration has to come first in this process.
	ErrNotRegistered = errors.New("not registered")
	// ErrInvalid: this is not one command.
	ErrInvalid = errors.New("invalid command")
	// ErrNoMemory: the kernel had no memory for the call. It may succeed later.
	ErrNoMemory = errors.New("out of memory")
)

// Error is a failed command.
type Error struct {
	Command Command
	Kind    error // one of the errors above
	Cause   error // what the kernel answered; nil if it was not asked
}

func (e *Error) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("membarrier %v: %v", e.Command, e.Kind)
	}
	return fmt.Sprintf("membarrier %v: %v: %v", e.Command, e.Kind, e.Cause)
}

// Unwrap gives the kind and the kernel's own error.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// flagCPU says that the CPU argument counts.
const flagCPU = 1

// kernel is the system call. It is a variable for tests of a kernel that does not have it.
var kernel = systemCall

// Query returns the commands that the kernel has.
func Query() (Command, error) {
	n, err := call(query, 0, 0)
	return Command(n), err
}

// Registrations returns the registrations that this process has made (Linux 6.3).
func Registrations() (Command, error) {
	n, err := call(GetRegistrations, 0, 0)
	return Command(n), err
}

// Issue executes one command.
func Issue(c Command) error {
	if bits.OnesCount32(uint32(c)) != 1 || c == GetRegistrations {
		return &Error{Command: c, Kind: ErrInvalid}
	}
	_, err := call(c, 0, 0)
	return err
}

// RseqCPU is PrivateExpeditedRseq for the thread that runs on the given CPU only. If that CPU does not exist or runs no
// thread of this process, it does nothing.
func RseqCPU(cpu int) error {
	if cpu < 0 || int(int32(cpu)) != cpu {
		return &Error{Command: PrivateExpeditedRseq, Kind: ErrInvalid}
	}
	_, err := call(PrivateExpeditedRseq, flagCPU, int32(cpu))
	return err
}

func call(c Command, flags uint32, cpu int32) (int, error) {
	n, kind, cause := kernel(c, flags, cpu)
	if kind == nil {
		return n, nil
	}
	// A kernel from before the command calls it invalid.
	if kind == ErrInvalid && c != query {
		if has, err := Query(); err == nil && !has.Has(c) {
			kind = ErrNotSupported
		}
	}
	return 0, &Error{Command: c, Kind: kind, Cause: cause}
}
