package archparity

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/barriergen/barriergen/analysis/internal/asm"
	"github.com/barriergen/barriergen/analysis/internal/asm/load"
	"github.com/barriergen/barriergen/arch"
	"github.com/barriergen/barriergen/contract"
)

// comparison is one body, under one configuration, against the bodies of another architecture.
type comparison struct {
	fn            *asm.Func
	other         []*asm.Func
	arch, against string
	words         []string
	doc           string
}

// compare finds what fn lacks. One finding per function is enough.
func (c comparison) compare() (load.Finding, bool) {
	mine, ok := asm.Summarize(c.fn)
	if !ok || len(mine.Events) == 0 && !mine.Fence {
		return load.Finding{}, false
	}
	if mine.Fence {
		return c.fence(mine)
	}
	for _, find := range []func(asm.Summary) (load.Finding, bool){c.modify, c.plain, c.named} {
		if d, ok := find(mine); ok {
			return d, true
		}
	}
	return load.Finding{}, false
}

func (c comparison) at(i int, format string, args ...any) (load.Finding, bool) {
	in := &c.fn.Instrs[i]
	return load.Finding{Fn: c.fn, Offset: in.Offset, End: in.End, Message: c.fn.Name + " " + fmt.Sprintf(format, args...)}, true
}

var weak = regexp.MustCompile(`(?i)relaxed|unordered|no[-_ ]?barrier|not a barrier|without (a |any )?(barrier|fence|order)|monotonic`)

// strong finds, in every body of the other architecture, an operation that orders everything around itself where it modifies
// memory, and describes the first one.
func (c comparison) strong() (place string, exchange, ok bool) {
	exchange = true
	for n, other := range c.other {
		found := false
		for i := range other.Instrs {
			in := &other.Instrs[i]
			if in.Effect.Private || in.Effect.Kind != asm.Known || !modifies(in) || len(in.Effect.Variants) != 1 || !full(in.Effect.Variants[0]) {
				continue
			}
			name := in.Op
			if in.Locked >= 0 {
				name = "LOCK " + name
			}
			if n == 0 && !found {
				line, _ := other.File.Position(in.Offset)
				place = fmt.Sprintf("%s, %s:%d", name, filepath.Base(other.File.Name), line)
			}
			found = true
			exchange = exchange && strings.HasPrefix(in.Op, "XCHG")
		}
		if !found {
			return "", false, false
		}
	}
	return place, exchange, true
}

func modifies(in *asm.Instr) bool {
	return slices.ContainsFunc(in.Effect.Variants[0].Events, func(e contract.Classes) bool { return e&contract.RMWWrites != 0 })
}

// full reports whether a read-modify-write orders all that comes before it against itself, and itself against all that comes
// after it.
func full(s contract.Step) bool {
	return releases(s) && slices.ContainsFunc(s.Orders, func(o contract.Order) bool {
		return o.Side == contract.After && o.From&contract.RMWWrites != 0 && o.To == contract.All
	})
}

// acquires reports whether some read of a step comes before everything later.
func acquires(s contract.Step) bool {
	return slices.ContainsFunc(s.Events, func(e contract.Classes) bool {
		var later contract.Classes
		for _, o := range s.Orders {
			if o.Side == contract.After && o.From&e != 0 && o.Domain&contract.Normal != 0 {
				later |= o.To
			}
		}
		return e&contract.Reads != 0 && later == contract.All
	})
}

// releases reports whether everything earlier comes before some write of a step.
func releases(s contract.Step) bool {
	return slices.ContainsFunc(s.Events, func(e contract.Classes) bool {
		var earlier contract.Classes
		for _, o := range s.Orders {
			if o.Side == contract.Before && o.To&e != 0 && o.Domain&contract.Normal != 0 {
				earlier |= o.From
			}
		}
		return e&contract.Writes != 0 && earlier == contract.All
	})
}

// some reports whether any access of a body has an order, be it given by a fence on some path, or by the machine for free.
func some(fn *asm.Func, holds func(contract.Step) bool) bool {
	t, _ := asm.Target(fn.File.Arch)
	for i := range fn.Instrs {
		if e := fn.Instrs[i].Effect; e.Kind != asm.Known || e.Private {
			continue
		}
		s := fn.Around(i)
		for _, f := range t.Free {
			for _, f.Side = range []contract.Side{contract.Before, contract.After} {
				s.Orders = append(s.Orders, f)
			}
		}
		if holds(s) {
			return true
		}
	}
	return false
}

func classes(s contract.Step) contract.Classes {
	var out contract.Classes
	for _, e := range s.Events {
		out |= e
	}
	return out
}

// modify finds a read-modify-write that orders nothing, or one side only, where the other architecture's is full.
func (c comparison) modify(asm.Summary) (load.Finding, bool) {
	place, _, ok := c.strong()
	if !ok || weak.MatchString(c.fn.Name) || weak.MatchString(c.doc) || c.says("load", "read", "get") {
		return load.Finding{}, false
	}
	for i := range c.fn.Instrs {
		in := &c.fn.Instrs[i]
		if in.Effect.Kind != asm.Known || in.Effect.Private || !modifies(in) {
			continue
		}
		step := c.fn.Around(i)
		switch acquires, releases := acquires(step), releases(step); {
		case len(step.Orders) == 0:
			return c.at(i, "is a full barrier on %s (%s) and orders nothing on %s: %s is relaxed", c.against, place, c.arch, in.Op)
		case acquires && releases || c.oneSided() || !c.says("swap", "xchg", "exchange", "cas", "xadd", "add", "inc", "fetch"):
		case acquires:
			return c.at(i, "is a full barrier on %s (%s) and only acquire on %s: nothing orders what comes earlier before %s", c.against, place, c.arch, in.Op)
		case releases:
			return c.at(i, "is a full barrier on %s (%s) and only release on %s: nothing orders %s before what comes later", c.against, place, c.arch, in.Op)
		}
	}
	return load.Finding{}, false
}

// plain finds plain accesses where the other architecture has one atomic step, and, where that is an exchange, a store without
// an order.
func (c comparison) plain(mine asm.Summary) (load.Finding, bool) {
	place, exchange, ok := c.strong()
	if !ok || classes(mine.Step)&(contract.RMWReads|contract.RMWWrites|contract.ReleaseWrite) != 0 || some(c.fn, releases) ||
		weak.MatchString(c.fn.Name) || weak.MatchString(c.doc) || c.says("load", "read", "get") {
		return load.Finding{}, false
	}
	for i := range c.fn.Instrs {
		in := &c.fn.Instrs[i]
		if in.Effect.Kind != asm.Known || in.Effect.Private || !slices.Contains(in.Effect.Variants[0].Events, contract.PlainWrite) {
			continue
		}
		if exchange {
			return c.at(i, "is a full barrier on %s (%s) and orders nothing on %s: %s is a plain store", c.against, place, c.arch, in.Op)
		}
		return c.at(i, "is one atomic step on %s (%s) and plain accesses on %s", c.against, place, c.arch)
	}
	return load.Finding{}, false
}

// named finds an operation whose name says acquire or release, and which is that on the other architecture only.
func (c comparison) named(asm.Summary) (load.Finding, bool) {
	if !c.says("store", "load", "cas", "swap", "compare", "xchg", "exchange", "xadd", "add", "and", "or", "inc", "dec", "write", "read") {
		return load.Finding{}, false
	}
	for _, side := range []struct {
		words []string
		kind  contract.Classes
		holds func(contract.Step) bool
		says  string
		with  string
	}{
		{acquireWords, contract.Reads, acquires, "acquire", "before all later accesses"},
		{releaseWords, contract.Writes, releases, "release", "behind all earlier accesses"},
	} {
		if !c.says(side.words...) || some(c.fn, side.holds) {
			continue
		}
		if !slices.ContainsFunc(c.other, func(o *asm.Func) bool {
			return !some(o, side.holds)
		}) {
			for i := range c.fn.Instrs {
				if in := &c.fn.Instrs[i]; in.Effect.Kind == asm.Known && !in.Effect.Private && classes(in.Effect.Variants[0])&side.kind != 0 {
					return c.at(i, "is %s on %s and not on %s: nothing orders %s %s", side.says, c.against, c.arch, in.Op, side.with)
				}
			}
		}
	}
	return load.Finding{}, false
}

// fence compares two functions that are fences and nothing else.
func (c comparison) fence(mine asm.Summary) (load.Finding, bool) {
	var theirs []asm.Summary
	for _, o := range c.other {
		s, ok := asm.Summarize(o)
		if !ok || !s.Fence {
			return load.Finding{}, false
		}
		theirs = append(theirs, s)
	}
	other := asm.Weakest(theirs)
	report := func(format string, args ...any) (load.Finding, bool) {
		return load.Finding{Fn: c.fn, Offset: c.fn.Offset, End: c.fn.Offset + len("TEXT"), Message: c.fn.Name + " " + fmt.Sprintf(format, args...)}, true
	}
	named := c.contracts()
	for _, p := range named {
		if o, missing := lacks(c.arch, mine, p.Orders); missing {
			if _, too := lacks(c.against, other, p.Orders); !too {
				return report("does not order %v on %s, as it does on %s", o, c.arch, c.against)
			}
		}
	}
	if len(named) > 0 {
		return load.Finding{}, false
	}
	if !asks(c.against) {
		return load.Finding{}, false
	}
	if o, missing := lacks(c.arch, mine, beyond(c.against, other.Orders)); missing {
		return report("orders %v on %s, and not on %s", o, c.against, c.arch)
	}
	return load.Finding{}, false
}

// contracts are the fences that the name speaks of.
func (c comparison) contracts() []contract.Primitive {
	if !c.says("fence", "barrier", "membar", "mb", "rmb", "wmb") {
		return nil
	}
	var out []contract.Primitive
	for _, n := range []struct {
		words []string
		name  string
	}{
		{[]string{"full", "mb", "seqcst"}, "Full"},
		{acquireWords, "Acquire"}, {releaseWords, "Release"},
		{[]string{"read", "reads", "load", "loads", "rmb"}, "Read"},
		{[]string{"write", "writes", "store", "stores", "wmb"}, "Write"},
	} {
		if c.says(n.words...) {
			p, _ := contract.Lookup(n.name)
			out = append(out, p)
		}
	}
	return out
}

// asks reports whether a full fence on a machine says that a full fence is meant. It does not where a release fence is
// spelled the same.
func asks(goarch string) bool {
	t, _ := asm.Target(goarch)
	spelled := func(name string) string {
		p, _ := contract.Lookup(name)
		return arch.Select(t, &t.Levels[0], p, arch.Use{Macro: true}).Candidate.String()
	}
	return spelled("Full") != spelled("Release")
}

// beyond are orders that a machine does not give for free.
func beyond(goarch string, orders []contract.Order) []contract.Order {
	t, _ := asm.Target(goarch)
	var out []contract.Order
	for _, o := range orders {
		for _, from := range o.From.Each() {
			to := o.To
			for _, f := range t.Free {
				if f.From&from != 0 && f.Domain&contract.Normal != 0 {
					to &^= f.To
				}
			}
			if to != 0 {
				out = append(out, contract.Order{Side: o.Side, From: from, To: to, Strength: o.Strength, Domain: o.Domain})
			}
		}
	}
	return out
}

// lacks finds an order for normal memory that a fence does not give, nor its machine: one of plain accesses, if there is
// one, because everybody relies on those.
func lacks(goarch string, s asm.Summary, demand []contract.Order) (contract.Order, bool) {
	t, _ := asm.Target(goarch)
	have := slices.Concat(t.Free, s.Orders)
	var other contract.Order
	found := false
	for _, d := range demand {
		if d.Side != contract.Across || d.Domain&contract.Normal == 0 {
			continue
		}
		for _, from := range d.From.Each() {
			var to contract.Classes
			for _, h := range have {
				if h.Side == contract.Across && h.From&from != 0 && h.Domain&contract.Normal != 0 {
					to |= h.To
				}
			}
			if d.To&^to == 0 {
				continue
			}
			o := contract.Order{Side: contract.Across, From: side(from), To: side(d.To &^ to), Domain: contract.Normal}
			if from&(contract.PlainRead|contract.PlainWrite) != 0 {
				return o, true
			}
			if !found {
				other, found = o, true
			}
		}
	}
	return other, found
}

// side widens classes to the kind that people speak of.
func side(c contract.Classes) contract.Classes {
	switch {
	case c&contract.Reads == 0:
		return contract.Writes
	case c&contract.Writes == 0:
		return contract.Reads
	}
	return contract.All
}

var (
	acquireWords = []string{"acquire", "acq"}
	releaseWords = []string{"release", "rel"}
)

// oneSided reports whether the name says that one side of the operation is ordered.
func (c comparison) oneSided() bool {
	return c.says(slices.Concat(acquireWords, releaseWords, []string{"lock", "unlock", "trylock", "spin", "spinlock", "store", "publish", "consume", "ref", "unref", "put"})...)
}

func (c comparison) says(words ...string) bool {
	return slices.ContainsFunc(c.words, func(w string) bool { return slices.Contains(words, w) })
}

// words splits a name at case changes, underscores and digits, into lower case.
func words(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}
