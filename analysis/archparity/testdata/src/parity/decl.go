package parity

func cas128(p *[2]uint64, old, new [2]uint64) bool
func cas128Dispatched(p *[2]uint64, old, new [2]uint64) bool
func casRelaxed(p *uint64, old, new uint64) bool
func casAcquire(p *uint64, old, new uint64) bool
func casRelease(p *uint64, old, new uint64) bool
func casAcqRel(p *uint64, old, new uint64) bool
func load128(p *[2]uint64) uint64
func addExclusive(p *uint64, v uint64)
func addFull(p *uint64, v uint64)
func addOrdered(p *uint64, v uint64)
func addStandard(p *uint64, v uint64)

// count needs no order: relaxed.
func count(p *uint64)
func exchangeOne(p *uint64, v uint64) uint64
func exchangeOther(p *uint64, v uint64) uint64
func tryLock(p *uint64) uint64
func unlock(p *uint64)
func LoadAcq(p *uint64) uint64
func LoadAcquire(p *uint64) uint64
func StoreRel(p *uint64, v uint64)
func StoreRelease(p *uint64, v uint64)
func store(p *uint64, v uint64)
func storeOrdered(p *uint64, v uint64)
func storeFenced(p *uint64, v uint64)
func tally(p *uint64)
func copyWord(p, q *uint64)
func barrierRelease()
func barrierAcquire()
func barrierAcqRel()
func storeFenceRelease()
func loadFenceAcquire()
func readFence()
func writeBarrier()
func memoryBarrier()
func memoryBarrierFull()
func publish()
func nothing()
