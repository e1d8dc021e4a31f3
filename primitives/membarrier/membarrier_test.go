package membarrier

import (
	"errors"
	"strings"
	"testing"

	"github.com/barriergen/barriergen/primitives/internal/torture"
)

// fake is a kernel. It keeps what it was asked.
type fake struct {
	has, registered Command
	noMemory        int // so many calls find none
	calls           []Command
}

var errFake = errors.New("the kernel's error")

func (f *fake) call(c Command, flags uint32, cpu int32) (int, error, error) {
	f.calls = append(f.calls, c)
	switch {
	case c == query && f.has == 0:
		return 0, ErrNotSupported, errFake
	case c == query:
		return int(f.has), nil, nil
	case !f.has.Has(c):
		return 0, ErrInvalid, errFake
	case f.noMemory > 0:
		f.noMemory--
		return 0, ErrNoMemory, errFake
	case c == GetRegistrations:
		return int(f.registered), nil, nil
	case c&(PrivateExpedited|PrivateExpeditedSyncCore|PrivateExpeditedRseq) != 0 && f.registered&(c<<1) == 0:
		return 0, ErrNotRegistered, errFake
	case flags != 0 && (flags != flagCPU || c != PrivateExpeditedRseq):
		return 0, ErrInvalid, errFake
	}
	f.registered |= c & (RegisterGlobalExpedited | RegisterPrivateExpedited | RegisterPrivateExpeditedSyncCore | RegisterPrivateExpeditedRseq)
	return 0, nil, nil
}

func with(t *testing.T, f *fake) *fake {
	t.Helper()
	old := kernel
	t.Cleanup(func() { kernel = old })
	kernel = f.call
	return f
}

const everything = 1<<10 - 1

func wantError(t *testing.T, err, kind error) {
	t.Helper()
	var e *Error
	if !errors.Is(err, kind) || !errors.As(err, &e) || e.Kind != kind || e.Cause != nil && !errors.Is(err, e.Cause) {
		t.Errorf("error %v, want %v", err, kind)
	}
}

func TestCommandsReachTheKernel(t *testing.T) {
	for _, c := range []Command{Global, GlobalExpedited, RegisterGlobalExpedited, RegisterPrivateExpedited, PrivateExpedited,
		RegisterPrivateExpeditedSyncCore, PrivateExpeditedSyncCore, RegisterPrivateExpeditedRseq, PrivateExpeditedRseq} {
		f := with(t, &fake{has: everything, registered: everything})
		if err := Issue(c); err != nil || len(f.calls) != 1 || f.calls[0] != c {
			t.Errorf("%v: %v, calls %v", c, err, f.calls)
		}
	}
	f := with(t, &fake{has: everything, registered: RegisterPrivateExpeditedRseq})
	if err := RseqCPU(1); err != nil || f.calls[0] != PrivateExpeditedRseq {
		t.Errorf("RseqCPU: %v, calls %v", err, f.calls)
	}
	if r, err := Registrations(); err != nil || r != RegisterPrivateExpeditedRseq {
		t.Errorf("registrations %v, %v", r, err)
	}
	if q, err := Query(); err != nil || q != everything {
		t.Errorf("query %v, %v", q, err)
	}
}

func TestErrors(t *testing.T) {
	with(t, &fake{})
	_, err := Query()
	wantError(t, err, ErrNotSupported)
	if !errors.Is(err, errors.ErrUnsupported) || !errors.Is(err, errFake) {
		t.Errorf("%v is not what it is", err)
	}
	wantError(t, Register(), ErrNotSupported)

	with(t, &fake{has: Global}) // an old kernel
	wantError(t, Issue(PrivateExpedited), ErrNotSupported)
	wantError(t, Register(), ErrNotSupported)
	_, err = Registrations()
	wantError(t, err, ErrNotSupported)

	with(t, &fake{has: everything})
	wantError(t, Issue(PrivateExpedited), ErrNotRegistered)
	wantError(t, RseqCPU(0), ErrNotRegistered)
	wantError(t, RseqCPU(-1), ErrInvalid)
	for _, c := range []Command{0, Global | GlobalExpedited, GetRegistrations} {
		wantError(t, Issue(c), ErrInvalid)
	}
	with(t, &fake{has: everything, noMemory: 1})
	wantError(t, Register(), ErrNoMemory)
	for _, err := range []error{ErrNotSupported, ErrNotRegistered, ErrInvalid, ErrNoMemory} {
		if e := (&Error{Command: PrivateExpedited, Kind: err}); !strings.Contains(e.Error(), "PRIVATE_EXPEDITED") || !strings.Contains(e.Error(), err.Error()) {
			t.Errorf("the text %q", e)
		}
	}
}

func TestString(t *testing.T) {
	for c, want := range map[Command]string{0: "QUERY", Global: "GLOBAL", GetRegistrations | PrivateExpedited: "PRIVATE_EXPEDITED|GET_REGISTRATIONS", 1 << 20: "1<<20"} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestHeavy(t *testing.T) {
	if !multiCopyAtomic {
		t.Skip(errArchitecture)
	}
	f := with(t, &fake{has: everything})
	Heavy[Asymmetric]() // registers by itself
	if f.registered != RegisterPrivateExpedited || f.calls[len(f.calls)-1] != PrivateExpedited {
		t.Errorf("registered %v, calls %v", f.registered, f.calls)
	}
	f.calls = nil
	Heavy[Asymmetric]()
	if len(f.calls) != 1 {
		t.Errorf("%d calls for one fence", len(f.calls))
	}
	f.registered = 0 // as in a child process
	Heavy[Asymmetric]()
	f.calls = nil
	Heavy[Symmetric]()
	if len(f.calls) != 0 {
		t.Errorf("a symmetric fence asked the kernel: %v", f.calls)
	}

	f.noMemory, f.calls = 1, nil
	Heavy[Asymmetric]()
	if last := f.calls[len(f.calls)-1]; last != Global {
		t.Errorf("without memory: %v", f.calls)
	}
	f.noMemory, f.calls = 4, nil // neither command, twice
	Heavy[Asymmetric]()
	if last := f.calls[len(f.calls)-1]; last != PrivateExpedited {
		t.Errorf("without memory: %v", f.calls)
	}

	with(t, &fake{has: Global})
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "use Symmetric") {
			t.Errorf("panic %v", r)
		}
	}()
	Heavy[Asymmetric]()
}

// The real kernel. What it does not have it says.
func TestKernel(t *testing.T) {
	has, err := Query()
	if err != nil {
		wantError(t, err, ErrNotSupported)
		wantError(t, Register(), ErrNotSupported)
		t.Skipf("no membarrier here: %v", err)
	}
	t.Logf("has %v", has)
	for _, pair := range [][2]Command{
		{RegisterGlobalExpedited, GlobalExpedited},
		{RegisterPrivateExpedited, PrivateExpedited},
		{RegisterPrivateExpeditedSyncCore, PrivateExpeditedSyncCore},
		{RegisterPrivateExpeditedRseq, PrivateExpeditedRseq},
	} {
		for _, c := range pair {
			if err := Issue(c); has.Has(c) && err != nil {
				t.Errorf("%v: %v", c, err)
			} else if !has.Has(c) {
				wantError(t, err, ErrNotSupported)
			}
		}
	}
	if has.Has(PrivateExpeditedRseq) {
		if err := RseqCPU(0); err != nil {
			t.Error(err)
		}
		if err := RseqCPU(1 << 20); err != nil { // no such CPU: nothing to do
			wantError(t, err, ErrInvalid)
		}
	}
	if has.Has(GetRegistrations) {
		if r, err := Registrations(); err != nil || !r.Has(RegisterPrivateExpedited) {
			t.Errorf("registrations %v, %v", r, err)
		}
	}
	if has.Has(Global) {
		if err := Issue(Global); err != nil {
			t.Error(err)
		}
	}
	if multiCopyAtomic && has.Has(PrivateExpedited) {
		if err := Register(); err != nil {
			t.Error(err)
		}
		Heavy[Asymmetric]()
	}
}

func TestMain(m *testing.M) { torture.Main(m) }

// A kernel that refuses the call, to the whole process.
func TestWithoutTheCall(t *testing.T) {
	if !torture.Without() {
		torture.RunWithout(t, "^TestWithoutTheCall$|^TestKernel$")
		return
	}
	_, err := Query()
	wantError(t, err, ErrNotSupported)
	wantError(t, Register(), ErrNotSupported)
	wantError(t, Issue(Global), ErrNotSupported)
	Heavy[Symmetric]()
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "use Symmetric") {
			t.Errorf("panic %v", r)
		}
	}()
	Heavy[Asymmetric]()
}
