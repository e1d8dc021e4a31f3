//go:build !race

package srcu

// debug lets the race detector see two goroutines that use one reader.
type debug struct{}

func (*debug) use() {}
