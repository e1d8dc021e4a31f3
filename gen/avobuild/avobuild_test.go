package avobuild

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An avo program of somebody's own, with virtual registers, compiled by avo, assembled and run.
func TestProgram(t *testing.T) {
	c := build.NewContext()
	c.Function("addTwice")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(p *uint64, v uint64) uint64")
	p := c.Load(c.Param("p"), c.GP64()).(reg.GPVirtual)
	v := c.Load(c.Param("v"), c.GP64()).(reg.GPVirtual)
	sum := c.GP64()
	for range 2 {
		require.NoError(t, Emit(c, "AddFull", 64, p, v, sum))
		require.NoError(t, Emit(c, "AfterAtomic", 0))
	}
	require.NoError(t, Emit(c, "Full", 0))
	c.Store(sum, c.ReturnIndex(0))
	c.RET()

	// A loop, and a live value that must survive it: CMPXCHG takes AX.
	c.Function("fetchOr")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(p *uint32, v uint32, keep uint32) (old uint32, kept uint32)")
	p = c.Load(c.Param("p"), c.GP64()).(reg.GPVirtual)
	w := c.Load(c.Param("v"), c.GP32()).(reg.GPVirtual)
	keep := c.Load(c.Param("keep"), c.GP32())
	require.NoError(t, Emit(c, "OrFull", 32, operand.Mem{Base: p}, w, c.GP32()))
	c.Store(reg.EAX, c.Return("old"))
	c.Store(keep, c.Return("kept"))
	c.RET()

	file, err := c.Result()
	require.NoError(t, err)
	require.NoError(t, pass.Compile.Execute(file))
	cfg := printer.Config{Name: "test", Pkg: "main"}
	asm, err := printer.NewGoAsm(cfg).Print(file)
	require.NoError(t, err)
	stubs, err := printer.NewStubs(cfg).Print(file)
	require.NoError(t, err)
	assert.Contains(t, string(asm), "LOCK\n")

	dir := t.TempDir()
	for name, data := range map[string]string{"asm_amd64.s": string(asm), "stubs_amd64.go": string(stubs), "go.mod": "module main\n\ngo 1.25.0\n",
		"main.go": `package main

import "fmt"

func main() {
	x, y := uint64(40), uint32(5)
	old, kept := fetchOr(&y, 2, 9)
	fmt.Println(addTwice(&x, 1), x, old, y, kept)
}
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	for _, args := range [][]string{{"vet", "."}, {"build", "-o", "prog", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOARCH=amd64", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
	}
	out, err := exec.Command(filepath.Join(dir, "prog")).CombinedOutput()
	if err != nil {
		t.Skipf("an amd64 program does not run on this machine: %v", err)
	}
	assert.Equal(t, "42 42 5 7 9\n", string(out))
}

func TestMistakes(t *testing.T) {
	c := build.NewContext()
	c.Function("f")
	p, v, sum, small := c.GP64(), c.GP64(), c.GP64(), c.GP32()
	assert.ErrorContains(t, Emit(c, "AddFul", 64), `unknown primitive "AddFul"; did you mean AddFull`)
	assert.ErrorContains(t, Emit(c, "AddFull", 64, p), "takes 3 operands (addr, val, result), not 1")
	assert.ErrorContains(t, Emit(c, "AddFull", 16, p, v, sum), "no sequence of 16 bits")
	assert.ErrorContains(t, Emit(c, "SetBit", 32, p, v), "no sequence of 32 bits")
	assert.ErrorContains(t, Emit(c, "AddFull", 64, operand.Imm(1), v, sum), "addr is $0x01, neither memory nor a register")
	assert.ErrorContains(t, Emit(c, "AddFull", 64, p, operand.Imm(1), sum), "val is $0x01, not a register")
	assert.ErrorContains(t, Emit(c, "AddFull", 64, p, small, sum), "MOVQ")
	assert.ErrorContains(t, Emit(c, "CondLoadAcquire", 64), "no sequence")
	file, err := c.Result()
	require.NoError(t, err)
	assert.Empty(t, file.Functions()[0].Nodes, "a mistake appends nothing")
}
