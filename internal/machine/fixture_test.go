package machine

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// fixture is compiled for every architecture. Its functions are named for what their code must hold.
const fixture = `package main

import (
	"runtime"
	"sync/atomic"
)

type T struct {
	first, A, B, C uint64
	D, E           uint32
	F              byte
}

//go:noinline
func load64(p *T) uint64 { return p.A }

//go:noinline
func load32(p *T) uint32 { return p.E }

//go:noinline
func load8(p *T) byte { return p.F }

//go:noinline
func store64(p *T, v uint64) { p.A = v }

//go:noinline
func store32(p *T, v uint32) { p.E = v }

//go:noinline
func store8(p *T, v byte) { p.F = v }

//go:noinline
func storeConst(p *T) { p.B = 5 }

//go:noinline
func modify(p *T, v uint64) { p.A += v }

//go:noinline
func nilCheck(p *T) *uint64 { return &p.A }

//go:noinline
func pair(p *T) (uint64, uint64) { return p.A, p.B }

//go:noinline
func call(p *T) { use(p); use(p) }

//go:noinline
func use(p *T) {}

//go:noinline
func add(a, b uint64) uint64 { return a + b }

//go:noinline
func branch(p *T, n uint64) {
	for i := uint64(0); i < n; i++ {
		if i&4 != 0 {
			p.B = i
		} else {
			p.C = i
		}
	}
}

//go:noinline
func bounds(s []uint64) uint64 { return s[3] }

//go:noinline
func swap(p *uint64, v uint64) uint64 { return atomic.SwapUint64(p, v) }

//go:noinline
func cas(p *uint64, a, b uint64) bool { return atomic.CompareAndSwapUint64(p, a, b) }

//go:noinline
func atomicLoad(p *uint64) uint64 { return atomic.LoadUint64(p) }

//go:noinline
func atomicStore(p *uint64, v uint64) { atomic.StoreUint64(p, v) }

//go:noinline
func discardAdd(p *uint64, v uint64) { atomic.AddUint64(p, v) }

//go:noinline
func marked(a, b uint64) uint64 {
	a += b
	mark()
	return a ^ b
}

func mark() {
	runtime.KeepAlive(nil)
}

var table = []any{load64, load32, load8, store64, store32, store8, storeConst, modify, nilCheck, pair, call, add, branch,
	bounds, swap, cas, atomicLoad, atomicStore, discardAdd, marked}

func main() { println(len(table), table[len(table)-1] != nil) }
`

var fixtures = struct {
	sync.Mutex
	dir      string
	binaries map[string]*Binary
}{binaries: map[string]*Binary{}}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "machine")
	if err != nil {
		panic(err)
	}
	fixtures.dir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// build compiles the fixture once per setting.
func build(t *testing.T, goarch string, env ...string) *Binary {
	t.Helper()
	fixtures.Lock()
	defer fixtures.Unlock()
	key := goarch
	for _, e := range env {
		key += "," + e
	}
	if b := fixtures.binaries[key]; b != nil {
		return b
	}
	out := filepath.Join(fixtures.dir, key)
	require.NoError(t, os.WriteFile(filepath.Join(fixtures.dir, "main.go"), []byte(fixture), 0o666))
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", out, "main.go")
	cmd.Dir = fixtures.dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
	cmd.Env = append(cmd.Env, env...)
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", output)
	b, err := Open(out)
	require.NoError(t, err)
	require.Equal(t, goarch, b.Arch())
	fixtures.binaries[key] = b
	return b
}

func function(t *testing.T, b *Binary, name string) Func {
	t.Helper()
	f, err := b.Func("main." + name)
	require.NoError(t, err)
	return f
}

var all = flag.Bool("machine.all", false, "try every architecture, not only amd64 and arm64: compiling the standard library for each takes a while at first")

// tried are the architectures that the tests build for.
func tried() []string {
	if *all {
		return Arches()
	}
	return []string{"amd64", "arm64"}
}
