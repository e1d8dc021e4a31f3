package prover

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
	"github.com/barriergen/barriergen/memmodel"
)

// Status is the verdict on one primitive at one level of one target.
type Status string

// The statuses.
const (
	Proved     Status = "proved"        // the code has the contract's local order, and what the contract forbids, the machine forbids
	Broken     Status = "broken"        // the code lacks some local order, or the machine allows something that the contract forbids
	Sourced    Status = "sourced"       // local order only: about devices, which no model covers; the row's source stands for it
	NoModel    Status = "no model"      // local order only: the fallback for machines without a target of their own
	NoOrder    Status = "nothing to do" // the contract orders nothing, so nothing can break
	NotMinimal Status = "not minimal"   // proved, but weaker code would do, and the table has no reason for it
)

// Row is the result for one primitive at one level of one target, in one variant of its code; or for one body in Go, to the
// compiler, whose Arch is "compiler".
type Row struct {
	Primitive, Arch, Level string
	Code                   string // what is generated
	Why                    string // why this, and why it is empty or not
	Variant                string `json:",omitempty"` // "without LSE", where the code is chosen at run time; for the compiler the levels that have the body
	Status                 Status
	Pairs                  int      // how many pairs of accesses around, and of, the code were looked at
	Ordered                int      // how many the contract orders; the code orders them too unless the status is broken
	Programs               int      // how many were tried
	Forbidden              int      // how many the contract forbids; the machine forbids them too unless the status is broken
	Slack                  int      // how many only the machine forbids
	Keeps                  string   `json:",omitempty"` // a program that the code, even if empty, keeps forbidden
	Breaks                 []string `json:",omitempty"` // what the contract forbids and the code allows: a pair out of order, and programs
	NotMinimal             []string `json:",omitempty"` // weaker code that would do, each with the reason why it is not used
}

// Options say what to verify.
type Options struct {
	Threads  int      // of the largest cycles; 4 if 0
	Arches   []string // all native ones if empty
	Minimal  bool     // also look for weaker code that would do
	Progress func(done, total int)
}

// job is one primitive at one level in one variant, or as the compiler sees it.
type job struct {
	prim    contract.Primitive
	target  *arch.Target
	level   *arch.Level
	variant int
	body    *goCode
}

// Verify checks the primitives in two parts. The code's local order must contain the contract's, between accesses of every
// class; and every critical cycle, with the primitive at every position where it fits, may show no outcome on the machine
// that the contract forbids. Then the same for the Go compiler, in rows of their own. Rows come in table order.
func Verify(ctx context.Context, prims []contract.Primitive, targets []*arch.Target, opt Options) ([]Row, error) {
	if opt.Threads == 0 {
		opt.Threads = 4
	}
	cycles := criticalCycles(opt.Threads)
	var jobs []job
	for _, p := range prims {
		for _, t := range targets {
			for i := range t.Levels {
				jobs = append(jobs, job{prim: p, target: t, level: &t.Levels[i]})
				if twofold(t, &t.Levels[i], p) {
					jobs = append(jobs, job{prim: p, target: t, level: &t.Levels[i], variant: 1})
				}
			}
		}
		for _, c := range goCodes(p, targets) {
			jobs = append(jobs, job{prim: p, body: &c})
		}
	}
	rows := make([]Row, len(jobs))
	errs := make([]error, len(jobs))
	expected := &contracts{known: map[string][]bool{}}
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			w := worker{expected: expected, compared: comparisons{}, cycles: cycles, minimal: opt.Minimal}
			for i := range next {
				rows[i], errs[i] = w.verify(jobs[i])
				mu.Lock()
				done++
				if opt.Progress != nil {
					opt.Progress(done, len(jobs))
				}
				mu.Unlock()
			}
		})
	}
feed:
	for i := range jobs {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return rows, errors.Join(errs...)
}

// twofold reports whether a primitive, or a neighbour that it relies on, chooses its code at run time.
func twofold(t *arch.Target, l *arch.Level, p contract.Primitive) bool {
	if arch.Select(t, l, p, arch.Use{}).Else != nil {
		return true
	}
	return slices.ContainsFunc(neighbours[p.Binds], func(name string) bool {
		n, _ := contract.Lookup(name)
		return p.Binds == contract.LastSyncRMW && arch.Select(t, l, n, arch.Use{}).Else != nil
	})
}

// contracts remembers what the contract allows, and what happens where nothing is reordered: the same for every machine.
type contracts struct {
	mu    sync.Mutex
	known map[string][]bool
}

// worker has the searches of one goroutine.
type worker struct {
	expected *contracts
	compared comparisons
	cycles   []cycle
	minimal  bool
	contract memmodel.Search
	machine  memmodel.Search
}

func (w *worker) verify(j job) (Row, error) {
	if j.body != nil {
		return w.compilerRow(*j.body)
	}
	low := arch.Select(j.target, j.level, j.prim, arch.Use{})
	row := Row{Primitive: j.prim.Name, Arch: j.target.Name, Level: j.level.Name, Code: low.Code.String(), Why: low.Why}
	if j.variant == 1 {
		row.Variant = "without LSE"
		if low.Else != nil {
			row.Code = low.Else.String()
		}
	}
	r := newTarget(j.target, j.level, j.variant)
	all := shapes(j.prim, w.cycles)
	allowed, err := w.check(&row, r, j.prim, all)
	if err != nil {
		return row, err
	}
	// Where only a neighbour's code is chosen at run time, one and the same fence serves both: it is needed if one needs it.
	if !w.minimal || row.Status != Proved || j.variant == 0 && low.Else == nil && twofold(j.target, j.level, j.prim) {
		return row, nil
	}
	row.NotMinimal, err = w.weaker(j, low, r, all, allowed)
	if slices.ContainsFunc(row.NotMinimal, func(s string) bool { return strings.HasSuffix(s, Unexplained) }) {
		row.Status = NotMinimal
	}
	return row, err
}

// check does both parts of a proof. It returns which programs the contract allows.
func (w *worker) check(row *Row, r *targetRealizer, p contract.Primitive, all []shape) (allowed []bool, err error) {
	compared, err := r.compareLocal(w.compared, p)
	if err != nil {
		return nil, err
	}
	row.Status = Proved
	if _, ok := machineModels[r.target.Name]; !ok {
		row.Status = NoModel
	} else if len(p.Orders) > 0 && p.Orders[0].Domain&contract.Normal == 0 {
		row.Status = Sourced
	}
	modelled := row.Status == Proved
	row.local(compared)
	if len(p.Orders) > 0 && row.Ordered == 0 {
		return nil, fmt.Errorf("%s on %s: no pair can tell: the check would prove nothing", p.Name, r.target.Name)
	}
	if !modelled {
		return nil, nil
	}
	if allowed, err = w.contractAllows(p, all); err != nil {
		return nil, err
	}
	if err := w.programs(row, r, all, allowed); err != nil {
		return nil, err
	}
	if row.Status == Proved && row.Forbidden == 0 {
		row.Status = NoOrder
	}
	if len(p.Orders) > 0 && row.Forbidden == 0 {
		return nil, fmt.Errorf("%s on %s: no program can tell: the check would prove nothing", p.Name, r.target.Name)
	}
	return allowed, nil
}

// local notes the first part of a proof.
func (r *Row) local(c comparison) {
	r.Pairs, r.Ordered = c.pairs, c.ordered
	if c.lacks != "" {
		r.Status = Broken
		r.Breaks = append(r.Breaks, string(c.lacks))
	}
}

// programs runs the programs and compares: what is not allowed must not be shown.
func (w *worker) programs(row *Row, r realizer, all []shape, allowed []bool) error {
	var err error
	if w.machine.Model, err = r.model(); err != nil {
		return err
	}
	w.machine.Mode = memmodel.Verdict
	for i, s := range all {
		got, err := w.machineAllows(r, s)
		if errors.Is(err, errUnobserved) {
			continue
		}
		if err != nil {
			return err
		}
		row.Programs++
		switch {
		case !allowed[i]:
			row.Forbidden++
			if got {
				row.Status = Broken
				row.Breaks = append(row.Breaks, s.describe())
			} else if row.Keeps == "" || s.single() {
				row.Keeps = first(row.Keeps, s.describe())
			}
		case !got:
			row.Slack++
		}
	}
	return nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// single reports whether the primitive stands at one place only.
func (s shape) single() bool {
	n := 0
	for _, t := range s.threads {
		if slices.ContainsFunc(t, func(p piece) bool { return p.prim != nil }) {
			n++
		}
	}
	return n == 1
}

// describe names the program: the cycle, the threads that hold the primitive, and its neighbour.
func (s shape) describe() string {
	var at []int
	for i, t := range s.threads {
		if slices.ContainsFunc(t, func(p piece) bool { return p.prim != nil }) {
			at = append(at, i)
		}
	}
	d := fmt.Sprintf("%s, in threads %v of [%s]", s.cycle.name, at, s.cycle.kinds())
	if s.where != "" {
		d += ", " + s.where
	}
	return d
}

// contractAllows tells for each program whether the contract allows its outcome.
func (w *worker) contractAllows(p contract.Primitive, all []shape) ([]bool, error) {
	return w.expect(p.Name, contractRealizer{}, all)
}

// expect tells for each program of a primitive whether its outcome can happen where that is known from no machine: under the
// contract, or where nothing is reordered.
func (w *worker) expect(prim string, r realizer, all []shape) ([]bool, error) {
	w.expected.mu.Lock()
	defer w.expected.mu.Unlock() // others that need the same wait for it
	var err error
	if w.contract.Model, err = r.model(); err != nil {
		return nil, err
	}
	key := w.contract.Model.Name + " " + prim
	if known, ok := w.expected.known[key]; ok {
		return known, nil
	}
	w.contract.Mode = memmodel.Verdict
	out := make([]bool, len(all))
	for i, s := range all {
		q, err := build(s.cycle, s.threads, s.clears, r)
		if err == nil {
			out[i], err = q.allowed(&w.contract)
		}
		if err != nil && !errors.Is(err, errUnobserved) {
			return nil, fmt.Errorf("%s, %s: %w", prim, s.describe(), err)
		}
	}
	w.expected.known[key] = out
	return out, nil
}

func (w *worker) machineAllows(r realizer, s shape) (bool, error) {
	q, err := build(s.cycle, s.threads, s.clears, r)
	if err != nil {
		return false, err
	}
	return q.allowed(&w.machine)
}
