// Command stress stores and reads pointers through one family of primitives
// while the collector works, and checks the objects' contents.
//
//	stress [-for DURATION] [-cycles N] FAMILY
//	stress list
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/primitives/barrier"
)

// object carries its number in several forms. An object that was freed while
// in use shows another's numbers, or what the collector overwrites with.
type object struct {
	id    uint64
	next  *object
	check [5]uint64
}

func (o *object) fill(id uint64) {
	o.id = id
	for i := range o.check {
		o.check[i] = ^id + uint64(i)
	}
}

func (o *object) verify() {
	for depth := 0; o != nil && depth < 8; o, depth = o.next, depth+1 {
		for i, v := range o.check {
			if v != ^o.id+uint64(i) {
				fmt.Fprintf(os.Stderr, "object %p: number %#x beside check word %d %#x\n", o, o.id, i, v)
				os.Exit(1)
			}
		}
	}
}

type table [256]*object

// typedTable holds the typed values.
type typedTable [256]atomics.Pointer[object]

// family is a way to take what a slot holds and a way to put something there.
type family struct {
	load func(t *table, i int) *object
	put  func(t *table, i int, o *object)
}

func viaStore(store func(**object, *object)) family {
	return family{
		load: func(t *table, i int) *object { return atomics.LoadAcquirePointer(&t[i]) },
		put:  func(t *table, i int, o *object) { store(&t[i], o) },
	}
}

func viaSwap(swap func(**object, *object) *object) family {
	return family{
		load: func(t *table, i int) *object { return atomics.LoadRelaxedPointer(&t[i]) },
		put:  func(t *table, i int, o *object) { swap(&t[i], o).verify() },
	}
}

func viaCompareAndSwap(cas func(p **object, old, new *object) bool) family {
	return family{
		load: func(t *table, i int) *object { return atomics.LoadAcquirePointer(&t[i]) },
		put: func(t *table, i int, o *object) {
			for !cas(&t[i], atomics.LoadRelaxedPointer(&t[i]), o) {
			}
		},
	}
}

var families = map[string]family{
	"StoreRelaxed": viaStore(func(p **object, o *object) { atomics.StoreRelaxedPointer(p, o) }),
	"StoreRelease": viaStore(func(p **object, o *object) { atomics.StoreReleasePointer(p, o) }),
	"StoreFull":    viaStore(func(p **object, o *object) { atomics.StoreFullPointer(p, o) }),

	"SwapRelaxed": viaSwap(func(p **object, o *object) *object { return atomics.SwapRelaxedPointer(p, o) }),
	"SwapAcquire": viaSwap(func(p **object, o *object) *object { return atomics.SwapAcquirePointer(p, o) }),
	"SwapRelease": viaSwap(func(p **object, o *object) *object { return atomics.SwapReleasePointer(p, o) }),
	"SwapFull":    viaSwap(func(p **object, o *object) *object { return atomics.SwapFullPointer(p, o) }),

	"CompareAndSwapRelaxed": viaCompareAndSwap(func(p **object, old, o *object) bool { return atomics.CompareAndSwapRelaxedPointer(p, old, o) }),
	"CompareAndSwapAcquire": viaCompareAndSwap(func(p **object, old, o *object) bool { return atomics.CompareAndSwapAcquirePointer(p, old, o) }),
	"CompareAndSwapRelease": viaCompareAndSwap(func(p **object, old, o *object) bool { return atomics.CompareAndSwapReleasePointer(p, old, o) }),
	"CompareAndSwapFull":    viaCompareAndSwap(func(p **object, old, o *object) bool { return atomics.CompareAndSwapFullPointer(p, old, o) }),
}

// typedFamilies work on the second pair of tables.
var typedFamilies = map[string]func(p *atomics.Pointer[object], o *object){
	"typed StoreRelaxed": func(p *atomics.Pointer[object], o *object) { p.StoreRelaxed(o) },
	"typed StoreRelease": func(p *atomics.Pointer[object], o *object) { p.StoreRelease(o) },
	"typed StoreFull":    func(p *atomics.Pointer[object], o *object) { p.StoreFull(o) },
	"typed Swap":         func(p *atomics.Pointer[object], o *object) { p.SwapRelaxed(o).verify() },
	"typed CompareAndSwap": func(p *atomics.Pointer[object], o *object) {
		for !p.CompareAndSwapRelease(p.LoadAcquire(), o) {
		}
	},
}

var ids atomic.Uint64

// churn moves objects from one table to another until told to stop. The only
// reference to a moved object goes from a slot through this goroutine's stack
// into a slot: when the collector has been past both, only the write barrier
// of these two stores tells it.
func churn(load func(side, i int) *object, put func(side, i int, o *object), stop *atomic.Bool) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for n := 0; !stop.Load(); n++ {
		side, from, to := rng.IntN(2), rng.IntN(len(table{})), rng.IntN(len(table{}))
		o := load(side, from)
		o.verify()
		barrier.Release() // so that relaxed families publish the contents too
		put(1-side, to, o)
		var fresh *object
		if n%4 != 0 {
			fresh = new(object)
			fresh.fill(ids.Add(1))
			if n%8 == 1 { // a chain that others find through fresh, of bounded length
				fresh.next = &object{}
				fresh.next.fill(ids.Add(1))
			}
		}
		barrier.Release()
		put(side, from, fresh)
		load(1-side, to).verify()
	}
}

func main() {
	duration := flag.Duration("for", time.Second, "how long to run at least")
	cycles := flag.Uint("cycles", 20, "how many collections there must be at least")
	flag.Parse()
	var (
		tables [2]*table
		typed  [2]*typedTable
		wg     sync.WaitGroup
		stop   atomic.Bool
	)
	for i := range tables {
		tables[i], typed[i] = new(table), new(typedTable)
	}
	f, plain := families[flag.Arg(0)]
	put, isTyped := typedFamilies[flag.Arg(0)]
	for range 4 {
		switch {
		case plain:
			wg.Go(func() {
				churn(
					func(side, i int) *object { return f.load(tables[side], i) },
					func(side, i int, o *object) { f.put(tables[side], i, o) },
					&stop)
			})
		case isTyped:
			wg.Go(func() {
				churn(
					func(side, i int) *object { return typed[side][i].LoadAcquire() },
					func(side, i int, o *object) { put(&typed[side][i], o) },
					&stop)
			})
		case flag.Arg(0) == "list":
			for name := range families {
				fmt.Println(name)
			}
			for name := range typedFamilies {
				fmt.Println(name)
			}
			return
		default:
			fmt.Fprintln(os.Stderr, "unknown family:", flag.Arg(0))
			os.Exit(2)
		}
	}
	var stats runtime.MemStats
	for began := time.Now(); time.Since(began) < *duration || stats.NumGC < uint32(*cycles); {
		time.Sleep(20 * time.Millisecond)
		runtime.ReadMemStats(&stats)
	}
	stop.Store(true)
	wg.Wait()
	fmt.Println("collections:", stats.NumGC, "objects:", ids.Load())
	runtime.KeepAlive(tables)
	runtime.KeepAlive(typed)
}
