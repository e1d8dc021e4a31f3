// Package seqlock lets readers copy a value without writing to memory: Value holds one, Load copies it, Store
// replaces it. Count is the protocol alone.
//
// A writer makes a count odd, writes, and makes it even. A reader reads the count, copies, reads the count again, and
// repeats if it was odd or has changed. Readers share nothing that they write, so they don't slow each other down; in
// exchange they may have to repeat, and hold a mixture of two values until they know.
//
// # What must be ordered, and what is often wrong
//
//   - The copy before the reader's second look at the count: a read fence. To make that look an acquire load is the usual mistake,
//     for acquire orders what follows a load.
//   - The odd count before the data: a write fence. To make the odd count a release store is the usual mistake, for
//     release orders what precedes a store.
//   - The data must be read and written with atomic accesses. The compiler may otherwise read twice, and to Go's race
//     detector, and to Go's memory model, it is a race.
//   - A reader must not act on a copy before it is known to be good. A copied string or slice may have one value's
//     pointer and another one's length; Value refuses types with pointers.
//
// On amd64 all the fences are empty: a reader of one word is three loads and two branches. On arm64 the reader has an LDAR
// and DMB ISHLD, the writer DMB ISHST and STLR.
//
// A sync.RWMutex is the better choice where reads are long, where writers hardly rest, or where the data contains
// pointers.
package seqlock
