package litmus

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/barriergen/barriergen/memmodel"
)

// Options say how files are run.
type Options struct {
	Model   *memmodel.Model // nil is the model of each test's architecture
	Mode    memmodel.Mode
	Limits  memmodel.Limits
	JSON    bool      // one object in a line for each file, and a last one with the summary
	Why     bool      // behind each report, the execution with the outcome: allowed, or the axiom that forbids it and its cycle
	Dot     io.Writer // if not nil, the drawing of the witness or the forbidding cycle of the only test
	Workers int       // tests that run at the same time; 0 is one for each processor
}

// Summary counts what happened to the files.
type Summary struct {
	Tests      int           `json:"tests"` // files found
	Ok         int           `json:"ok"`
	No         int           `json:"no"`
	Unreadable int           `json:"unreadable"` // missing, damaged, or with something that is not supported
	Stopped    int           `json:"stopped"`    // by a limit of the search
	Time       time.Duration `json:"-"`
}

// Complete says whether every file got an answer.
func (s *Summary) Complete() bool { return s.Unreadable+s.Stopped == 0 }

// String is the last line of a report.
func (s *Summary) String() string {
	return fmt.Sprintf("Summary: %d tests, %d Ok, %d No, %d unreadable or unsupported, %d stopped by a limit, %.2f s",
		s.Tests, s.Ok, s.No, s.Unreadable, s.Stopped, s.Time.Seconds())
}

// RunPaths runs files, and the *.litmus files of folders and of their folders, and prints each result to out, in the order
// of the paths whatever the number of workers. A file that cannot be read, or whose search was stopped, is an "Error" line
// in its place and is counted. progress, if not nil, is told how many of the files are done. The error is out's, or the
// context's, or that of a path that does not exist.
func RunPaths(ctx context.Context, paths []string, o Options, out io.Writer, progress func(done, total int)) (Summary, error) {
	start := time.Now()
	files, err := find(paths)
	if err != nil {
		return Summary{}, err
	}
	if o.Dot != nil && len(files) != 1 {
		return Summary{}, fmt.Errorf("a drawing is of one test, and there are %d", len(files))
	}
	w := bufio.NewWriterSize(out, 1<<14)
	sum := Summary{Tests: len(files)}
	err = run(ctx, files, o, func(i int, a answer) error {
		sum.count(a)
		if progress != nil {
			progress(i+1, len(files))
		}
		_, err := w.Write(a.report)
		return err
	})
	sum.Time = time.Since(start)
	if err == nil {
		if o.JSON {
			line, _ := json.Marshal(map[string]Summary{"summary": sum})
			_, err = w.Write(append(line, '\n'))
		} else {
			_, err = fmt.Fprintln(w, sum.String())
		}
	}
	return sum, errors.Join(err, w.Flush())
}

// source is a file to read.
type source struct {
	name    string
	regular bool // and not a pipe, of which a read may give a part
}

// find gives the files that the paths name: files themselves, and of folders, however deep, those called *.litmus.
func find(paths []string) ([]source, error) {
	var files []source
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, source{path, info.Mode().IsRegular()})
			continue
		}
		before := len(files)
		err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(name, ".litmus") {
				files = append(files, source{name, d.Type().IsRegular()})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: no *.litmus file in this folder", path)
		}
	}
	return files, nil
}

// answer is what became of a file.
type answer struct {
	report []byte
	ok     bool
	err    error
}

// count adds an answer.
func (s *Summary) count(a answer) {
	var limit *memmodel.LimitError
	switch {
	case errors.As(a.err, &limit):
		s.Stopped++
	case a.err != nil:
		s.Unreadable++
	case a.ok:
		s.Ok++
	default:
		s.No++
	}
}

// run answers the files with several workers and hands the answers over in order.
func run(ctx context.Context, files []source, o Options, done func(i int, a answer) error) error {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, len(files))
	if workers <= 1 {
		w := o.worker(false)
		for i, f := range files {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := done(i, w.answer(f)); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	// A worker takes every nth file, so that the answers come in nearly the order in which they are printed; each may be a
	// little ahead of the printing.
	const ahead = 64
	answers := make([]chan answer, workers)
	for n := range answers {
		answers[n] = make(chan answer, ahead)
		wg.Go(func() {
			w := o.worker(true)
			for i := n; i < len(files); i += workers {
				a := w.answer(files[i])
				select {
				case answers[n] <- a:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	for i := range files {
		select {
		case a := <-answers[i%workers]:
			if err := done(i, a); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// worker answers files one after another.
type worker struct {
	Options
	runner Runner
	parser parser
	result Result
	buf    []byte // of the file
	report []byte
	keep   bool // reports outlive the next answer
}

func (o Options) worker(keep bool) *worker {
	return &worker{Options: o, keep: keep, runner: Runner{Model: o.Model, Mode: o.Mode, Limits: o.Limits}}
}

// answer runs a file.
func (w *worker) answer(file source) answer {
	if err := w.run(file); err != nil {
		return answer{err: err, report: w.failure(file.name, err)}
	}
	if w.JSON {
		report, err := json.Marshal(&w.result)
		return answer{ok: w.result.Ok, err: err, report: append(report, '\n')}
	}
	if w.keep {
		w.report = make([]byte, 0, len(w.report)+64)
	}
	w.report = w.result.AppendReport(w.report[:0])
	if w.Why {
		e, err := w.runner.Explain(w.result.Test)
		if err != nil {
			return answer{err: err, report: w.failure(file.name, err)}
		}
		w.report = append(w.report, Explain(e)+"\n"...)
	}
	return answer{ok: w.result.Ok, report: w.report}
}

// run leaves the file's result in w.
func (w *worker) run(file source) error {
	var err error
	if w.buf, err = readFile(file, w.buf); err != nil {
		return err
	}
	t, err := w.parser.parse(w.buf, file.name)
	if err != nil {
		return err
	}
	if err := w.runner.run(t, &w.result); err != nil {
		return fmt.Errorf("%s: %w", file.name, err)
	}
	if w.Dot != nil {
		e, err := w.runner.Explain(t)
		if err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		return WriteDot(w.Dot, t, e)
	}
	return nil
}

// failure is the report of a file without a result. The error names the file.
func (w *worker) failure(file string, err error) []byte {
	if !w.JSON {
		return []byte("Error " + err.Error() + "\n\n")
	}
	var limit *memmodel.LimitError
	line, _ := json.Marshal(jsonError{File: file, Error: err.Error(), Stopped: errors.As(err, &limit)})
	return append(line, '\n')
}
