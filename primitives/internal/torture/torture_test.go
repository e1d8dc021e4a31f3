package torture

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// lock is a grace period by a lock that keeps everybody out.
type lock struct{ mu sync.RWMutex }

type reader struct {
	mu    *sync.RWMutex
	depth int
}

func (r *reader) Lock() {
	if r.depth++; r.depth == 1 {
		r.mu.RLock()
	}
}

func (r *reader) Unlock() {
	if r.depth--; r.depth == 0 {
		r.mu.RUnlock()
	}
}
func (*reader) Pause() {}
func (*reader) Close() {}

func (l *lock) wait(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func configuration(l *lock, wait func(func())) Config {
	return Config{Name: "lock", NewReader: func() Reader { return &reader{mu: &l.mu} }, Wait: []func(func()){wait}, Barrier: func() {},
		Readers: 2, Updaters: 1, Block: true, Procs: 2, Duration: 50 * time.Millisecond}
}

func TestRun(t *testing.T) {
	l := new(lock)
	s := Run(configuration(l, l.wait))
	if s.Errors != 0 || s.Reads == 0 || s.Updates == 0 {
		t.Errorf("%+v", s)
	}
}

func TestRunFindsAGracePeriodThatIsNone(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector would find it first")
	}
	s := Run(configuration(new(lock), func(f func()) { f() }))
	if s.Errors == 0 || !strings.Contains(s.Example, "reused inside of a section") {
		t.Errorf("%+v", s)
	}
}
