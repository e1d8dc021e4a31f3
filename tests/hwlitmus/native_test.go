//go:build !race && !purego

package hwlitmus

// relaxedIsPlain says that a relaxed store is a store and nothing more. Where
// it is an operation of sync/atomic, it may be a full fence in disguise, and
// then no weak outcome can show.
const relaxedIsPlain = true
