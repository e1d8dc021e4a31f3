package litmus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/memmodel"
)

const sb = `X86_64 SB
{ }
 P0            | P1            ;
 movl $1,(x)   | movl $1,(y)   ;
 movl (y),%eax | movl (x),%eax ;
exists (0:rax=0 /\ 1:rax=0)
`

const mp = `AArch64 MP+dmb.sy+addr
{ 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; }
 P0          | P1                  ;
 MOV W0,#1   | LDR W0,[X3]         ;
 STR W0,[X1] | EOR W2,W0,W0        ;
 DMB SY      | LDR W4,[X1,W2,SXTW] ;
 STR W0,[X3] |                     ;
exists (1:X0=1 /\ 1:X4=0)
`

// Pointers, a filter, a location that only the filter needs, a flag.
const pointers = `C pointers
{ int *p = &x; int y = 5; }
P0(int **p, int *y) { rcu_assign_pointer(*p, y); WRITE_ONCE(*y, 6); }
P1(int **p) { int *r0 = rcu_dereference(*p); int r1 = *r0; }
locations [p; 1:r1]
filter (y=6)
exists (1:r0=y)
`

const spin = `AArch64 spin
{ 0:X1=x; 1:X1=x; }
 P0          | P1              ;
 MOV W0,#1   | Spin:           ;
 STR W0,[X1] | LDR W0,[X1]     ;
             | CBZ W0,Spin     ;
forall (1:X0=1)
`

var timeLine = regexp.MustCompile(`(?m)^Time (\S+) \d+\.\d\d$`)

func report(t *testing.T, r Runner, src string) string {
	test, err := Parse([]byte(src), "t")
	require.NoError(t, err)
	res, err := r.Run(test)
	require.NoError(t, err)
	return timeLine.ReplaceAllString(string(res.AppendReport(nil)), "Time $1 0.00")
}

// Reports have herd7's form.
func TestReport(t *testing.T) {
	all := Runner{Mode: memmodel.All}
	assert.Equal(t, `Test SB Allowed
States 4
0:rax=0; 1:rax=0;
0:rax=0; 1:rax=1;
0:rax=1; 1:rax=0;
0:rax=1; 1:rax=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:rax=0 /\ 1:rax=0)
Observation SB Sometimes 1 3
Time SB 0.00

`, report(t, all, sb))
	assert.Equal(t, `Test MP+dmb.sy+addr Allowed
States 3
1:X0=0; 1:X4=0;
1:X0=0; 1:X4=1;
1:X0=1; 1:X4=1;
No
Witnesses
Positive: 0 Negative: 3
Condition exists (1:X0=1 /\ 1:X4=0)
Observation MP+dmb.sy+addr Never 0 3
Time MP+dmb.sy+addr 0.00

`, report(t, all, mp))
	assert.Contains(t, report(t, all, strings.Replace(mp, "exists", "~exists", 1)), "Test MP+dmb.sy+addr Forbidden\n")
	assert.Contains(t, report(t, all, strings.Replace(mp, "exists (1:X0=1 /\\ 1:X4=0)", "forall (1:X0=1 => 1:X4=1)", 1)),
		"Ok\nWitnesses\nPositive: 3 Negative: 0\nCondition forall (1:X0=1 => 1:X4=1)\nObservation MP+dmb.sy+addr Always 3 0\n")
	assert.Contains(t, report(t, all, strings.Replace(mp, "DMB SY", "DMB ISH", 1)), "\nFlag Shareability-argument-for-DMB-is-deprecated\nCondition")
}

func TestReportOfPointersAndFilter(t *testing.T) {
	got := report(t, Runner{}, pointers)
	assert.Contains(t, got, "Test pointers Allowed\nStates 3\n1:r0=x; 1:r1=0; [p]=y;\n1:r0=y; 1:r1=5; [p]=y;\n1:r0=y; 1:r1=6; [p]=y;\nOk\n")
	assert.Contains(t, got, "\nCondition exists (1:r0=y)\nObservation pointers Sometimes ")
	assert.Equal(t, got, report(t, Runner{Mode: memmodel.Verdict}, pointers), "a filter needs all states")
}

// A loop is unrolled a bounded number of times, and the report says so.
func TestLoops(t *testing.T) {
	got := report(t, Runner{}, spin)
	assert.Contains(t, got, "\nLoop Ok\n")
	assert.Contains(t, got, "\nWarning loops were unrolled 2 times: the result holds within that bound\n")
	got = report(t, Runner{Limits: memmodel.Limits{Unroll: 5}}, spin)
	assert.Contains(t, got, "\nWarning loops were unrolled 5 times")
}

// A search that goes beyond a limit is an error, and never a verdict.
func TestLimit(t *testing.T) {
	test, err := Parse([]byte(sb), "t")
	require.NoError(t, err)
	for _, limits := range []memmodel.Limits{{Candidates: 1}, {Traces: 1}} {
		r := Runner{Limits: limits}
		res, err := r.Run(test)
		assert.Nil(t, res)
		var limit *memmodel.LimitError
		if assert.ErrorAs(t, err, &limit, "%+v", limits) {
			assert.Contains(t, err.Error(), "stopped without a verdict")
		}
	}
}

// A register that holds no address is not silently a test without executions.
func TestNoExecution(t *testing.T) {
	test, err := Parse([]byte(strings.Replace(mp, "1:X3=y", "1:X3=5", 1)), "t")
	require.NoError(t, err)
	var r Runner
	_, err = r.Run(test)
	assert.ErrorContains(t, err, "MP+dmb.sy+addr: no execution: every one accesses an address that is no location")
}

// write puts files into a new folder and gives its name.
func write(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, src := range files {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(src), 0o666))
	}
	return dir
}

// Files come in order whatever the number of workers; what cannot be answered is named in its place and counted.
func TestRunPaths(t *testing.T) {
	dir := write(t, map[string]string{
		"a.litmus": sb, "b/bad.litmus": strings.Replace(mp, "STR W0,[X3]", "FROB W0,[X3]", 1), "b/mp.litmus": mp, "b/not-a-test.txt": "x",
		"c.litmus": "", "d.litmus": strings.Replace(spin, "LDR W0,[X1] ", "LDR W0,[X1", 1), "e.litmus": strings.Replace(sb, "SB", "SB2", 1),
	})
	var want string
	for _, workers := range []int{1, 2, 7} {
		var out bytes.Buffer
		var steps []int
		sum, err := RunPaths(context.Background(), []string{dir}, Options{Workers: workers}, &out, func(done, total int) {
			assert.Equal(t, 6, total)
			steps = append(steps, done)
		})
		require.NoError(t, err)
		assert.Equal(t, []int{1, 2, 3, 4, 5, 6}, steps)
		assert.False(t, sum.Complete())
		sum.Time = 0
		assert.Equal(t, Summary{Tests: 6, Ok: 2, No: 1, Unreadable: 3}, sum)
		got := timeLine.ReplaceAllString(strings.ReplaceAll(out.String(), dir, "DIR"), "Time $1 0.00")
		got = regexp.MustCompile(`\d+\.\d\d s`).ReplaceAllString(got, "0.00 s")
		assert.Contains(t, got, "Error "+filepath.Join("DIR", "b", "bad.litmus")+":7:2: unknown instruction FROB\n")
		assert.Contains(t, got, "Error "+filepath.Join("DIR", "c.litmus")+":1:1: ")
		assert.Contains(t, got, "Error "+filepath.Join("DIR", "d.litmus")+":5:")
		assert.True(t, strings.HasSuffix(got, "\nSummary: 6 tests, 2 Ok, 1 No, 3 unreadable or unsupported, 0 stopped by a limit, 0.00 s\n"), got)
		if want == "" {
			want = got
		}
		assert.Equal(t, want, got)
	}
}

func TestRunPathsErrors(t *testing.T) {
	dir := write(t, map[string]string{"a/a.litmus": sb, "b/b.txt": sb})
	run := func(ctx context.Context, o Options, paths ...string) (Summary, error) {
		return RunPaths(ctx, paths, o, &bytes.Buffer{}, nil)
	}
	_, err := run(context.Background(), Options{}, filepath.Join(dir, "nowhere"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = run(context.Background(), Options{}, filepath.Join(dir, "b"))
	assert.ErrorContains(t, err, "no *.litmus file in this folder")
	sum, err := run(context.Background(), Options{}, filepath.Join(dir, "b", "b.txt"), filepath.Join(dir, "a"))
	require.NoError(t, err, "a file that is named may be called anything")
	assert.Equal(t, 2, sum.Ok)
	sum, err = run(context.Background(), Options{Limits: memmodel.Limits{Candidates: 1}}, filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Equal(t, 1, sum.Stopped)
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, workers := range []int{1, 2} {
		_, err = run(canceled, Options{Workers: workers}, filepath.Join(dir, "a"), filepath.Join(dir, "a"))
		assert.ErrorIs(t, err, context.Canceled)
	}
}

func TestJSON(t *testing.T) {
	dir := write(t, map[string]string{"a.litmus": sb, "b.litmus": "X86_64 T\n{"})
	var out bytes.Buffer
	_, err := RunPaths(context.Background(), []string{dir}, Options{JSON: true, Mode: memmodel.All}, &out, nil)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3)
	var res jsonResult
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &res))
	res.Seconds = 0
	assert.Equal(t, jsonResult{
		File: filepath.Join(dir, "a.litmus"), Test: "SB", Arch: "X86_64", Model: "x86tso", Kind: "Allowed", Condition: "exists (0:rax=0 /\\ 1:rax=0)",
		States: []map[string]string{
			{"0:rax": "0", "1:rax": "0"}, {"0:rax": "0", "1:rax": "1"}, {"0:rax": "1", "1:rax": "0"}, {"0:rax": "1", "1:rax": "1"}},
		Ok: true, Observation: "Sometimes", Positive: 1, Negative: 3,
	}, res)
	var bad jsonError
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &bad))
	assert.Contains(t, bad.Error, "b.litmus:2:1: the initial state is not closed")
	var sum map[string]Summary
	require.NoError(t, json.Unmarshal([]byte(lines[2]), &sum))
	assert.Equal(t, Summary{Tests: 2, Ok: 1, Unreadable: 1}, sum["summary"])
}

// A drawing shows the witness, or the cycle that forbids it, and Graphviz reads it.
func TestDot(t *testing.T) {
	draw := func(src string) string {
		dir := write(t, map[string]string{"a.litmus": src})
		var dot bytes.Buffer
		_, err := RunPaths(context.Background(), []string{dir}, Options{Dot: &dot}, &bytes.Buffer{}, nil)
		require.NoError(t, err)
		return dot.String()
	}
	drawings := map[string]string{
		"allowed":   draw(sb),
		"forbidden": draw(mp),
		"neither":   draw(strings.Replace(sb, "0:rax=0 ", "0:rax=7 ", 1)),
	}
	assert.Contains(t, drawings["allowed"], `label="SB: allowed"`)
	for _, want := range []string{`[label="W[x]=1"]`, `[label="R[y]=0"]`, `[label="fr", color="darkorange"`, `label="P1"`} {
		assert.Contains(t, drawings["allowed"], want)
	}
	assert.NotContains(t, drawings["allowed"], "penwidth")
	assert.Contains(t, drawings["forbidden"], `label="MP+dmb.sy+addr: forbidden by external"`)
	assert.GreaterOrEqual(t, strings.Count(drawings["forbidden"], "penwidth=3"), 4, "the cycle is bold")
	assert.Contains(t, drawings["neither"], "no execution satisfies the condition")
	for name, d := range drawings {
		svg, ok, err := SVG(context.Background(), []byte(d))
		if !ok {
			t.Skip("the drawings' contents are checked; Graphviz is not installed, so nothing renders them")
		}
		require.NoError(t, err, name)
		assert.Contains(t, string(svg), "<svg")
	}
}

// recorder is a testing.T that keeps what it is told.
type recorder struct{ errors, fatal []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.fatal = append(r.fatal, fmt.Sprintf(format, args...))
}

// Check says nothing about a test that holds, shows why one does not, and stops at one that cannot be run.
func TestCheck(t *testing.T) {
	var r recorder
	Check(&r, "", sb)
	Check(&r, "aarch64", strings.Replace(mp, "exists", "~exists", 1))
	assert.Empty(t, r.errors)
	Check(&r, "", mp)
	Check(&r, "", strings.Replace(sb, "exists", "~exists", 1))
	require.Len(t, r.errors, 2)
	assert.Contains(t, r.errors[0], "Observation MP+dmb.sy+addr Never")
	assert.Contains(t, r.errors[0], "forbidden by external (acyclic):\n  P")
	assert.Contains(t, r.errors[1], "allowed by this execution:\n")
	assert.Contains(t, r.errors[1], "P0: R[y]=0 (line 5)")
	assert.Empty(t, r.fatal)
	Check(&r, "", "nonsense")
	Check(&r, "nonsense", sb)
	require.Len(t, r.fatal, 2)
	assert.Contains(t, r.fatal[0], `litmus:1:1: unknown architecture "nonsense"`)
	assert.Contains(t, r.fatal[1], `unknown model "nonsense"`)
}
