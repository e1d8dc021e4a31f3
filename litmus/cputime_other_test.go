//go:build !unix

package litmus

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
