//go:build !race && purego

package hwlitmus

const relaxedIsPlain = false
