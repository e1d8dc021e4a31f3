// Package open has functions that the calls in sight are not all callers of, or that one of them needs the fence of. In each
// the fence would be redundant if the call behind a full read-modify-write were the only one.
package open

import (
	_ "unsafe" // for go:linkname

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

var (
	x, y, z int
	n       atomics.Uint64
)

func calls() {
	x = 1
	n.AddFull(1)
	Exported()
	n.AddFull(1)
	addressTaken()
	n.AddFull(1)
	stored()
	n.AddFull(1)
	t := T{}
	t.methodValue()
	n.AddFull(1)
	t.methodExpression()
	n.AddFull(1)
	t.ofInterface()
	n.AddFull(1)
	t.Method()
	n.AddFull(1)
	spawned()
	n.AddFull(1)
	deferred()
	n.AddFull(1)
	onceWithout()
	n.AddFull(1)
	inAssembly()
	n.AddFull(1)
	linked()
	n.AddFull(1)
	onOneArchitecture()
	n.AddFull(1)
	ignored()
	n.AddFull(1)
	alsoInTest()
	n.AddFull(1)
	generic(0)
	n.AddFull(1)
	defers()
	n.AddFull(1)
	T{}.wrapped()
}

func Exported() {
	barrier.Full()
	y = x
}

func addressTaken() {
	barrier.Full()
	y = x
}

func runs(f func()) { f() }

var _ = func() { runs(addressTaken) }

func stored() {
	barrier.Full()
	y = x
}

var store = stored

// T has methods.
type T struct{ n int }

func (t *T) methodValue() {
	barrier.Full()
	t.n = x
}

var value = new(T).methodValue

func (t *T) methodExpression() {
	barrier.Full()
	t.n = x
}

var expression = func(t *T) { (*T).methodExpression(t) }

func (t *T) ofInterface() {
	barrier.Full()
	t.n = x
}

var _ interface{ ofInterface() } = new(T)

// Method can be called by any package.
func (t *T) Method() {
	barrier.Full()
	t.n = x
}

func (T) wrapped() {
	barrier.Full()
	y = x
}

type wrapper interface{ wrapped() }

func spawned() {
	barrier.Full()
	y = x
}

func spawns() {
	x = 1
	go spawned()
}

func deferred() {
	barrier.Full()
	y = x
}

func defersIt() {
	defer deferred()
	x = 1
}

// One of two callers has no fence.
func onceWithout() {
	barrier.Full()
	y = x
}

func without() {
	x = 1
	onceWithout()
}

func inAssembly() {
	barrier.Full()
	y = x
}

//go:linkname linked example.com/elsewhere.linked
func linked() {
	barrier.Full()
	y = x
}

// A file for one architecture calls it too: another may call it in another way.
func onOneArchitecture() {
	barrier.Full()
	y = x
}

// A file that is not built calls it.
func ignored() {
	barrier.Full()
	y = x
}

// Only a test calls it.
func onlyTested() {
	barrier.Full()
	y = x
}

// A test calls it as well.
func alsoInTest() {
	barrier.Full()
	y = x
}

func generic[V any](V) {
	barrier.Full()
	y = x
}

// A recovered panic would return behind the call.
func defers() {
	defer func() { recover() }()
	barrier.Full()
	y = x
}

// Nothing calls these but each other.

func unused(c bool) {
	n.AddFull(1)
	if c {
		unusedToo()
	}
}

func unusedToo() {
	barrier.Full()
	y = x
	unused(true)
}

// What panics goes on elsewhere than behind the call.

func recovers() {
	defer func() { y = z }()
	panics(x)
	n.AddFull(1)
}

func panics(i int) {
	z = i
	barrier.Full() // want `for the accesses seen here: atomics.Uint64.AddFull on line \d+ orders already \(it is needed if later reads that are not seen here`
	if i > 0 {
		panic("positive")
	}
}
