package diy

import (
	"slices"
	"strconv"
	"strings"
)

// The plain dependencies, which all architectures but x86 have.
var dependencies = []*mechanism{
	programOrder,
	{spelling: "DpAddr", name: "addr", dep: depAddr},
	{spelling: "DpData", name: "data", dep: depData},
	{spelling: "DpCtrl", name: "ctrl", dep: depCtrl},
}

// x86 keeps all order but that of a write and a later read, so there is nothing that a dependency could add. Some tools read
// no locked xadd.
var x86 = arch{
	name:       "X86_64",
	mechanisms: append([]*mechanism{programOrder}, fences(strings.ToLower, "MFence", "LFence", "SFence")...),
	notes: []*note{
		{name: "P", short: "p", read: "movl %m,%v", write: "movl %c,%m"},
		{name: "X", short: "x", read: "movl $0,%v\nlock xaddl %v,%m", write: "movl %c,%t\nxchgl %t,%m"},
	},
	rmws: []*rmw{
		{"Exch", map[string]string{"P P": "movl %c,%v\nxchgl %v,%m"}},
		{"Xadd", map[string]string{"P P": "movl $1,%v\nlock xaddl %v,%m"}},
	},
	register: func(n int) string {
		names := [...]string{"eax", "ebx", "ecx", "edx", "esi", "edi"}
		if n < len(names) {
			return names[n]
		}
		if r := numbered("r", n-len(names)+8, 15); r != "" {
			return r + "d"
		}
		return ""
	},
	prefix:  "%",
	address: func(_ *writer, loc string) string { return "(" + loc + ")" },
	value:   func(_ *writer, val int, _ string) string { return "$" + strconv.Itoa(val) },
	layout: func(t *text) []byte {
		return t.table(func(reg string) string {
			if strings.HasPrefix(reg, "e") {
				return "r" + reg[1:]
			}
			return strings.TrimSuffix(reg, "d")
		})
	},
}

// a64Orders are the suffixes of read-modify-writes, with the exclusives that they correspond to.
var a64Orders = []struct{ suffix, load, store string }{
	{"", "LDXR", "STXR"}, {"A", "LDAXR", "STXR"}, {"L", "LDXR", "STLXR"}, {"AL", "LDAXR", "STLXR"},
}

var a64Dependencies = append(slices.Clip(dependencies), &mechanism{spelling: "DpCtrlIsb", name: "ctrlisb", dep: depCtrl, code: "ISB"})

// picked are the dependencies through a conditional select.
func picked(all []*mechanism) []*mechanism {
	var out []*mechanism
	for _, m := range all {
		if m.dep != depNone {
			out = append(out, &mechanism{spelling: m.spelling + "Csel", name: m.name + "csel", dep: m.dep, code: m.code, pick: true})
		}
	}
	return out
}

var aarch64 = arch{
	name: "AArch64",
	mechanisms: slices.Concat(a64Dependencies, picked(a64Dependencies),
		[]*mechanism{{spelling: "ISB", name: "isb", code: "ISB"}},
		fences(func(s string) string { return strings.Replace(s, ".", " ", 1) },
			"DMB.SY", "DMB.LD", "DMB.ST", "DMB.ISH", "DMB.ISHLD", "DMB.ISHST", "DSB.SY", "DSB.LD", "DSB.ST", "DSB.ISH", "DSB.ISHLD", "DSB.ISHST")),
	notes: func() []*note {
		out := []*note{
			{name: "P", short: "p", read: "LDR %v,%m", write: "STR %v,%m", indexed: true},
			{name: "A", short: "a", read: "LDAR %v,%m"},
			{name: "Q", short: "q", read: "LDAPR %v,%m"},
			{name: "L", short: "l", write: "STLR %v,%m"},
		}
		for _, o := range a64Orders {
			out = append(out,
				&note{name: "X" + o.suffix, short: "x" + strings.ToLower(o.suffix),
					read:  o.load + " %v,%m\n" + o.store + " %s,%v,%m",
					write: o.load + " %t,%m\n" + o.store + " %s,%v,%m"},
				&note{name: "Amo" + o.suffix, short: "amo" + strings.ToLower(o.suffix),
					read:  "LDADD" + o.suffix + " WZR,%v,%m",
					write: "SWP" + o.suffix + " %v,%t,%m"})
		}
		return out
	}(),
	rmws: func() []*rmw {
		var out []*rmw
		for _, kind := range [...][2]string{
			{"LxSx", "%load %v,%m\n%store %s,%n,%m"}, {"Amo.Swp", "SWP%o %n,%v,%m"}, {"Amo.LdAdd", "LDADD%o %i,%v,%m"},
			{"Amo.Cas", "MOV %v,#%e\nCAS%o %v,%n,%m"}, {"Amo.StAdd", "STADD%o %i,%m"},
		} {
			r := &rmw{kind[0], map[string]string{}}
			for i, notes := range [...]string{"P P", "A P", "P L", "A L"} {
				if notes[0] == 'A' && !strings.Contains(kind[1], "%v") {
					continue // without a result there is nothing to acquire
				}
				o := a64Orders[i]
				r.code[notes] = strings.NewReplacer("%load", o.load, "%store", o.store, "%o", o.suffix).Replace(kind[1])
			}
			out = append(out, r)
		}
		return out
	}(),
	register: func(n int) string { return numbered("W", n, 30) },
	address:  func(w *writer, loc string) string { return "[" + a64Base(w, loc) + "]" },
	dependent: func(w *writer, loc, on string, indexed bool) string {
		base, zero := a64Base(w, loc), a64Zero(w, on)
		if indexed {
			return "[" + base + "," + zero + ",SXTW]"
		}
		sum := "X" + w.register()[1:]
		w.emit("ADD " + sum + "," + base + "," + zero + ",SXTW")
		return "[" + sum + "]"
	},
	value: func(w *writer, val int, on string) string {
		if on != "" {
			r := a64Zero(w, on)
			w.emit("ADD " + r + "," + r + ",#" + strconv.Itoa(val))
			return r
		}
		r := w.register()
		w.emit("MOV " + r + ",#" + strconv.Itoa(val))
		return r
	},
	pick: func(w *writer, by string) string {
		r := w.register()
		w.emit("CMP " + by + ",#0")
		w.emit("CSEL " + r + ",WZR,WZR,EQ")
		return r
	},
	branch: func(w *writer, on string, _ int) {
		l := w.label()
		w.emit("CBNZ " + on + "," + l)
		w.emit(l + ":")
	},
	layout: func(t *text) []byte { return t.table(func(reg string) string { return "X" + reg[1:] }) },
}

// a64Zero makes a zero that depends on a register.
func a64Zero(w *writer, on string) string {
	r := w.register()
	w.emit("EOR " + r + "," + on + "," + on)
	return r
}

func a64Base(w *writer, loc string) string {
	return w.base(loc, func(reg string) string { return "X" + reg[1:] })
}

// riscvOrders are the suffixes of an amo, and those of a pair of lr and sc that is ordered in the same sense.
var riscvOrders = []struct{ suffix, amo, load, store string }{
	{"", "", "", ""}, {"A", ".aq", ".aq", ""}, {"L", ".rl", "", ".rl"}, {"AL", ".aqrl", ".aq", ".rl"},
}

var riscv = arch{
	name: "RISCV",
	mechanisms: slices.Concat(dependencies,
		[]*mechanism{{spelling: "DpCtrlFenceI", name: "ctrlfencei", dep: depCtrl, code: "fence.i"}},
		fences(func(s string) string {
			_, sides, _ := strings.Cut(s, ".")
			return "fence " + strings.Replace(sides, ".", ",", 1)
		}, "Fence.rw.rw", "Fence.rw.r", "Fence.rw.w", "Fence.r.rw", "Fence.r.r", "Fence.r.w", "Fence.w.rw", "Fence.w.r", "Fence.w.w"),
		fences(strings.ToLower, "Fence.tso", "Fence.i")),
	notes: func() []*note {
		out := []*note{{name: "P", short: "p", read: "lw %v,0%m", write: "sw %v,0%m"}}
		for _, o := range riscvOrders {
			out = append(out,
				&note{name: "X" + o.suffix, short: "x" + strings.ToLower(o.suffix),
					read:  "lr.w" + o.load + " %v,%m\nsc.w" + o.store + " %s,%v,%m",
					write: "lr.w" + o.load + " %t,%m\nsc.w" + o.store + " %s,%v,%m"},
				&note{name: "Amo" + o.suffix, short: "amo" + strings.ToLower(o.suffix),
					read:  "amoor.w" + o.amo + " %v,x0,%m",
					write: "amoswap.w" + o.amo + " %t,%v,%m"})
		}
		return out
	}(),
	rmws: func() []*rmw {
		var out []*rmw
		for _, o := range riscvOrders {
			out = append(out,
				&rmw{"LrSc" + o.suffix, map[string]string{"P P": "lr.w" + o.load + " %v,%m\nsc.w" + o.store + " %s,%n,%m"}},
				&rmw{"AmoSwap" + o.suffix, map[string]string{"P P": "amoswap.w" + o.amo + " %v,%n,%m"}},
				&rmw{"AmoAdd" + o.suffix, map[string]string{"P P": "amoadd.w" + o.amo + " %v,%i,%m"}})
		}
		return out
	}(),
	register: func(n int) string { return numbered("x", n+5, 31) }, // those before have a use by convention
	address:  func(w *writer, loc string) string { return "(" + w.base(loc, asIs) + ")" },
	dependent: func(w *writer, loc, on string, _ bool) string {
		base, sum := w.base(loc, asIs), w.register()
		w.emit("xor " + sum + "," + on + "," + on)
		w.emit("add " + sum + "," + sum + "," + base)
		return "(" + sum + ")"
	},
	value: func(w *writer, val int, on string) string {
		r, from := w.register(), "x0"
		if on != "" {
			w.emit("xor " + r + "," + on + "," + on)
			from = r
		}
		w.emit("ori " + r + "," + from + "," + strconv.Itoa(val))
		return r
	},
	branch: func(w *writer, on string, _ int) {
		l := w.label()
		w.emit("bne " + on + ",x0," + l)
		w.emit(l + ":")
	},
	layout: func(t *text) []byte { return t.table(asIs) },
}

// kernelOrders are the orders of atomic operations; one without a suffix is a full barrier.
var kernelOrders = []struct{ name, suffix, short string }{
	{"", "", "xmb"}, {"Relaxed", "_relaxed", "x"}, {"Acquire", "_acquire", "xa"}, {"Release", "_release", "xl"},
}

// kernel is C with the Linux kernel's operations. A control dependency covers what stands in the braces of its if, so what
// follows in the thread stands there.
var kernel = arch{
	name: "C",
	mechanisms: slices.Concat(dependencies,
		[]*mechanism{{spelling: "DpCtrlAcquire", name: "ctrlacq", dep: depCtrl, code: "smp_acquire__after_ctrl_dep();"}},
		fences(func(s string) string { return "smp_" + strings.ToLower(s) + "();" }, "Mb", "Rmb", "Wmb"),
		[]*mechanism{{spelling: "AcquireFence", name: "acqfence", code: "smp_acquire_fence();"},
			{spelling: "ReleaseFence", name: "relfence", code: "smp_release_fence();"}}),
	notes: func() []*note {
		out := []*note{
			{name: "Once", short: "o", read: "%v = READ_ONCE(*%m);", write: "WRITE_ONCE(*%m, %v);"},
			{name: "Plain", short: "p", read: "%v = *%m;", write: "*%m = %v;"},
			{name: "Acquire", short: "a", read: "%v = smp_load_acquire(%m);"},
			{name: "Release", short: "l", write: "smp_store_release(%m, %v);"},
		}
		for _, o := range kernelOrders {
			out = append(out, &note{name: "Xchg" + o.name, short: o.short,
				read:  "%v = atomic_fetch_add" + o.suffix + "(0, %m);",
				write: "%t = xchg" + o.suffix + "(%m, %v);"})
		}
		return out
	}(),
	rmws: func() []*rmw {
		var out []*rmw
		for _, o := range kernelOrders {
			out = append(out, &rmw{"FetchAdd" + o.name, map[string]string{"Once Once": "%v = atomic_fetch_add" + o.suffix + "(1, %m);"}})
		}
		return out
	}(),
	register: func(n int) string { return numbered("r", n, maxEdges) },
	address:  func(w *writer, loc string) string { return w.parameter(loc) },
	dependent: func(w *writer, loc, on string, _ bool) string {
		return "(" + w.parameter(loc) + " + (" + on + " ^ " + on + "))"
	},
	value: func(_ *writer, val int, on string) string {
		if on != "" {
			return strconv.Itoa(val) + " + (" + on + " ^ " + on + ")"
		}
		return strconv.Itoa(val)
	},
	branch: func(w *writer, on string, val int) {
		w.emit("if (" + on + " == " + strconv.Itoa(val) + ") {")
		w.depth++
	},
	layout: (*text).functions,
}

func asIs(reg string) string { return reg }

// numbered is register n, or empty if the last one comes before.
func numbered(prefix string, n, last int) string {
	if n > last {
		return ""
	}
	return prefix + strconv.Itoa(n)
}
