//go:build !race

package rcu

// debug finds mistakes in the race detector's builds.
type debug struct{}

func (*debug) use()             {}
func (*debug) lock()            {}
func (*debug) unlock()          {}
func (*debug) outside(_ string) {}
