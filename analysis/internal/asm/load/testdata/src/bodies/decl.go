package bodies

func Full()    // want Full:`^amd64: fence \[earlier accesses before later accesses\]; arm64: fence \[earlier accesses before later accesses\]$`
func Release() // want Release:`^amd64: fence \[\]; arm64: fence \[earlier accesses before later accesses\]$`
func Acquire() // want Acquire:`^amd64: fence \[\]; arm64: fence \[earlier reads whose result is used before later accesses\]$`

// Its name says barrier, its body nothing.
func MemoryBarrier()      // want MemoryBarrier:`^amd64: fence \[\]; arm64: fence \[\]$`
func Alias()              // want Alias:`^amd64: fence \[earlier accesses before later accesses\]; arm64: fence \[earlier accesses before later accesses\]$`
func Load(p *uint64)      // want Load:`^amd64: operation \[\]; arm64: operation \[its own read before later accesses\]$`
func Sometimes()          // want Sometimes:`^arm64: fence \[earlier writes before later writes\]$`
func Calls()              //
func InGo(x uint64) error { return nil }
