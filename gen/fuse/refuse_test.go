package fuse

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const tagLine = "//go:build barriergen\n\npackage p\n\n"

const imports = `import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
	"github.com/barriergen/barriergen/primitives/bitops"
	"unsafe"
)

`

// module makes a module with packages of the given files, and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	dir := t.TempDir()
	files["go.sum"] = string(sum)
	files["go.mod"] = "module example.com/m\n\ngo 1.25.0\n\nrequire (\n\tgithub.com/barriergen/barriergen v0.0.0\n\tgolang.org/x/sys v0.41.0\n)\n\n" +
		"replace github.com/barriergen/barriergen => " + root + "\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	return dir
}

// Each mistake is one error with its place and what to do; @ marks the place.
func TestRefusals(t *testing.T) {
	const shared = `package p

import (
	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/bitops"
)

type S struct {
	A, B uint64
	C    uint32
	P    *S
	Q    atomics.Pointer[S]
	V    []uint64
	W    [4]uint64
	L    atomics.Uint64
	X    atomics.Uint128
	Pair atomics.Pair
	Bits bitops.Bitmap
	Odd  [5][3]uint64
	Far  [5000]byte
	Z    uint64
}

var global uint64

func helper() {}

type embedded struct{ S }

func fusedF() {}
`
	cases := []struct{ code, text string }{
		{"func F(s *S) { @s.P = s }", "a pointer is stored"},
		{"func @init() { }", "a function called init"},
		{"func F(s *S) { @atomics.StoreReleasePointer(&s.P, s) }", "stores a pointer: assembly bypasses the garbage collector's write barrier; do it in Go"},
		{"func F(s *S) { @s.Q.SwapFull(s) }", "SwapFull stores a pointer"},
		{"func F(s *S) bool { return @s.Q.CompareAndSwapFull(nil, s) }", "stores a pointer"},
		{"func F(s *S) { @for { } }", "a loop without a constant bound: assembly can't be preempted"},
		{"func F(s *S) { @for s.A < 3 { s.A++ } }", "a loop without a constant bound"},
		{"func F(s *S, n int) { @for i := 0; i < n; i++ { s.A++ } }", "a loop without a constant bound"},
		{"func F(s *S) { @for i := 0; i < 9; i++ { i += 2 } }", "the loop's variable i is assigned in the body"},
		{"func F(s *S) { @for i := 0; i < 9; i += 0 { s.A++ } }", "a loop without a constant bound"},
		{"func F(s *S) { @for i := 0; i < 4097; i++ { s.A++ } }", "runs more than 4096 times"},
		{"func F(s *S) { for range 64 { @for range 65 { s.A++ } } }", "runs more than 4096 times, loops around it included"},
		{"func F(s *S) { @for range s.V { s.A++ } }", "a range over something else than a constant"},
		{"func F(s *S) uint64 { return @s.L.CondLoadAcquire(nil) }", "waits as long as it takes"},
		{"func F(s *S, i int) uint64 { return s.W[@i] }", "an index that may be out of range"},
		{"func F(s *S) (n uint64) { for i := 0; i < 5; i++ { n += s.W[@i] }; return n }", "an index that may be out of range"},
		{"func F(s *S) uint64 { return @s.V[0] }", "an index of []uint64: only arrays have bounds that are known"},
		{"func F(b *bitops.Bitmap) { @b.Set(1) }", "a bitmap that is not a parameter as it came: its bounds are checked in Go before the assembly runs; pass the Bitmap as a parameter, or the address of the word, for bitops.SetBit(&b[n/64], n)"},
		{"func F(s *S) { @s.Bits.Set(1) }", "a bitmap that is not a parameter"},
		{"func F(b bitops.Bitmap, n uint) bool { n++; return b.TestAcquire(@n) }", "the number of a bit that is no parameter, constant or loop's variable"},
		{"func F(b bitops.Bitmap, n uint) { b.ClearUnlock(@n + 1) }", "for bitops.ClearBitUnlock(&b[n/64], n)"},
		{"func F(b bitops.Bitmap) { @b = nil; b.Set(1) }", "b is assigned: what it stands for must be known in Go"},
		{"func F(b, c bitops.Bitmap) { b = @c }", "bitops.Bitmap: a fused function works on integers"},
		{"func F(b bitops.Bitmap) uint64 { return @b[1] }", "bitops.Bitmap: only arrays have bounds that are known"},
		{"func F(s *S) { @helper() }", "a call of example.com/m/NN.helper, which is no primitive of barriergen"},
		{"func F(s *S) { @func() {}() }", "a call of a function value"},
		{"func F(s *S) { @go helper() }", "a go, defer, select or send statement"},
		{"func F(s *S) { switch s.A { case 1: s.A = 2; @fallthrough; case 2: s.B = 3 } }", "fallthrough: use if"},
		{"func F(s *S) { @switch any(s).(type) { } }", "this statement is not among those that can be fused"},
		{"func F(s *S) { if s.A == 0 { @goto end }; s.A = 1\nend: s.A = 2 }", "goto: use if"},
		{"func F(@x float64) float64 { return x }", "a value of type float64"},
		{"func F(@x string) { }", "a value of type string"},
		{"func F(@x S) { }", "a value of type S: a fused function works on integers, booleans and pointers"},
		{"func F(s *S) { @x := *s; _ = x }", "a value of type S"},
		{"func F(s *S) { @global = 1 }", "the package's variable global: pass its address as a parameter"},
		{"func F(s *S) uint64 { return @global }", "global is no parameter and no local variable"},
		{"func F(s *S) { x := uint64(0); atomics.StoreReleaseUint64(&@x, 1) }", "the address of the local variable x"},
		{"func F(s *S) uint64 { return s.A @/ s.B }", "a division"},
		{"func F(s *S, n int) uint64 { return s.A << @n }", "a shift by a signed number"},
		{"func F(s *S) @*S { return s.P }", "result 1 is a pointer: the assembly is go:noescape"},
		{"func @F[T any](p *T) { }", "has type parameters"},
		{"func @F(p ...uint64) { }", "a variable number of parameters"},
		{"func @F(p *uint64)", "missing function body"},
		{"func F(s *S) uint64 { return @s.P.Z }", "bytes behind a pointer that is no parameter"},
		{"@//barriergen:exit perhaps\nfunc F(s *S) { s.A = 1 }", "unknown directive"},
		{"@type T int\nfunc F(s *S) { s.A = 1 }", "a declaration of type: with the build tag this file holds functions only"},
		{"@const c = 1\nfunc F(s *S) { s.A = c }", "a declaration of const"},
		{"func F(@g uint64) uint64 { return g }", "a parameter called g, which is a register to the assembler"},
		{"func F(@R1 uint64) (AX uint64) { return 1 }", "a register to the assembler"},
		{"func F(s *S) { s.A = 1; @barrier.AfterSyncAtomic() }", "AfterSyncAtomic binds to the successful sync/atomic read-modify-write directly before it, and no access of a fused function is that: put it first"},
		{"func F(s *S) { for range 2 { @barrier.AfterSyncAtomic(); s.A = 1 } }", "put it first"},
		{"func F(s *S) { if s.A == 1 { @barrier.AfterSRCUReadUnlock() } }", "AfterSRCUReadUnlock binds to the SRCU read unlock directly before it"},
		{"//barriergen:entry none\nfunc F(s *S) { @barrier.AfterSyncAtomic(); s.A = 1 }", "which is the caller's, and the function says that nothing of the caller's need be ordered: leave out the fence, or //barriergen:entry none"},
		{"func F(s *S) { @s.X.CompareAndSwap(atomics.Pair{}, atomics.Pair{}) }", "a handle that is not a parameter"},
		{"func F(x *atomics.Uint128) { @x.Load() }", "a handle that is not a parameter"},
		{"func F(s *S) { atomics.Uint128At(@unsafe.Pointer(s.P)).Load() }", "a 16-byte cell that is not at a constant distance from a parameter: that it is aligned is checked in Go"},
		{"func F(s *S) { for i := range 5 { atomics.Uint128At(@unsafe.Pointer(&s.Odd[i])).Load() } }", "not at a constant distance"},
		{"func F(p unsafe.Pointer, n int) { atomics.Uint128At(@unsafe.Add(p, n)).Load() }", "not at a constant distance"},
		{"func F(x atomics.Uint128) { @x.Store(atomics.Pair{}) }", "Store of a 16-byte cell retries as long as others write"},
		{"func F(x atomics.Uint128) atomics.Pair { return @x.Swap(atomics.Pair{}) }", "write a loop of at most N calls of CompareAndSwap"},
		{"func F(x atomics.Uint128) bool { return @x.LockFree() }", "ask in Go, around the call"},
		{"func F(x, y atomics.Uint128) { @x = y; x.Load() }", "the handle x is assigned more than once"},
		{"func F(x, y atomics.Uint128) { @z := x; z = y; z.Load() }", "the handle z is assigned more than once"},
		{"func F(x atomics.Uint128) @atomics.Uint128 { return x }", "result 1 is a pointer"},
		{"func F(x, y atomics.Uint128) bool { return @x == y }", "a handle is used as a value"},
		{"func F(x atomics.Uint128) { @atomics.NewUint128(x.Load()) }", "NewUint128, which is no primitive"},
		{"func F(s *S) atomics.Pair { return @s.Pair }", "a Pair that is no local variable, literal or result of Load: in memory it is two words"},
		{"func F(s *S, w atomics.Pair) { @s.Pair = w }", "a Pair is used as one value"},
		{"func F(w atomics.Pair) { switch @w { case atomics.Pair{}: } }", "a Pair is used as one value"},
		{"func F(s *S, w atomics.Pair) { atomics.StoreReleaseUint64(&@w.Lo, 1) }", "the address of the local variable w"},
		{"func F(s *S) { @x, y := two(); _, _ = x, y }\nfunc two() (int, int) { return 1, 2 }", "a call with several results"},
		{"func F(s *S) { @type T int; s.A = uint64(T(1)) }", "a type inside a function"},
		{"func F(s *S) { var @f = func() {}; _ = f }", "a value of type func()"},
		{"func F(c chan int) { @<-c }", ""},
		{"func F(@x interface{}) { }", "a value of type interface"},
		{"func F(s *embedded) uint64 { return s.A + @(*embedded)(nil).Z }", "bytes behind a pointer that is no parameter"},
		{"func (s *S) @F() uint64 { return s.Z }\nfunc (s *embedded) F() uint64 { return s.B }", ""},
		{"func @F(s *S) uint64 { return s.Z }", "the assembly of F would be called fusedF, which is declared in the package: rename one"},
		{crowd(), "too many live values"},
		{"func F(x atomics.Uint128, a, b, c, d, e, f atomics.Pair) uint64 { _, ok := @x.CompareAndSwap(a, b); if ok { return 1 }; return a.Lo + a.Hi + b.Lo + b.Hi + c.Lo*c.Hi + d.Lo*d.Hi + e.Lo*e.Hi + f.Lo*f.Hi }", "too many live values"},
	}
	files := map[string]string{}
	type expected struct{ place, text string }
	want := map[string]expected{}
	for i, c := range cases {
		name := fmt.Sprintf("p%02d", i)
		files[name+"/s.go"] = shared
		text := tagLine + imports
		code := strings.ReplaceAll(c.code, "@", "")
		text += code + "\n\nfunc uses(p *int32, q *uint64) {\n\tatomics.LoadRelaxedInt32(p)\n\tbarrier.Full()\n\tbitops.TestBit(q, 1)\n\t_ = unsafe.Pointer(p)\n}\n"
		files[name+"/f.go"] = text
		at := strings.Index(text, code) + strings.Index(c.code, "@")
		line := strings.Count(text[:at], "\n") + 1
		column := at - strings.LastIndex(text[:at], "\n")
		want[name] = expected{fmt.Sprintf("%s/f.go:%d:%d: ", name, line, column), strings.ReplaceAll(c.text, "NN", name)}
		if !strings.Contains(c.code, "@") {
			want[name] = expected{name + "/f.go:", c.text}
		}
	}
	dir := module(t, files)
	pkgs, err := Load(context.Background(), dir, []string{"./..."})
	var all []string
	if err != nil {
		all = append(all, strings.Split(err.Error(), "\n")...)
	}
	for _, p := range pkgs {
		if strings.Contains(fmt.Sprint(err), filepath.Base(p.Dir)+"/") {
			continue
		}
		if err := Compile(p, Options{Assembly: true}); err != nil {
			all = append(all, strings.Split(err.Error(), "\n")...)
			continue
		}
		if _, err := Files(p); err != nil {
			all = append(all, strings.Split(err.Error(), "\n")...)
		}
	}
	for i, c := range cases {
		name := fmt.Sprintf("p%02d", i)
		var got []string
		for _, line := range all {
			if line = strings.ReplaceAll(line, dir+"/", ""); strings.HasPrefix(line, name+"/") {
				got = append(got, line)
			}
		}
		if c.text == "" {
			continue
		}
		if assert.NotEmpty(t, got, "%s is accepted", c.code) {
			assert.Contains(t, got[0], want[name].text, c.code)
			assert.True(t, strings.HasPrefix(got[0], want[name].place), "%s: %s, not %s", c.code, got[0], want[name].place)
		}
	}
}

// crowd is a function with more live values than any machine has registers.
func crowd() string {
	var b strings.Builder
	b.WriteString("func F(s *S) uint64 {\n")
	sum := "0"
	for i := range 40 {
		fmt.Fprintf(&b, "\tv%d := atomics.LoadRelaxedUint64(&s.A)\n", i)
		sum += fmt.Sprintf(" + v%d*v%d", i, 39-i)
	}
	return b.String() + "\treturn " + sum + "\n}"
}

func TestPackagesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		text  string
	}{
		{map[string]string{"a/a.txt": ""}, "./... names no package that the go command can load: go list ./... says why"},
		{map[string]string{"a/a.go": "package a\n"}, "no file of ./... begins with //go:build barriergen"},
		{map[string]string{"a/a.go": "package a\n\n//barriergen:entry none\nfunc F() {}\n"}, "a/a.go:3:1: a directive in a file without //go:build barriergen"},
		{map[string]string{"a/a.go": "//go:build barriergen && linux\n\npackage a\n\nfunc F() {}\n"}, "a/a.go:1:1: the constraint is barriergen && linux: it must be barriergen alone"},
		{map[string]string{"a/a.go": "//go:build barriergen\n\npackage a\n\nfunc F() { x = 1 }\n"}, "a/a.go:5:12: undefined: x"},
		{map[string]string{"a/a.go": "//go:build barriergen\n\npackage a\n\nfunc F() {}\n", "a/b.go": "//go:build barriergen\n\npackage a\n\nfunc F() {}\n"}, "a/b.go:5:6: F redeclared"},
		{map[string]string{"a/a.go": "//go:build barriergen\n\npackage a\n\nfunc F( {}\n"}, "a/a.go:5:9: "},
		{map[string]string{"a/a.go": "//go:build barriergen\n\npackage a\n"}, "a/a.go:3:1: the file has no function to fuse"},
		{map[string]string{"a/a.go": "//go:build barriergen\n\npackage a\n\nimport . \"unsafe\"\n\nfunc F(p Pointer) {}\n"}, "a/a.go:5:8: this import is none that fused functions can use"},
		{map[string]string{"a/a_linux.go": "//go:build barriergen\n\npackage a\n\nfunc F() {}\n"}, "a/a_linux.go:3:1: a_linux.go is for one GOOS or GOARCH by its name"},
	} {
		_, err := Load(context.Background(), module(t, c.files), []string{"./..."})
		assert.ErrorContains(t, err, c.text)
	}
}

// A proof that would have to look at too many paths is none.
func TestTooManyPaths(t *testing.T) {
	var b strings.Builder
	b.WriteString("//go:build barriergen\n\npackage a\n\nfunc F(s *uint64, a uint64) {\n")
	for i := range 12 {
		fmt.Fprintf(&b, "\tif a&%d != 0 {\n\t\t*s++\n\t}\n", 1<<i)
	}
	b.WriteString("}\n")
	pkgs, err := Load(context.Background(), module(t, map[string]string{"a/a.go": b.String()}), []string{"./a"})
	require.NoError(t, err)
	require.NoError(t, Compile(pkgs[0], Options{Assembly: true}))
	assert.ErrorContains(t, Verify(context.Background(), pkgs[0]), "a.go:5:6: F has more than 2000 paths")
}
