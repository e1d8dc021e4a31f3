package contract

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRows(t *testing.T) {
	seen, kernel := map[string]bool{}, map[string]bool{}
	for _, p := range Table() {
		t.Run(p.Name, func(t *testing.T) {
			assert.Regexp(t, `^[A-Z][A-Za-z]*(128)?$`, p.Name)
			assert.False(t, seen[p.Name], "name stands twice")
			seen[p.Name] = true
			if p.Kernel != "" {
				assert.False(t, kernel[p.Kernel], "kernel name stands twice")
				kernel[p.Kernel] = true
			}
			assert.Regexp(t, regexp.MustCompile(`(?s)^[a-z].*\.$`), p.Doc, "a doc is a sentence without its subject")
			assert.NotEmpty(t, p.Source)
			if !strings.HasSuffix(p.Name, "Full") || !p.Op.RMW() { // a full read-modify-write has no trap of its own
				assert.Regexp(t, regexp.MustCompile(`(?s)^[A-Z].*\.$`), p.Pitfall, "every weaker primitive has a trap")
			}
			assert.Contains(t, Families, p.Family)
			assert.Equal(t, p.Op == Fence, p.Operand == NoOperand, "only a fence has no operand")
			assert.Equal(t, p.Family == Barrier, p.Op == Fence)
			if p.Op.Conditional() && p.Op != LockBit && p.Op != CompareAndSwap2 {
				assert.Equal(t, Success, p.Result)
			}
			for _, o := range p.Orders {
				assert.NotZero(t, o.From)
				assert.NotZero(t, o.To)
				assert.NotZero(t, o.Domain)
				if p.Op == Fence && p.Binds == Anything {
					assert.Equal(t, Across, o.Side, "a fence that binds to nothing has no events of its own")
				}
			}
		})
	}
}

// What contracts of the field say, told once more and independently of the table: the pairs that each orders.
func TestCoarseView(t *testing.T) {
	want := map[string]string{
		"Full": "RR RW WR WW", "Read": "RR", "Write": "WW", "Acquire": "RR RW", "Release": "RW WW", "Compiler": "none",
		"BeforeAtomic": "RR RW WR WW", "AfterAtomic": "RR RW WR WW", "AcquireAfterControlDependency": "RR RW",
		"MandatoryFull": "RR RW WR WW", "MandatoryRead": "RR", "MandatoryWrite": "WW", "DMAFull": "RR RW WR WW", "DMARead": "RR", "DMAWrite": "WW",
		"LoadRelaxed": "none", "LoadAcquire": "RR RW", "StoreRelaxed": "none", "StoreRelease": "RW WW", "StoreFull": "RR RW WR WW",
		"AddRelaxed": "none", "AddAcquire": "RR RW", "AddRelease": "RW WW", "AddFull": "RR RW WR WW",
		"SetBit": "none", "ClearBit": "none", "ChangeBit": "none", "TestAndSetBit": "RR RW WR WW", "TestAndSetBitLock": "RR RW",
		"ClearBitUnlock": "RW WW", "ClearBitUnlockNonAtomic": "RW WW", "XorUnlockIsNegativeByte": "RW WW", "TestBit": "none", "TestBitAcquire": "RR RW",
	}
	for name, set := range want {
		p, ok := Lookup(name)
		require.True(t, ok, name)
		assert.Equal(t, set, p.Set().String(), name)
	}
}

func TestSuffixesComplete(t *testing.T) {
	for _, op := range []string{"Add", "And", "Or", "Xor", "Swap", "CompareAndSwap"} {
		for _, s := range []string{"Relaxed", "Acquire", "Release", "Full"} {
			_, ok := Lookup(op + s)
			assert.True(t, ok, op+s)
		}
	}
}

// Publishing and taking, which the race detector is told of, are different things.
func TestReleasesAndAcquires(t *testing.T) {
	for name, want := range map[string][2]bool{"Full": {true, true}, "Acquire": {false, true}, "Read": {false, true}, "Release": {true, false}, "Write": {true, false},
		"Compiler": {false, false}, "LoadAcquire": {false, true}, "StoreRelease": {true, false}, "StoreFull": {true, true}, "AddRelaxed": {false, false},
		"AddAcquire": {false, true}, "AddRelease": {true, false}, "AddFull": {true, true}, "AfterAtomic": {true, true}, "TestAndSetBitLock": {false, true},
		"ClearBitUnlock": {true, false}, "AcquireAfterControlDependency": {false, true}} {
		p, ok := Lookup(name)
		require.True(t, ok)
		assert.Equal(t, want, [2]bool{p.Releases(), p.Acquires()}, name)
	}
}

// order is shorthand for an order in normal memory.
func order(side Side, from, to Classes) Order { return Order{side, from, to, Strong, Normal} }

func TestLocalOrder(t *testing.T) {
	plainR, plainW := Step{Events: []Classes{PlainRead}}, Step{Events: []Classes{PlainWrite}}
	ldar := Step{Events: []Classes{AcquireRead}, Orders: []Order{order(After, AcquireRead, All)}}
	stlr := Step{Events: []Classes{ReleaseWrite}, Orders: []Order{order(Before, All, ReleaseWrite)}}
	ldst := Step{Events: []Classes{RMWRead, RMWWrite}}
	stadd := Step{Events: []Classes{NoReturnRead, RMWWrite}}
	full := Step{Orders: []Order{order(Across, All, All)}}
	load := Step{Orders: []Order{order(Across, FenceReads, All)}}
	rcsc := []Order{order(Across, ReleaseWrite, AcquireRead)}
	tso := []Order{order(Across, Reads, All), order(Across, Writes, Writes)}
	last := -1
	for _, tt := range []struct {
		name  string
		free  []Order
		steps []Step
		i, j  int // events; last is the last one
		want  bool
	}{
		{"nothing orders two stores", nil, []Step{plainW, plainW}, 0, last, false},
		{"tso keeps two stores", tso, []Step{plainW, plainW}, 0, last, true},
		{"tso lets a load pass a store", tso, []Step{plainW, plainR}, 0, last, false},
		{"tso, the load between does not help", tso, []Step{plainW, plainR, plainR}, 0, last, false},
		{"a full fence orders store before load", nil, []Step{plainW, full, plainR}, 0, last, true},
		{"an access between does not matter", nil, []Step{plainW, full, plainW, plainR}, 0, last, true},
		{"a fence orders nothing on one side of it", nil, []Step{full, plainW, plainR}, 0, last, false},
		{"an acquire load orders what follows", nil, []Step{ldar, plainR}, 0, last, true},
		{"an acquire load orders nothing that came earlier", nil, []Step{plainR, ldar, plainR}, 0, last, false},
		{"a release store orders what came earlier", nil, []Step{plainR, stlr}, 0, last, true},
		{"a release store orders nothing that follows", nil, []Step{stlr, plainW}, 0, last, false},
		{"release then acquire is ordered, through the chain", rcsc, []Step{plainW, stlr, ldar, plainR}, 0, last, true},
		{"release then plain load is not", rcsc, []Step{plainW, stlr, plainR}, 0, last, false},
		{"a load between release and acquire is not in the chain", rcsc, []Step{stlr, plainR, ldar}, 0, 1, false},
		{"the write half comes after its read half", nil, []Step{ldst}, 0, last, true},
		{"a read fence does not order a read half without a result", nil, []Step{stadd, load, plainR}, 0, last, false},
		{"nor its write half", nil, []Step{ldst, load, plainR}, 1, last, false},
		{"but a read half with one", nil, []Step{ldst, load, plainR}, 0, last, true},
		{"chain of two fences", nil, []Step{plainR, load, plainR, load, plainW}, 0, last, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := LocalOrder(tt.free, Normal, Local, tt.steps)
			j := tt.j
			if j == last {
				j = len(m.Steps) - 1
			}
			assert.Equal(t, tt.want, m.Ordered(tt.i, j))
			assert.False(t, m.Ordered(j, tt.i), "order never points backwards")
		})
	}
	t.Run("too narrow a domain", func(t *testing.T) {
		m := LocalOrder(nil, Device, Local, []Step{plainW, full, plainR})
		assert.False(t, m.Ordered(0, 1))
	})
	t.Run("too weak", func(t *testing.T) {
		weak := Step{Orders: []Order{{Across, All, All, ACumulative, Normal}}}
		assert.False(t, LocalOrder(nil, Normal, Strong, []Step{plainW, weak, plainR}).Ordered(0, 1))
		assert.True(t, LocalOrder(nil, Normal, ACumulative, []Step{plainW, weak, plainR}).Ordered(0, 1))
	})
}

func TestSentences(t *testing.T) {
	p, _ := Lookup("StoreRelease")
	assert.Equal(t, "earlier accesses before its own write", Describe(p.Orders))
	p, _ = Lookup("MandatoryWrite")
	assert.Equal(t, "earlier writes before later writes, for device memory", Describe(p.Orders))
	assert.Equal(t, "nothing", Describe(nil))
	assert.Equal(t, "none", Set(0).String())
	assert.Equal(t, "plain reads, release writes", (PlainRead | ReleaseWrite).String())
}

// The table handed out is a copy: nobody can change it for somebody else.
func TestTableIsACopy(t *testing.T) {
	Table()[0].Name = "changed"
	assert.Equal(t, "Full", Table()[0].Name)
	assert.Equal(t, len(Table()), len(Of(Barrier))+len(Of(Atomics))+len(Of(Bitops)))
	assert.True(t, slices.IsSortedFunc(Table(), func(a, b Primitive) int {
		return slices.Index(Families, a.Family) - slices.Index(Families, b.Family)
	}))
}
