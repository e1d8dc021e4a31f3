//go:build !amd64

package measure

// Frequency is 0: there is no counter of cycles that a program may read.
func Frequency() (perNanosecond float64) { return 0 }
