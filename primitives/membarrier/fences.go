package membarrier

import (
	"errors"
	"runtime"
	"time"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/barrier"
)

// Asymmetric has Heavy execute the fences of both sides. It is to be used once Register has returned nil.
type Asymmetric struct{}

// Symmetric has each side execute its own fence: what is left where Register fails.
type Symmetric struct{ _ byte }

// Fences is the choice between the two.
type Fences interface{ Asymmetric | Symmetric }

// multiCopyAtomic are the architectures whose model says that a store seen by one other CPU is seen by all. Elsewhere the
// order that the scheduler gives to a goroutine that changes its thread is not taken to be enough.
const multiCopyAtomic = runtime.GOARCH == "amd64" || runtime.GOARCH == "386" || runtime.GOARCH == "arm64" ||
	runtime.GOARCH == "riscv64" || runtime.GOARCH == "s390x"

var errArchitecture = errors.New(runtime.GOARCH + " is not known to be multi-copy atomic: a goroutine that changes its thread needs its own fences there")

// Register registers the process for Heavy. If it returns an error, which wraps ErrNotSupported or ErrNoMemory, use
// Symmetric. It may be called again.
func Register() error {
	if !multiCopyAtomic {
		return &Error{Command: RegisterPrivateExpedited, Kind: ErrNotSupported, Cause: errArchitecture}
	}
	const need = PrivateExpedited | RegisterPrivateExpedited
	has, err := Query()
	if err != nil {
		return err
	}
	if !has.Has(need) {
		return &Error{Command: need &^ has, Kind: ErrNotSupported}
	}
	return Issue(RegisterPrivateExpedited)
}

// Light is the side that runs often. With Asymmetric it compiles to nothing and keeps the compiler from moving
// accesses across it; with Symmetric it is [barrier.Full], in generic code a call of it.
func Light[F Fences]() {
	var f F
	if unsafe.Sizeof(f) != 0 { // a constant: the compiler makes one instance for each size
		barrier.Full()
	} else {
		light()
	}
}

// Heavy is the side that runs rarely. It is a full fence of the caller too. With Asymmetric it is a system call, which
// registers the process if that has not happened; it panics if the kernel does not have it, since the other side's fence is
// then missing. With Symmetric it is [barrier.Full].
func Heavy[F Fences]() {
	var f F
	if unsafe.Sizeof(f) != 0 {
		barrier.Full()
		return
	}
	light() // what the kernel orders, under the race detector
	heavy()
	light()
}

// attempts bounds how often heavy asks a kernel that has no memory; the waits between add up to some seconds.
const attempts = 12

func heavy() {
	var err error
	for i := range attempts {
		err = Issue(PrivateExpedited)
		if errors.Is(err, ErrNotRegistered) {
			if err = Register(); err == nil {
				err = Issue(PrivateExpedited)
			}
		}
		switch {
		case err == nil:
			return
		case !errors.Is(err, ErrNoMemory):
			panic("membarrier: Heavy of Asymmetric without the kernel's help, use Symmetric: " + err.Error())
		case Issue(Global) == nil: // slow, but needs no memory and orders as much
			return
		}
		time.Sleep(time.Millisecond << i)
	}
	panic("membarrier: Heavy: " + err.Error())
}
