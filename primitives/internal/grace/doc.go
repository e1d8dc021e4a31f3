// Package grace holds what grace periods of all kinds have in common: callers that share them (Periods), functions that
// are run after them (Queue) and waiting that costs little if it is short and little if it is long (Backoff).
package grace
