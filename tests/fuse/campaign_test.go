package fuse

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/gen/fuse"
	"github.com/barriergen/barriergen/gen/fuse/ir"
	"github.com/barriergen/barriergen/prover"
)

var (
	count       = flag.Int("random", 40, "how many random functions to run")
	seed        = flag.Uint64("seed", 1, "of the random functions")
	proofs      = flag.Int("prove", 10, "how many of each package's functions to prove")
	threads     = flag.Int("threads", 2, "of the proofs' largest cycles")
	keep        = flag.String("keep", "", "keep the generated module in this directory")
	requireQemu = flag.Bool("require-qemu", false, "a missing qemu is a failure, not a skip")
)

// perPackage is how many functions one compiled package holds, vectors how often each is called.
const (
	perPackage = 250
	vectors    = 6
)

// mix is a small generator that the programs under test have too.
func mix(x *uint64) uint64 {
	*x += 0x9e3779b97f4a7c15
	z := *x
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Random functions do the same fused, as Go, and interpreted.
func TestCampaign(t *testing.T) {
	for first := 0; first < *count; first += perPackage {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			campaign(t, first, min(first+perPackage, *count))
		})
	}
}

func campaign(t *testing.T, first, end int) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	if *keep != "" {
		dir = *keep
	}
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	write("go.sum", string(sum))
	write("go.mod", "module example.com/campaign\n\ngo 1.25.0\n\nrequire (\n\tgithub.com/barriergen/barriergen v0.0.0\n\tgolang.org/x/sys v0.41.0\n)\n\nreplace github.com/barriergen/barriergen => "+root+"\n")
	write("fused/s.go", fmt.Sprintf(shared, "fused"))
	write("plain/s.go", fmt.Sprintf(shared, "plain"))
	var functions []int
	for n := first; n < end; n++ {
		functions = append(functions, n)
	}
	sources := func() {
		const imports = "import (\n\t\"github.com/barriergen/barriergen/primitives/atomics\"\n\t\"github.com/barriergen/barriergen/primitives/barrier\"\n" +
			"\t\"github.com/barriergen/barriergen/primitives/bitops\"\n\t\"unsafe\"\n)\n\nvar _, _, _ = atomics.LoadRelaxedInt32, bitops.SetBit, unsafe.Pointer(nil)\n"
		var text strings.Builder
		for _, n := range functions {
			text.WriteString("\n" + function(rand.New(rand.NewPCG(*seed, uint64(n))), n))
		}
		write("fused/f.go", "//go:build barriergen\n\npackage fused\n\n"+imports[:strings.Index(imports, "\nvar _")]+
			text.String()+"\nfunc always(p *uint64) {\n\tatomics.LoadRelaxedUint64(p)\n\tbitops.SetBit(p, 1)\n\tbarrier.Full()\n\t_ = unsafe.Pointer(p)\n}\n")
		write("plain/f.go", "package plain\n\n"+imports+"var _ = barrier.Full\n"+text.String())
	}
	sources()
	load := func() *fuse.Package {
		pkgs, err := fuse.Load(context.Background(), dir, []string{"./fused"})
		require.NoError(t, err)
		require.Len(t, pkgs, 1)
		return pkgs[0]
	}
	pkg := load()
	err = fuse.Compile(pkg, fuse.Options{Assembly: true})
	if err != nil { // only too many live values
		crowded := 0
		functions = functions[:0]
		for _, f := range pkg.Sources[0].Functions {
			var n int
			if len(f.Builds) < 2 {
				crowded++
			} else if _, err := fmt.Sscanf(f.Name, "F%d", &n); err == nil {
				functions = append(functions, n)
			}
		}
		for line := range strings.Lines(err.Error()) {
			require.Contains(t, line, "too many live values")
		}
		t.Logf("%d of %d functions have too many live values", crowded, end-first)
		require.Less(t, crowded, (end-first)/4)
		sources()
		pkg = load()
		require.NoError(t, fuse.Compile(pkg, fuse.Options{Assembly: true}))
	}
	files, err := fuse.Files(pkg)
	require.NoError(t, err)
	for _, f := range files {
		write("fused/"+f.Name, string(f.Data))
	}
	write("main.go", program(pkg, functions, *seed))
	kept := map[string]int{}
	for _, f := range pkg.Sources[0].Functions {
		for _, b := range f.Builds {
			if b.Kept != "" {
				kept[b.Target.Name]++
			}
		}
	}
	t.Logf("%d functions; kept as Go: %v", len(functions), kept)
	require.Less(t, kept["arm64"], 1+len(functions)/100)
	require.Less(t, kept["amd64"], 1+len(functions)/2)
	prove(t, pkg)

	goCommand := func(env []string, args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v %v:\n%s", env, args, out)
	}
	execute := func(name ...string) {
		t.Helper()
		out, err := exec.Command(name[0], name[1:]...).CombinedOutput()
		require.NoError(t, err, "%v:\n%s", name, out)
		require.Equal(t, "ok\n", string(out))
	}
	native := []string{"GOARCH=amd64"}
	goCommand(native, "vet", "-asmdecl", "-framepointer", "./fused") // random Go is not what vet likes
	goCommand(native, "build", "-o", "amd64.exe", ".")
	execute(filepath.Join(dir, "amd64.exe"))
	for _, level := range []string{"v8.0", "v8.1"} {
		env := []string{"GOARCH=arm64", "GOARM64=" + level}
		if level == "v8.0" {
			goCommand(env, "vet", "-asmdecl", "-framepointer", "./fused")
		} else if end == *count && first > 0 {
			continue // one package is enough for the level: it compiles the standard library anew
		}
		goCommand(env, "build", "-o", "arm64.exe", ".")
		if _, err := exec.LookPath("qemu-aarch64"); err != nil {
			require.False(t, *requireQemu, "install qemu-user")
			t.Log("no qemu-aarch64: arm64 was built, not run")
			continue
		}
		execute("qemu-aarch64", "-cpu", "max", filepath.Join(dir, "arm64.exe"))
		if level == "v8.0" {
			execute("qemu-aarch64", "-cpu", "cortex-a57", filepath.Join(dir, "arm64.exe"))
		}
	}
}

// prove has the prover try the functions with few operations: none shows an outcome that its contracts forbid.
func prove(t *testing.T, pkg *fuse.Package) {
	for i, target := range targets.Native {
		c, err := prover.NewComparer(target, *threads)
		require.NoError(t, err)
		functions, programs, forbidden, large := 0, 0, 0, 0
		for _, f := range pkg.Sources[0].Functions {
			if n := len(f.Operations()); n < 2 || n > 10 || functions == *proofs {
				continue
			}
			functions++
			for _, plan := range f.Builds[i].Plans {
				got, err := fuse.Prove(t.Context(), f, plan, c)
				if errors.As(err, new(*fuse.TooLarge)) {
					large++
					break
				}
				require.NoError(t, err, f.Name)
				require.Empty(t, strings.Join(got.New, "\n"), "%s on %s", f.Name, plan.Machine.Name)
				programs, forbidden = programs+got.Programs, forbidden+got.Forbidden
			}
		}
		t.Logf("%s: %d functions proved, %d programs, of which the contracts forbid %d; %d too large for the proof", target.Name, functions-large, programs, forbidden, large)
		require.LessOrEqual(t, large, 1+functions/50)
	}
}

// fill makes an object's bytes.
func fill(data []byte, x *uint64) {
	for i := 0; i+8 <= len(data); i += 8 {
		v := mix(x)
		if v&3 == 0 {
			v &= 0xff // small values and zeros are the interesting ones
		}
		if v&7 == 4 {
			v = 0
		}
		binary.LittleEndian.PutUint64(data[i:], v)
	}
}

// program is the main program: it calls each function of both packages, and knows what the interpreter made of it.
func program(pkg *fuse.Package, functions []int, seed uint64) string {
	obj := pkg.Types.Scope().Lookup("S").Type().Underlying().(*types.Struct)
	size := pkg.Sizes.Sizeof(obj)
	var fields []*types.Var
	for f := range obj.Fields() {
		fields = append(fields, f)
	}
	offsets := pkg.Sizes.Offsetsof(fields)
	off := func(name string) int64 {
		for i, f := range fields {
			if f.Name() == name {
				return offsets[i]
			}
		}
		panic(name)
	}
	byName := map[string]*ir.Func{}
	for _, f := range pkg.Sources[0].Functions {
		byName[f.Name] = f.Func
	}
	var b bytes.Buffer
	b.WriteString(head)
	b.WriteString("var functions = []function{\n")
	call := func(pkg string, n int) string {
		args := fmt.Sprintf("%s.F%d((*%s.S)(s), (*%s.S)(q), a[0], uint32(a[1]), int64(a[2]), int32(a[3]), uint8(a[4]), a[5]&1 != 0, int16(a[6]), atomics.Uint128At(unsafe.Pointer(&(*%s.S)(s).X)), atomics.Pair{Lo: a[7], Hi: a[8]}, bitops.Bitmap((*%s.S)(s).J[:]), uint(a[9])&255)", pkg, n, pkg, pkg, pkg, pkg)
		const open = "func(s, q unsafe.Pointer, a [10]uint64) [3]uint64 { "
		switch res := results[n%len(results)]; {
		case res == pair:
			return open + "z := " + args + "; return [3]uint64{z.Lo, z.Hi} }"
		case strings.HasPrefix(res, "(z "+pair):
			return open + "z, y := " + args + "; return [3]uint64{z.Lo, z.Hi, truth(y)} }"
		case strings.HasPrefix(res, "("):
			return open + "x, y := " + args + "; return [3]uint64{uint64(x), truth(y)} }"
		case res == "bool":
			return open + "return [3]uint64{truth(" + args + ")} }"
		default:
			return open + "return [3]uint64{uint64(" + args + ")} }"
		}
	}
	for _, n := range functions {
		fmt.Fprintf(&b, "\t{%d, %s,\n\t\t%s,\n\t\t[vectors]uint64{", n, call("fused", n), call("plain", n))
		for v := range vectors {
			x := seed + uint64(n)*1000 + uint64(v)
			m := &machine{objects: map[int64][]byte{}}
			bases := []int64{0x10000, 0x20000}
			for i, base := range bases {
				data := make([]byte, size)
				fill(data, &x)
				data[off("I")] &= 1
				binary.LittleEndian.PutUint64(data[off("Next"):], uint64(bases[1-i]))
				m.objects[base] = data
			}
			args := []int64{bases[0], bases[1]}
			for _, t := range byName[fmt.Sprintf("F%d", n)].Params[2:] {
				given := map[string]int64{"x_cell": bases[0] + off("X"), "m_base": bases[0] + off("J"), "m_len": 4, "m_cap": 4}
				if v, ok := given[t.Name]; ok {
					args = append(args, v)
					continue
				}
				w := mix(&x)
				if w&3 == 0 {
					w >>= 56
				}
				if t.Type.Bool {
					w &= 1
				}
				if t.Name == "n" {
					w &= 255
				}
				args = append(args, t.Type.Extend(int64(w)))
			}
			res := m.run(byName[fmt.Sprintf("F%d", n)], args)
			h := fnv.New64a()
			var out [3]uint64
			for i, r := range res {
				out[i] = uint64(r)
			}
			for _, r := range out {
				binary.Write(h, binary.LittleEndian, r)
			}
			for _, base := range bases {
				clear(m.objects[base][off("Next") : off("Next")+8])
				h.Write(m.objects[base])
			}
			fmt.Fprintf(&b, "%#x, ", h.Sum64())
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	return strings.NewReplacer("SEED", fmt.Sprint(seed), "VECTORS", fmt.Sprint(vectors)).Replace(b.String())
}

const head = `package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/bitops"

	"example.com/campaign/fused"
	"example.com/campaign/plain"
)

const vectors = VECTORS

type function struct {
	n            int
	fused, plain func(s, q unsafe.Pointer, a [10]uint64) [3]uint64
	want         [vectors]uint64
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func mix(x *uint64) uint64 {
	*x += 0x9e3779b97f4a7c15
	z := *x
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func bytesOf(s *fused.S) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s)) }

func fill(s *fused.S, x *uint64) {
	data := bytesOf(s)
	for i := 0; i+8 <= len(data); i += 8 {
		v := mix(x)
		if v&3 == 0 {
			v &= 0xff
		}
		if v&7 == 4 {
			v = 0
		}
		if uintptr(i) != unsafe.Offsetof(s.Next) {
			binary.LittleEndian.PutUint64(data[i:], v)
		}
	}
	data[unsafe.Offsetof(s.I)] &= 1
}

// The linker aligns large variables to 16 bytes and more, which new does not.
var first, second fused.S

func main() {
	bad := 0
	for _, f := range functions {
		for v := range vectors {
			for i, call := range []func(s, q unsafe.Pointer, a [10]uint64) [3]uint64{f.fused, f.plain} {
				x := uint64(SEED) + uint64(f.n)*1000 + uint64(v)
				s, q := &first, &second
				fill(s, &x)
				fill(q, &x)
				s.Next, q.Next = q, s
				var a [10]uint64
				for k := range a {
					w := mix(&x)
					if w&3 == 0 {
						w >>= 56
					}
					a[k] = w
				}
				res := call(unsafe.Pointer(s), unsafe.Pointer(q), a)
				s.Next, q.Next = nil, nil
				h := fnv.New64a()
				binary.Write(h, binary.LittleEndian, res)
				h.Write(bytesOf(s))
				h.Write(bytesOf(q))
				if h.Sum64() != f.want[v] {
					bad++
					if bad < 30 {
						fmt.Printf("F%d %s, vector %d: not as interpreted: returned %#x\n", f.n, []string{"fused", "plain"}[i], v, res)
					}
				}
			}
		}
	}
	if bad > 0 {
		fmt.Println(bad, "differences")
		os.Exit(1)
	}
	fmt.Println("ok")
}

`
