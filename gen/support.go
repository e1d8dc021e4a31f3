package gen

import (
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/ir"

	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/arch/targets"
	"github.com/barriergen/barriergen/contract"
)

// fullFence is the one assembly function that every architecture has.
const fullFence = "fullFence"

// machineFence is a machine's full fence for normal memory and for devices, one instruction each.
type machineFence struct {
	goarch       string
	full, device []string
	constraint   string // further build tags
}

// machineFences are those of the architectures without a target of their own. Native ones are selected.
var machineFences = []machineFence{
	// Without SSE2 there are no stores that a locked operation does not order.
	{"386", []string{"LOCK", "ADDL $0, -4(SP)"}, []string{"#ifdef GO386_softfloat", "LOCK", "ADDL $0, -4(SP)", "#else", "MFENCE", "#endif"}, ""},
	// Before ARMv7 there is no DMB; sync/atomic asks the kernel there.
	{"arm", []string{"DMB MB_ISH"}, []string{"WORD $0xf57ff04f // DSB SY"}, "arm.7"},
	{"loong64", []string{"DBAR"}, []string{"DBAR"}, ""},
	{"mips", []string{"SYNC"}, []string{"SYNC"}, ""},
	{"mipsle", []string{"SYNC"}, []string{"SYNC"}, ""},
	{"mips64", []string{"SYNC"}, []string{"SYNC"}, ""},
	{"mips64le", []string{"SYNC"}, []string{"SYNC"}, ""},
	{"ppc64", []string{"SYNC"}, []string{"SYNC"}, ""},
	{"ppc64le", []string{"SYNC"}, []string{"SYNC"}, ""},
	{"riscv64", []string{"WORD $0x0330000f // FENCE RW, RW"}, []string{"WORD $0x0ff0000f // FENCE IORW, IORW"}, ""},
	{"s390x", []string{"SYNC"}, []string{"SYNC"}, ""},
}

// supports emits what the functions of several families rest on.
func supports(p *plan) ([]File, error) {
	files, err := fenceFiles(p)
	if err != nil {
		return nil, err
	}
	add := func(name, constraint, body string) {
		src, e := formatGo(goHeader(constraint, p.Package) + p.imports(body) + body)
		if e != nil && err == nil {
			err = e
		}
		files = append(files, File{name, src})
	}
	if p.RaceSync == "" {
		add("zrace.go", "race", raceSupport)
	}
	if p.native("arm64") && p.dispatches() {
		add("zlse_arm64.go", asmConstraint, comment("hasLSE reports whether the CPU has the large system extensions; assembly reads it.")+
			"var hasLSE = cpu.ARM64.HasATOMICS\n")
	}
	if p.has(func(x contract.Primitive) bool { return x.Op == contract.WaitLoad }) {
		files = append(files, spinFiles(p, add)...)
	}
	if p.has(func(x contract.Primitive) bool { return x.Operand == contract.Wide }) {
		wide(p, add)
	}
	return files, err
}

// dispatches reports whether any assembly function of arm64 chooses at run time.
func (p *plan) dispatches() bool {
	t, _ := targets.Lookup("arm64")
	return slices.ContainsFunc(contract.Families, func(f contract.Family) bool {
		return slices.ContainsFunc(p.asmFuncs(t, f), func(fn asmFunc) bool { return fn.candidate.Else != nil })
	})
}

// fenceFiles emits the machine's fences, in assembly where the architecture is known, else through sync/atomic.
func fenceFiles(p *plan) ([]File, error) {
	var files []File
	var known []string
	fences := slices.Clone(machineFences)
	for _, t := range targets.Native {
		f := machineFence{goarch: t.Name}
		for name, into := range map[string]*[]string{"Full": &f.full, "MandatoryFull": &f.device} {
			low, err := selectFence(t, name)
			if err != nil {
				return nil, err
			}
			*into = low
		}
		fences = append(fences, f)
	}
	slices.SortFunc(fences, func(a, b machineFence) int { return strings.Compare(a.goarch, b.goarch) })
	for _, f := range fences {
		terms := []string{"!purego"}
		term := f.goarch
		if f.constraint != "" {
			terms, term = append(terms, f.constraint), f.constraint
		}
		known = append(known, term)
		file := &ir.File{Constraints: constraints(terms...), Includes: []string{"textflag.h"}}
		file.AddSection(lines(fullFence, f.full))
		file.AddSection(lines("deviceFence", f.device))
		if _, native := targets.Lookup(f.goarch); native {
			file.AddSection(lines("compilerBarrier", nil))
		}
		src, err := printAsm(file)
		if err != nil {
			return nil, err
		}
		files = append(files, File{"zfence_" + f.goarch + ".s", src})
	}
	for _, f := range []struct{ name, constraint, body string }{
		{"zfence.go", "!purego && (" + strings.Join(known, " || ") + ")", fenceStubs},
		{"zfence_opaque.go", "!purego && (amd64 || arm64)", opaqueStub},
		{"zfence_purego.go", "purego || !(" + strings.Join(known, " || ") + ")", fenceGo},
	} {
		src, err := formatGo(goHeader(f.constraint, p.Package) + p.imports(f.body) + f.body)
		if err != nil {
			return nil, err
		}
		files = append(files, File{f.name, src})
	}
	return files, nil
}

// selectFence is a fence of a native target as lines of assembly.
func selectFence(t *arch.Target, name string) ([]string, error) {
	prim, _ := contract.Lookup(name)
	low, err := arch.Find(t, &t.Levels[0], prim, arch.Use{Macro: true})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, in := range low.Code {
		i, err := dialects[t.Name].inst(in, 32, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, instText(i))
	}
	return out, nil
}

// instText is an instruction as one line.
func instText(i *ir.Instruction) string {
	var ops []string
	for _, o := range i.Operands {
		ops = append(ops, o.Asm())
	}
	return strings.TrimSpace(i.Opcode + " " + strings.Join(ops, ", "))
}

// lines is a function without parameters, made of lines of assembly.
func lines(name string, body []string) *ir.Function {
	f := ir.NewFunction(name)
	f.Attributes = attr.NOSPLIT
	for _, l := range body {
		f.AddInstruction(raw(l))
	}
	f.AddInstruction(ret())
	return f
}

const fenceStubs = `// fullFence is the machine's full fence for normal memory, in one instruction.
//
//go:noescape
func fullFence()

// deviceFence is the machine's full fence for all memory, devices included.
//
//go:noescape
func deviceFence()
`

const opaqueStub = `// compilerBarrier does nothing in a way that the compiler can't see: it moves no access across the call.
//
//go:noescape
func compilerBarrier()
`

const fenceGo = `// fullFence is a full fence made of sync/atomic: on every machine its store and its load of one variable order all that
// came before the first against all that comes after the second.
func fullFence() {
	var x uint32
	atomic.StoreUint32(&x, 0)
	atomic.LoadUint32(&x)
}

// deviceFence is no more than fullFence: without assembly there is no fence for devices.
func deviceFence() { fullFence() }
`

const raceSupport = `// The race detector's view of fences. Operations on an address pair through that address. A release fence pairs with every
// later acquire fence, and with every later acquire operation; a release operation with every later acquire fence. That
// hides some races and reports none that is not there.
var raceFences, raceOps byte

func raceRelease(addr unsafe.Pointer) {
	runtime.RaceReleaseMerge(addr)
	runtime.RaceReleaseMerge(unsafe.Pointer(&raceOps))
}

func raceAcquire(addr unsafe.Pointer) {
	runtime.RaceAcquire(addr)
	runtime.RaceAcquire(unsafe.Pointer(&raceFences))
}

func raceReleaseFence() {
	runtime.RaceReleaseMerge(unsafe.Pointer(&raceFences))
}

func raceAcquireFence() {
	runtime.RaceAcquire(unsafe.Pointer(&raceFences))
	runtime.RaceAcquire(unsafe.Pointer(&raceOps))
}
`

// pauses are the hints that a native target has for spin loops.
var pauses = map[string]string{"amd64": "PAUSE", "arm64": "YIELD"}

// spinFiles emits the wait of a spin loop: the machine's hint, and now and then the scheduler.
func spinFiles(p *plan, add func(name, constraint, body string)) []File {
	var files []File
	for _, t := range p.targets {
		file := &ir.File{Constraints: constraints("!purego"), Includes: []string{"textflag.h"}}
		file.AddSection(lines("pause", []string{pauses[t.Name]}))
		src, err := printAsm(file)
		if err != nil {
			panic(err)
		}
		files = append(files, File{"zspin_" + t.Name + ".s", src})
	}
	const head = "// spinWait passes the time of round i of a spin loop. It gives the processor away within a bounded count, so that a loop\n" +
		"// makes progress on one processor too.\n"
	add("zspin.go", "!purego && ("+p.natives()+")", head+`func spinWait(i int) {
	if i&63 == 63 {
		runtime.Gosched()
		return
	}
	pause()
}

// pause tells the CPU that this is a spin loop.
//
//go:noescape
func pause()
`)
	add("zspin_generic.go", "purego || !("+p.natives()+")", head+`func spinWait(i int) {
	if i&7 == 7 {
		runtime.Gosched()
	}
}
`)
	return files
}
