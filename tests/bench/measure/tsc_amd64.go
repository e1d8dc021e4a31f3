package measure

import "time"

// timestamp is the time-stamp counter.
func timestamp() uint64

// Frequency measures how often the time-stamp counter counts in a nanosecond. It is the unit in which cycles are given, as
// the published figures were; a processor that changes its speed does not change it.
func Frequency() (perNanosecond float64) {
	var took time.Duration
	var ticks uint64
	Pinned(0, func() {
		began, from := time.Now(), timestamp()
		time.Sleep(200 * time.Millisecond)
		ticks, took = timestamp()-from, time.Since(began)
	})
	return float64(ticks) / float64(took)
}
