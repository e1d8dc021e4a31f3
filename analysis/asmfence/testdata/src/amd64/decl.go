package amd64

func twice()
func lockedThenFence(p *uint64, v uint64)
func fenceThenLocked(p *uint64, v uint64)
func exchangeThenFence(p *uint64, v uint64)
func stackThenFence()
func bothPaths(p *uint64, v uint64)
func onePath(p *uint64, v uint64)
func loop(p *uint64)
func storeFence(p *uint64, v uint64)
func storeFenceUsed(p *uint64, v uint64) uint64
func storeImmediate(p *uint64)
func lockExchange(p *uint64, v uint64) uint64
func lockExchangeLine(p *uint64, v uint64) uint64
func registers(p *uint64, v uint64)
func accessBetween(p, q *uint64, v uint64)
func callBetween()
func privateBetween(v uint64)
func macro()
func relative(p *uint64, v uint64)
func withLabel()
func notExchange(p *uint64, v uint64)
func indirect(p *uint64)
func ordered(p *uint64)
func storeBetween(p *uint64)
