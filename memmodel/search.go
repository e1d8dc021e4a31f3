package memmodel

import (
	"errors"
	"fmt"
)

// Observable is a part of the final state: a register of a thread or, if Thread is negative, a location.
type Observable struct {
	Thread int
	Reg    Reg
	Loc    int
}

// ObserveReg is register r of thread t.
func ObserveReg(t int, r Reg) Observable { return Observable{Thread: t, Reg: r} }

// ObserveLoc is location l.
func ObserveLoc(l int) Observable { return Observable{Thread: -1, Loc: l} }

// Mode says how much of the search a caller needs.
type Mode uint8

const (
	// States finds every final state. An execution whose state is known already is not checked again, so Positive and
	// Negative count the executions that had to be found.
	States Mode = iota
	// Verdict stops as soon as one execution with the condition and one without it are known, or cannot exist. States holds
	// what was met on the way.
	Verdict
	// All checks every candidate execution, so Positive and Negative are exact numbers of executions.
	All
)

// Limits bound a search. A search that would go beyond one returns a LimitError, never a result. Zero fields mean the
// defaults.
type Limits struct {
	Traces     int // ways that one thread can run (default 1<<16)
	Candidates int // executions that are checked against the model's axioms (default 1<<21)
	Steps      int // work of putting traces, reads-from and coherence together and checking them (default 1<<26, some seconds)
	Unroll     int // times that one backward branch is taken in a trace (default 2)
}

// MaxEvents is how many events an execution can have, the initial writes included.
const MaxEvents = 64

// LimitError says that a search was stopped, and by which limit. It is no verdict.
type LimitError struct {
	Test  string
	What  string
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: stopped without a verdict: more than %d %s", e.Test, e.Limit, e.What)
}

// ErrNoModel is returned by a search without a model.
var ErrNoModel = errors.New("memmodel: search without a model")

// State is one final state, its values in the order of the observables.
type State struct {
	Values   []Value
	Positive bool // it satisfies the condition
}

// Result is what a search found. It belongs to the Search and is valid until its next Run.
type Result struct {
	States             []State  // allowed final states in the order in which they were found
	Positive, Negative int      // witnesses: allowed executions found, with and without the condition
	Candidates         int      // executions that were checked against the model
	Flags              []string // flags that the model raised in an allowed execution
	Unrolled           int      // if not 0, some loop was cut after that many turns, and the result holds within that bound
	Faults             int      // traces dropped because they accessed an address that is no location
}

// Observation is Never, Sometimes or Always, as herd says it.
func (r *Result) Observation() string {
	switch {
	case r.Positive == 0:
		return "Never"
	case r.Negative == 0:
		return "Always"
	}
	return "Sometimes"
}

// Search runs programs against a model. It may be used again and again, which reuses its memory; one goroutine at a time.
type Search struct {
	Model  *Model
	Mode   Mode
	Limits Limits

	engine engine
}

// Run searches the executions of p. The final state consists of the values of observe, which are all different; cond says whether such a state
// satisfies the test's condition (nil: all do). cond must not keep the slice.
func (s *Search) Run(p *Program, observe []Observable, cond func(state []Value) bool) (*Result, error) {
	if s.Model == nil {
		return nil, ErrNoModel
	}
	return s.engine.run(s, p, observe, cond)
}

// Explanation is one execution that shows why a condition can or cannot be met.
type Explanation struct {
	Execution *Execution
	Violation *Violation // nil if the execution is allowed
}

// Explain looks for an execution whose final state satisfies cond: an allowed one if there is any, otherwise a forbidden
// one with the axiom that forbids it and its cycle. It returns nil if no execution, allowed or not, has such a state. It is
// slower than Run, since nothing is pruned by axioms.
func (s *Search) Explain(p *Program, observe []Observable, cond func(state []Value) bool) (*Explanation, error) {
	if s.Model == nil {
		return nil, ErrNoModel
	}
	return s.engine.explainRun(s, p, observe, cond)
}
