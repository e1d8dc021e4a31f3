package seqlock

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
)

// Value is a value that readers copy without writing to memory, while writers replace it as a whole. The zero value
// holds the zero T. It must not be copied after first use.
//
// T must contain no pointers (strings, slices, maps and interfaces contain some): a reader may hold a mixture of two
// values for a moment, and the garbage collector must not see one. Store checks it.
type Value[T any] struct {
	count Count
	mu    sync.Mutex // of the writers
	known bool       // T contains no pointers
	cell  cell[T]
}

// cell is a T that can be copied in words.
type cell[T any] struct {
	_ [0]uintptr // alignment, and so a size that is a multiple of it
	v T
}

const wordSize = unsafe.Sizeof(uintptr(0))

func (c *cell[T]) words() []uintptr {
	return unsafe.Slice((*uintptr)(unsafe.Pointer(c)), unsafe.Sizeof(*c)/wordSize)
}

// Load returns the value. It is an acquire: what happened before the Store of that value is visible after. It repeats while
// writers are at work, without bound, and gives the processor away within a bounded count; where writers never rest use a
// sync.RWMutex.
//
// Its cost on amd64 is that of copying T by words, two loads of the count and a branch.
func (v *Value[T]) Load() T {
	var c cell[T]
	to, from := c.words(), v.cell.words()
	for {
		begin := v.count.ReadBegin()
		for i := range from {
			to[i] = atomics.LoadRelaxedUintptr(&from[i])
		}
		if !v.count.ReadRetry(begin) {
			return c.v
		}
	}
}

// Store replaces the value. It is a release. Writers exclude each other with a sync.Mutex: it is the better lock there,
// since a writer may have to wait for as long as another one has lost its processor. It panics if T contains pointers.
func (v *Value[T]) Store(value T) {
	c := cell[T]{v: value}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.known {
		mustNotPoint(reflect.TypeFor[T]())
		v.known = true
	}
	to, from := v.cell.words(), c.words()
	v.count.WriteBegin()
	for i := range to {
		atomics.StoreRelaxedUintptr(&to[i], from[i])
	}
	v.count.WriteEnd()
}

// mustNotPoint panics if values of a type contain pointers.
func mustNotPoint(t reflect.Type) {
	if inner := pointerIn(t); inner != nil {
		panic(fmt.Sprintf("seqlock: a %v can't be a Value: the %v in it contains pointers; publish it with atomics.Pointer", t, inner))
	}
}

// pointerIn returns a type that contains pointers and that values of t contain, or nil.
func pointerIn(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return nil
		}
		return pointerIn(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if inner := pointerIn(t.Field(i).Type); inner != nil {
				return inner
			}
		}
		return nil
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.String, reflect.UnsafePointer:
		return t
	}
	return nil
}
