package litmus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/cat"
	"github.com/barriergen/barriergen/memmodel/models"
)

// defaultModels is the model of each architecture, by the name under which package models holds it.
var defaultModels = map[string]string{
	"X86_64":  "x86tso",
	"X86":     "x86tso",
	"AArch64": "aarch64",
	"RISCV":   "riscv",
	"C":       "linux",
}

// LoadModel is the model of the library with that name, or the one that a file called *.cat holds. What the file includes is
// looked for beside it, then in the library.
func LoadModel(name string) (*memmodel.Model, error) {
	if !strings.HasSuffix(name, ".cat") {
		return models.Load(name)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return cat.Compile(name, src, func(included string) ([]byte, error) {
		src, err := os.ReadFile(filepath.Join(filepath.Dir(name), included))
		if errors.Is(err, fs.ErrNotExist) {
			return models.Include(included)
		}
		return src, err
	})
}

// Runner runs tests one after another and keeps the search's memory between them. It serves one goroutine at a time.
type Runner struct {
	Model  *memmodel.Model // nil is the model of the test's architecture
	Mode   memmodel.Mode
	Limits memmodel.Limits

	search  memmodel.Search
	observe []memmodel.Observable
}

// Result is a test's answer.
type Result struct {
	Test               *Test
	Model              string
	Partial            bool               // the search stopped as soon as the observation was known: States may lack some
	States             [][]memmodel.Value // the values of the shown observed, in the order of a report
	Positive, Negative int                // executions found that satisfy the proposition, and that do not
	Ok                 bool               // the quantifier holds
	Observation        string             // Never, Sometimes or Always
	Flags              []string           // what the model raised
	Unrolled           int                // if not 0, the turns after which a loop was cut
	Faults             int                // runs dropped because they accessed an address that is no location
	Time               time.Duration

	values []memmodel.Value // what States is made of
}

// model is the runner's model for an architecture.
func (r *Runner) model(arch string) (*memmodel.Model, error) {
	if r.Model != nil {
		return r.Model, nil
	}
	return models.Load(defaultModels[arch])
}

// Run answers a test. An error may be a *memmodel.LimitError: the search was stopped, and nothing is known.
func (r *Runner) Run(t *Test) (*Result, error) {
	res := &Result{}
	if err := r.run(t, res); err != nil {
		return nil, err
	}
	return res, nil
}

// run is Run into res, whose memory it uses again.
func (r *Runner) run(t *Test, res *Result) error {
	start := time.Now()
	m, err := r.model(t.Program.Arch)
	if err != nil {
		return err
	}
	r.search.Model, r.search.Mode, r.search.Limits = m, r.Mode, r.Limits
	if t.Filter != nil && r.Mode == memmodel.Verdict {
		r.search.Mode = memmodel.States // what the filter drops must not end the search
	}
	found, err := r.search.Run(t.Program, r.observables(t), t.Prop.Eval)
	if err != nil {
		return err
	}
	if found.Positive+found.Negative == 0 && found.Faults > 0 {
		return fmt.Errorf("%s: no execution: every one accesses an address that is no location", t.Name)
	}
	values := slices.Grow(res.values[:0], len(found.States)*t.Shown)
	*res = Result{
		States: res.States[:0],
		Test:   t, Model: m.Name, Partial: r.search.Mode == memmodel.Verdict,
		Positive: found.Positive, Negative: found.Negative,
		Flags: slices.Clone(found.Flags), Unrolled: found.Unrolled, Faults: found.Faults,
	}
	if t.Filter != nil {
		res.Positive, res.Negative = 0, 0
	}
	for i := range found.States {
		s := &found.States[i]
		if t.Filter != nil {
			if !t.Filter.Eval(s.Values) {
				continue
			}
			if s.Positive {
				res.Positive++
			} else {
				res.Negative++
			}
		}
		from := len(values)
		values = append(values, s.Values[:t.Shown]...)
		res.States = append(res.States, values[from:len(values):len(values)])
	}
	slices.SortFunc(res.States, slices.Compare[[]memmodel.Value])
	if t.Shown < len(t.Observed) {
		res.States = slices.CompactFunc(res.States, slices.Equal[[]memmodel.Value])
	}
	res.values = values
	res.judge()
	res.Time = time.Since(start)
	return nil
}

// observables is what the search must report of a final state.
func (r *Runner) observables(t *Test) []memmodel.Observable {
	r.observe = r.observe[:0]
	for i := range t.Observed {
		a := &t.Observed[i]
		r.observe = append(r.observe, memmodel.Observable{Thread: a.Thread, Reg: a.Reg, Loc: a.Loc})
	}
	return r.observe
}

// judge derives the verdict from the numbers of witnesses.
func (r *Result) judge() {
	switch {
	case r.Positive == 0:
		r.Observation = "Never"
	case r.Negative == 0:
		r.Observation = "Always"
	default:
		r.Observation = "Sometimes"
	}
	switch r.Test.Quantifier {
	case Exists:
		r.Ok = r.Positive > 0
	case NotExists:
		r.Ok = r.Positive == 0
	case ForAll:
		r.Ok = r.Negative == 0
	}
}

// Explain gives an execution that shows why the proposition can or cannot hold, or nil if no execution satisfies it even
// without the model's axioms. For forall it is one that breaks the proposition.
func (r *Runner) Explain(t *Test) (*memmodel.Explanation, error) {
	m, err := r.model(t.Program.Arch)
	if err != nil {
		return nil, err
	}
	r.search.Model, r.search.Limits = m, r.Limits
	wanted := t.Quantifier != ForAll
	return r.search.Explain(t.Program, r.observables(t), func(state []memmodel.Value) bool {
		return t.Prop.Eval(state) == wanted && (t.Filter == nil || t.Filter.Eval(state))
	})
}

// Warnings says what a reader must know before relying on the result.
func (r *Result) Warnings() []string {
	w := slices.Clone(r.Test.Warnings)
	if r.Unrolled > 0 {
		w = append(w, fmt.Sprintf("loops were unrolled %d times: the result holds within that bound", r.Unrolled))
	}
	if r.Faults > 0 {
		w = append(w, fmt.Sprintf("%d runs of threads were dropped because they access an address that is no location", r.Faults))
	}
	return w
}
