package order

import (
	"go/types"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/contract"
)

// Op is one operation of a function, as far as order is concerned.
type Op struct {
	Name    string
	Prim    *contract.Primitive // an operation of this project's primitives
	Sync    contract.Op         // one of sync/atomic
	Like    []string            // something that is at least these primitives, one after the other
	Events  []contract.Classes  // ordinary accesses
	Body    *Body               // a function whose body is known
	Failed  bool                // it is known not to have written
	Private bool                // on memory that nobody shares
	Unknown bool                // a call of which nothing is known
	May     bool                // its accesses may be absent or repeated
	// Uncertain: it may not happen at all, so it orders nothing.
	Uncertain bool

	callee *function // the function of this package that it is a call of
}

// carries reports whether the compiler moves no access across the operation.
func (o Op) carries() bool { return o.Prim != nil || o.Sync != "" || len(o.Like) > 0 }

// conditional reports whether the operation may end without writing.
func (o Op) conditional() bool {
	return o.Sync == contract.CompareAndSwap || o.Prim != nil && o.Prim.Op.Conditional()
}

// rmw reports whether it is an atomic read-modify-write that writes.
func (o Op) rmw() bool {
	return !o.Failed && (o.Sync.RMW() || o.Prim != nil && o.Prim.Op.RMW())
}

const primitives = "github.com/barriergen/barriergen/primitives/"

var unknown = Op{Unknown: true, May: true, Events: contract.All.Each()}

// syncOps are the operations of sync/atomic by the beginning of their names.
var syncOps = []struct {
	prefix string
	op     contract.Op
}{{"Load", contract.Load}, {"Store", contract.Store}, {"Swap", contract.Swap}, {"CompareAndSwap", contract.CompareAndSwap},
	{"Add", contract.Add}, {"And", contract.And}, {"Or", contract.Or}}

// stdOps are what functions of the standard library do to order: a lock is at least an acquire, an unlock at least a
// release; that of WaitGroup is an addition.
var stdOps = map[string]Op{
	"(*sync.Mutex).Lock":     {Like: []string{"CompareAndSwapAcquire"}},
	"(*sync.Mutex).Unlock":   {Like: []string{"AddRelease"}},
	"(*sync.RWMutex).Lock":   {Like: []string{"CompareAndSwapAcquire"}},
	"(*sync.RWMutex).Unlock": {Like: []string{"AddRelease"}},
	// A reader's lock is one addition unless a writer is there, and then more than that.
	"(*sync.RWMutex).RLock":   {Like: []string{"AddAcquire"}},
	"(*sync.RWMutex).RUnlock": {Like: []string{"AddRelease"}},
	"(*sync.WaitGroup).Add":   {Sync: contract.Add},
	"(*sync.WaitGroup).Done":  {Sync: contract.Add},
	"(*sync.WaitGroup).Wait":  {Sync: contract.Load},
	"runtime.KeepAlive":       {},
}

// channelOp is a blocking channel operation: the channel's lock is taken and released.
var channelOp = Op{Like: []string{"CompareAndSwapAcquire", "AddRelease"}}

// Known returns what a function is known to do by its name, if it is of the standard library or of this project.
func Known(fn *types.Func) (Op, bool) {
	if fn == nil || fn.Pkg() == nil {
		return Op{}, false
	}
	path := fn.Pkg().Path()
	if path == "sync" || path == "runtime" {
		op, ok := stdOps[fn.FullName()]
		op.Name = short(fn)
		return op, ok
	}
	if path == "sync/atomic" {
		return atomicOp(fn)
	}
	if rest, ok := strings.CutPrefix(path, primitives); ok {
		p, ok := primitive(rest, fn)
		return Op{Name: short(fn), Prim: p}, ok
	}
	return Op{}, false
}

func atomicOp(fn *types.Func) (Op, bool) {
	if recv := receiver(fn); recv == "Value" { // an interface's two words, in several operations
		return Op{}, false
	}
	for _, s := range syncOps {
		if strings.HasPrefix(fn.Name(), s.prefix) {
			return Op{Name: short(fn), Sync: s.op}, true
		}
	}
	return Op{}, false
}

// byName are the primitives by package and name; those of bitops also by the name of the bitmap's method.
var byName = sync.OnceValue(func() map[[2]string]*contract.Primitive {
	out := map[[2]string]*contract.Primitive{}
	for _, p := range contract.Table() {
		if p.Op == contract.WaitLoad { // it calls a function that it is given
			continue
		}
		out[[2]string{string(p.Family), p.Name}] = &p
		if p.Family == contract.Bitops {
			out[[2]string{string(p.Family), strings.Replace(p.Name, "Bit", "", 1)}] = &p
		}
	}
	return out
})

// primitive finds the row of a function: its name without the operand's type.
func primitive(family string, fn *types.Func) (*contract.Primitive, bool) {
	name := fn.Name()
	for _, suffix := range []string{"", "Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"} {
		if bare, ok := strings.CutSuffix(name, suffix); ok {
			if p, ok := byName()[[2]string{family, bare}]; ok {
				return p, true
			}
		}
	}
	return nil, false
}

func receiver(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// short is a function's name as people write it.
func short(fn *types.Func) string {
	if recv := receiver(fn); recv != "" {
		return fn.Pkg().Name() + "." + recv + "." + fn.Name()
	}
	return fn.Pkg().Name() + "." + fn.Name()
}
